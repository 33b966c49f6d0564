/// How an ``MCAPWriter`` lays out its file.
package struct MCAPWriterOptions: Hashable, Sendable {
    /// A chunk ends with the message that makes its records this long.
    package var chunkBytes: Int
    package var compression: MCAPCompression
    /// Of ``LZ4Frame`` or ``Zstandard``; nil for their usual one.
    package var level: Int?

    package init(chunkBytes: Int = 1 << 20, compression: MCAPCompression = .none, level: Int? = nil) {
        self.chunkBytes = max(1, chunkBytes)
        self.compression = compression
        self.level = level
    }
}

/// Writes an MCAP file with chunks, message and chunk indexes, statistics, summary offsets and all CRCs.
///
/// Does no input or output: the caller takes the bytes as they come and ends them with ``ending()``. The same calls
/// give the same bytes. Messages go into chunks; the Schema and the Channel of a message go into the chunk of the first
/// message that needs them. Each byte is checksummed once.
package struct MCAPWriter {
    private let options: MCAPWriterOptions
    private var schemas: [MCAPSchema] = []
    private var channels: [MCAPChannel] = []
    private var isSchemaWritten: [Bool] = []
    private var isChannelWritten: [Bool] = []
    /// The size of the schema and channel records that are not in the file yet.
    private var unwrittenBytes = 0
    private var chunk: MCAPChunkBuilder
    private var summary = MCAPSummaryBuilder()
    /// Schema and Channel records of the open chunk, for the summary when it is closed.
    private var chunkSchemas: [[UInt8]] = []
    private var chunkChannels: [(id: UInt16, record: [UInt8])] = []
    private var output: [UInt8] = []
    private var takenBytes = 0
    private var dataSectionCRC: UInt32 = 0
    private let compressor: ZstandardCompressor?

    /// - Throws: ``CompressionError`` where libzstd cannot start.
    package init(profile: String, library: String, options: MCAPWriterOptions = MCAPWriterOptions()) throws {
        self.options = options
        compressor =
            options.compression == .zstd
            ? try ZstandardCompressor(level: options.level ?? Zstandard.defaultLevel) : nil
        chunk = MCAPChunkBuilder(expectedBytes: min(options.chunkBytes, 1 << 22) + (1 << 16))
        var start = MCAPFormat.magic
        start.append(MCAPHeader(profile: profile, library: library))
        emit(start)
    }

    /// The size of everything that was flushed, which is where the ending belongs.
    package var flushedFileBytes: Int { takenBytes + output.count }

    /// Whether the open chunk has messages, which ``ending()`` would leave out.
    package var hasOpenChunk: Bool { chunk.messageCount > 0 }

    /// Makes a schema known; the same one again gets the same number.
    ///
    /// - Throws: ``MCAPProblem`` for the 65536th.
    package mutating func addSchema(name: String, encoding: String, data: [UInt8]) throws -> UInt16 {
        let known = schemas.first { $0.name == name && $0.encoding == encoding && $0.data == data }
        if let known { return known.id }
        let schema = MCAPSchema(id: try nextID("Schema", schemas.count), name: name, encoding: encoding, data: data)
        schemas.append(schema)
        isSchemaWritten.append(false)
        unwrittenBytes += 23 + name.utf8.count + encoding.utf8.count + data.count
        return schema.id
    }

    /// Makes a channel known; `schema` is a number that ``addSchema(name:encoding:data:)`` gave, or 0 for none.
    ///
    /// - Throws: ``MCAPProblem`` for the 65536th, and for an unknown schema.
    package mutating func addChannel(
        topic: String,
        schema: UInt16,
        messageEncoding: String,
        metadata: [(String, String)] = []
    ) throws -> UInt16 {
        guard Int(schema) <= schemas.count else {
            throw problem("Channel.schema_id", "at most \(schemas.count)", "\(schema)")
        }
        let channel = MCAPChannel(
            id: try nextID("Channel", channels.count),
            schemaID: schema,
            topic: topic,
            messageEncoding: messageEncoding,
            metadata: metadata.map { MCAPAttribute(key: $0.0, value: $0.1) }
        )
        channels.append(channel)
        isChannelWritten.append(false)
        let attributeBytes = metadata.reduce(0) { $0 + 8 + $1.0.utf8.count + $1.1.utf8.count }
        unwrittenBytes += 25 + topic.utf8.count + messageEncoding.utf8.count + attributeBytes
        return channel.id
    }

    /// Adds a message to the open chunk, and ends the chunk when it is long enough.
    ///
    /// - Throws: ``MCAPProblem`` for an unknown channel, ``CompressionError``.
    package mutating func write(
        channel: UInt16,
        sequence: UInt32,
        logTime: UInt64,
        publishTime: UInt64,
        data: UnsafeRawBufferPointer
    ) throws {
        guard channel > 0, Int(channel) <= channels.count else {
            throw problem("Message.channel_id", "1 to \(channels.count)", "\(channel)")
        }
        if !isChannelWritten[Int(channel) - 1] {
            for record in declare(channel) { chunk.append(record: record) }
        }
        chunk.append(
            channel: channel,
            sequence: sequence,
            logTime: logTime,
            publishTime: publishTime,
            data: data
        )
        if chunk.contentByteCount >= options.chunkBytes { try flushChunk() }
    }

    /// Ends the open chunk, if it has messages.
    ///
    /// - Throws: ``CompressionError``.
    package mutating func flushChunk() throws {
        guard chunk.messageCount > 0 else { return }
        let start = flushedFileBytes
        let contentByteCount = chunk.contentByteCount
        let (header, recordsByteCount) = try emitChunk()
        let indexStart = flushedFileBytes
        let indexes = chunk.indexes()
        let offsets = emit(indexes)
        let index = MCAPChunkIndex(
            messageStartTime: chunk.startTime,
            messageEndTime: chunk.endTime,
            chunkStartOffset: UInt64(start),
            chunkLength: UInt64(header.count + recordsByteCount),
            messageIndexOffsets: offsets,
            messageIndexLength: UInt64(flushedFileBytes - indexStart),
            compression: options.compression.fieldText,
            compressedSize: UInt64(recordsByteCount),
            uncompressedSize: UInt64(contentByteCount)
        )
        summarizeDeclarations()
        summary.add(index, indexes)
        chunk.reset()
    }

    /// Adds a Metadata record, before the open chunk.
    package mutating func addMetadata(name: String, _ metadata: [(String, String)]) {
        var bytes: [UInt8] = []
        let attributes = metadata.map { MCAPAttribute(key: $0.0, value: $0.1) }
        bytes.append(MCAPMetadata(name: name, metadata: attributes))
        let offset = UInt64(flushedFileBytes)
        summary.add(MCAPMetadataIndex(offset: offset, length: UInt64(bytes.count), name: name))
        emit(bytes)
    }

    /// Adds an Attachment record, before the open chunk.
    package mutating func addAttachment(
        name: String,
        mediaType: String,
        logTime: UInt64,
        createTime: UInt64,
        data: [UInt8]
    ) {
        var bytes: [UInt8] = []
        bytes.appendRecord(.attachment) {
            $0.appendInteger(logTime)
            $0.appendInteger(createTime)
            $0.appendString(name)
            $0.appendString(mediaType)
            $0.appendInteger(UInt64(data.count))
            $0.append(contentsOf: data)
            let checksum = $0.withUnsafeBytes {
                CRC32.checksum(UnsafeRawBufferPointer(rebasing: $0[MCAPFormat.recordHeaderBytes...]))
            }
            $0.appendInteger(checksum)
        }
        let index = MCAPAttachmentIndex(
            offset: UInt64(flushedFileBytes),
            length: UInt64(bytes.count),
            logTime: logTime,
            createTime: createTime,
            dataSize: UInt64(data.count),
            name: name,
            mediaType: mediaType
        )
        summary.add(index)
        emit(bytes)
    }

    /// Ends the open chunk, and puts the channels that no message needed so far into the file, outside of chunks.
    ///
    /// - Throws: ``CompressionError``.
    package mutating func writeUnusedChannels() throws {
        try flushChunk()
        for channel in channels where !isChannelWritten[Int(channel.id) - 1] {
            for record in declare(channel.id) { emit(record) }
        }
        summarizeDeclarations()
    }

    /// What was flushed since the last call.
    package mutating func takeOutput() -> [UInt8] {
        takenBytes += output.count
        var taken: [UInt8] = []
        swap(&taken, &output)
        return taken
    }

    /// Gives what was flushed since the last call to `body`, without a copy; it stays if `body` throws.
    package mutating func withOutput<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let result = try output.withUnsafeBytes { try body($0) }
        takenBytes += output.count
        output.removeAll(keepingCapacity: true)
        return result
    }

    /// Everything from DataEnd on that makes a whole file of what was flushed so far.
    ///
    /// Changes nothing: more output may follow, in place of this ending.
    package func ending() -> [UInt8] {
        summary.ending(after: flushedFileBytes, dataSectionCRC: dataSectionCRC)
    }

    /// The size of the ended file with one more message of `byteCount` bytes; for compressed chunks a size that it does
    /// not exceed in practice.
    package func projectedFileBytes(adding byteCount: Int) -> Int {
        let messageBytes = MCAPFormat.recordHeaderBytes + MCAPFormat.messageHeaderBytes + byteCount
        let chunkBytes = chunk.bytes.count + options.compression.fieldText.utf8.count + messageBytes
        let indexBytes = chunk.indexByteCount + MCAPFormat.recordHeaderBytes + 6 + 16
        let chunkIndexBytes = 81 + 10 * (chunk.usedChannelCount + 1)
        let openRecords = chunkSchemas.reduce(0) { $0 + $1.count } + chunkChannels.reduce(0) { $0 + $1.record.count }
        let ending = summary.endingByteCount(addingChannels: chunkChannels.count + 1)
        // Records that are not in the file yet will be there twice, in a chunk and in the summary.
        return flushedFileBytes + chunkBytes + indexBytes + chunkIndexBytes + openRecords + 2 * unwrittenBytes + ending
    }
}

extension MCAPWriter {
    /// Emits the chunk's record; gives what is in front of its records and their size as stored.
    private mutating func emitChunk() throws -> (header: [UInt8], recordsByteCount: Int) {
        let checksum = chunk.contentChecksum()
        switch options.compression {
        case .none:
            let byteCount = chunk.contentByteCount
            let header = chunkHeader(checksum, recordsByteCount: byteCount)
            dataSectionCRC = CRC32.checksum(header, continuing: dataSectionCRC)
            dataSectionCRC = CRC32.combine(dataSectionCRC, checksum, secondByteCount: byteCount)
            if output.isEmpty {
                chunk.finish(header: header, swappingWith: &output)
            } else {
                output += header
                chunk.withContent { output.append(contentsOf: $0) }
            }
            return (header, byteCount)
        case .lz4, .zstd:
            let records = try compressedContent()
            let header = chunkHeader(checksum, recordsByteCount: records.count)
            emit(header)
            emit(records)
            return (header, records.count)
        }
    }

    private func compressedContent() throws -> [UInt8] {
        try chunk.withContent { content in
            if let compressor { return try compressor.compress(content) }
            return try LZ4Frame.compress(content, level: options.level ?? 0)
        }
    }

    private func chunkHeader(_ checksum: UInt32, recordsByteCount: Int) -> [UInt8] {
        let name = options.compression.fieldText
        var header: [UInt8] = [MCAPOpcode.chunk.rawValue]
        let ownBytes = MCAPChunkBuilder.headerBytes - MCAPFormat.recordHeaderBytes + name.utf8.count
        header.appendInteger(UInt64(ownBytes + recordsByteCount))
        header.appendInteger(chunk.startTime)
        header.appendInteger(chunk.endTime)
        header.appendInteger(UInt64(chunk.contentByteCount))
        header.appendInteger(checksum)
        header.appendString(name)
        header.appendInteger(UInt64(recordsByteCount))
        return header
    }

    /// Emits message indexes and says where they are.
    private mutating func emit(_ indexes: [MCAPMessageIndex]) -> [MCAPChannelNumber] {
        var bytes: [UInt8] = []
        let start = flushedFileBytes
        let offsets = indexes.map { index in
            let offset = MCAPChannelNumber(channelID: index.channelID, value: UInt64(start + bytes.count))
            bytes.append(index)
            return offset
        }
        emit(bytes)
        return offsets
    }

    /// Encodes a channel that is not in the file yet, after its schema if that is not either.
    private mutating func declare(_ id: UInt16) -> [[UInt8]] {
        var records: [[UInt8]] = []
        let channel = channels[Int(id) - 1]
        if channel.schemaID > 0, !isSchemaWritten[Int(channel.schemaID) - 1] {
            isSchemaWritten[Int(channel.schemaID) - 1] = true
            var record: [UInt8] = []
            record.append(schemas[Int(channel.schemaID) - 1])
            chunkSchemas.append(record)
            records.append(record)
        }
        isChannelWritten[Int(id) - 1] = true
        var record: [UInt8] = []
        record.append(channel)
        chunkChannels.append((id, record))
        records.append(record)
        unwrittenBytes -= records.reduce(0) { $0 + $1.count }
        return records
    }

    /// What was declared in the chunk that is flushed now is in the file.
    private mutating func summarizeDeclarations() {
        for record in chunkSchemas { summary.addSchema(record: record) }
        for channel in chunkChannels { summary.addChannel(channel.id, record: channel.record) }
        chunkSchemas.removeAll()
        chunkChannels.removeAll()
    }

    private mutating func emit(_ bytes: [UInt8]) {
        dataSectionCRC = CRC32.checksum(bytes, continuing: dataSectionCRC)
        output += bytes
    }

    private func nextID(_ record: String, _ count: Int) throws(MCAPProblem) -> UInt16 {
        guard let id = UInt16(exactly: count + 1) else {
            throw problem("\(record).id", "at most 65535 of them", "one more")
        }
        return id
    }

    private func problem(_ what: String, _ expected: String, _ found: String) -> MCAPProblem {
        MCAPProblem(what, at: MCAPPlace(offset: flushedFileBytes), expected: expected, found: found)
    }
}
