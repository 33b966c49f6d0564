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
    /// Messages by the file's own statistics.
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
            tally.strayCount += 1
            return
        }
        if let problem = message.timeProblem { return tally.noteUnusable(problem) }
        let data = try walk.data(of: message)
        guard data.count == message.byteCount else {
            tally.strayCount += 1
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
