import Messages
import TestSupport
import Text

/// Makes up rosbridge objects for a layout.
struct RandomJSON {
    private var generator: SeededRandomNumbers
    private var bytes: [UInt8] = []

    /// One object with every field.
    static func text(_ layout: MessageLayout, seed: UInt64) -> [UInt8] {
        var random = RandomJSON(generator: SeededRandomNumbers(seed: seed))
        random.append(layout)
        return random.bytes
    }

    private mutating func append(_ layout: MessageLayout) {
        bytes.append(UInt8(ascii: "{"))
        for (index, field) in layout.fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONAppend.string(field.name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            append(field)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func append(_ field: FieldLayout) {
        let count: Int
        switch field.shape {
        case .single: return append(field.element)
        case .array(let fixed): count = fixed
        case .sequence(let limit): count = Int.random(in: 0...min(limit ?? 5, 5), using: &generator)
        }
        switch field.element {
        case .number(.uint8), .number(.char):
            let values = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            bytes.append(UInt8(ascii: "\""))
            bytes.append(contentsOf: Base64.encode(values))
            bytes.append(UInt8(ascii: "\""))
        default:
            bytes.append(UInt8(ascii: "["))
            for index in 0..<count {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                append(field.element)
            }
            bytes.append(UInt8(ascii: "]"))
        }
    }

    private mutating func append(_ element: FieldLayout.Element) {
        switch element {
        case .message(let layout): append(layout)
        case .string(let bound): JSONAppend.string(text(bound), to: &bytes)
        case .number(let kind): append(kind)
        }
    }

    private mutating func append(_ kind: NumberKind) {
        let bits = generator.next()
        switch kind {
        case .bool: JSONAppend.bool(bits & 1 == 1, to: &bytes)
        case .byte, .char, .uint8: JSONAppend.integer(bits & 0xFF, to: &bytes)
        case .uint16: JSONAppend.integer(bits & 0xFFFF, to: &bytes)
        case .uint32: JSONAppend.integer(bits & 0xFFFF_FFFF, to: &bytes)
        case .uint64: JSONAppend.integer(bits, to: &bytes)
        case .int8: JSONAppend.integer(Int64(Int8(truncatingIfNeeded: bits)), to: &bytes)
        case .int16: JSONAppend.integer(Int64(Int16(truncatingIfNeeded: bits)), to: &bytes)
        case .int32: JSONAppend.integer(Int64(Int32(truncatingIfNeeded: bits)), to: &bytes)
        case .int64: JSONAppend.integer(Int64(truncatingIfNeeded: bits), to: &bytes)
        case .float32: JSONAppend.number(Float(Int32(truncatingIfNeeded: bits)) / 1024, to: &bytes)
        case .float64: JSONAppend.number(Double(Int64(truncatingIfNeeded: bits)) / 0x1p40, to: &bytes)
        }
    }

    private mutating func text(_ bound: StringBound) -> String {
        let choices = [
            "", "map", "a\"b\\/\n", "ä€😀", "\u{1}x\t", "yes", "1.5", "null", "- a", "a: b", "a #b", " lead", "trail ",
            "it's", "{x}", "\u{85}\u{2028}", "~", "0x1F", "2020-01-01", "*a", "line\r\nline", "\u{7F}\u{1B}[31m", "=",
        ]
        var text = choices[Int.random(in: 0..<choices.count, using: &generator)]
        while let limit = bound.limit, (bound.isWide ? text.utf16.count : text.utf8.count) > limit { text.removeLast() }
        return text
    }
}
