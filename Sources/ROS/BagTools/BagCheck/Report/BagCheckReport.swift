import Bags
package import Platform

/// The findings of the check of a bag, and what it looked at.
package struct BagCheckReport: Sendable, Hashable {
    package struct File: Sendable, Hashable {
        /// The name in the bag's directory.
        package var name: String
        package var bytes: Int
        /// Messages that could be read.
        package var messageCount: Int
        package var firstNanoseconds: Int64?
        package var lastNanoseconds: Int64?
        /// The times of the first and the last row in the order of the file.
        package var firstWritten: Int64?
        package var lastWritten: Int64?
    }

    package struct Topic: Sendable, Hashable {
        package var name: String
        package var typeName: String
        package var serializationFormat: String
        package var messageCount: Int
        /// Messages whose fields were read and held to their type.
        package var decodedCount: Int
        /// Sum of the messages' bytes.
        package var bytes: Int
    }

    /// The worst first, then by kind and topic.
    package var findings: [BagFinding]
    /// Findings of further kinds and topics that were left out, because there are too many.
    package var omittedFindings: Int
    /// In playing order.
    package var files: [File]
    /// The topics, sorted by name.
    package var topics: [Topic]
    /// True if the bag says that this program wrote it, so that it was held to more.
    package var isOurs: Bool

    package var messageCount: Int { files.reduce(0) { $0 + $1.messageCount } }
    package var decodedCount: Int { topics.reduce(0) { $0 + $1.decodedCount } }
    /// The size of the storage files.
    package var bytes: Int { files.reduce(0) { $0 + $1.bytes } }

    /// How many findings of a severity there are; groups, not occurrences.
    package func count(of severity: BagFinding.Severity) -> Int {
        findings.count { $0.severity == severity }
    }

    /// True if nothing is damaged: no error.
    package var isSound: Bool { verdict.word != .damaged }

    /// What a damaged bag still gives is a part of its verdict.
    package var verdict: Verdict {
        let errors = count(of: .error)
        var worst = findings.first.flatMap { finding in
            finding.severity == .note
                ? nil
                : finding.words
                    ?? ([finding.topic, finding.kind.meaning].compactMap(\.self)).joined(separator: ": ")
        }
        if errors > 0, messageCount > 0, worst?.hasSuffix(CutFile.ending) == false {
            worst = worst.map { "\($0); \(messageCount) messages can be read" }
        }
        let examined = decodedCount == messageCount ? "every message" : "\(decodedCount) of \(messageCount) messages"
        return Verdict(errors: errors, warnings: count(of: .warning), worst: worst, examined: examined + " decoded")
    }
}

/// Collects findings while a bag is walked: bounded, grouped, and in an order that depends on the bag alone.
struct Findings {
    private struct Group: Hashable {
        var kind: BagFindingKind
        var topic: String?
        var severity: BagFinding.Severity
    }

    /// A hostile bag could make up topics without end.
    private static let maximumGroups = 4096

    /// True if this program wrote the bag, by its provenance: what is custom elsewhere is a promise here.
    var isOurs = false
    private var indices: [Group: Int] = [:]
    private var collected: [BagFinding] = []
    /// Findings of groups that came after the limit.
    private(set) var omitted = 0

    /// An error in a bag of ours, else what it is in anyone's.
    func severity(foreign: BagFinding.Severity) -> BagFinding.Severity {
        isOurs ? .error : foreign
    }

    /// Notes one occurrence; the texts are made only where they will be shown.
    mutating func add(
        _ severity: BagFinding.Severity,
        _ kind: BagFindingKind,
        topic: String? = nil,
        at spot: Spot = Spot(),
        expected: @autoclosure () -> String,
        found: @autoclosure () -> String
    ) {
        let group = Group(kind: kind, topic: topic, severity: severity)
        if let index = indices[group] {
            // The reader and the walk over the records may both meet the same damage.
            if let last = collected[index].places.last, last.position != .file, last.position == spot.position,
                last == spot.place(expected(), found())
            {
                return
            }
            collected[index].count += 1
            note(spot.file, of: index)
            guard collected[index].places.count < BagFinding.keptPlaces else { return }
            collected[index].places.append(spot.place(expected(), found()))
        } else if collected.count < Findings.maximumGroups {
            indices[group] = collected.count
            let place = spot.place(expected(), found())
            collected.append(BagFinding(severity: severity, kind: kind, topic: topic, count: 1, places: [place]))
            note(spot.file, of: collected.count - 1)
        } else {
            omitted += 1
        }
    }

    private mutating func note(_ file: String, of index: Int) {
        // Files are read one after the other.
        guard !file.isEmpty, collected[index].files.last != file, !collected[index].files.contains(file) else { return }
        collected[index].files.append(file)
    }

    /// Notes occurrences that were counted elsewhere; nothing for none.
    ///
    /// - Parameter places: the first of them, with what was expected and found.
    mutating func add(
        _ severity: BagFinding.Severity,
        _ kind: BagFindingKind,
        topic: String?,
        count: Int,
        places: [(spot: Spot, expected: String, found: String)]
    ) {
        guard count > 0, let first = places.first else { return }
        add(severity, kind, topic: topic, at: first.spot, expected: first.expected, found: first.found)
        guard let index = indices[Group(kind: kind, topic: topic, severity: severity)] else { return }
        for place in places.dropFirst() where collected[index].places.count < BagFinding.keptPlaces {
            collected[index].places.append(place.spot.place(place.expected, place.found))
        }
        collected[index].count += count - 1
    }

    func hasError(_ kind: BagFindingKind, in file: String) -> Bool {
        indices[Group(kind: kind, topic: nil, severity: .error)].map { collected[$0].files.contains(file) } ?? false
    }

    /// Says in a person's words what the errors of a kind are, which stand first then.
    mutating func explain(_ kind: BagFindingKind, _ words: String) {
        guard let index = indices[Group(kind: kind, topic: nil, severity: .error)] else { return }
        collected[index].words = collected[index].words ?? words
    }

    /// Gives the findings of a kind, of one topic or of all, the advice that fits this bag.
    mutating func advise(_ kind: BagFindingKind, of topic: String? = nil, _ advice: String) {
        for index in collected.indices where collected[index].kind == kind {
            if topic == nil || collected[index].topic == topic { collected[index].ownAdvice = advice }
        }
    }

    /// The worst first, of these what is said in words; then by kind and topic.
    var sorted: [BagFinding] {
        collected.sorted { left, right in
            if left.severity != right.severity { return left.severity > right.severity }
            if (left.words == nil) != (right.words == nil) { return left.words != nil }
            if left.kind != right.kind { return left.kind.rawValue < right.kind.rawValue }
            return (left.topic ?? "") < (right.topic ?? "")
        }
    }
}

/// A place without its words.
struct Spot: Hashable {
    var file = ""
    var position = BagFinding.Position.file
    var timeNanoseconds: Int64?

    func place(_ expected: String, _ found: String) -> BagFinding.Place {
        BagFinding.Place(
            file: file,
            position: position,
            timeNanoseconds: timeNanoseconds,
            expected: expected,
            found: bounded(found)
        )
    }

    /// A blob may have put a megabyte of text into an error.
    private func bounded(_ text: String) -> String {
        text.utf8.count <= 400 ? text : String(decoding: text.utf8.prefix(400), as: UTF8.self) + "…"
    }
}

/// Takes findings of one place in a bag, and of one topic where they concern it.
struct Reporter {
    let context: CheckContext
    let spot: Spot
    let topic: String?

    /// The texts are made only where they will be shown, and must not ask for findings.
    func add(
        _ severity: BagFinding.Severity,
        _ kind: BagFindingKind,
        _ expected: @autoclosure () -> String,
        _ found: @autoclosure () -> String
    ) {
        context.findings.add(severity, kind, topic: topic, at: spot, expected: expected(), found: found())
    }

    /// An error in a bag of ours, else of this severity.
    func add(
        foreign severity: BagFinding.Severity,
        _ kind: BagFindingKind,
        _ expected: @autoclosure () -> String,
        _ found: @autoclosure () -> String
    ) {
        add(context.findings.severity(foreign: severity), kind, expected(), found())
    }
}

extension CheckContext {
    func at(_ spot: Spot = Spot(), topic: String? = nil) -> Reporter {
        Reporter(context: self, spot: spot, topic: topic)
    }

    func at(file: String, topic: String? = nil) -> Reporter { at(Spot(file: file), topic: topic) }

    func at(_ declaration: TopicDeclaration) -> Reporter { at(file: declaration.file, topic: declaration.name) }

    func at(_ message: ExaminedMessage) -> Reporter { at(message.spot, topic: message.topic.name) }
}
