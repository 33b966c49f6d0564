import Text

/// Writes messages of a layout as JSON: compact, keys in the order of the definition.
struct DynamicJSONWriter {
    enum Style {
        /// The JSON that rosbridge takes: NaN and Infinity as bare tokens.
        case rosbridge
        /// Legal JSON for people and programs: NaN and infinities as strings, no character that a terminal obeys.
        case strict
    }

    private(set) var bytes: [UInt8]
    private let style: Style
    private let start: Int

    init(bytes: consuming [UInt8], style: Style) {
        self.bytes = bytes
        self.style = style
        start = self.bytes.count
    }

    consuming func finish() -> [UInt8] { bytes }

    mutating func message(_ message: DynamicMessage) throws(DynamicValueError) {
        // Defaults of fixed arrays can make much out of little.
        guard bytes.count - start <= SchemaLimits.messageBytes else {
            throw DynamicValueError(expected: "a text of at most \(SchemaLimits.messageBytes) bytes", found: "more")
        }
        bytes.append(UInt8(ascii: "{"))
        for index in message.layout.fields.indices {
            let field = message.layout.fields[index]
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(UInt8(ascii: "\""))
            bytes.append(contentsOf: field.nameBytes)
            JSONAppend.ascii("\":", to: &bytes)
            do throws(DynamicValueError) {
                try value(message.values[index], field)
            } catch { throw error.inside(field.name) }
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func value(_ value: DynamicValue, _ field: FieldLayout) throws(DynamicValueError) {
        switch value {
        case .bool(let value): JSONAppend.bool(value, to: &bytes)
        case .integer(let value): JSONAppend.integer(value, to: &bytes)
        case .unsigned(let value): JSONAppend.integer(value, to: &bytes)
        case .float32(let value): number(value)
        case .float64(let value): number(value)
        case .string(let text): string(text)
        case .message(let nested): try message(nested)
        case .strings(let texts):
            list(texts) { (writer, text) in writer.string(text) }
        case .messages(let messages):
            bytes.append(UInt8(ascii: "["))
            for index in messages.indices {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                do throws(DynamicValueError) {
                    try message(messages[index])
                } catch { throw error.inside("[\(index)]") }
            }
            bytes.append(UInt8(ascii: "]"))
        case .float32s(let values) where style == .strict:
            list(values) { (writer, value) in writer.number(value) }
        case .float64s(let values) where style == .strict:
            list(values) { (writer, value) in writer.number(value) }
        case .bytes(let values) where field.isByteArray:
            list(values) { (writer, value) in JSONAppend.integer(UInt64(value), to: &writer.bytes) }
        default: try numbers(value, field)
        }
    }

    private mutating func list<Value>(_ values: [Value], _ element: (inout DynamicJSONWriter, Value) -> Void) {
        bytes.append(UInt8(ascii: "["))
        for index in values.indices {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            element(&self, values[index])
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func numbers(_ value: DynamicValue, _ field: FieldLayout) throws(DynamicValueError) {
        guard case .number(let kind) = field.element else { throw field.mismatch(value) }
        try packed(value, kind.storage, field)
    }

    private mutating func packed<P: PackedPrimitive>(
        _ value: DynamicValue,
        _ type: P.Type,
        _ field: FieldLayout
    ) throws(DynamicValueError) {
        guard let values = P.array(value) else { throw field.mismatch(value) }
        values.withUnsafeBufferPointer { P.appendJSON($0, to: &bytes) }
    }

    private mutating func number(_ value: Float) {
        if style == .strict, !value.isFinite { return number(Double(value)) }
        JSONAppend.number(value, to: &bytes)
    }

    private mutating func number(_ value: Double) {
        let isQuoted = style == .strict && !value.isFinite
        if isQuoted { bytes.append(UInt8(ascii: "\"")) }
        JSONAppend.number(value, to: &bytes)
        if isQuoted { bytes.append(UInt8(ascii: "\"")) }
    }

    private mutating func string(_ text: String) {
        guard style == .strict, text.unicodeScalars.contains(where: { $0.isUnsafeToPrint }) else {
            return JSONAppend.string(text, to: &bytes)
        }
        bytes.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            if scalar.isUnsafeToPrint || scalar == "\"" || scalar == "\\" {
                bytes.append(contentsOf: scalar.jsonEscapedText.utf8)
            } else {
                bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension FieldLayout {
    /// True if it is a byte[], which is a list in JSON where uint8[] is base64.
    var isByteArray: Bool {
        if case .number(.byte) = element { true } else { false }
    }
}

extension MessageSchema {
    /// Appends the message as rosbridge takes it: uint8[] and char[] in base64, NaN and Infinity as bare tokens.
    package func appendJSON(_ value: DynamicValue, to bytes: inout [UInt8]) throws(DynamicValueError) {
        try append(value, style: .rosbridge, to: &bytes)
    }

    /// Appends the message as a line of legal JSON: as for rosbridge, but NaN and infinities are the strings "NaN",
    /// "Infinity" and "-Infinity", and no control character is left.
    package func appendJSONLine(_ value: DynamicValue, to bytes: inout [UInt8]) throws(DynamicValueError) {
        try append(value, style: .strict, to: &bytes)
        bytes.append(0x0A)
    }

    private func append(
        _ value: DynamicValue,
        style: DynamicJSONWriter.Style,
        to bytes: inout [UInt8]
    ) throws(DynamicValueError) {
        guard case .message(let message) = value, message.layout.typeName == typeName else {
            throw DynamicValueError(expected: "a \(typeName)", found: value.kindText)
        }
        let start = bytes.count
        var lent: [UInt8] = []
        swap(&lent, &bytes)
        var writer = DynamicJSONWriter(bytes: consume lent, style: style)
        do throws(DynamicValueError) {
            try writer.message(message)
            bytes = writer.finish()
        } catch {
            bytes = writer.finish()
            bytes.removeSubrange(start...)
            throw error
        }
    }
}
