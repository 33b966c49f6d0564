/// A string as it stands in the text: between its quotes, already checked, not yet unescaped.
///
/// It points into the scanned bytes, and is valid as long as they are.
package struct JSONString {
    /// The bytes between the quotes: valid UTF-8, no control characters, only legal escapes.
    package let raw: UnsafeRawBufferPointer
    /// True if ``raw`` has backslashes, so that it is not the value itself.
    package let hasEscapes: Bool

    /// The value's bytes where they stand, or `nil` if the string has escapes.
    package var bytes: UnsafeRawBufferPointer? { hasEscapes ? nil : raw }

    /// The value.
    package var string: String {
        guard hasEscapes else { return String(decoding: raw, as: UTF8.self) }
        return String(unsafeUninitializedCapacity: raw.count) { output in
            var count = 0
            unescape { byte in
                output[count] = byte
                count += 1
            }
            return count
        }
    }

    package static func == (left: JSONString, right: StaticString) -> Bool {
        guard left.hasEscapes else {
            guard left.raw.count == right.utf8CodeUnitCount else { return false }
            for index in 0..<left.raw.count where left.raw[index] != right.utf8Start[index] { return false }
            return true
        }
        return left.string == right.description
    }

    /// Lets `switch` compare a key with literals.
    package static func ~= (pattern: StaticString, value: JSONString) -> Bool { value == pattern }

    /// Passes the value's bytes one by one; an escaped value is never longer than its escapes.
    private func unescape(_ emit: (UInt8) -> Void) {
        var index = 0
        while index < raw.count {
            let byte = raw[index]
            guard byte == UInt8(ascii: "\\") else {
                emit(byte)
                index += 1
                continue
            }
            guard raw[index + 1] == UInt8(ascii: "u") else {
                emit(Self.unescaped(raw[index + 1]))
                index += 2
                continue
            }
            var scalar = hexadecimal(raw, at: index + 2) ?? 0
            index += 6
            if scalar & 0xFC00 == 0xD800 {
                let low = hexadecimal(raw, at: index + 2) ?? 0
                scalar = 0x10000 + ((scalar & 0x3FF) << 10) + (low & 0x3FF)
                index += 6
            }
            for byte in UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter {
                emit(byte)
            }
        }
    }

    private static func unescaped(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: letter
        }
    }
}

/// Reads four hexadecimal digits, or returns `nil`.
func hexadecimal(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32? {
    guard offset + 4 <= bytes.count else { return nil }
    var value: UInt32 = 0
    for index in offset..<offset + 4 {
        switch bytes[index] {
        case let byte where byte >= 0x30 && byte <= 0x39: value = value << 4 | UInt32(byte - 0x30)
        case let byte where byte >= 0x41 && byte <= 0x46: value = value << 4 | UInt32(byte - 0x41 + 10)
        case let byte where byte >= 0x61 && byte <= 0x66: value = value << 4 | UInt32(byte - 0x61 + 10)
        default: return nil
        }
    }
    return value
}

extension Unicode.Scalar {
    /// True if a terminal would obey the character, or reorder what stands around it, instead of showing it.
    package var isUnsafeToPrint: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0: true
        // Line and paragraph separators, directional marks, byte order mark.
        case 0x2028, 0x2029, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x061C, 0xFEFF: true
        case 0xFFFE, 0xFFFF, 0xE0000...0xE0FFF: true
        default: false
        }
    }

    /// The character by its number, as JSON escapes it.
    package func numberEscape(uppercase: Bool = false) -> String {
        String(self).utf16.map { unit in
            let digits = String(unit, radix: 16, uppercase: uppercase)
            return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }
        .joined()
    }
}

extension String {
    /// The text with everything escaped that a terminal would obey instead of showing it, but for line feeds and tabs.
    ///
    /// The escapes are JSON's, so that a JSON text keeps its meaning.
    package var withControlsEscaped: String { escaping { $0.isUnsafeToPrint && $0 != "\n" && $0 != "\t" } }

    /// The same for a text that has to stay on its line.
    package var asOneLine: String { escaping(\.isUnsafeToPrint) }

    private func escaping(_ isEscaped: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: isEscaped) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            result += isEscaped(scalar) ? scalar.numberEscape(uppercase: true) : String(scalar)
        }
        return result
    }
}
