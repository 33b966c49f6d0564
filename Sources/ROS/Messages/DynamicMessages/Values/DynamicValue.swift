/// A value of a field whose type is known only at run time.
///
/// Arrays of numbers are packed, so that a point cloud of 2 MB takes 2 MB.
package enum DynamicValue: Hashable, Sendable {
    case bool(Bool)
    /// int8 to int64.
    case integer(Int64)
    /// uint8 to uint64, byte, char.
    case unsigned(UInt64)
    case float32(Float)
    case float64(Double)
    case string(String)
    case message(DynamicMessage)

    case bools([Bool])
    case int8s([Int8])
    /// uint8[], byte[] and char[].
    case bytes([UInt8])
    case int16s([Int16])
    case uint16s([UInt16])
    case int32s([Int32])
    case uint32s([UInt32])
    case int64s([Int64])
    case uint64s([UInt64])
    case float32s([Float])
    case float64s([Double])
    case strings([String])
    case messages([DynamicMessage])

    /// The field of that name, if this is a message that has one.
    package subscript(name: String) -> DynamicValue? {
        if case .message(let message) = self { message[name] } else { nil }
    }

    package var message: DynamicMessage? {
        if case .message(let message) = self { message } else { nil }
    }

    package var messages: [DynamicMessage]? {
        if case .messages(let messages) = self { messages } else { nil }
    }

    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The value of any integer that 64 bits with a sign hold.
    package var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .unsigned(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// How many elements an array has.
    package var count: Int? {
        switch self {
        case .bool, .integer, .unsigned, .float32, .float64, .string, .message: nil
        case .bools(let values): values.count
        case .int8s(let values): values.count
        case .bytes(let values): values.count
        case .int16s(let values): values.count
        case .uint16s(let values): values.count
        case .int32s(let values): values.count
        case .uint32s(let values): values.count
        case .int64s(let values): values.count
        case .uint64s(let values): values.count
        case .float32s(let values): values.count
        case .float64s(let values): values.count
        case .strings(let values): values.count
        case .messages(let values): values.count
        }
    }

    var kindText: String {
        switch self {
        case .bool: "a bool"
        case .integer, .unsigned: "an integer"
        case .float32: "a float32"
        case .float64: "a float64"
        case .string: "a string"
        case .message(let message): "a \(message.layout.typeName)"
        default: "an array of \(count ?? 0)"
        }
    }
}

/// A value that does not fit the field it is in.
package struct DynamicValueError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field, such as `transforms[0].header.stamp`; empty for the message itself.
    package var path = ""
    package var expected: String
    package var found: String

    package var description: String {
        let place = path.isEmpty ? "message" : "field \"\(path)\""
        return "\(place): expected \(expected), found \(found)"
    }

    func inside(_ component: String) -> DynamicValueError {
        DynamicValueError(path: joinPath(component, path), expected: expected, found: found)
    }
}

extension FieldLayout {
    /// The error of a value that this field cannot hold.
    func mismatch(_ value: DynamicValue) -> DynamicValueError {
        let element =
            switch element {
            case .number(let kind): kind.rawValue
            case .string(let bound):
                (bound.isWide ? "wstring" : "string") + (bound.limit.map { " of at most \($0)" } ?? "")
            case .message(let layout): layout.typeName
            }
        let expected =
            switch shape {
            case .single: "a \(element)"
            case .array(let count): "an array of \(count) \(element)"
            case .sequence(let limit): "a sequence of \(limit.map { "at most \($0) " } ?? "")\(element)"
            }
        return DynamicValueError(expected: expected, found: value.kindText)
    }
}

extension NumberKind {
    var isSigned: Bool {
        switch self {
        case .int8, .int16, .int32, .int64: true
        default: false
        }
    }

    var isUnsigned: Bool {
        switch self {
        case .byte, .char, .uint8, .uint16, .uint32, .uint64: true
        default: false
        }
    }
}
