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
