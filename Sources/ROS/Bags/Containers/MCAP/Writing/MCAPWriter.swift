import Platform

/// Writes an MCAP file with chunks, message and chunk indexes, statistics, summary offsets and all CRCs.
///
/// It does no I/O: the caller takes the bytes as they come and appends ``ending()``. The same calls give the same
/// bytes. Messages go into chunks; the Schema and the Channel of a message go into the chunk of the first message that
/// needs them. Each byte is checksummed once.
package struct MCAPWriter {
    private let options: MCAPWriterOptions
    private var declarations = MCAPDeclarations()
    private var chunk: MCAPChunkBuilder
    private var summary = MCAPSummaryBuilder()
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

    /// Adds a schema and returns its number; a known schema keeps its number.
    ///
    /// - Throws: ``MCAPProblem`` for the 65536th.
    package mutating func addSchema(name: String, encoding: String, data: [UInt8]) throws -> UInt16 {
        try declarations.addSchema(name: name, encoding: encoding, data: data)
    }

    /// Adds a channel and returns its number; `schema` is from ``addSchema(name:encoding:data:)``, or 0 for none.
    ///
    /// - Throws: ``MCAPProblem`` for the 65536th, and for an unknown schema.
    package mutating func addChannel(
        topic: String,
        schema: UInt16,
        messageEncoding: String,
        metadata: [(String, String)] = []
    ) throws -> UInt16 {
        try declarations.addChannel(
            topic: topic,
            schema: schema,
            messageEncoding: messageEncoding,
            metadata: metadata.map { MCAPAttribute(key: $0.0, value: $0.1) }
        )
    }

    /// Adds a message to the open chunk, and ends the chunk at its size limit.
    ///
    /// - Throws: ``MCAPProblem`` for an unknown channel, ``CompressionError``.
    package mutating func write(
        channel: UInt16,
        sequence: UInt32,
        logTime: UInt64,
        publishTime: UInt64,
        data: UnsafeRawBufferPointer
    ) throws {
        if !(try declarations.isDeclared(channel)) {
            for record in declarations.declare(channel) { chunk.append(record: record) }
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
        summary.add(declarations.takeFresh())
        summary.add(index, indexes)
        chunk.reset()
    }

    /// Adds a Metadata record, before the open chunk.
    package mutating func addMetadata(name: String, _ metadata: [(String, String)]) {
        let attributes = metadata.map { MCAPAttribute(key: $0.0, value: $0.1) }
        let bytes = MCAPMetadata(name: name, metadata: attributes).encoded()
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
        let attachment = MCAPAttachment(
            logTime: logTime,
            createTime: createTime,
            name: name,
            mediaType: mediaType,
            dataByteCount: UInt64(data.count)
        )
        // The CRC-32 follows the data.
        var bytes = attachment.encoded(followedBy: data.count + 4) + data
        let checksum = bytes.withUnsafeBytes {
            CRC32.checksum(UnsafeRawBufferPointer(rebasing: $0[MCAPFormat.recordHeaderBytes...]))
        }
        bytes.appendInteger(checksum)
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

    /// Ends the open chunk, and writes the channels without messages, outside of chunks.
    ///
    /// - Throws: ``CompressionError``.
    package mutating func writeUnusedChannels() throws {
        try flushChunk()
        for record in declarations.declareRest() { emit(record) }
        summary.add(declarations.takeFresh())
    }

    /// Returns the bytes flushed since the last call.
    package mutating func takeOutput() -> [UInt8] {
        takenBytes += output.count
        var taken: [UInt8] = []
        swap(&taken, &output)
        return taken
    }

    /// Calls `body` with the bytes flushed since the last call, without a copy; they are kept if `body` throws.
    package mutating func withOutput<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let result = try output.withUnsafeBytes { try body($0) }
        takenBytes += output.count
        output.removeAll(keepingCapacity: true)
        return result
    }

    /// Returns the bytes from DataEnd on, which complete the file after the bytes flushed so far.
    ///
    /// The writer does not change: more output may replace this ending.
    package func ending() -> [UInt8] {
        summary.ending(after: flushedFileBytes, dataSectionCRC: dataSectionCRC)
    }

    /// The size of the complete file with one more message of `byteCount` bytes.
    ///
    /// For compressed chunks it is an upper bound in practice.
    package func projectedFileBytes(adding byteCount: Int) -> Int {
        let messageBytes = MCAPFormat.recordHeaderBytes + MCAPFormat.messageHeaderBytes + byteCount
        let chunkBytes = chunk.bytes.count + options.compression.fieldText.utf8.count + messageBytes
        let indexBytes = chunk.indexByteCount + MCAPFormat.recordHeaderBytes + 6 + 16
        let chunkIndexBytes = 81 + 10 * (chunk.usedChannelCount + 1)
        let ending = summary.endingByteCount(addingChannels: declarations.freshChannelCount + 1)
        // Declarations that are not in the file yet are counted twice: in a chunk and in the summary.
        let declared = declarations.freshBytes + 2 * declarations.undeclaredBytes
        return flushedFileBytes + chunkBytes + indexBytes + chunkIndexBytes + declared + ending
    }

    /// Emits the Chunk record; returns the bytes before its records, and the stored size of the records.
    private mutating func emitChunk() throws -> (header: [UInt8], recordsByteCount: Int) {
        let checksum = chunk.contentChecksum()
        switch options.compression {
        case .none:
            let byteCount = chunk.contentByteCount
            let header = chunk.header(options.compression, checksum, recordsByteCount: byteCount)
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
            let header = chunk.header(options.compression, checksum, recordsByteCount: records.count)
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

    /// Emits the message indexes and returns their offsets.
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

    private mutating func emit(_ bytes: [UInt8]) {
        dataSectionCRC = CRC32.checksum(bytes, continuing: dataSectionCRC)
        output += bytes
    }
}

package struct MCAPWriterOptions: Hashable, Sendable {
    /// The size of uncompressed records at which a chunk ends.
    package var chunkBytes: Int
    package var compression: MCAPCompression
    /// The level of ``LZ4Frame`` or ``Zstandard``; nil for the default.
    package var level: Int?

    package init(chunkBytes: Int = 1 << 20, compression: MCAPCompression = .none, level: Int? = nil) {
        self.chunkBytes = max(1, chunkBytes)
        self.compression = compression
        self.level = level
    }
}
