package import Text

/// A ROS 2 message: a plain value whose one function shows its fields, in the order of the .msg file.
///
/// Everything else is derived from that function by visitors: CDR and rosbridge JSON in both directions, the .msg text,
/// the RIHS01 type hash and the size.
package protocol Message: AnyMessage {
    /// The full name, such as `sensor_msgs/msg/Imu`.
    static var typeName: String { get }

    /// Constants of the .msg file; they are part of the text, not of the hash.
    static var constants: [MessageConstant] { get }

    /// The fields of this type that may hold NaN or an infinity and mean something by it, such as an unknown altitude.
    static var nonFiniteFields: [String] { get }

    /// Other names under which rosbridge takes a field, such as `secs` for `sec`.
    static var jsonAliases: [JSONAlias] { get }

    /// A message with every field at its default.
    init()

    /// Shows every field to the visitor, in the order of the .msg file.
    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure)

    // The passes have one implementation each, in an extension. They are requirements all the same, because the witness
    // of a requirement is compiled for its type: through `any Message` a mere extension would run unspecialised.

    /// Reads CDR of either byte order, with its header.
    static func decoding(cdr bytes: UnsafeRawBufferPointer) throws(CDRError) -> Self

    /// Reads the rosbridge object that comes next; missing fields keep their defaults, unknown ones are collected.
    static func decoding(json scanner: inout JSONScanner, unknown: inout UnknownFields) throws(JSONMismatch) -> Self
}

extension Message {
    package static var constants: [MessageConstant] { [] }
    package static var nonFiniteFields: [String] { [] }
    package static var jsonAliases: [JSONAlias] { [] }
}

/// A constant of a .msg file, such as `uint8 FLOAT32=7`.
package struct MessageConstant: Hashable, Sendable {
    package var type: String
    package var name: String
    package var value: String

    package init(_ type: String, _ name: String, _ value: String) {
        self.type = type
        self.name = name
        self.value = value
    }
}

/// Another name of a field in JSON.
package struct JSONAlias: Hashable, Sendable {
    package var field: String
    package var alias: String

    package init(_ field: String, _ alias: String) {
        self.field = field
        self.alias = alias
    }
}

/// Sees each field of a message, for reading or for writing: fields are `inout`, so one visit serves both directions.
package protocol FieldVisitor {
    associatedtype Failure: Error = Never

    mutating func field<P: Primitive>(_ name: StaticString, _ value: inout P) throws(Failure)
    mutating func field<P: Primitive>(_ name: StaticString, _ values: inout [P]) throws(Failure)
    mutating func field<let count: Int, P: Primitive>(
        _ name: StaticString,
        _ values: inout [count of P]
    ) throws(Failure)
    mutating func field<M: Message>(_ name: StaticString, _ value: inout M) throws(Failure)
    mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) throws(Failure)
    mutating func field<let count: Int, M: Message>(
        _ name: StaticString,
        _ values: inout [count of M]
    ) throws(Failure)
}
