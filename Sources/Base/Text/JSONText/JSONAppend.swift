/// Appends values to bytes as JSON text.
package enum JSONAppend {
    /// Appends a string with its quotes, escaping what RFC 8259, clause 7 says must be; `/` stays as it is.
    package static func string(_ value: String, to bytes: inout [UInt8]) {
        var value = value
        value.withUTF8 { string($0, to: &bytes) }
    }

    /// Appends UTF-8 as a string with its quotes.
    package static func string(_ utf8: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        for index in 0..<utf8.count {
            let byte = utf8[index]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<index]))
            start = index + 1
            escape(byte, to: &bytes)
        }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
        bytes.append(UInt8(ascii: "\""))
    }

    private static func escape(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            ascii("u00", to: &bytes)
            bytes.append(byte < 0x10 ? 0x30 : 0x31)
            bytes.append(hexadecimalDigits[Int(byte & 15)])
        }
    }

    package static func integer(_ value: Int64, to bytes: inout [UInt8]) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        integer(value.magnitude, to: &bytes)
    }

    /// Appends an integer that is not negative.
    package static func integer(_ value: UInt64, to bytes: inout [UInt8]) {
        guard value >= 10 else { return bytes.append(0x30 &+ UInt8(truncatingIfNeeded: value)) }
        var rest = value
        var digits = [20 of UInt8](repeating: 0)
        var start = 20
        while rest > 0 {
            start &-= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            digits[start] = 0x30 &+ UInt8(truncatingIfNeeded: digit)
            rest = quotient
        }
        for index in start..<20 { bytes.append(digits[index]) }
    }

    /// Appends the shortest decimal that reads back as the same value; what is not finite becomes a bare token, which is
    /// not JSON: see ``JSONScanner/allowsNonFinite``.
    package static func number(_ value: Double, to bytes: inout [UInt8]) {
        guard value.isFinite else { return nonFinite(isNaN: value.isNaN, isNegative: value < 0, to: &bytes) }
        // Most of a message are zeros and small whole numbers; those need no search for the shortest form.
        if let small = Int32(exactly: value), small != 0 || value.sign == .plus {
            integer(Int64(small), to: &bytes)
            ascii(".0", to: &bytes)
        } else {
            // The description's exponents, such as 1e-05 and 1e+16, are legal JSON.
            text(value.description, to: &bytes)
        }
    }

    /// Appends the shortest decimal that reads back as the same single-precision value.
    package static func number(_ value: Float, to bytes: inout [UInt8]) {
        guard value.isFinite else { return nonFinite(isNaN: value.isNaN, isNegative: value < 0, to: &bytes) }
        if value.magnitude < 16_777_216, let small = Int32(exactly: value), small != 0 || value.sign == .plus {
            integer(Int64(small), to: &bytes)
            ascii(".0", to: &bytes)
        } else {
            text(value.description, to: &bytes)
        }
    }

    /// Appends `true` or `false`.
    package static func bool(_ value: Bool, to bytes: inout [UInt8]) {
        ascii(value ? "true" : "false", to: &bytes)
    }

    /// Appends bytes as they are.
    package static func ascii(_ literal: StaticString, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    private static func text(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    private static func nonFinite(isNaN: Bool, isNegative: Bool, to bytes: inout [UInt8]) {
        if isNaN { ascii("NaN", to: &bytes) } else { ascii(isNegative ? "-Infinity" : "Infinity", to: &bytes) }
    }

    private static let hexadecimalDigits: [16 of UInt8] = [
        0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66,
    ]
}
