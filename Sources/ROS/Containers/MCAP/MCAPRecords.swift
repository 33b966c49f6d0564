/// A pair of a `Map<string, string>`.
package struct MCAPAttribute: Hashable, Sendable {
    package var key: String
    package var value: String

    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }
}

/// A pair of a `Map<uint16, uint64>`.
package struct MCAPChannelNumber: Hashable, Sendable {
    package var channelID: UInt16
    package var value: UInt64

    package init(channelID: UInt16, value: UInt64) {
        self.channelID = channelID
        self.value = value
    }
}

/// Header (0x01).
package struct MCAPHeader: Hashable, Sendable {
    package var profile: String
    package var library: String
}

/// Footer (0x02).
package struct MCAPFooter: Hashable, Sendable {
    package var summaryStart: UInt64
    package var summaryOffsetStart: UInt64
    package var summaryCRC: UInt32
}

/// Schema (0x03).
package struct MCAPSchema: Hashable, Sendable {
    package var id: UInt16
    package var name: String
    package var encoding: String
    package var data: [UInt8]
}

/// Channel (0x04).
package struct MCAPChannel: Hashable, Sendable {
    package var id: UInt16
    package var schemaID: UInt16
    package var topic: String
    package var messageEncoding: String
    package var metadata: [MCAPAttribute]

    /// The value of the first pair with a key.
    package func attribute(_ key: String) -> String? {
        metadata.first { $0.key == key }?.value
    }
}

/// Message (0x05) without its data.
package struct MCAPMessage: Hashable, Sendable {
    package var channelID: UInt16
    package var sequence: UInt32
    /// Nanoseconds.
    package var logTime: UInt64
    /// Nanoseconds.
    package var publishTime: UInt64
    /// The size of the data.
    package var byteCount: Int
    /// Where the record begins.
    package var place: MCAPPlace
}

/// Chunk (0x06) without its records.
package struct MCAPChunk: Hashable, Sendable {
    package var messageStartTime: UInt64
    package var messageEndTime: UInt64
    package var uncompressedSize: UInt64
    /// The CRC-32 of the uncompressed records; 0 if there is none.
    package var uncompressedCRC: UInt32
    package var compression: String
    /// The size of `records` as they are stored.
    package var recordsByteCount: UInt64
    /// Where `records` begin in the file.
    package var recordsOffset: Int
}

/// MessageIndex (0x07).
package struct MCAPMessageIndex: Hashable, Sendable {
    package var channelID: UInt16
    package var entries: [MCAPMessageIndexEntry]
}

/// One message of a MessageIndex.
package struct MCAPMessageIndexEntry: Hashable, Sendable, Comparable {
    package var logTime: UInt64
    /// The offset of the Message record in the uncompressed records of the chunk.
    package var offset: UInt64

    package static func < (left: Self, right: Self) -> Bool {
        (left.logTime, left.offset) < (right.logTime, right.offset)
    }
}

/// ChunkIndex (0x08).
package struct MCAPChunkIndex: Hashable, Sendable {
    package var messageStartTime: UInt64
    package var messageEndTime: UInt64
    package var chunkStartOffset: UInt64
    package var chunkLength: UInt64
    package var messageIndexOffsets: [MCAPChannelNumber]
    package var messageIndexLength: UInt64
    package var compression: String
    package var compressedSize: UInt64
    package var uncompressedSize: UInt64
}

/// Attachment (0x09) without its data.
package struct MCAPAttachment: Hashable, Sendable {
    package var logTime: UInt64
    package var createTime: UInt64
    package var name: String
    package var mediaType: String
    package var dataByteCount: UInt64
    /// Where the data begin in the file; the CRC-32 follows them.
    package var dataOffset: Int
    /// The CRC-32 of all fields before it; 0 if there is none, and for a truncated attachment.
    package var crc: UInt32
}

/// AttachmentIndex (0x0A).
package struct MCAPAttachmentIndex: Hashable, Sendable {
    package var offset: UInt64
    package var length: UInt64
    package var logTime: UInt64
    package var createTime: UInt64
    package var dataSize: UInt64
    package var name: String
    package var mediaType: String
}

/// Statistics (0x0B).
package struct MCAPStatistics: Hashable, Sendable {
    package var messageCount: UInt64
    package var schemaCount: UInt16
    package var channelCount: UInt32
    package var attachmentCount: UInt32
    package var metadataCount: UInt32
    package var chunkCount: UInt32
    package var messageStartTime: UInt64
    package var messageEndTime: UInt64
    package var channelMessageCounts: [MCAPChannelNumber]
}

/// Metadata (0x0C).
package struct MCAPMetadata: Hashable, Sendable {
    package var name: String
    package var metadata: [MCAPAttribute]

    /// The value of the first pair with a key.
    package func attribute(_ key: String) -> String? {
        metadata.first { $0.key == key }?.value
    }
}

/// MetadataIndex (0x0D).
package struct MCAPMetadataIndex: Hashable, Sendable {
    package var offset: UInt64
    package var length: UInt64
    package var name: String
}

/// SummaryOffset (0x0E).
package struct MCAPSummaryOffset: Hashable, Sendable {
    package var groupOpcode: UInt8
    package var groupStart: UInt64
    package var groupLength: UInt64
}

/// DataEnd (0x0F).
package struct MCAPDataEnd: Hashable, Sendable {
    package var dataSectionCRC: UInt32
}

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
