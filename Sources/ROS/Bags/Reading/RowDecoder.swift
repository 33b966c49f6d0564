package import Messages

/// Turns the rows of one topic into messages: the one place that does.
///
/// What it gives depends on `type`: with a ``ResolvedType`` messages are checked and keep their CDR (for replay); with its
/// `direct` type they are decoded into fields (for conversion and checks).
package struct RowDecoder: Sendable {
    /// The serialization of the rows; nil for a form that is not read.
    package let serialization: BagOptions.Serialization?
    package let type: any MessageType
    private let format: String
    /// Those that a message in JSON may have.
    private let keys: [String]

    /// - Parameter format: the serialization format of the topic, as the bag names it.
    package init(_ type: any MessageType, format: String) {
        self.type = type
        self.format = format
        serialization = BagOptions.Serialization(rawValue: format)
        keys = serialization == .rosbridgeJSON ? type.jsonKeys : []
    }

    /// Reads the rows of a topic by what the bag and `types` say of its type.
    package init(_ topic: BagTopic, types: TypeResolver = TypeResolver()) throws(UnknownType) {
        self.init(try types.resolve(TypeClaim(topic)).direct, format: topic.serializationFormat)
    }

    /// The message of a row, and the topic that a row in JSON names itself, where it does.
    ///
    /// - Parameter unknown: collects the keys of a message in JSON that its type does not have.
    package func decode(
        _ bytes: [UInt8],
        unknown: inout UnknownFields
    ) throws -> (message: any AnyMessage, topic: String?) {
        // A message may keep the array.
        if serialization == .cdr { return (try type.payload(cdr: bytes), nil) }
        return try bytes.withUnsafeBytes { try decode($0, unknown: &unknown) }
    }

    package func decode(
        _ bytes: UnsafeRawBufferPointer,
        unknown: inout UnknownFields
    ) throws -> (message: any AnyMessage, topic: String?) {
        switch serialization {
        case .cdr?: return (try type.payload(cdr: bytes), nil)
        case .rosbridgeJSON?:
            return try RosbridgeRow.read(bytes, keys: keys) { try type.payload(json: &$0, unknown: &unknown) }
        case nil: throw UnknownSerialization(found: format)
        }
    }

    /// The message of a row, whatever other keys a row in JSON has.
    package func decode(_ bytes: [UInt8]) throws -> any AnyMessage {
        var unknown = UnknownFields()
        return try decode(bytes, unknown: &unknown).message
    }
}

/// A form of messages that is not read.
private struct UnknownSerialization: Error, CustomStringConvertible {
    var found: String
    var description: String { "expected cdr or rosbridge_json, found \"\(found)\"" }
}

/// A topic of a bag none of whose messages is passed on.
package struct SkippedTopic: Sendable, Hashable {
    package var name: String
    package var typeName: String
    package var reason: String
    package var messageCount: Int
    /// True if it is missing where it goes, rather than replaced.
    package var isLoss: Bool
    package var hasMessages: Bool { messageCount > 0 }

    package init(_ topic: BagTopic, reason: String, messageCount: Int, isLoss: Bool = true) {
        name = topic.name
        typeName = topic.typeName
        self.reason = reason
        self.messageCount = messageCount
        self.isLoss = isLoss
    }
}
