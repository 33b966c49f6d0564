/// A position: an offset in the file, or in the uncompressed content of the chunk at that offset.
package struct MCAPPlace: Hashable, Sendable, CustomStringConvertible {
    package var offset: Int
    package var innerOffset: Int?

    package init(offset: Int, innerOffset: Int? = nil) {
        self.offset = offset
        self.innerOffset = innerOffset
    }

    /// The position some bytes further in the same space.
    package func advanced(by count: Int) -> MCAPPlace {
        if let innerOffset { return MCAPPlace(offset: offset, innerOffset: innerOffset &+ count) }
        return MCAPPlace(offset: offset &+ count)
    }

    package var description: String {
        innerOffset.map { "offset \($0) of the chunk at \(offset)" } ?? "offset \(offset)"
    }
}

/// A violation of the specification in an MCAP file.
package struct MCAPProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package var place: MCAPPlace
    /// The record and its field, in the specification's words: "Chunk.uncompressed_size".
    package var what: String
    package var expected: String
    package var found: String

    package init(_ what: String, at place: MCAPPlace, expected: String, found: String) {
        self.place = place
        self.what = what
        self.expected = expected
        self.found = found
    }

    /// The magic number at the beginning or the end of a file is another.
    static func magic(at offset: Int, found: String = "other bytes") -> MCAPProblem {
        MCAPProblem("magic", at: MCAPPlace(offset: offset), expected: "89 4D 43 41 50 30 0D 0A", found: found)
    }

    package var description: String { "\(what): \(place): expected \(expected), found \(found)" }
}

/// The problems of a file; only the first ones are kept, all are counted.
package struct MCAPProblems: Sendable {
    /// The maximum number that is kept.
    package static let limit = 1000
    package private(set) var list: [MCAPProblem] = []
    /// The number of all problems, kept or not.
    package private(set) var count = 0
    private let known: Set<MCAPProblem>

    /// - Parameter known: Problems that are reported elsewhere.
    init(excluding known: [MCAPProblem] = []) {
        self.known = Set(known)
    }

    mutating func add(_ problem: MCAPProblem?) {
        guard let problem, !known.contains(problem) else { return }
        count += 1
        if list.count < Self.limit { list.append(problem) }
    }

    mutating func add(_ problems: [MCAPProblem]) {
        for problem in problems { add(problem) }
    }
}
