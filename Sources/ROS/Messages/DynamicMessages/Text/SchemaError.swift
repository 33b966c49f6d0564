import Text

/// A place in message definitions where something else was expected.
package struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The type whose text it is, such as `sensor_msgs/msg/Imu`, or a file of one.
    package var source = ""
    /// The line of that type's own text, from 1; `nil` where the text as a whole is meant.
    package var line: Int?
    package var expected: String
    package var found: String

    package var description: String {
        let place = line.map { ": line \($0)" } ?? ""
        return "message definition: \(source)\(place): expected \(expected), found \(found)"
    }
}

/// The limits of what is read and built, so that hostile definitions cost neither time nor memory.
package enum SchemaLimits {
    /// The longest text, dependencies included, in bytes.
    package static let textBytes = 1 << 20
    package static let types = 1_000
    /// Fields and constants of all types together.
    package static let fields = 10_000
    /// How deep messages may lie within messages.
    package static let depth = 64
    package static let nameBytes = 255
    /// The largest bound and the largest fixed array: what 32 bits count.
    package static let elements = Int(UInt32.max)
    /// How many bytes of memory the defaults of all types together may take.
    package static let defaultBytes = 16 << 20
    /// How many messages may lie within one message, arrays included.
    package static let nestedMessages = 1 << 24
    /// The largest message that is written, in bytes; SQLite and rosbag2 take no larger one.
    package static let messageBytes = 1_000_000_000
}

/// A text between quotes for an error message: at most 40 characters, without controls.
func quoted(_ text: some StringProtocol) -> String {
    var result = "\""
    for scalar in text.unicodeScalars.prefix(40) {
        result += scalar.isUnsafeToPrint ? scalar.escapedText : String(scalar)
    }
    return result + (text.unicodeScalars.count > 40 ? "…\"" : "\"")
}

/// Bytes of a definition between quotes for an error message.
func quoted(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.isEmpty ? "the end of the line" : quoted(String(decoding: bytes.prefix(200), as: UTF8.self))
}
