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
