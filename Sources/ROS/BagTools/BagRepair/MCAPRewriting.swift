import Bags
import Glibc
import SystemPackage

/// Writes what can be read of an .mcap file into a new one with everything that a reader needs.
///
/// Records come in the order of the old file, and chunks end where they ended there, with the same compression. So the
/// chunks of a sound part of a file of ours are the same bytes. What a chunk with a wrong CRC has is kept, and said.
struct MCAPRewriting {
    /// The count of what was taken and what was not.
    private(set) var tally = MCAPRewritingTally()
    var statedCount: Int? { file.statistics.map { Int(clamping: $0.messageCount) } }

    private let source: MCAPFileSource
    private let file: MCAPFile
    private var writer: MCAPWriter
    private let output: FileDescriptor
    /// The channels that the summary and the records so far declare, by the old file's numbers.
    private var declared: [UInt16: MCAPChannel]
    private var schemas: [UInt16: MCAPSchema]
    /// Numbers in the new file by those in the old one.
    private var channels: [UInt16: UInt16] = [:]

    /// - Parameter metadata: Records to add at the end: names, and pairs of keys and values.
    static func rewrite(
        _ path: FilePath,
        to target: FilePath,
        adding metadata: [(String, [(String, String)])] = []
    ) throws -> MCAPRewriting {
        var rewriting = try MCAPRewriting(path, target)
        do {
            try rewriting.run(adding: metadata)
            try rewriting.output.close()
        } catch {
            try? rewriting.output.close()
            throw error
        }
        return rewriting
    }

    private init(_ path: FilePath, _ target: FilePath) throws {
        source = try MCAPFileSource(opening: path)
        file = try MCAPFile(source)
        (declared, schemas) = (file.channelsByID, file.schemas)
        let chunks = file.chunks
        let compression = MCAPCompression(fieldText: chunks.first?.compression ?? "") ?? .none
        // Chunks end where the old ones did; messages outside of chunks get chunks of the usual size.
        var options = MCAPWriterOptions(chunkBytes: chunks.isEmpty ? 1 << 20 : 64 << 20, compression: compression)
        if compression == .zstd { options.level = 1 }
        let library = file.header?.library ?? ""
        writer = try MCAPWriter(
            profile: file.header?.profile ?? "ros2",
            library: library.isEmpty ? "mapeverything" : library,
            options: options
        )
        output = try FileDescriptor.open(
            target,
            .writeOnly,
            options: [.create, .truncate, .closeOnExec],
            permissions: [.ownerReadWrite, .groupRead, .otherRead]
        )
    }

    private mutating func run(adding metadata: [(String, [(String, String)])]) throws {
        // All of them at first, so that they keep their numbers as far as those have no gaps.
        for channel in file.channels { _ = try self.channel(channel.id) }
        var walk = try MCAPWalk(source)
        while let item = try walk.next() {
            tally.note(item, fileBytes: source.size)
            if case .chunk? = item.record {
                try writer.flushChunk()
                try drain()
            }
            if let record = item.record { try take(record, item, &walk) }
        }
        tally.finish(fileBytes: source.size)
        try writer.writeUnusedChannels()
        for (name, pairs) in metadata { writer.addMetadata(name: name, pairs) }
        try drain()
        _ = try output.writeAll(writer.ending())
    }

    private mutating func take(_ record: MCAPRecord, _ item: MCAPItem, _ walk: inout MCAPWalk) throws {
        switch record {
        case .schema(let schema): schemas[schema.id] = schemas[schema.id] ?? schema
        case .channel(let channel): declared[channel.id] = declared[channel.id] ?? channel
        case .message(let message): try write(message, &walk)
        case .metadata(let metadata):
            var known: Set<String> = []
            // Readers keep one value of a key, and the specification wants one.
            let pairs = metadata.metadata.filter { known.insert($0.key).inserted }
            writer.addMetadata(name: metadata.name, pairs.map { ($0.key, $0.value) })
        case .attachment(let attachment):
            guard item.problems.allSatisfy({ $0.what == "Attachment.crc" }) else { return }
            if !item.problems.isEmpty {
                tally.doubts.append("kept the attachment \"\(attachment.name)\", whose CRC-32 is wrong")
            }
            writer.addAttachment(
                name: attachment.name,
                mediaType: attachment.mediaType,
                logTime: attachment.logTime,
                createTime: attachment.createTime,
                data: try file.data(of: attachment)
            )
        default: break
        }
    }

    private mutating func write(_ message: MCAPMessage, _ walk: inout MCAPWalk) throws {
        guard let channel = try channel(message.channelID) else {
            tally.noteStray()
            return
        }
        if let problem = message.timeProblem { return tally.noteUnusable(problem) }
        let data = try walk.data(of: message)
        guard data.count == message.byteCount else {
            tally.noteStray()
            return
        }
        try data.withUnsafeBytes {
            try writer.write(
                channel: channel,
                sequence: message.sequence,
                logTime: message.logTime,
                publishTime: message.publishTime,
                data: $0
            )
        }
        tally.noteSaved(data.count)
        if writer.flushedFileBytes > 1 << 22 { try drain() }
    }

    /// The channel in the new file, which is made known there when it is first needed.
    private mutating func channel(_ number: UInt16) throws -> UInt16? {
        if let known = channels[number] { return known }
        guard let old = declared[number] else { return nil }
        var schema: UInt16 = 0
        if let found = schemas[old.schemaID] {
            schema = try writer.addSchema(name: found.name, encoding: found.encoding, data: found.data)
        }
        var keys: Set<String> = []
        let new = try writer.addChannel(
            topic: old.topic,
            schema: schema,
            messageEncoding: old.messageEncoding,
            metadata: old.metadata.filter { keys.insert($0.key).inserted }.map { ($0.key, $0.value) }
        )
        channels[number] = new
        return new
    }

    private mutating func drain() throws {
        let output = output
        try writer.withOutput { _ = try output.writeAll($0) }
    }
}

/// The count of what the rewriting of an .mcap file saved, and of what it could not take of the old file.
struct MCAPRewritingTally {
    private struct Chunk {
        var offset: Int
        var isDamaged: Bool
        var hasWrongChecksum: Bool
        var savedCount = 0
        /// Messages that are there, but were not saved.
        var strayCount = 0
        /// The number of messages in the message indexes behind it.
        var indexedCount = 0
    }

    private(set) var messageCount = 0
    private(set) var messageBytes = 0
    /// Messages whose channel nothing in the file describes, or whose data are cut.
    private(set) var strayCount = 0
    /// Messages that the indexes of damaged chunks list and that are not there.
    private(set) var missingCount = 0
    /// The size of what was passed over in front of the summary.
    private(set) var lostBytes = 0
    /// Records in front of the summary that could not be read.
    private(set) var unreadCount = 0
    /// The parts that were kept although something says that they are wrong.
    var doubts: [String] = []
    /// The first of them.
    private(set) var problems: [MCAPProblem] = []
    /// True if something in front of the summary is damaged, or the file is cut there.
    private(set) var isDamaged = false
    private var hasDataEnd = false
    private var chunk: Chunk?
    /// Where a record outside of chunks begins that could not be read.
    private var damageStart: Int?

    private static let keptProblems = 20

    /// Takes an item of the walk, before its content is taken.
    mutating func note(_ item: MCAPItem, fileBytes: Int) {
        if !hasDataEnd, !item.problems.isEmpty { isDamaged = true }
        problems += item.problems.prefix(max(0, Self.keptProblems - problems.count))
        let isGone = item.record == nil && !hasDataEnd && !isIndexAlone(item)
        if isGone { unreadCount += 1 }
        guard item.place.innerOffset == nil else {
            if !item.problems.isEmpty { chunk?.isDamaged = true }
            return
        }
        let offset = item.place.offset
        if let start = damageStart { lostBytes += max(0, offset - start) }
        damageStart = isGone ? offset : nil
        switch item.record {
        case .messageIndex(let index)?: chunk?.indexedCount += index.entries.count
        case .chunk?:
            finishChunk(before: offset)
            chunk = Chunk(
                offset: offset,
                isDamaged: !item.problems.isEmpty,
                hasWrongChecksum: item.problems.contains { $0.what == "Chunk.uncompressed_crc" }
            )
        case .dataEnd?: hasDataEnd = true
        default: break
        }
        if case .chunk? = item.record { return }
        if case .messageIndex? = item.record { return }
        finishChunk(before: offset)
    }

    /// True if what cannot be read is the index of a chunk whose messages were all read: no message is lost with it.
    private func isIndexAlone(_ item: MCAPItem) -> Bool {
        guard let chunk, !chunk.isDamaged, MCAPOpcode(rawValue: item.opcode) == .messageIndex else { return false }
        // Head, channel, length, and a time and an offset of each message: more is no index of this chunk.
        return item.byteCount <= UInt64(9 + 2 + 4 + 16 * chunk.savedCount)
    }

    /// Takes a message that cannot be saved, though it is there.
    mutating func noteStray() {
        strayCount += 1
        chunk?.strayCount += 1
    }

    /// Takes a message that no bag can hold.
    mutating func noteUnusable(_ problem: MCAPProblem) {
        noteStray()
        if problems.count < Self.keptProblems { problems.append(problem) }
    }

    mutating func noteSaved(_ byteCount: Int) {
        messageCount += 1
        messageBytes += byteCount
        chunk?.savedCount += 1
    }

    mutating func finish(fileBytes: Int) {
        if let start = damageStart { lostBytes += max(0, fileBytes - start) }
        finishChunk(before: fileBytes)
        if !hasDataEnd { isDamaged = true }
    }

    private mutating func finishChunk(before end: Int) {
        guard let chunk else { return }
        self.chunk = nil
        guard chunk.isDamaged else { return }
        missingCount += max(0, chunk.indexedCount - chunk.savedCount - chunk.strayCount)
        if chunk.savedCount == 0 {
            lostBytes += end - chunk.offset
        } else if chunk.hasWrongChecksum {
            doubts.append(
                "kept \(chunk.savedCount) messages of the chunk at offset \(chunk.offset), whose CRC-32 is wrong: "
                    + "at least one byte of them is"
            )
        }
    }
}
