/// A place in JSON text where something else was expected (RFC 8259), or a value that does not fit what was asked for.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offset in bytes from the start of the text.
    package var offset: Int
    /// The expected input, such as `a number`.
    package var expected: String
    /// The input that was found, such as `"nul"` or `the end of the text`.
    package var found: String

    package init(offset: Int, expected: String, found: String) {
        self.offset = offset
        self.expected = expected
        self.found = found
    }

    package var description: String { "JSON: byte \(offset): expected \(expected), found \(found)" }
}

/// The kind of a JSON value, known from its first byte.
package enum JSONKind: Sendable {
    case object, array, string, number, bool, null
}

/// Names the text at an offset for an error message: at most 20 bytes of it.
func excerpt(of bytes: UnsafeRawBufferPointer, at offset: Int) -> String {
    guard offset < bytes.count else { return "the end of the text" }
    let first = bytes[offset]
    guard first > 0x20, first < 0x7F else {
        let digits = String(first, radix: 16, uppercase: true)
        return "the byte 0x" + (digits.count < 2 ? "0" + digits : digits)
    }
    var text = String(UnicodeScalar(first))
    guard isTokenByte(first) else { return "\"\(text)\"" }
    for byte in bytes[(offset + 1)...].prefix(19) {
        guard isTokenByte(byte) else { break }
        text.unicodeScalars.append(UnicodeScalar(byte))
    }
    return "\"\(text)\""
}

/// True if the byte can be part of a number or of a literal name.
private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    case 0x2B, 0x2D, 0x2E, 0x5F: true
    default: false
    }
}
