/// Problems that did not stop the run: each kind is counted, the first few of each are kept by name.
package struct Diagnostics: Sendable {
    package struct Entry: Sendable {
        package var kind: ProblemKind
        package var count: Int
        /// The first ones, in the order in which they were met.
        package var examples: [Problem]
    }

    /// How many problems of a kind are kept with their place; the others are only counted.
    package static let examplesPerKind = 5

    private var byKind: [ProblemKind: Entry] = [:]

    package init() {}

    package mutating func record(_ problem: Problem, count: Int = 1) {
        var entry = byKind[problem.kind] ?? Entry(kind: problem.kind, count: 0, examples: [])
        entry.count += count
        if entry.examples.count < Self.examplesPerKind { entry.examples.append(problem) }
        byKind[problem.kind] = entry
    }

    package mutating func append(_ other: Diagnostics) {
        for entry in other.entries {
            var mine = byKind[entry.kind] ?? Entry(kind: entry.kind, count: 0, examples: [])
            mine.count += entry.count
            mine.examples += entry.examples.prefix(max(0, Self.examplesPerKind - mine.examples.count))
            byKind[entry.kind] = mine
        }
    }

    /// Sorted by the kind's name.
    package var entries: [Entry] { byKind.values.sorted { $0.kind < $1.kind } }

    package var isEmpty: Bool { byKind.isEmpty }

    package func count(of kind: ProblemKind) -> Int { byKind[kind]?.count ?? 0 }

    /// How many problems cost the output something.
    package var lostCount: Int {
        byKind.values.reduce(0) { $0 + ($1.kind.severity == .lost ? $1.count : 0) }
    }
}
