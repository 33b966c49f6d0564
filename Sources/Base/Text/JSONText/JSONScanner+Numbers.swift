extension JSONScanner {
    /// Reads a number, rounded exactly to the nearest `Double`; one beyond the range of `Double` is an error.
    package mutating func number() throws(JSONError) -> Double {
        skipWhitespace()
        let start = offset
        guard isAtNumber else { return try nonFinite() }
        let decimal = try scanNumber()
        if let value = decimal.fastDouble { return value }
        let value = slowDouble(UnsafeRawBufferPointer(rebasing: bytes[start..<offset]), exponent: decimal)
        guard value.isFinite else { throw mismatch(at: start, "a number within the range of a double") }
        return value
    }

    /// Reads an integer; 640.0 is none.
    package mutating func integer() throws(JSONError) -> Int64 {
        let (decimal, start) = try integerToken()
        guard let value = Int64(decimal) else { throw mismatch(at: start, "an integer of 64 bits") }
        return value
    }

    /// Reads an integer that is not negative, up to 2^64 - 1.
    package mutating func unsignedInteger() throws(JSONError) -> UInt64 {
        let (decimal, start) = try integerToken()
        guard decimal.digitCount <= 19 || fitsTwentyDigits(from: start), !decimal.isNegative || decimal.significand == 0
        else { throw mismatch(at: start, "an integer from 0 to 18446744073709551615") }
        guard decimal.digitCount == 20 else { return decimal.significand }
        return decimal.significand &* 10 &+ UInt64(bytes[offset - 1] - 0x30)
    }

    /// Reads a number without a fractional part, however it is written: 1920, 1920.0 and 1.92e3.
    package mutating func wholeNumber() throws(JSONError) -> Int64 {
        skipWhitespace()
        let start = offset
        guard isAtNumber else { throw unexpected("a whole number") }
        var decimal = try scanNumber()
        // Both loops are short: a significand has at most 19 digits.
        while decimal.exponent < 0, decimal.significand % 10 == 0, decimal.significand > 0, decimal.digitCount <= 19 {
            decimal.significand /= 10
            decimal.exponent += 1
        }
        while decimal.exponent > 0, decimal.exponent < 19, decimal.significand < UInt64.max / 10 {
            decimal.significand *= 10
            decimal.exponent -= 1
        }
        if decimal.significand == 0 { decimal.exponent = 0 }
        guard decimal.exponent == 0, let value = Int64(decimal) else {
            throw mismatch(at: start, "a whole number of 64 bits")
        }
        return value
    }

    /// Passes over a number.
    mutating func skipNumber() throws(JSONError) {
        if isAtNumber { _ = try scanNumber() } else { _ = try nonFinite() }
    }
}

// MARK: - Tokens

extension JSONScanner {
    /// True if a number of JSON's own kind is next, and not NaN or an infinity.
    var isAtNumber: Bool {
        let byte = nextByte
        if byte == UInt8(ascii: "-") { return offset + 1 >= bytes.count || bytes[offset + 1] != UInt8(ascii: "I") }
        return byte >= 0x30 && byte <= 0x39
    }

    /// Reads a number token by the grammar of RFC 8259, clause 6.
    mutating func scanNumber() throws(JSONError) -> DecimalNumber {
        var decimal = DecimalNumber()
        if nextByte == UInt8(ascii: "-") {
            decimal.isNegative = true
            offset &+= 1
        }
        if nextByte == 0x30 {
            offset &+= 1
            if isDigit(nextByte) { throw unexpected("no digit after a leading 0") }
        } else {
            try scanDigits(into: &decimal, isFraction: false)
        }
        if nextByte == UInt8(ascii: ".") {
            decimal.isInteger = false
            offset &+= 1
            try scanDigits(into: &decimal, isFraction: true)
        }
        if nextByte | 0x20 == UInt8(ascii: "e") {
            decimal.isInteger = false
            offset &+= 1
            try scanExponent(into: &decimal)
        }
        return decimal
    }

    private mutating func scanDigits(into decimal: inout DecimalNumber, isFraction: Bool) throws(JSONError) {
        guard isDigit(nextByte) else { throw unexpected("a digit") }
        var index = offset
        while index < bytes.count, isDigit(bytes[index]) {
            decimal.appendDigit(bytes[index], isFraction: isFraction)
            index &+= 1
        }
        offset = index
    }

    private mutating func scanExponent(into decimal: inout DecimalNumber) throws(JSONError) {
        let sign = nextByte
        if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { offset &+= 1 }
        guard isDigit(nextByte) else { throw unexpected("a digit") }
        var exponent = 0
        while isDigit(nextByte) {
            exponent = min(exponent &* 10 &+ Int(nextByte &- 0x30), DecimalNumber.exponentLimit)
            offset &+= 1
        }
        decimal.exponent &+= sign == UInt8(ascii: "-") ? -exponent : exponent
    }

    private mutating func nonFinite() throws(JSONError) -> Double {
        let start = offset
        let value: Double
        if consume("NaN") {
            value = .nan
        } else if consume("Infinity") {
            value = .infinity
        } else if consume("-Infinity") {
            value = -.infinity
        } else {
            throw unexpected("a number")
        }
        guard allowsNonFinite else {
            offset = start
            throw JSONError(offset: start, expected: "a number", found: excerpt(of: bytes, at: start).unquoted)
        }
        return value
    }

    private mutating func integerToken() throws(JSONError) -> (DecimalNumber, start: Int) {
        skipWhitespace()
        let start = offset
        guard isAtNumber else { throw unexpected("an integer") }
        let decimal = try scanNumber()
        guard decimal.isInteger else { throw mismatch(at: start, "an integer") }
        return (decimal, start)
    }

    /// True if an integer of 20 digits that ends here is at most 2^64 - 1.
    private func fitsTwentyDigits(from start: Int) -> Bool {
        offset - start == 20 && !"18446744073709551615".utf8.lexicographicallyPrecedes(bytes[start..<offset])
    }

    /// Steps back to a value that was read well but does not fit.
    private mutating func mismatch(at start: Int, _ expected: String) -> JSONError {
        offset = start
        return unexpected(expected)
    }
}

private func isDigit(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10
}

extension Int64 {
    /// The integer, unless it has a fraction, more than 19 digits or does not fit.
    fileprivate init?(_ decimal: DecimalNumber) {
        guard decimal.digitCount <= 19 else { return nil }
        if decimal.isNegative {
            guard decimal.significand <= UInt64(Int64.max) + 1 else { return nil }
            self = Int64(truncatingIfNeeded: 0 &- decimal.significand)
        } else {
            guard let value = Int64(exactly: decimal.significand) else { return nil }
            self = value
        }
    }
}

extension String {
    /// The text without the quotes around it.
    fileprivate var unquoted: String { String(dropFirst().dropLast()) }
}
