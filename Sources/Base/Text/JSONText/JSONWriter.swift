extension JSONValue {
    package enum Style: Sendable {
        /// No white space at all.
        case compact
        /// Two spaces a level, for people.
        case pretty
    }

    /// The value as text: keys come in the order of the members, and the same value gives the same bytes.
    package func text(style: Style = .compact) -> String {
        var bytes: [UInt8] = []
        append(to: &bytes, style, depth: 0)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func append(to bytes: inout [UInt8], _ style: Style, depth: Int) {
        switch self {
        case .bool(let value): JSONAppend.bool(value, to: &bytes)
        case .integer(let value): JSONAppend.integer(value, to: &bytes)
        case .unsignedInteger(let value): JSONAppend.integer(value, to: &bytes)
        case .number(let value) where value.isFinite: JSONAppend.number(value, to: &bytes)
        // JSON has no form for other numbers.
        case .null, .number: JSONAppend.ascii("null", to: &bytes)
        case .string(let value): JSONAppend.string(value, to: &bytes)
        case .array(let values):
            Self.append(values, between: "[]", to: &bytes, style, depth) { value, bytes in
                value.append(to: &bytes, style, depth: depth + 1)
            }
        case .object(let object):
            Self.append(object.members, between: "{}", to: &bytes, style, depth) { member, bytes in
                JSONAppend.string(member.key, to: &bytes)
                JSONAppend.ascii(style == .pretty ? ": " : ":", to: &bytes)
                member.value.append(to: &bytes, style, depth: depth + 1)
            }
        }
    }

    /// Writes a container, each element on a line of its own if the style has lines.
    private static func append<Element>(
        _ elements: [Element],
        between brackets: String,
        to bytes: inout [UInt8],
        _ style: Style,
        _ depth: Int,
        _ element: (Element, inout [UInt8]) -> Void
    ) {
        func breakLine(_ depth: Int) {
            if style == .pretty { bytes += [0x0A] + [UInt8](repeating: 0x20, count: 2 * depth) }
        }
        bytes += brackets.utf8.prefix(1)
        for (index, value) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            breakLine(depth + 1)
            element(value, &bytes)
        }
        if !elements.isEmpty { breakLine(depth) }
        bytes += brackets.utf8.suffix(1)
    }
}
