import Containers
import SystemPackage

/// One .mcap file, for reading: of any chunking and compression, without an index or cut too.
final class MCAPStoredFile: StoredFile {
    let topics: [StoredTopic]
    let warnings: [String]
    let ownMetadata: BagMetadata?
    let unpackedBytes: Int?
    let container: MCAPContents?
    private let file: MCAPFile
    private let path: FilePath
    private let tolerance: BagTolerance

    var schemaVersion: Int { 0 }
    var storageIdentifier: String { "mcap" }

    /// - Parameters:
    ///   - content: The file, or what was unpacked of it.
    ///   - path: What errors name.
    init(
        opening content: FilePath,
        path: FilePath,
        unpackedBytes: Int?,
        tolerating tolerance: BagTolerance
    ) throws(BagError) {
        self.path = path
        self.tolerance = tolerance
        self.unpackedBytes = unpackedBytes
        let file = try reading(mcap: path) { try MCAPFile(opening: content) }
        self.file = file
        topics = file.channels.map { channel in
            StoredTopic(number: Int64(channel.id), topic: BagTopic(channel, file.schema(of: channel)))
        }
        warnings = MCAPStoredFile.warnings(file.problems, path)
        container = MCAPContents(file)
        ownMetadata = MCAPStoredFile.metadata(file, path)
    }

    func times() throws(BagError) -> TimeSpan? {
        file.timeRange.map { TimeSpan(first: Int64(clamping: $0.lowerBound), last: Int64(clamping: $0.upperBound)) }
    }

    func rows(_ query: BagQuery, wantedBytes: [Int64: Int]?) throws(BagError) -> any StoredRows {
        var filter = MCAPMessageFilter(
            startTime: UInt64(clamping: query.first),
            endTime: query.last < 0 ? 0 : UInt64(query.last)
        )
        if let names = query.topics {
            filter.channels = Set(file.channels.filter { names.contains($0.topic) }.map(\.id))
        }
        return MCAPStoredRows(
            file.messages(filter, verifiesChecksums: true),
            known: Set(file.problems.list),
            path: path,
            wantedBytes: wantedBytes,
            tolerance: tolerance
        )
    }

    /// What is wrong with the file, the first twenty things.
    private static func warnings(_ problems: MCAPProblems, _ path: FilePath) -> [String] {
        let name = path.lastComponent?.string ?? path.string
        let shown = problems.list.prefix(20)
        let rest = problems.count - shown.count
        return shown.map { "\(name): \($0)" } + (rest > 0 ? ["\(name): \(rest) more places like these"] : [])
    }

    /// The record `rosbag2`, which rosbag2's own recorder leaves; the last of them holds.
    private static func metadata(_ file: MCAPFile, _ path: FilePath) -> BagMetadata? {
        let record = file.metadata.last { $0.record.name == "rosbag2" }?.record
        guard let text = record?.attribute("serialized_metadata") else { return nil }
        return try? MetadataParser.parse(inner: text, path: path)
    }
}

/// The rows of one .mcap file by log time.
final class MCAPStoredRows: StoredRows {
    private let cursor: MCAPMessageCursor
    /// What the opening has told as a warning already.
    private let known: Set<MCAPProblem>
    private let path: FilePath
    private let wantedBytes: [Int64: Int]?
    private let tolerance: BagTolerance
    private var seenProblems = 0

    private(set) var problems: [BagError] = []

    init(
        _ cursor: MCAPMessageCursor,
        known: Set<MCAPProblem>,
        path: FilePath,
        wantedBytes: [Int64: Int]?,
        tolerance: BagTolerance
    ) {
        self.cursor = cursor
        self.known = known
        self.path = path
        self.wantedBytes = wantedBytes
        self.tolerance = tolerance
    }

    func next() throws(BagError) -> StoredRow? {
        let row = try reading(mcap: path) {
            try cursor.next().map { message in
                let topic = Int64(message.channelID)
                let wanted = wantedBytes.map { $0[topic] ?? 0 } ?? message.byteCount
                return StoredRow(
                    topic: topic,
                    time: Int64(clamping: message.logTime),
                    bytes: wanted == 0 ? [] : try cursor.withData { [UInt8]($0.prefix(wanted)) },
                    byteCount: message.byteCount,
                    storedByteCount: message.byteCount
                )
            }
        }
        try noteProblems()
        return row
    }

    private func noteProblems() throws(BagError) {
        let list = cursor.problems.list
        guard list.count > seenProblems else { return }
        for problem in list[seenProblems...] where !known.contains(problem) {
            let error = BagError(problem, path)
            guard tolerance.contains(.damage) else { throw error }
            problems.append(error)
        }
        seenProblems = list.count
    }
}

extension BagTopic {
    /// The topic of a channel, as rosbag2 keeps it.
    fileprivate init(_ channel: MCAPChannel, _ schema: MCAPSchema?) {
        self.init(
            name: channel.topic,
            typeName: schema?.name ?? "",
            serializationFormat: channel.messageEncoding,
            qosText: channel.attribute("offered_qos_profiles") ?? "",
            typeHash: channel.attribute("topic_type_hash") ?? "",
            definitionText: schema.map { String(decoding: $0.data, as: UTF8.self) } ?? "",
            definitionEncoding: schema?.encoding ?? ""
        )
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
private func reading<Result>(mcap path: FilePath, _ body: () throws -> Result) throws(BagError) -> Result {
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
