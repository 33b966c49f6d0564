import Bags
import Containers
import Glibc
import SystemPackage

/// Writes what is sound in an .mcap file into a new one with everything that a reader needs.
///
/// Records come in the order of the old file, and chunks end where they ended there, with the same compression. So the
/// chunks of a file of ours are the same bytes.
struct MCAPRewriting {
    private(set) var messageCount = 0
    private(set) var messageBytes = 0
    private(set) var lostMessages = 0
    /// The size of the records that were not taken.
    private(set) var lostBytes = 0
    /// Chunks of which nothing or only the beginning was saved.
    private(set) var damagedChunks = 0
    private(set) var problems: [MCAPProblem] = []

    /// How many messages could not be saved, by the file's own statistics where it has them.
    var lossCount: Int {
        guard let stated = file.statistics?.messageCount else { return lostMessages }
        return max(lostMessages, Int(clamping: stated) - messageCount)
    }

    var hasStatistics: Bool { file.statistics != nil }

    private let source: MCAPFileSource
    private let file: MCAPFile
    private var writer: MCAPWriter
    private let output: FileDescriptor
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
        var skippedChunk: Int?
        while let item = try walk.next() {
            let isInChunk = item.place.innerOffset != nil
            if !isInChunk, item.opcode == MCAPOpcode.dataEnd.rawValue { break }
            problems += item.problems.prefix(max(0, 20 - problems.count))
            if case .chunk? = item.record {
                try writer.flushChunk()
                try drain()
                // Of a chunk that is cut the beginning is sound; of one that is wrong nobody knows what is.
                let isCut = item.byteCount > UInt64(max(0, source.size - item.place.offset))
                skippedChunk = item.problems.isEmpty || isCut ? nil : item.place.offset
                if skippedChunk != nil { lostBytes += Int(clamping: item.byteCount) }
                if !item.problems.isEmpty { damagedChunks += 1 }
                continue
            }
            guard let record = item.record, item.problems.isEmpty else {
                if !isInChunk { lostBytes += min(Int(clamping: item.byteCount), source.size - item.place.offset) }
                continue
            }
            if isInChunk, item.place.offset == skippedChunk {
                if case .message = record { lostMessages += 1 }
                continue
            }
            try take(record, &walk)
        }
        try writer.writeUnusedChannels()
        for (name, pairs) in metadata { writer.addMetadata(name: name, pairs) }
        try drain()
        _ = try output.writeAll(writer.ending())
    }

    private mutating func take(_ record: MCAPRecord, _ walk: inout MCAPWalk) throws {
        switch record {
        case .message(let message): try write(message, &walk)
        case .metadata(let metadata):
            writer.addMetadata(name: metadata.name, metadata.metadata.map { ($0.key, $0.value) })
        case .attachment(let attachment):
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
            lostMessages += 1
            return
        }
        let data = try walk.data(of: message)
        guard data.count == message.byteCount else {
            lostMessages += 1
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
        messageCount += 1
        messageBytes += data.count
        if writer.flushedFileBytes > 1 << 22 { try drain() }
    }

    /// The channel in the new file, which is made known there when it is first needed.
    private mutating func channel(_ number: UInt16) throws -> UInt16? {
        if let known = channels[number] { return known }
        guard let old = file.channelsByID[number] else { return nil }
        var schema: UInt16 = 0
        if let found = file.schema(of: old) {
            schema = try writer.addSchema(name: found.name, encoding: found.encoding, data: found.data)
        }
        let new = try writer.addChannel(
            topic: old.topic,
            schema: schema,
            messageEncoding: old.messageEncoding,
            metadata: old.metadata.map { ($0.key, $0.value) }
        )
        channels[number] = new
        return new
    }

    private mutating func drain() throws {
        let output = output
        try writer.withOutput { _ = try output.writeAll($0) }
    }
}
