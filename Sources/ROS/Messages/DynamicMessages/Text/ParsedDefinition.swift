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
    /// The default's text, and its value.
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

/// The bound of a `string` or `wstring`.
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
