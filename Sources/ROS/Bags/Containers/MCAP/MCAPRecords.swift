/// A record whose fields are written down once, in the order of the specification (MCAP specification, "Records").
///
/// The same visit reads them (``MCAPFieldReader``) and writes them (``MCAPFieldWriter``). Message, Chunk and Attachment
/// show what precedes their data.
protocol MCAPFields {
    static var opcode: MCAPOpcode { get }

    init()

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure)
}

/// Sees each field of a record, with its name in the specification, for reading or for writing.
protocol MCAPFieldVisitor {
    associatedtype Failure: Error = Never

    mutating func field<Value: FixedWidthInteger & BitwiseCopyable>(
        _ name: StaticString,
        _ value: inout Value
    ) throws(Failure)
    mutating func field(_ name: StaticString, _ value: inout String) throws(Failure)
    mutating func field(_ name: StaticString, _ value: inout [UInt8]) throws(Failure)
    mutating func field(_ name: StaticString, _ pairs: inout [MCAPAttribute]) throws(Failure)
    mutating func field(_ name: StaticString, _ pairs: inout [MCAPChannelNumber]) throws(Failure)
    mutating func field(_ name: StaticString, _ entries: inout [MCAPMessageIndexEntry]) throws(Failure)
}

/// A pair of a `Map<string, string>`.
package struct MCAPAttribute: Hashable, Sendable {
    package var key: String
    package var value: String
}

extension [MCAPAttribute] {
    package subscript(key: String) -> String? { first { $0.key == key }?.value }
}

/// Header (0x01).
package struct MCAPHeader: MCAPFields, Hashable, Sendable {
    static var opcode: MCAPOpcode { .header }
    package var profile = ""
    package var library = ""

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("profile", &profile)
        try visitor.field("library", &library)
    }
}

/// Footer (0x02).
package struct MCAPFooter: MCAPFields, Hashable, Sendable {
    static var opcode: MCAPOpcode { .footer }
    package var summaryStart: UInt64 = 0
    package var summaryOffsetStart: UInt64 = 0
    package var summaryCRC: UInt32 = 0

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("summary_start", &summaryStart)
        try visitor.field("summary_offset_start", &summaryOffsetStart)
        try visitor.field("summary_crc", &summaryCRC)
    }
}

/// Schema (0x03).
package struct MCAPSchema: MCAPFields, Hashable, Sendable {
    static var opcode: MCAPOpcode { .schema }
    package var id: UInt16 = 0
    package var name = ""
    package var encoding = ""
    package var data: [UInt8] = []

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("id", &id)
        try visitor.field("name", &name)
        try visitor.field("encoding", &encoding)
        try visitor.field("data", &data)
    }
}

/// Channel (0x04).
package struct MCAPChannel: MCAPFields, Hashable, Sendable {
    static var opcode: MCAPOpcode { .channel }
    package var id: UInt16 = 0
    package var schemaID: UInt16 = 0
    package var topic = ""
    package var messageEncoding = ""
    package var metadata: [MCAPAttribute] = []

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("id", &id)
        try visitor.field("schema_id", &schemaID)
        try visitor.field("topic", &topic)
        try visitor.field("message_encoding", &messageEncoding)
        try visitor.field("metadata", &metadata)
    }
}

/// Message (0x05) without its data.
package struct MCAPMessage: MCAPFields, Hashable, Sendable {
    static var opcode: MCAPOpcode { .message }
    package var channelID: UInt16 = 0
    package var sequence: UInt32 = 0
    /// Nanoseconds.
    package var logTime: UInt64 = 0
    /// Nanoseconds.
    package var publishTime: UInt64 = 0
    /// The size of the data.
    package var byteCount = 0
    /// Where the record begins.
    package var place = MCAPPlace(offset: 0)

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("channel_id", &channelID)
        try visitor.field("sequence", &sequence)
        try visitor.field("log_time", &logTime)
        try visitor.field("publish_time", &publishTime)
    }
}

/// Chunk (0x06) without its records.
package struct MCAPChunk: MCAPFields, Hashable, Sendable {
    static var opcode: MCAPOpcode { .chunk }
    package var messageStartTime: UInt64 = 0
    package var messageEndTime: UInt64 = 0
    package var uncompressedSize: UInt64 = 0
    /// The CRC-32 of the uncompressed records; 0 if there is none.
    package var uncompressedCRC: UInt32 = 0
    package var compression = ""
    /// The size of `records` as they are stored.
    package var recordsByteCount: UInt64 = 0
    /// Where `records` begin in the file.
    package var recordsOffset = 0

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("message_start_time", &messageStartTime)
        try visitor.field("message_end_time", &messageEndTime)
        try visitor.field("uncompressed_size", &uncompressedSize)
        try visitor.field("uncompressed_crc", &uncompressedCRC)
        try visitor.field("compression", &compression)
        try visitor.field("records", &recordsByteCount)
    }
}

/// Attachment (0x09) without its data.
package struct MCAPAttachment: MCAPFields, Hashable, Sendable {
    static var opcode: MCAPOpcode { .attachment }
    package var logTime: UInt64 = 0
    package var createTime: UInt64 = 0
    package var name = ""
    package var mediaType = ""
    package var dataByteCount: UInt64 = 0
    /// Where the data begin in the file; the CRC-32 follows them.
    package var dataOffset = 0
    /// The CRC-32 of all fields before it; 0 if there is none, and for a truncated attachment.
    package var crc: UInt32 = 0

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("log_time", &logTime)
        try visitor.field("create_time", &createTime)
        try visitor.field("name", &name)
        try visitor.field("media_type", &mediaType)
        try visitor.field("data", &dataByteCount)
    }
}

/// Metadata (0x0C).
package struct MCAPMetadata: MCAPFields, Hashable, Sendable {
    static var opcode: MCAPOpcode { .metadata }
    package var name = ""
    package var metadata: [MCAPAttribute] = []

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("name", &name)
        try visitor.field("metadata", &metadata)
    }
}

/// DataEnd (0x0F).
package struct MCAPDataEnd: MCAPFields, Hashable, Sendable {
    static var opcode: MCAPOpcode { .dataEnd }
    package var dataSectionCRC: UInt32 = 0

    mutating func visit<V: MCAPFieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("data_section_crc", &dataSectionCRC)
    }
}
