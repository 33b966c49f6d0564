/// A record of any kind, with its fields in the specification's order; large data stay in the file.
package enum MCAPRecord: Hashable, Sendable {
    case header(MCAPHeader)
    case footer(MCAPFooter)
    case schema(MCAPSchema)
    case channel(MCAPChannel)
    case message(MCAPMessage)
    case chunk(MCAPChunk)
    case messageIndex(MCAPMessageIndex)
    case chunkIndex(MCAPChunkIndex)
    case attachment(MCAPAttachment)
    case attachmentIndex(MCAPAttachmentIndex)
    case statistics(MCAPStatistics)
    case metadata(MCAPMetadata)
    case metadataIndex(MCAPMetadataIndex)
    case summaryOffset(MCAPSummaryOffset)
    case dataEnd(MCAPDataEnd)
    /// An unknown record kind, or one for private use by applications (0x80 and above).
    case unknown(opcode: UInt8)
}

extension MCAPRecord {
    /// Reads the fields of a record and leaves the reader behind the last one; large data need not be in memory.
    ///
    /// - Parameters:
    ///   - place: Where the record begins.
    ///   - reader: Reads the bytes after the record's opcode and length; the data of Message, Chunk and Attachment may
    ///     be missing.
    ///   - bodyByteCount: The size of the whole body.
    /// - Throws: The first field that does not fit in the record.
    static func parse(
        _ opcode: UInt8,
        at place: MCAPPlace,
        _ reader: inout MCAPFieldReader,
        bodyByteCount: Int
    ) throws(MCAPProblem) -> MCAPRecord {
        let bodyOffset = place.advanced(by: MCAPFormat.recordHeaderBytes).offset
        switch MCAPOpcode(rawValue: opcode) {
        case .header: return .header(try reader.record())
        case .footer: return .footer(try reader.record())
        case .schema: return .schema(try reader.record())
        case .channel: return .channel(try reader.record())
        case .message:
            var message: MCAPMessage = try reader.record()
            message.byteCount = bodyByteCount - reader.position
            message.place = place
            return .message(message)
        case .chunk:
            var chunk: MCAPChunk = try reader.record()
            chunk.recordsOffset = bodyOffset + reader.position
            return .chunk(chunk)
        case .messageIndex: return .messageIndex(try reader.record())
        case .chunkIndex: return .chunkIndex(try reader.record())
        case .attachment:
            var attachment: MCAPAttachment = try reader.record()
            attachment.dataOffset = bodyOffset + reader.position
            return .attachment(attachment)
        case .attachmentIndex: return .attachmentIndex(try reader.record())
        case .statistics: return .statistics(try reader.record())
        case .metadata: return .metadata(try reader.record())
        case .metadataIndex: return .metadataIndex(try reader.record())
        case .summaryOffset: return .summaryOffset(try reader.record())
        case .dataEnd: return .dataEnd(try reader.record())
        case nil: return .unknown(opcode: opcode)
        }
    }
}
