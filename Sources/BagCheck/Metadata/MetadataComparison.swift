/// Holds what metadata.yaml claims to what was found in the files.
struct MetadataComparison {
    let claims: MetadataClaims
    let registry: TopicRegistry
    let files: [BagCheckReport.File]
    let context: CheckContext
    private let spot = Spot(file: BagLayout.metadataName)

    init(_ claims: MetadataClaims, _ registry: TopicRegistry, _ files: [BagCheckReport.File], _ context: CheckContext) {
        self.claims = claims
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
        context.findings.add(severity, kind, topic: topic, at: spot, expected: expected, found: found)
    }

    private var firstTime: Int64? { files.compactMap(\.firstNanoseconds).min() }
    private var lastTime: Int64? { files.compactMap(\.lastNanoseconds).max() }

    private func compareTotals() {
        let count = files.reduce(0) { $0 + $1.messageCount }
        if let claimed = claims.messageCount, claimed != count {
            add(.error, .metadataCount, "message_count \(count), as the files hold", "\(claimed)")
        }
        guard let firstTime, let lastTime else { return }
        let duration = lastTime &- firstTime
        let severity: BagFinding.Severity = isLastFileAlone ? .warning : .error
        if let claimed = claims.firstNanoseconds, claimed != firstTime {
            add(severity, .metadataTimes, "starting_time \(firstTime), that of the first message", "\(claimed)")
        }
        if let claimed = claims.durationNanoseconds, claimed != duration {
            let found = "\(claimed), \(claimed &- duration) ns off"
            add(severity, .metadataTimes, "duration \(duration), from first to last message", found)
        }
    }

    /// Recorders before version 5 forgot, when they began a new file, when the bag began.
    private var isLastFileAlone: Bool {
        guard let version = claims.version, version < 5, files.count > 1 else { return false }
        return claims.firstNanoseconds == files.last?.firstNanoseconds
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
            add(.error, .metadataTopics, topic: name, "every topic of the files", "not this one of \(count) messages")
        }
    }

    private func compare(_ claim: MetadataClaims.Topic, with topics: [CheckedTopic]) {
        let count = topics.reduce(0) { $0 + $1.messageCount }
        if claim.messageCount != Int64(count), let claimed = claim.messageCount {
            add(.error, .metadataTopicCount, topic: claim.name, "\(count) messages, as the files hold", "\(claimed)")
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
        for claim in listed {
            guard claims.paths.contains(claim.name) else {
                add(.error, .metadataFiles, "entries of files that relative_file_paths lists", claim.name)
                continue
            }
            guard let file = files.first(where: { $0.name == claim.name }) else { continue }
            compare(claim, with: file)
        }
        for path in claims.paths where !listed.contains(where: { $0.name == path }) {
            add(.warning, .metadataFiles, "an entry of files for each path", "none for \(path)")
        }
    }

    private func compare(_ claim: MetadataClaims.File, with file: BagCheckReport.File) {
        if let claimed = claim.messageCount, claimed != file.messageCount {
            add(.error, .metadataFileCount, "\(file.messageCount) messages in \(file.name)", "\(claimed)")
        }
        guard let first = file.firstNanoseconds, let last = file.lastNanoseconds else { return }
        if let claimed = claim.firstNanoseconds, claimed != first {
            add(.error, .metadataFileTimes, "starting_time \(first) of \(file.name)", "\(claimed)")
        }
        if let claimed = claim.durationNanoseconds, claimed != last &- first {
            add(.error, .metadataFileTimes, "duration \(last &- first) of \(file.name)", "\(claimed)")
        }
    }
}
