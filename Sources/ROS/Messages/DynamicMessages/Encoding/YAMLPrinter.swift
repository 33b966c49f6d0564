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

extension Unicode.Scalar {
    /// The character as JSON escapes it.
    var jsonEscapedText: String {
        value > 0xFFFF ? numberEscape(uppercase: true) : escapedText
    }

    /// The character as YAML's double-quoted strings escape it; JSON does so too for what lies in the basic plane.
    var escapedText: String {
        switch self {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\t": return "\\t"
        case "\r": return "\\r"
        case _ where value <= 0xFFFF: return numberEscape(uppercase: true)
        default:
            let digits = String(value, radix: 16, uppercase: true)
            return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
        }
    }
}

/// A number as YAML 1.1 reads it.
func yamlText(_ value: Double) -> String {
    if value.isNaN { return ".nan" }
    if value.isInfinite { return value < 0 ? "-.inf" : ".inf" }
    let text = value.description
    // YAML 1.1 takes 1e-05 for a string.
    guard !text.utf8.contains(UInt8(ascii: ".")), let exponent = text.firstIndex(of: "e") else { return text }
    return text[..<exponent] + ".0" + text[exponent...]
}

/// A string as YAML: as it is where nothing else could be meant, else in single quotes; in double quotes with escapes if
/// a terminal would obey a character of it.
func yamlText(_ text: String) -> String {
    if text.unicodeScalars.contains(where: { $0.isUnsafeToPrint }) {
        var result = "\""
        for scalar in text.unicodeScalars {
            let isEscaped = scalar.isUnsafeToPrint || scalar == "\"" || scalar == "\\"
            if isEscaped { result += scalar.escapedText } else { result.unicodeScalars.append(scalar) }
        }
        return result + "\""
    }
    if isPlain(text) { return text }
    var result = "'"
    for scalar in text.unicodeScalars {
        result.unicodeScalars.append(scalar)
        if scalar == "'" { result.unicodeScalars.append(scalar) }
    }
    return result + "'"
}

/// True if YAML 1.1 and 1.2 read the text, without quotes, as that string.
private func isPlain(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, let last = bytes.last, last != 0x20 else { return false }
    // A number, a date, an indicator: nothing of that starts with a letter or a slash.
    let isLetter = first | 0x20 >= 0x61 && first | 0x20 <= 0x7A || first >= 0x80
    guard isLetter || first == UInt8(ascii: "/") || first == UInt8(ascii: "_") else { return false }
    let isHarmless = bytes.allSatisfy { byte in
        isNamePart(byte) || byte >= 0x80 || byte == 0x20 || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ",")
            || byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")") || byte == UInt8(ascii: "=")
    }
    return isHarmless && !reservedWords.contains(text.lowercased())
}

/// The words that YAML 1.1 takes for a truth value or for nothing.
private let reservedWords: Set<String> = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"]
