import Bags

/// Holds what metadata.yaml claims to what was found in the files.
struct MetadataComparison {
    let claims: RawMetadata
    let registry: CheckedTopics
    let files: [BagCheckReport.File]
    let context: CheckContext
    private let spot = Spot(file: BagLayout.metadataName)
    /// What is wrong with a count that is behind: a writer that was interrupted had written rows and not yet counted them, and
    /// nothing that it promised is missing.
    private let severityBehind: BagFinding.Severity

    /// - Parameter wasInterrupted: True if the writer has left files that it had not finished.
    init(
        _ claims: RawMetadata,
        _ registry: CheckedTopics,
        _ files: [BagCheckReport.File],
        wasInterrupted: Bool,
        _ context: CheckContext
    ) {
        self.claims = claims
        severityBehind = wasInterrupted ? .warning : .error
        self.registry = registry
        self.files = files
        self.context = context
    }

    func run() {
        compareTotals()
        compareTopics()
        compareFiles()
    }

    private func add(
        _ severity: BagFinding.Severity,
        _ kind: BagFindingKind,
        topic: String? = nil,
        _ expected: String,
        _ found: String
    ) {
        context.at(spot, topic: topic).add(severity, kind, expected, found)
    }

    private var firstTime: Int64? { files.compactMap(\.firstNanoseconds).min() }
    private var lastTime: Int64? { files.compactMap(\.lastNanoseconds).max() }

    private var count: Int { files.reduce(0) { $0 + $1.messageCount } }

    private func severityOf(_ claimed: Int64?, _ found: Int) -> BagFinding.Severity {
        claimed.map { $0 < found } ?? false ? severityBehind : .error
    }

    private func compareTotals() {
        if let claimed = claims.map.messageCount, claimed != count {
            add(severityOf(claimed, count), .metadataCount, "message_count \(count), as the files hold", "\(claimed)")
        }
        guard let firstTime, let lastTime else { return }
        let severity = isLastFileAlone ? .note : severityOf(claims.map.messageCount, count)
        let times = CountedTimes(
            first: firstTime,
            last: lastTime,
            firstWritten: files.first { $0.messageCount > 0 }?.firstWritten,
            lastWritten: files.last { $0.messageCount > 0 }?.lastWritten
        )
        compare(claims.map, with: times, severity, .metadataTimes, "")
    }

    /// Holds a beginning and a duration to the rows.
    private func compare(
        _ claim: MetadataNode,
        with times: CountedTimes,
        _ severity: BagFinding.Severity,
        _ kind: BagFindingKind,
        _ whose: String
    ) {
        if let start = claim.firstNanoseconds, start != times.first {
            let isMeant = times.isFirst(start, within: tolerance)
            let expected = "starting_time \(times.first), that of the first message\(whose)"
            add(isMeant ? .note : severity, kind, expected, "\(start)")
        }
        if let duration = claim.durationNanoseconds, duration != times.duration {
            let isMeant = times.isDuration(duration, within: tolerance)
            let expected = "duration \(times.duration), from first to last message\(whose)"
            add(isMeant ? .note : severity, kind, expected, "\(duration), \(duration &- times.duration) ns off")
        }
    }

    /// The phone app computes times as floating-point seconds, which are a quarter of a microsecond apart.
    private var tolerance: Int64 {
        claims.customData.keys.contains { $0.hasPrefix("mapeverything.serialization_") } ? 1_000_000 : 0
    }

    /// Recorders up to Humble forgot, when they began a new file, when the bag began (rosbag2 issues 841, 966, 1413).
    private var isLastFileAlone: Bool {
        files.count > 1 && claims.map.firstNanoseconds == files.last?.firstNanoseconds
    }

    private func compareTopics() {
        let found = Dictionary(grouping: registry.topics, by: \.name)
        var listed: Set<String> = []
        for claim in claims.topics {
            if !listed.insert(claim.name).inserted {
                add(.error, .metadataTopics, topic: claim.name, "each topic once", "it again")
                continue
            }
            guard let topics = found[claim.name] else {
                // MCAP files of some writers have no Channel of a topic without messages.
                let isEmpty = claim.messageCount == 0
                add(isEmpty ? .note : .error, .metadataTopics, topic: claim.name, "topics of the files", "one of none")
                continue
            }
            compare(claim, with: topics)
        }
        for name in found.keys.sorted() where !listed.contains(name) {
            let count = found[name]?.reduce(0) { $0 + $1.messageCount } ?? 0
            let severity = severityOf(claims.map.messageCount, self.count)
            add(severity, .metadataTopics, topic: name, "every topic of the files", "not this one of \(count) messages")
        }
    }

    private func compare(_ claim: RawMetadata.Topic, with topics: [CheckedTopic]) {
        let count = topics.reduce(0) { $0 + $1.messageCount }
        if claim.messageCount != Int64(count), let claimed = claim.messageCount {
            let expected = "\(count) messages, as the files hold"
            add(severityOf(claimed, count), .metadataTopicCount, topic: claim.name, expected, "\(claimed)")
        }
        if let type = claim.typeName, !topics.contains(where: { $0.typeName == type }) {
            add(.error, .metadataType, topic: claim.name, "the type \(topics[0].typeName) of the files", type)
        }
        if let format = claim.serializationFormat, !topics.contains(where: { $0.serializationFormat == format }) {
            let expected = "the serialization_format \(topics[0].serializationFormat) of the files"
            add(.error, .metadataFormat, topic: claim.name, expected, format)
        }
        if let hash = claim.typeHash, !hash.isEmpty, let expected = topics.compactMap(\.typeHash).first,
            hash != expected
        {
            add(.error, .metadataHash, topic: claim.name, expected, hash)
        }
    }

    private func compareFiles() {
        guard let listed = claims.files else { return }
        var described: Set<String> = []
        for (name, contents) in listed {
            guard let path = path(of: name) else {
                add(.error, .metadataFiles, "entries of files that relative_file_paths lists", name)
                continue
            }
            described.insert(path)
            guard let file = files.first(where: { $0.name == path }) else { continue }
            compare(contents, with: file)
        }
        for path in claims.paths where !described.contains(path) {
            add(.warning, .metadataFiles, "an entry of files for each path", "none for \(path)")
        }
    }

    /// The path that an entry of `files` describes: rosbag2's recorder has the name of a file that it compresses
    /// without `.zstd` there, and with it in the list of paths.
    private func path(of name: String) -> String? {
        [name, name + ".zstd"].first(where: claims.paths.contains)
    }

    private func compare(_ claim: MetadataNode, with file: BagCheckReport.File) {
        if let claimed = claim.messageCount, claimed != file.messageCount {
            // Jazzy's writer counts each message of a file twice where its cache is off (rosbag2 PR 2444).
            let isDoubled = claimed == Int64(file.messageCount).multipliedReportingOverflow(by: 2).partialValue
            let expected = "\(file.messageCount) messages in \(file.name)"
            let found = "\(claimed)\(isDoubled ? ", exactly double" : "")"
            add(isDoubled ? .note : severityOf(claimed, file.messageCount), .metadataFileCount, expected, found)
        }
        guard let first = file.firstNanoseconds, let last = file.lastNanoseconds else { return }
        let times = CountedTimes(
            first: first,
            last: last,
            firstWritten: file.firstWritten,
            lastWritten: file.lastWritten
        )
        let severity = severityOf(claim.messageCount, file.messageCount)
        compare(claim, with: times, severity, .metadataFileTimes, " of \(file.name)")
    }
}

/// The times of rows by value, and as they were written: recorders that do not sort take the first and the last row for
/// the beginning and the end.
private struct CountedTimes {
    var first: Int64
    var last: Int64
    var firstWritten: Int64?
    var lastWritten: Int64?

    var duration: Int64 { last &- first }

    func isFirst(_ time: Int64, within tolerance: Int64) -> Bool {
        isNear(time, first, tolerance) || firstWritten.map { isNear(time, $0, tolerance) } ?? false
    }

    func isDuration(_ claimed: Int64, within tolerance: Int64) -> Bool {
        let ends = [last, lastWritten ?? last]
        let starts = [first, firstWritten ?? first]
        return ends.contains { end in starts.contains { isNear(claimed, end &- $0, tolerance) } }
    }

    private func isNear(_ left: Int64, _ right: Int64, _ tolerance: Int64) -> Bool {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return !overflow && difference.magnitude <= tolerance.magnitude
    }
}
