package import Messages
import Platform

extension BagReader {
    /// Counts all rows, in time order over all files; memory does not grow with the bag.
    ///
    /// - Parameter types: tells where messages have their headers, for a depth that asks for these.
    package func summary(
        _ depth: BagSummary.Depth = .rows,
        types: TypeResolver = TypeResolver()
    ) throws(BagError) -> BagSummary {
        var summarizer = BagSummarizer(self, depth, types)
        let rows = RowMerger(
            self,
            query: BagQuery(),
            wantedBytes: summarizer.wantedBytes
        )
        while let row = try rows.next() { summarizer.note(row) }
        return summarizer.summary(problems: rows.problems)
    }
}

/// Collects what `BagSummary` tells.
private struct BagSummarizer {
    private let reader: BagReader
    private var topics: [TopicTally]
    private var files: [BagSummary.FileSummary]
    private var frames = FrameTreeBuilder()
    private let isStatic: [Bool]

    init(_ reader: BagReader, _ depth: BagSummary.Depth, _ types: TypeResolver) {
        self.reader = reader
        let count = reader.storageFiles.count
        topics = reader.topics.map {
            TopicTally(fileCount: count, decoder: depth == .headers ? RowDecoder(headersOf: $0, types) : nil)
        }
        isStatic = reader.topics.map { topic in
            topic.name.hasSuffix("tf_static") || topic.isLatched
        }
        files = reader.storageFiles.map { file in
            let bytes = fileBytes(file.path)
            return BagSummary.FileSummary(
                path: file.path,
                bytes: bytes,
                unpackedBytes: file.unpackedBytes ?? bytes,
                messageCount: 0,
                messageBytes: 0,
                times: nil,
                storageIdentifier: file.storageIdentifier,
                schemaVersion: file.schemaVersion,
                container: file.container
            )
        }
    }

    /// How many of the first bytes are needed by topic.
    var wantedBytes: [Int] { topics.map { $0.decoder?.wantedBytes ?? 0 } }

    mutating func note(_ row: MergedRow) {
        files[row.file].messageCount += 1
        files[row.file].messageBytes += row.stored.byteCount
        files[row.file].times.include(row.stored.time)
        topics[row.topic].note(row.stored, file: row.file)
        let transforms = topics[row.topic].noteHeader(row.stored.bytes, time: row.stored.time)
        frames.note(transforms, isStatic: isStatic[row.topic])
    }

    func summary(problems: [BagError]) -> BagSummary {
        var times: TimeSpan?
        for file in files { times.include(file.times) }
        let topicSummaries = zip(reader.topics, topics).map { $1.summary(of: $0) }
        let errors = (reader.problems + problems).map(\.description)
        // A bag that does not hold what it says is damaged, wherever it is told.
        let damage = errors + reader.differences
        let told = Set(reader.warnings)
        let remarks = reader.warnings.filter { !damage.contains($0) }
        let (disagreement, isHabit) = disagreement(times)
        let frameIDs = topics.reduce(into: Set<String>()) { $0.formUnion($1.frameIDs) }
        return BagSummary(
            metadataVersion: reader.metadata.version,
            schemaVersion: reader.schemaVersion,
            storageIdentifier: reader.metadata.storageIdentifier,
            distribution: reader.metadata.distribution,
            customData: reader.metadata.customData,
            compressionFormat: reader.metadata.compressionFormat,
            compressionMode: reader.metadata.compressionMode,
            messageCount: files.reduce(0) { $0 + $1.messageCount },
            bytes: topicSummaries.reduce(0) { $0 + $1.bytes },
            times: times,
            topics: topicSummaries,
            files: files,
            frames: frames.tree(frameIDs: frameIDs),
            warnings: reader.warnings + damage.filter { !told.contains($0) } + disagreement,
            verdict: Verdict(
                errors: damage.count,
                warnings: remarks.count + (isHabit ? 0 : disagreement.count),
                worst: damage.first ?? remarks.first ?? disagreement.first,
                examined: "rows and headers; `check` looks at the messages"
            )
        )
    }

    /// Where metadata.yaml says other times than the rows; those of the last file are a habit of older recorders (rosbag2 #841).
    private func disagreement(_ times: TimeSpan?) -> (texts: [String], isHabit: Bool) {
        guard reader.hasMetadataFile, let times, let claimed = reader.metadata.times, times != claimed else {
            return ([], false)
        }
        let text =
            "\(metadataFileName) says \(claimed.first) to \(claimed.last) ns, "
            + "the rows are from \(times.first) to \(times.last) ns"
        return ([text], files.count > 1 && files.last?.times == claimed)
    }
}
