/// Writes JSON text: the same calls give the same bytes, and keys come in the order of the calls.
///
///     var writer = JSONWriter()
///     writer.beginObject()
///     writer.key("op")
///     writer.append("publish")
///     writer.endObject()
package struct JSONWriter: Sendable {
    package enum Style: Sendable {
        /// No white space at all.
        case compact
        /// Two spaces a level, for people.
        case pretty
    }

    /// The bytes written so far.
    package private(set) var bytes: [UInt8] = []

    private let style: Style
    private var depth = 0
    /// True if the innermost container has no member yet.
    private var isEmpty = true
    private var isAfterKey = false

    package init(style: Style = .compact) {
        self.style = style
    }

    /// The bytes written so far, as text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package mutating func beginObject() { begin(UInt8(ascii: "{")) }
    package mutating func endObject() { end(UInt8(ascii: "}")) }
    package mutating func beginArray() { begin(UInt8(ascii: "[")) }
    package mutating func endArray() { end(UInt8(ascii: "]")) }

    /// Writes the key of the member whose value is written next.
    package mutating func key(_ key: String) {
        separate()
        JSONAppend.string(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        if style == .pretty { bytes.append(0x20) }
        isAfterKey = true
    }

    package mutating func appendNull() {
        separate()
        JSONAppend.ascii("null", to: &bytes)
    }

    package mutating func append(_ value: Bool) {
        separate()
        JSONAppend.bool(value, to: &bytes)
    }

    package mutating func append(_ value: String) {
        separate()
        JSONAppend.string(value, to: &bytes)
    }

    package mutating func append(_ value: Int) { append(Int64(value)) }

    package mutating func append(_ value: Int64) {
        separate()
        JSONAppend.integer(value, to: &bytes)
    }

    package mutating func append(_ value: UInt64) {
        separate()
        JSONAppend.integer(value, to: &bytes)
    }

    /// Writes a number, or `null` where it is not finite, for which JSON has no form.
    package mutating func append(_ value: Double) {
        guard value.isFinite else { return appendNull() }
        separate()
        JSONAppend.number(value, to: &bytes)
    }

    /// Writes a number in the shortest form that single precision needs, or `null` where it is not finite.
    package mutating func append(_ value: Float) {
        guard value.isFinite else { return appendNull() }
        separate()
        JSONAppend.number(value, to: &bytes)
    }

    /// Writes a tree.
    package mutating func append(_ value: JSONValue) {
        switch value {
        case .null: appendNull()
        case .bool(let value): append(value)
        case .integer(let value): append(value)
        case .unsignedInteger(let value): append(value)
        case .number(let value): append(value)
        case .string(let value): append(value)
        case .array(let values):
            beginArray()
            for value in values { append(value) }
            endArray()
        case .object(let object):
            beginObject()
            for member in object.members {
                key(member.key)
                append(member.value)
            }
            endObject()
        }
    }
}

// MARK: - Structure

extension JSONWriter {
    private mutating func begin(_ opening: UInt8) {
        separate()
        bytes.append(opening)
        depth += 1
        isEmpty = true
    }

    private mutating func end(_ closing: UInt8) {
        depth -= 1
        if !isEmpty { breakLine() }
        bytes.append(closing)
        isEmpty = false
    }

    /// Writes what must stand between the last thing written and the next.
    private mutating func separate() {
        if isAfterKey {
            isAfterKey = false
            return
        }
        if depth > 0 {
            if !isEmpty { bytes.append(UInt8(ascii: ",")) }
            breakLine()
        }
        isEmpty = false
    }

    private mutating func breakLine() {
        guard style == .pretty else { return }
        bytes.append(0x0A)
        for _ in 0..<depth * 2 { bytes.append(0x20) }
    }
}

extension JSONValue {
    /// The value as text.
    package func text(style: JSONWriter.Style = .compact) -> String {
        var writer = JSONWriter(style: style)
        writer.append(self)
        return writer.text
    }
}
