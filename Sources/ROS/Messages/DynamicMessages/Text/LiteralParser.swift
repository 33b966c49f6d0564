import Glibc

/// Reads the values that .msg texts have for constants and defaults, up to a comment.
struct LiteralParser {
    private var rest: ArraySlice<UInt8>
    private let start: ArraySlice<UInt8>

    init(_ text: ArraySlice<UInt8>) {
        rest = text
        start = text
    }

    /// The text that was read so far, without white space around it.
    var consumed: ArraySlice<UInt8> { trimmed(start[..<rest.startIndex]) }

    /// Reads the whole value of a constant.
    mutating func constant(_ element: ParsedField.Element) throws(SchemaError) -> DynamicValue {
        if case .number = element, rest.isEmpty { throw SchemaError(expected: "a value", found: "none") }
        let value = try scalar(element, stop: nil)
        try finish()
        return value
    }

    /// Reads the whole default of a field.
    mutating func value(_ element: ParsedField.Element, _ shape: FieldShape) throws(SchemaError) -> DynamicValue {
        if shape == .single { return try constant(element) }
        let value = try array(element, shape)
        try finish()
        return value
    }

    /// Checks that only a comment follows.
    private mutating func finish() throws(SchemaError) {
        let left = trimmed(rest)
        guard left.isEmpty || left.first == UInt8(ascii: "#") else {
            throw SchemaError(expected: "the end of the value", found: quoted(left))
        }
    }

    private mutating func scalar(_ element: ParsedField.Element, stop: UInt8?) throws(SchemaError) -> DynamicValue {
        switch element {
        case .named(let name): throw SchemaError(expected: "no value for a \(quoted(name))", found: quoted(rest))
        case .string(let bound):
            let text = try string(inArray: stop != nil)
            guard bound.admits(text) else {
                throw SchemaError(expected: "a string of at most \(bound.limit ?? 0)", found: quoted(text))
            }
            return .string(text)
        case .number(let kind):
            let token = rest.prefix { byte in
                byte != UInt8(ascii: "#") && (stop == nil || byte != UInt8(ascii: ",") && byte != stop)
            }
            let text = trimmed(token)
            guard let value = kind.value(of: String(decoding: text, as: UTF8.self)) else {
                throw SchemaError(expected: "a value of \(kind.rawValue)", found: quoted(text))
            }
            rest = rest[token.endIndex...]
            return value
        }
    }

    private mutating func array(
        _ element: ParsedField.Element,
        _ shape: FieldShape
    ) throws(SchemaError) -> DynamicValue {
        let closing = UInt8(ascii: "]")
        guard rest.first == UInt8(ascii: "[") else { throw SchemaError(expected: "\"[\"", found: quoted(rest)) }
        rest = rest.dropFirst().drop(while: isSpace)
        var values: [DynamicValue] = []
        while rest.first != closing {
            values.append(try scalar(element, stop: closing))
            rest = rest.drop(while: isSpace)
            if rest.first == UInt8(ascii: ",") {
                rest = rest.dropFirst().drop(while: isSpace)
            } else if rest.first != closing {
                throw SchemaError(expected: "\",\" or \"]\"", found: quoted(rest))
            }
        }
        rest = rest.dropFirst()
        switch shape {
        case .array(let count) where values.count != count:
            throw SchemaError(expected: "\(count) values", found: "\(values.count)")
        case .sequence(let limit?) where values.count > limit:
            throw SchemaError(expected: "at most \(limit) values", found: "\(values.count)")
        default: break
        }
        switch element {
        case .number(let kind): return kind.packed(values)
        case .string: return .strings(values.compactMap(\.string))
        case .named: return .messages([])
        }
    }

    /// Reads a string: between quotes with escapes, else as it stands up to a comment.
    private mutating func string(inArray: Bool) throws(SchemaError) -> String {
        guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            let token = rest.prefix { byte in
                byte != UInt8(ascii: "#") && (!inArray || byte != UInt8(ascii: ",") && byte != UInt8(ascii: "]"))
            }
            rest = rest[token.endIndex...]
            return String(decoding: trimmed(token), as: UTF8.self)
        }
        var text: [UInt8] = []
        var index = rest.index(after: rest.startIndex)
        while index < rest.endIndex, rest[index] != quote {
            if rest[index] == UInt8(ascii: "\\"), index + 1 < rest.endIndex {
                unescape(&index, into: &text)
            } else {
                text.append(rest[index])
                index += 1
            }
        }
        guard index < rest.endIndex else {
            throw SchemaError(expected: "a closing quote", found: "the end of the line")
        }
        rest = rest[(index + 1)...]
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads a backslash and what belongs to it; one that means nothing stays.
    private func unescape(_ index: inout Int, into text: inout [UInt8]) {
        let letter = rest[index + 1]
        let simple: [UInt8: UInt8] = [
            UInt8(ascii: "n"): 0x0A, UInt8(ascii: "t"): 0x09, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "b"): 0x08,
            UInt8(ascii: "f"): 0x0C, UInt8(ascii: "v"): 0x0B, UInt8(ascii: "a"): 0x07, UInt8(ascii: "\\"): 0x5C,
            UInt8(ascii: "\""): 0x22, UInt8(ascii: "'"): 0x27,
        ]
        if let byte = simple[letter] {
            text.append(byte)
            index += 2
            return
        }
        let digitCounts: [UInt8: Int] = [UInt8(ascii: "x"): 2, UInt8(ascii: "u"): 4, UInt8(ascii: "U"): 8]
        if let count = digitCounts[letter], index + 2 + count <= rest.endIndex {
            let digits = String(decoding: rest[index + 2..<index + 2 + count], as: UTF8.self)
            if let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init), !digits.hasPrefix("+") {
                text.append(contentsOf: String(scalar).utf8)
                index += 2 + count
                return
            }
        }
        text.append(UInt8(ascii: "\\"))
        index += 1
    }
}
