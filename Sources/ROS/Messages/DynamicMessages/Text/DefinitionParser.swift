/// Reads one .msg text (ROS 2 interface definition; the older names `time` and `duration` are taken as well).
struct DefinitionParser {
    private(set) var result = ParsedDefinition()
    private let source: String
    private var names: Set<String> = []
    private var line = 0
    /// How many fields and constants may still come.
    private var remaining: Int

    init(source: String, fieldLimit: Int) {
        self.source = source
        remaining = fieldLimit
    }

    /// Reads the whole text of one type, without separators.
    static func parse(
        _ text: ArraySlice<UInt8>,
        source: String,
        fieldLimit: Int = SchemaLimits.fields
    ) throws(SchemaError) -> ParsedDefinition {
        var parser = DefinitionParser(source: source, fieldLimit: fieldLimit)
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            parser.line += 1
            do throws(SchemaError) {
                try parser.parseLine(line)
            } catch {
                var error = error
                error.source = source
                error.line = parser.line
                throw error
            }
        }
        return parser.result
    }

    private mutating func parseLine(_ line: ArraySlice<UInt8>) throws(SchemaError) {
        var rest = trimmed(line)
        guard let first = rest.first, first != UInt8(ascii: "#") else { return }
        let typeText = rest.prefix { !isSpace($0) && $0 != UInt8(ascii: "#") }
        rest = trimmed(rest[typeText.endIndex...])
        let (element, shape) = try parseType(typeText)
        let nameText = rest.prefix { isNamePart($0) }
        let name = String(decoding: nameText, as: UTF8.self)
        guard isIdentifier(nameText) else {
            throw SchemaError(expected: "a field name of letters, digits and _", found: quoted(rest.prefix(40)))
        }
        rest = rest[nameText.endIndex...]
        guard rest.first.map({ isSpace($0) || $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: "#") }) ?? true else {
            throw SchemaError(expected: "a field name of letters, digits and _", found: quoted(nameText + rest))
        }
        rest = trimmed(rest)
        guard names.insert(name).inserted else {
            throw SchemaError(expected: "each name once", found: "\(quoted(name)) again")
        }
        guard remaining > 0 else {
            throw SchemaError(expected: "at most \(SchemaLimits.fields) fields and constants", found: "more")
        }
        remaining -= 1
        if rest.first == UInt8(ascii: "=") {
            let type = String(decoding: typeText, as: UTF8.self)
            try parseConstant(type, element, shape, name, trimmed(rest.dropFirst()))
        } else {
            try parseField(element, shape, name, rest)
        }
    }

    private mutating func parseConstant(
        _ type: String,
        _ element: ParsedField.Element,
        _ shape: FieldShape,
        _ name: String,
        _ text: ArraySlice<UInt8>
    ) throws(SchemaError) {
        guard shape == .single else {
            throw SchemaError(expected: "a constant of a single value", found: quoted("\(type) \(name)"))
        }
        var literal = LiteralParser(text)
        let value = try literal.constant(element)
        let written = String(decoding: literal.consumed, as: UTF8.self)
        result.constants.append(SchemaConstant(type: type, name: name, value: value, text: written))
    }

    private mutating func parseField(
        _ element: ParsedField.Element,
        _ shape: FieldShape,
        _ name: String,
        _ text: ArraySlice<UInt8>
    ) throws(SchemaError) {
        var field = ParsedField(name: name, element: element, shape: shape, line: line)
        if let first = text.first, first != UInt8(ascii: "#") {
            var literal = LiteralParser(text)
            field.defaultValue = try literal.value(element, shape)
            field.defaultText = String(decoding: literal.consumed, as: UTF8.self)
        }
        result.fields.append(field)
    }

    /// Reads a type with its bounds and brackets.
    private func parseType(_ text: ArraySlice<UInt8>) throws(SchemaError) -> (ParsedField.Element, FieldShape) {
        let base = text.prefix { isNamePart($0) || $0 == UInt8(ascii: "/") }
        var tail = text[base.endIndex...]
        let name = String(decoding: base, as: UTF8.self)
        let element: ParsedField.Element
        switch name {
        case "string", "wstring":
            var bound = StringBound(isWide: name == "wstring")
            if tail.starts(with: "<=".utf8) {
                tail = tail.dropFirst(2)
                bound.limit = try bounded(&tail)
            }
            element = .string(bound)
        case "time": element = .named("builtin_interfaces/Time")
        case "duration": element = .named("builtin_interfaces/Duration")
        default:
            if let kind = NumberKind(rawValue: name) {
                element = .number(kind)
            } else {
                guard isTypeName(base) else { throw SchemaError(expected: "a type", found: quoted(text)) }
                element = .named(name)
            }
        }
        guard !tail.isEmpty else { return (element, .single) }
        return (element, try parseBrackets(tail))
    }

    /// Reads `[]`, `[N]` or `[<=N]`.
    private func parseBrackets(_ text: ArraySlice<UInt8>) throws(SchemaError) -> FieldShape {
        guard text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") else {
            throw SchemaError(expected: "a type, or [ and ] after it", found: quoted(text))
        }
        var inner = text.dropFirst().dropLast()
        if inner.isEmpty { return .sequence(limit: nil) }
        let isBound = inner.starts(with: "<=".utf8)
        if isBound { inner = inner.dropFirst(2) }
        let count = try bounded(&inner)
        guard inner.isEmpty else { throw SchemaError(expected: "one size between [ and ]", found: quoted(text)) }
        return isBound ? .sequence(limit: count) : .array(count)
    }

    /// Reads a size of at least 1.
    private func bounded(_ text: inout ArraySlice<UInt8>) throws(SchemaError) -> Int {
        let digits = text.prefix { $0 >= 0x30 && $0 <= 0x39 }
        let value = digits.count <= 10 ? Int(String(decoding: digits, as: UTF8.self)) : nil
        guard let value, value >= 1, value <= SchemaLimits.elements else {
            throw SchemaError(expected: "a size from 1 to \(SchemaLimits.elements)", found: quoted(text))
        }
        text = text[digits.endIndex...]
        return value
    }
}
