import Bags

/// The contents of a file, counted from its records, for Statistics and the indexes of the summary.
struct MCAPTally {
    private(set) var countByChannel: [UInt16: UInt64] = [:]
    private(set) var messageCount: UInt64 = 0
    /// Messages outside of chunks.
    private(set) var outsideCount = 0
    private(set) var firstOutside: MCAPPlace?
    private var firstTime = UInt64.max
    private var lastTime = UInt64.min
    private var attachments: [Int: (record: MCAPAttachment, byteCount: UInt64)] = [:]
    private var metadata: [Int: (record: MCAPMetadata, byteCount: UInt64)] = [:]
    private var attachmentIndexes: [(place: MCAPPlace, record: MCAPAttachmentIndex)] = []
    private var metadataIndexes: [(place: MCAPPlace, record: MCAPMetadataIndex)] = []

    mutating func note(_ message: MCAPMessage) {
        messageCount += 1
        countByChannel[message.channelID, default: 0] += 1
        firstTime = min(firstTime, message.logTime)
        lastTime = max(lastTime, message.logTime)
        guard message.place.innerOffset == nil else { return }
        outsideCount += 1
        firstOutside = firstOutside ?? message.place
    }

    /// Takes attachments, metadata and their indexes.
    mutating func note(_ item: MCAPItem) {
        switch item.record {
        case .attachment(let record)?: attachments[item.place.offset] = (record, item.byteCount)
        case .metadata(let record)?: metadata[item.place.offset] = (record, item.byteCount)
        case .attachmentIndex(let record)?: attachmentIndexes.append((item.place, record))
        case .metadataIndex(let record)?: metadataIndexes.append((item.place, record))
        default: break
        }
    }

    func check(
        _ statistics: MCAPStatistics,
        at place: MCAPPlace,
        _ directory: MCAPDirectoryCheck,
        chunkCount: Int,
        _ reporter: MCAPReporter
    ) {
        func compare(_ field: String, _ expected: UInt64, _ found: UInt64, _ severity: BagFinding.Severity = .error) {
            guard expected != found else { return }
            reporter.at(place).add(severity, .mcapStatistics, "\(field) \(expected)", "\(found)")
        }
        // Channels without messages may be in the summary alone; that is told elsewhere.
        let schemaCounts = [directory.schemas.count, directory.summarySchemas.count]
        let channelCounts = [directory.channels.count, directory.summaryChannels.count]
        compare("message_count", messageCount, statistics.messageCount)
        if !schemaCounts.contains(Int(statistics.schemaCount)) {
            compare("schema_count", UInt64(schemaCounts[0]), UInt64(statistics.schemaCount))
        }
        if !channelCounts.contains(Int(statistics.channelCount)) {
            compare("channel_count", UInt64(channelCounts[0]), UInt64(statistics.channelCount))
        }
        compare("attachment_count", UInt64(attachments.count), UInt64(statistics.attachmentCount))
        compare("metadata_count", UInt64(metadata.count), UInt64(statistics.metadataCount))
        compare("chunk_count", UInt64(chunkCount), UInt64(statistics.chunkCount))
        let start = messageCount == 0 ? 0 : firstTime
        // The Go writer takes a time of zero for none.
        compare("message_start_time", start, statistics.messageStartTime, start == 0 ? .warning : .error)
        compare("message_end_time", messageCount == 0 ? 0 : lastTime, statistics.messageEndTime)
        let claimed = statistics.channelMessageCounts.filter { $0.value > 0 }
        let counts = Dictionary(claimed.map { ($0.channelID, $0.value) }) { first, _ in first }
        if !statistics.channelMessageCounts.isEmpty, counts != countByChannel {
            reporter.at(place).add(.error, .mcapStatistics, "channel_message_counts of the messages", "others")
        }
    }

    func checkIndexes(_ reporter: MCAPReporter) {
        for (place, index) in attachmentIndexes {
            let found = Int(exactly: index.offset).flatMap { attachments[$0] }
            let isRight = found.map { found in
                found.byteCount == index.length && found.record.logTime == index.logTime
                    && found.record.createTime == index.createTime && found.record.dataByteCount == index.dataSize
                    && found.record.name == index.name && found.record.mediaType == index.mediaType
            }
            guard isRight != true else { continue }
            let expected = "an AttachmentIndex of an attachment"
            reporter.at(place)
                .add(.error, .mcapAttachmentIndex, expected, "another \"\(index.name)\" at \(index.offset)")
        }
        if !attachments.isEmpty, attachmentIndexes.count != attachments.count {
            let expected = "\(attachments.count) AttachmentIndex records"
            let severity: BagFinding.Severity = attachmentIndexes.isEmpty ? .note : .warning
            reporter.at().add(severity, .mcapAttachmentIndex, expected, "\(attachmentIndexes.count)")
        }
        for (place, index) in metadataIndexes {
            let found = Int(exactly: index.offset).flatMap { metadata[$0] }
            guard found?.byteCount != index.length || found?.record.name != index.name else { continue }
            let expected = "a MetadataIndex of a metadata record"
            reporter.at(place).add(.error, .mcapMetadataIndex, expected, "another \"\(index.name)\" at \(index.offset)")
        }
    }
}

/// Puts what is wrong with an MCAP file into findings.
struct MCAPReporter {
    let file: String
    let context: CheckContext

    func at(_ place: MCAPPlace? = nil, topic: String? = nil) -> Reporter { context.at(spot(place), topic: topic) }

    /// Adds a problem that the reader of records found.
    func add(_ problem: MCAPProblem) {
        let expected = "\(problem.what) \(problem.expected)"
        at(problem.place).add(.error, MCAPReporter.kind(of: problem), expected, problem.found)
    }

    func spot(_ place: MCAPPlace?, timeNanoseconds: Int64? = nil) -> Spot {
        let position: BagFinding.Position =
            switch (place, place?.innerOffset) {
            case (nil, _): .file
            case (let place?, nil): .byte(place.offset)
            case (let place?, let inner?): .chunkByte(chunk: place.offset, inner)
            }
        return Spot(file: file, position: position, timeNanoseconds: timeNanoseconds)
    }

    /// The kind of finding, by the record and field that the problem names.
    private static func kind(of problem: MCAPProblem) -> BagFindingKind {
        switch problem.what {
        case "magic": return .mcapMagic
        case "Chunk.uncompressed_crc": return .mcapChunkCRC
        case "Chunk.compression": return .mcapCompression
        case "Attachment.crc": return .mcapAttachmentCRC
        default: break
        }
        if problem.what.hasPrefix("Chunk.") || problem.place.innerOffset != nil { return .mcapChunk }
        if problem.what.hasSuffix(" length") || ["record", "file"].contains(problem.what) { return .mcapCut }
        return .mcapRecord
    }
}
