extension MCAPRecord {
    /// Parses the fields of a record; its large data need not be in memory.
    ///
    /// - Parameters:
    ///   - place: Where the record begins.
    ///   - body: The bytes after the record's opcode and length; the data of Message, Chunk and Attachment may be
    ///     missing.
    ///   - bodyByteCount: The size of the whole body.
    /// - Throws: The first field that does not fit in the record.
    static func parse(
        _ opcode: UInt8,
        at place: MCAPPlace,
        body: UnsafeRawBufferPointer,
        bodyByteCount: Int
    ) throws(MCAPProblem) -> MCAPRecord {
        var reader = MCAPFieldReader(body, at: place.advanced(by: MCAPFormat.recordHeaderBytes), of: opcode)
        return try parse(opcode, at: place, &reader, bodyByteCount: bodyByteCount)
    }

    /// The same, and leaves the reader behind the last field.
    static func parse(
        _ opcode: UInt8,
        at place: MCAPPlace,
        _ reader: inout MCAPFieldReader,
        bodyByteCount: Int
    ) throws(MCAPProblem) -> MCAPRecord {
        let start = place.advanced(by: MCAPFormat.recordHeaderBytes)
        switch MCAPOpcode(rawValue: opcode) {
        case .header: return .header(try MCAPHeader(&reader))
        case .footer: return .footer(try MCAPFooter(&reader))
        case .schema: return .schema(try MCAPSchema(&reader))
        case .channel: return .channel(try MCAPChannel(&reader))
        case .message: return .message(try MCAPMessage(&reader, place, bodyByteCount))
        case .chunk: return .chunk(try MCAPChunk(&reader, start))
        case .messageIndex: return .messageIndex(try MCAPMessageIndex(&reader))
        case .chunkIndex: return .chunkIndex(try MCAPChunkIndex(&reader))
        case .attachment: return .attachment(try MCAPAttachment(&reader, start))
        case .attachmentIndex: return .attachmentIndex(try MCAPAttachmentIndex(&reader))
        case .statistics: return .statistics(try MCAPStatistics(&reader))
        case .metadata: return .metadata(try MCAPMetadata(&reader))
        case .metadataIndex: return .metadataIndex(try MCAPMetadataIndex(&reader))
        case .summaryOffset: return .summaryOffset(try MCAPSummaryOffset(&reader))
        case .dataEnd: return .dataEnd(try MCAPDataEnd(&reader))
        case nil: return .unknown(opcode: opcode)
        }
    }
}

extension MCAPHeader {
    init(_ reader: inout MCAPFieldReader) throws(MCAPProblem) {
        profile = try reader.string("profile")
        library = try reader.string("library")
    }
}

extension MCAPFooter {
    init(_ reader: inout MCAPFieldReader) throws(MCAPProblem) {
        summaryStart = try reader.integer("summary_start")
        summaryOffsetStart = try reader.integer("summary_offset_start")
        summaryCRC = try reader.integer("summary_crc")
    }
}

extension MCAPSchema {
    init(_ reader: inout MCAPFieldReader) throws(MCAPProblem) {
        id = try reader.integer("id")
        name = try reader.string("name")
        encoding = try reader.string("encoding")
        data = Array(try reader.blob("data", lengthAs: UInt32.self))
    }
}

extension MCAPChannel {
    init(_ reader: inout MCAPFieldReader) throws(MCAPProblem) {
        id = try reader.integer("id")
        schemaID = try reader.integer("schema_id")
        topic = try reader.string("topic")
        messageEncoding = try reader.string("message_encoding")
        metadata = try reader.attributes("metadata")
    }
}

extension MCAPMessage {
    init(_ reader: inout MCAPFieldReader, _ place: MCAPPlace, _ bodyByteCount: Int) throws(MCAPProblem) {
        channelID = try reader.integer("channel_id")
        sequence = try reader.integer("sequence")
        logTime = try reader.integer("log_time")
        publishTime = try reader.integer("publish_time")
        byteCount = bodyByteCount - reader.position
        self.place = place
    }
}

extension MCAPChunk {
    init(_ reader: inout MCAPFieldReader, _ start: MCAPPlace) throws(MCAPProblem) {
        messageStartTime = try reader.integer("message_start_time")
        messageEndTime = try reader.integer("message_end_time")
        uncompressedSize = try reader.integer("uncompressed_size")
        uncompressedCRC = try reader.integer("uncompressed_crc")
        compression = try reader.string("compression")
        recordsByteCount = try reader.integer("records")
        recordsOffset = start.offset + reader.position
    }
}

extension MCAPMessageIndex {
    init(_ reader: inout MCAPFieldReader) throws(MCAPProblem) {
        channelID = try reader.integer("channel_id")
        let records = try reader.blob("records", lengthAs: UInt32.self)
        guard records.count.isMultiple(of: 16) else {
            throw reader.problem("records", expected: "entries of 16 bytes", found: "\(records.count) bytes")
        }
        entries = (0..<records.count / 16).map { index in
            MCAPMessageIndexEntry(
                logTime: UInt64(littleEndian: records.loadUnaligned(fromByteOffset: 16 * index, as: UInt64.self)),
                offset: UInt64(littleEndian: records.loadUnaligned(fromByteOffset: 16 * index + 8, as: UInt64.self))
            )
        }
    }
}

extension MCAPChunkIndex {
    init(_ reader: inout MCAPFieldReader) throws(MCAPProblem) {
        messageStartTime = try reader.integer("message_start_time")
        messageEndTime = try reader.integer("message_end_time")
        chunkStartOffset = try reader.integer("chunk_start_offset")
        chunkLength = try reader.integer("chunk_length")
        messageIndexOffsets = try reader.channelNumbers("message_index_offsets")
        messageIndexLength = try reader.integer("message_index_length")
        compression = try reader.string("compression")
        compressedSize = try reader.integer("compressed_size")
        uncompressedSize = try reader.integer("uncompressed_size")
    }
}

extension MCAPAttachment {
    init(_ reader: inout MCAPFieldReader, _ start: MCAPPlace) throws(MCAPProblem) {
        logTime = try reader.integer("log_time")
        createTime = try reader.integer("create_time")
        name = try reader.string("name")
        mediaType = try reader.string("media_type")
        dataByteCount = try reader.integer("data")
        dataOffset = start.offset + reader.position
        crc = 0
    }
}

extension MCAPAttachmentIndex {
    init(_ reader: inout MCAPFieldReader) throws(MCAPProblem) {
        offset = try reader.integer("offset")
        length = try reader.integer("length")
        logTime = try reader.integer("log_time")
        createTime = try reader.integer("create_time")
        dataSize = try reader.integer("data_size")
        name = try reader.string("name")
        mediaType = try reader.string("media_type")
    }
}

extension MCAPStatistics {
    init(_ reader: inout MCAPFieldReader) throws(MCAPProblem) {
        messageCount = try reader.integer("message_count")
        schemaCount = try reader.integer("schema_count")
        channelCount = try reader.integer("channel_count")
        attachmentCount = try reader.integer("attachment_count")
        metadataCount = try reader.integer("metadata_count")
        chunkCount = try reader.integer("chunk_count")
        messageStartTime = try reader.integer("message_start_time")
        messageEndTime = try reader.integer("message_end_time")
        channelMessageCounts = try reader.channelNumbers("channel_message_counts")
    }
}

extension MCAPMetadata {
    init(_ reader: inout MCAPFieldReader) throws(MCAPProblem) {
        name = try reader.string("name")
        metadata = try reader.attributes("metadata")
    }
}

extension MCAPMetadataIndex {
    init(_ reader: inout MCAPFieldReader) throws(MCAPProblem) {
        offset = try reader.integer("offset")
        length = try reader.integer("length")
        name = try reader.string("name")
    }
}

extension MCAPSummaryOffset {
    init(_ reader: inout MCAPFieldReader) throws(MCAPProblem) {
        groupOpcode = try reader.integer("group_opcode")
        groupStart = try reader.integer("group_start")
        groupLength = try reader.integer("group_length")
    }
}

extension MCAPDataEnd {
    init(_ reader: inout MCAPFieldReader) throws(MCAPProblem) {
        dataSectionCRC = try reader.integer("data_section_crc")
    }
}
