/// One .msg text, read but not yet resolved: names of other types are as written.
struct ParsedDefinition {
    var constants: [SchemaConstant] = []
    var fields: [ParsedField] = []
}

/// A field as its line says it.
struct ParsedField {
    enum Element {
        case number(NumberKind)
        case string(StringBound)
        /// The name as written: `Header`, `std_msgs/Header` or `std_msgs/msg/Header`.
        case named(String)
    }

    var name: String
    var element: Element
    var shape: FieldShape
    var defaultText: String?
    var defaultValue: DynamicValue?
    var line: Int
}

/// A constant of a definition; constants are part of the text, not of the type hash.
package struct SchemaConstant: Hashable, Sendable {
    /// The type as written, such as `uint8`.
    package var type: String
    package var name: String
    package var value: DynamicValue
    /// The value as written, without its comment.
    package var text: String
}

package struct StringBound: Hashable, Sendable {
    /// True if it is a `wstring`, of UTF-16 units.
    package var isWide = false
    /// The most bytes of UTF-8, or units of UTF-16.
    package var limit: Int?
}

/// One value, a fixed number of values, or any number up to a limit.
package enum FieldShape: Hashable, Sendable {
    case single
    /// `T[N]`.
    case array(Int)
    /// `T[]`, or `T[<=N]`.
    case sequence(limit: Int?)
}

/// A message type's full name by its parts, such as `sensor_msgs`, `msg`, `Imu`.
struct TypeName: Hashable {
    var package: String
    /// `msg`, or `srv` and `action` for what services and actions exchange.
    var family: String
    var name: String

    var full: String { "\(package)/\(family)/\(name)" }
    /// As .msg files of other packages write it.
    var short: String { "\(package)/\(name)" }

    /// Reads `pkg/Name` or `pkg/msg/Name`.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Array($0.utf8)[...] }
        guard parts.count == 2 || parts.count == 3, parts.allSatisfy(isIdentifier) else { return nil }
        let texts = parts.map { String(decoding: $0, as: UTF8.self) }
        package = texts[0]
        family = parts.count == 3 ? texts[1] : "msg"
        name = texts[texts.count - 1]
        guard ["msg", "srv", "action"].contains(family) else { return nil }
    }

    init(package: String, family: String = "msg", name: String) {
        self.package = package
        self.family = family
        self.name = name
    }
}

func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte >= 0x09 && byte <= 0x0D
}

/// True if the byte may stand in a name: a letter, a digit, an underscore.
func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: true
    default: false
    }
}

/// True if the bytes are a name that starts with a letter; capitals are taken, as ROS 1 had them in fields.
func isIdentifier(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first, bytes.count <= SchemaLimits.nameBytes else { return false }
    return first | 0x20 >= 0x61 && first | 0x20 <= 0x7A && bytes.allSatisfy(isNamePart)
}

/// True if the bytes are `Name`, `pkg/Name` or `pkg/msg/Name`.
func isTypeName(_ bytes: ArraySlice<UInt8>) -> Bool {
    isIdentifier(bytes) || TypeName(String(decoding: bytes, as: UTF8.self)) != nil
}

/// The bytes without the white space around them.
func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes
    while let last = bytes.last, isSpace(last) { bytes.removeLast() }
    return bytes.drop(while: isSpace)
}
