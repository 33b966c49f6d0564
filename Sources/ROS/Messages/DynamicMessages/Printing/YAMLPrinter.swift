import Text

/// Writes messages as YAML in block style, as `ros2 topic echo` prints them.
struct YAMLPrinter {
    /// The most elements of an array and characters of a string that are shown unless everything is.
    static let shownCount = 128

    private(set) var bytes: [UInt8]
    private let isFull: Bool

    init(bytes: consuming [UInt8], isFull: Bool) {
        self.bytes = bytes
        self.isFull = isFull
    }

    /// Gives the bytes back to the caller.
    consuming func finish() -> [UInt8] { bytes }

    /// Writes the fields, each on a line of its own; the first one's indentation is there already if `isInline`.
    mutating func fields(_ message: DynamicMessage, indentation: Int, isInline: Bool = false) {
        for (index, field) in message.layout.fields.enumerated() {
            if index > 0 || !isInline { indent(indentation) }
            bytes.append(contentsOf: field.nameBytes)
            bytes.append(UInt8(ascii: ":"))
            value(message.values[index], indentation: indentation)
        }
    }

    /// Writes what follows a key and its colon.
    private mutating func value(_ value: DynamicValue, indentation: Int) {
        switch value {
        case .bool(let value): line(value ? "true" : "false")
        case .integer(let value): line(String(value))
        case .unsigned(let value): line(String(value))
        case .float32(let value): line(yamlText(Double(value)))
        case .float64(let value): line(yamlText(value))
        case .string(let text): line(shown(text))
        case .message(let message):
            if message.layout.fields.isEmpty {
                line("{}")
            } else {
                bytes.append(0x0A)
                fields(message, indentation: indentation + 2)
            }
        case .bools(let values): list(values, indentation) { JSONAppend.bool($0, to: &$1) }
        case .int8s(let values): list(values, indentation) { integer($0, &$1) }
        case .bytes(let values): list(values, indentation) { integer($0, &$1) }
        case .int16s(let values): list(values, indentation) { integer($0, &$1) }
        case .uint16s(let values): list(values, indentation) { integer($0, &$1) }
        case .int32s(let values): list(values, indentation) { integer($0, &$1) }
        case .uint32s(let values): list(values, indentation) { integer($0, &$1) }
        case .int64s(let values): list(values, indentation) { integer($0, &$1) }
        case .uint64s(let values): list(values, indentation) { integer($0, &$1) }
        case .float32s(let values): list(values, indentation) { $1.append(contentsOf: yamlText(Double($0)).utf8) }
        case .float64s(let values): list(values, indentation) { $1.append(contentsOf: yamlText($0).utf8) }
        case .strings(let values):
            let isFull = isFull
            list(values, indentation) { $1.append(contentsOf: Self.shown($0, isFull: isFull).utf8) }
        case .messages(let messages): list(messages, indentation)
        }
    }

    /// Writes the items at the indentation of their key, as PyYAML does.
    private mutating func list<Value>(
        _ values: [Value],
        _ indentation: Int,
        _ append: (Value, inout [UInt8]) -> Void
    ) {
        guard !values.isEmpty else { return line("[]") }
        bytes.append(0x0A)
        for value in values.prefix(isFull ? values.count : Self.shownCount) {
            indent(indentation)
            bytes.append(UInt8(ascii: "-"))
            bytes.append(0x20)
            append(value, &bytes)
            bytes.append(0x0A)
        }
        shorten(values.count, indentation)
    }

    private mutating func list(_ messages: [DynamicMessage], _ indentation: Int) {
        guard !messages.isEmpty else { return line("[]") }
        bytes.append(0x0A)
        for message in messages.prefix(isFull ? messages.count : Self.shownCount) {
            indent(indentation)
            bytes.append(UInt8(ascii: "-"))
            if message.layout.fields.isEmpty {
                line("{}")
            } else {
                bytes.append(0x20)
                fields(message, indentation: indentation + 2, isInline: true)
            }
        }
        shorten(messages.count, indentation)
    }

    /// Marks a list of which not all is shown.
    private mutating func shorten(_ count: Int, _ indentation: Int) {
        guard !isFull, count > Self.shownCount else { return }
        indent(indentation)
        bytes.append(UInt8(ascii: "-"))
        line("'...'")
    }

    private mutating func indent(_ count: Int) {
        for _ in 0..<count { bytes.append(0x20) }
    }

    private mutating func line(_ text: String) {
        bytes.append(0x20)
        bytes.append(contentsOf: text.utf8)
        bytes.append(0x0A)
    }

    private func shown(_ text: String) -> String { Self.shown(text, isFull: isFull) }

    /// The string as YAML, shortened as lists are.
    private static func shown(_ text: String, isFull: Bool) -> String {
        let scalars = text.unicodeScalars
        guard !isFull, scalars.count > shownCount else { return yamlText(text) }
        var shortened = String.UnicodeScalarView()
        shortened.append(contentsOf: scalars.prefix(shownCount))
        return yamlText(String(shortened) + "...")
    }
}

private func integer<I: FixedWidthInteger>(_ value: I, _ bytes: inout [UInt8]) {
    if I.isSigned {
        JSONAppend.integer(Int64(truncatingIfNeeded: value), to: &bytes)
    } else {
        JSONAppend.integer(UInt64(truncatingIfNeeded: value), to: &bytes)
    }
}

extension MessageSchema {
    /// Appends the message as `ros2 topic echo` prints it, ended by a line of `---`.
    ///
    /// Unless `isFull`, arrays and strings are cut after 128 elements or characters and marked with dots.
    package func appendYAML(
        _ value: DynamicValue,
        to bytes: inout [UInt8],
        isFull: Bool = false
    ) throws(DynamicValueError) {
        guard case .message(let message) = value, message.layout.typeName == typeName else {
            throw DynamicValueError(expected: "a \(typeName)", found: value.kindText)
        }
        var lent: [UInt8] = []
        swap(&lent, &bytes)
        var printer = YAMLPrinter(bytes: consume lent, isFull: isFull)
        printer.fields(message, indentation: 0)
        bytes = printer.finish()
        bytes.append(contentsOf: (layout.fields.isEmpty ? "{}\n---\n" : "---\n").utf8)
    }
}
