/// A pair of a `Map<uint16, uint64>`.
package struct MCAPChannelNumber: Hashable, Sendable {
    package var channelID: UInt16
    package var value: UInt64
}

/// MessageIndex (0x07).
package struct MCAPMessageIndex: MCAPFields, Hashable, Sendable {
    static var opcode: MCAPOpcode { .messageIndex }
    package var channelID: UInt16 = 0
    package var entries: [MCAPMessageIndexEntry] = []

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("channel_id", &channelID)
        try visitor.field("records", &entries)
    }
}

/// One message of a MessageIndex.
package struct MCAPMessageIndexEntry: Hashable, Sendable, Comparable {
    package var logTime: UInt64
    /// The offset of the Message record in the uncompressed records of the chunk.
    package var offset: UInt64

    package init(logTime: UInt64, offset: UInt64) {
        self.logTime = logTime
        self.offset = offset
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.logTime, left.offset) < (right.logTime, right.offset)
    }
}

/// ChunkIndex (0x08).
package struct MCAPChunkIndex: MCAPFields, Hashable, Sendable {
    static var opcode: MCAPOpcode { .chunkIndex }
    package var messageStartTime: UInt64 = 0
    package var messageEndTime: UInt64 = 0
    package var chunkStartOffset: UInt64 = 0
    package var chunkLength: UInt64 = 0
    package var messageIndexOffsets: [MCAPChannelNumber] = []
    package var messageIndexLength: UInt64 = 0
    package var compression = ""
    package var compressedSize: UInt64 = 0
    package var uncompressedSize: UInt64 = 0

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("message_start_time", &messageStartTime)
        try visitor.field("message_end_time", &messageEndTime)
        try visitor.field("chunk_start_offset", &chunkStartOffset)
        try visitor.field("chunk_length", &chunkLength)
        try visitor.field("message_index_offsets", &messageIndexOffsets)
        try visitor.field("message_index_length", &messageIndexLength)
        try visitor.field("compression", &compression)
        try visitor.field("compressed_size", &compressedSize)
        try visitor.field("uncompressed_size", &uncompressedSize)
    }
}

/// AttachmentIndex (0x0A).
package struct MCAPAttachmentIndex: MCAPFields, Hashable, Sendable {
    static var opcode: MCAPOpcode { .attachmentIndex }
    package var offset: UInt64 = 0
    package var length: UInt64 = 0
    package var logTime: UInt64 = 0
    package var createTime: UInt64 = 0
    package var dataSize: UInt64 = 0
    package var name = ""
    package var mediaType = ""

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("offset", &offset)
        try visitor.field("length", &length)
        try visitor.field("log_time", &logTime)
        try visitor.field("create_time", &createTime)
        try visitor.field("data_size", &dataSize)
        try visitor.field("name", &name)
        try visitor.field("media_type", &mediaType)
    }
}

/// Statistics (0x0B).
package struct MCAPStatistics: MCAPFields, Hashable, Sendable {
    static var opcode: MCAPOpcode { .statistics }
    package var messageCount: UInt64 = 0
    package var schemaCount: UInt16 = 0
    package var channelCount: UInt32 = 0
    package var attachmentCount: UInt32 = 0
    package var metadataCount: UInt32 = 0
    package var chunkCount: UInt32 = 0
    package var messageStartTime: UInt64 = 0
    package var messageEndTime: UInt64 = 0
    package var channelMessageCounts: [MCAPChannelNumber] = []

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("message_count", &messageCount)
        try visitor.field("schema_count", &schemaCount)
        try visitor.field("channel_count", &channelCount)
        try visitor.field("attachment_count", &attachmentCount)
        try visitor.field("metadata_count", &metadataCount)
        try visitor.field("chunk_count", &chunkCount)
        try visitor.field("message_start_time", &messageStartTime)
        try visitor.field("message_end_time", &messageEndTime)
        try visitor.field("channel_message_counts", &channelMessageCounts)
    }
}

/// MetadataIndex (0x0D).
package struct MCAPMetadataIndex: MCAPFields, Hashable, Sendable {
    static var opcode: MCAPOpcode { .metadataIndex }
    package var offset: UInt64 = 0
    package var length: UInt64 = 0
    package var name = ""

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("offset", &offset)
        try visitor.field("length", &length)
        try visitor.field("name", &name)
    }
}

/// SummaryOffset (0x0E).
package struct MCAPSummaryOffset: MCAPFields, Hashable, Sendable {
    static var opcode: MCAPOpcode { .summaryOffset }
    package var groupOpcode: UInt8 = 0
    package var groupStart: UInt64 = 0
    package var groupLength: UInt64 = 0

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("group_opcode", &groupOpcode)
        try visitor.field("group_start", &groupStart)
        try visitor.field("group_length", &groupLength)
    }
}
