import SystemPackage

/// One .mcap file, for reading: of any chunking and compression, without an index or cut too.
final class MCAPStorageReader: StorageReader {
    let topics: [StoredTopic]
    let warnings: [String]
    let ownMetadata: BagMetadata?
    let unpackedBytes: Int?
    let container: MCAPContents?
    private let file: MCAPFile
    private let path: FilePath
    private let codec: BlobCodec
    private let tolerance: BagTolerance

    var schemaVersion: Int { 0 }
    var storageIdentifier: String { "mcap" }

    /// - Parameters:
    ///   - content: The file, or what was unpacked of it.
    ///   - path: What errors name.
    ///   - compression: How each message is compressed, besides what the chunks are.
    ///   - warnings: What was odd about the packing of the file as a whole.
    init(
        opening content: FilePath,
        path: FilePath,
        unpackedBytes: Int?,
        messages compression: BlobCodec.Compression,
        tolerating tolerance: BagTolerance,
        warnings: [String]
    ) throws(BagError) {
        self.path = path
        codec = BlobCodec(compression: compression, path: path)
        self.tolerance = tolerance
        self.unpackedBytes = unpackedBytes
        let file = try reading(mcap: path) { try MCAPFile(opening: content) }
        self.file = file
        topics = file.channels.map { channel in
            StoredTopic(number: Int64(channel.id), topic: BagTopic(channel, file.schema(of: channel)))
        }
        self.warnings = warnings + MCAPStorageReader.warnings(file.problems, path)
        container = MCAPContents(file)
        ownMetadata = MCAPStorageReader.metadata(file, path)
    }

    func census() -> StoredCensus { MCAPCensus(file).census }

    func placedRows() -> any PlacedRows { MCAPPlacedRows(file, codec: codec) }

    func rows(
        _ query: BagQuery,
        _ census: StoredCensus,
        wantedBytes: [Int64: Int]?
    ) throws(BagError) -> any StoredRows {
        let wanted = file.channels.filter { query.topics?.contains($0.topic) ?? true }.map(\.id)
        let isWhole = query.first == .min && query.last == .max
        let filter = MCAPMessageFilter(
            channels: query.topics == nil ? nil : Set(wanted),
            startTime: UInt64(clamping: query.first),
            // Times that no bag can hold are asked for too, to be counted.
            endTime: query.last == .max ? .max : UInt64(clamping: query.last)
        )
        guard query.last >= 0 else { return NoRows(RowAccount(path, tolerance)) }
        return MCAPStoredRows(
            file.messages(filter, verifiesChecksums: true),
            known: Set(file.problems.list),
            codec: codec,
            wantedBytes: wantedBytes,
            expectedCount: isWhole ? clampedSum(wanted.map { census.counts[Int64($0)] ?? 0 }) : nil,
            tolerance: tolerance
        )
    }

    func attachment(at index: Int) throws(BagError) -> (attachment: BagAttachment?, problem: BagError?) {
        let (place, record) = file.attachments[index]
        return try reading(mcap: path) {
            guard record.dataByteCount <= UInt64(Self.largestAttachment) else {
                let limit = MCAPProblem(
                    "Attachment.data",
                    at: place,
                    expected: "at most \(Self.largestAttachment) bytes",
                    found: "\(record.dataByteCount)"
                )
                return (nil, BagError(limit, path))
            }
            let attachment = BagAttachment(
                name: record.name,
                mediaType: record.mediaType,
                logTime: record.logTime,
                createTime: record.createTime,
                bytes: try file.data(of: record)
            )
            return (attachment, try file.problem(of: record, at: place).map { BagError($0, path) })
        }
    }

    /// One is in memory at a time.
    private static let largestAttachment = 1 << 30

    /// The warnings of the file: its first twenty problems.
    private static func warnings(_ problems: MCAPProblems, _ path: FilePath) -> [String] {
        let name = path.lastComponent?.string ?? path.string
        let shown = problems.list.prefix(20)
        let rest = problems.count - shown.count
        return shown.map { "\(name): \($0)" } + (rest > 0 ? ["\(name): \(rest) more places like these"] : [])
    }

    /// The record `rosbag2`, which rosbag2's own recorder leaves; the last of them holds.
    private static func metadata(_ file: MCAPFile, _ path: FilePath) -> BagMetadata? {
        let record = file.metadata.last { $0.record.name == "rosbag2" }?.record
        guard let text = record?.metadata["serialized_metadata"] else { return nil }
        return try? MetadataParser.parse(inner: text, path: path)
    }
}

extension BagTopic {
    /// The topic of a channel, as rosbag2 keeps it.
    package init(_ channel: MCAPChannel, _ schema: MCAPSchema?) {
        self.init(
            name: channel.topic,
            typeName: schema?.name ?? "",
            serializationFormat: channel.messageEncoding,
            qosText: channel.metadata["offered_qos_profiles"] ?? "",
            typeHash: channel.metadata["topic_type_hash"] ?? "",
            definitionText: schema.map { String(decoding: $0.data, as: UTF8.self) } ?? "",
            definitionEncoding: schema?.encoding ?? ""
        )
        if let schema, !schema.data.elementsEqual(definitionText.utf8) { definitionBytes = Array(schema.data) }
    }
}

extension MCAPContents {
    fileprivate init(_ file: MCAPFile) {
        profile = file.header?.profile ?? ""
        library = file.header?.library ?? ""
        schemaCount = file.schemas.count
        channelCount = file.channels.count
        isIndexed = file.hasSummary
        var totals: [String: ChunkTotals] = [:]
        for chunk in file.chunks {
            let none = ChunkTotals(
                compression: chunk.compression,
                chunkCount: 0,
                compressedBytes: 0,
                uncompressedBytes: 0
            )
            totals[chunk.compression, default: none].note(chunk)
        }
        chunks = totals.values.sorted { $0.compression < $1.compression }
        attachments = file.attachments.map { _, attachment in
            Attachment(
                name: attachment.name,
                mediaType: attachment.mediaType,
                bytes: Int(clamping: attachment.dataByteCount),
                logTime: Int64(clamping: attachment.logTime)
            )
        }
        metadataRecords = file.metadata.map { _, record in
            let pairs = record.metadata.map { ($0.key, $0.value) }
            return MetadataRecord(name: record.name, values: Dictionary(pairs) { first, _ in first })
        }
    }
}

extension MCAPContents.ChunkTotals {
    fileprivate mutating func note(_ chunk: MCAPChunk) {
        chunkCount += 1
        let (compressed, uncompressed) = (Int(clamping: chunk.recordsByteCount), Int(clamping: chunk.uncompressedSize))
        compressedBytes = compressedBytes.addingReportingOverflow(compressed).partialValue
        uncompressedBytes = uncompressedBytes.addingReportingOverflow(uncompressed).partialValue
    }
}

extension BagError {
    init(_ problem: MCAPProblem, _ path: FilePath) {
        self = .damaged(
            path,
            place: "\(problem.place), \(problem.what)",
            expected: problem.expected,
            found: problem.found
        )
    }
}

/// Runs a step of reading an .mcap file, with its problems as bag errors.
func reading<Result>(mcap path: FilePath, _ body: () throws -> Result) throws(BagError) -> Result {
    try reading {
        do {
            return try body()
        } catch let problem as MCAPProblem {
            throw BagError(problem, path)
        } catch let error as CompressionError {
            throw BagError.damaged(path, place: "byte \(error.offset)", expected: error.expected, found: error.found)
        }
    }
}
