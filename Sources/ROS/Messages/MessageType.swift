package import Text

/// The type of a topic's messages: one that is compiled in, or one that a text describes.
package protocol MessageType: Sendable {
    /// The full name, such as `sensor_msgs/msg/Imu`.
    var typeName: String { get }
    /// The hash by REP 2016.
    var typeHash: String { get }
    /// The definition with every type it depends on, as bags store it under `ros2msg`.
    var definitionText: String { get }

    /// The keys that a JSON object of it may have: its fields, and their other names; none for std_msgs/msg/Empty.
    var jsonKeys: [String] { get }

    /// Reads CDR of either byte order, with its header; throws what says where it is no such message.
    func payload(cdr bytes: UnsafeRawBufferPointer) throws -> any AnyMessage

    /// Reads the same from an array, which a message that keeps its CDR shares instead of copying it.
    func payload(cdr bytes: [UInt8]) throws -> any AnyMessage

    /// Reads the rosbridge object that comes next; missing fields keep their defaults, unknown ones are collected.
    func payload(
        json scanner: inout JSONScanner,
        unknown: inout UnknownFields
    ) throws(JSONMismatch) -> any AnyMessage
}

extension MessageType {
    package func payload(cdr bytes: [UInt8]) throws -> any AnyMessage {
        try bytes.withUnsafeBytes { try payload(cdr: $0) }
    }
}

/// A type that is compiled in.
package struct CompiledKind<M: Message>: MessageType {
    package init() {}

    package var typeName: String { M.typeName }
    package var typeHash: String { M.typeHash }
    package var definitionText: String { M.definitionText }
    package var jsonKeys: [String] { M.jsonKeys }

    package func payload(cdr bytes: UnsafeRawBufferPointer) throws -> any AnyMessage {
        try M.decoding(cdr: bytes)
    }

    package func payload(
        json scanner: inout JSONScanner,
        unknown: inout UnknownFields
    ) throws(JSONMismatch) -> any AnyMessage {
        try M.decoding(json: &scanner, unknown: &unknown)
    }
}

extension Message {
    /// The keys that a JSON object of the type may have: its fields, and their other names.
    package static var jsonKeys: [String] {
        TypeDescription(of: self).fields.map(\.name) + jsonAliases.map(\.alias)
    }

    /// The type as that of a topic.
    package static var kind: any MessageType { CompiledKind<Self>() }
}
