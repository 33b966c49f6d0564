/// Why a decimal number of seconds is no time.
package enum DecimalSecondsError: Error, Hashable, Sendable, CustomStringConvertible {
    case notADecimal(String)
    /// Beyond 9.2e9 s on either side of zero, which is what 64 bits of nanoseconds hold.
    case outOfRange(String)

    package var description: String {
        switch self {
        case .notADecimal(let text): "time: expected a decimal number of seconds, found \"\(text)\""
        case .outOfRange(let text): "time: expected seconds within ±9.2e9, found \"\(text)\""
        }
    }
}

/// Converts decimal seconds such as `1700000000.123456789` or `1.5e3` to nanoseconds, without going through a `Double`.
///
/// Any number of digits is taken; what lies below a nanosecond is rounded half to even. A leading `+`, leading zeros and
/// a missing part before or after the point are allowed, as tables have them.
package func decimalNanoseconds(_ seconds: some StringProtocol) throws(DecimalSecondsError) -> Int64 {
    var text = String(seconds)
    let result: DecimalSeconds.Result = text.withUTF8 { DecimalSeconds.nanoseconds(UnsafeRawBufferPointer($0)) }
    switch result {
    case .nanoseconds(let value): return value
    case .notADecimal: throw .notADecimal(String(text.prefix(40)))
    case .outOfRange: throw .outOfRange(String(text.prefix(40)))
    }
}

extension JSONScanner {
    /// Reads seconds, as a number or as a string that holds one, as nanoseconds: exact, rounded half to even.
    package mutating func decimalNanoseconds() throws(JSONError) -> Int64 {
        let isString = try peek() == .string
        let start = offset
        let token: UnsafeRawBufferPointer
        if isString {
            token = try stringBytes() ?? UnsafeRawBufferPointer(start: nil, count: 0)
        } else {
            guard isAtNumber else { throw unexpected("a number of seconds") }
            _ = try scanNumber()
            token = UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
        }
        let found = isString ? "a string that is none" : excerpt(of: bytes, at: start)
        switch DecimalSeconds.nanoseconds(token) {
        case .nanoseconds(let value): return value
        case .notADecimal: throw JSONError(offset: start, expected: "a number of seconds", found: found)
        case .outOfRange:
            throw JSONError(offset: start, expected: "seconds within ±9.2e9", found: excerpt(of: bytes, at: start))
        }
    }
}

/// The conversion itself, on bytes.
private enum DecimalSeconds {
    enum Result {
        case nanoseconds(Int64), notADecimal, outOfRange
    }

    /// The parts of a decimal: digits before and after the point, and the exponent.
    private struct Parts {
        var isNegative = false
        var digits: Range<Int> = 0..<0
        var pointIndex = 0
        var exponent = 0
    }

    static let limit: UInt64 = 9_200_000_000_000_000_000

    static func nanoseconds(_ bytes: UnsafeRawBufferPointer) -> Result {
        guard let parts = parse(bytes) else { return .notADecimal }
        var value: UInt64 = 0
        // The power of ten of a digit; 0 is whole seconds.
        var power = parts.pointIndex - parts.digits.lowerBound - 1 + parts.exponent
        var half = Comparison.below
        for index in parts.digits where index != parts.pointIndex {
            let digit = UInt64(bytes[index] - 0x30)
            if power >= -9 {
                guard value <= limit / 10 else { return .outOfRange }
                value = value * 10 + digit
            } else if power == -10 {
                half = digit < 5 ? .below : digit == 5 ? .equal : .above
            } else if digit > 0, half == .equal {
                half = .above
            }
            power -= 1
        }
        // Digits left of the nanosecond that are not written are zeros.
        while power >= -9, value > 0 {
            guard value <= limit / 10 else { return .outOfRange }
            value *= 10
            power -= 1
        }
        if half == .above || half == .equal && value % 2 == 1 { value += 1 }
        guard value <= limit else { return .outOfRange }
        return .nanoseconds(parts.isNegative ? -Int64(value) : Int64(value))
    }

    /// How what is rounded away compares with half a nanosecond.
    private enum Comparison {
        case below, equal, above
    }

    private static func parse(_ bytes: UnsafeRawBufferPointer) -> Parts? {
        var parts = Parts()
        var index = 0
        func byte() -> UInt8 { index < bytes.count ? bytes[index] : 0 }
        if byte() == UInt8(ascii: "-") || byte() == UInt8(ascii: "+") {
            parts.isNegative = byte() == UInt8(ascii: "-")
            index += 1
        }
        let start = index
        while byte() >= 0x30 && byte() <= 0x39 { index += 1 }
        parts.pointIndex = index
        var digitCount = index - start
        if byte() == UInt8(ascii: ".") {
            index += 1
            while byte() >= 0x30 && byte() <= 0x39 { index += 1 }
            digitCount = index - start - 1
        }
        parts.digits = start..<index
        guard digitCount > 0 else { return nil }
        if byte() | 0x20 == UInt8(ascii: "e") {
            index += 1
            let sign = byte()
            if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { index += 1 }
            guard byte() >= 0x30 && byte() <= 0x39 else { return nil }
            while byte() >= 0x30 && byte() <= 0x39 {
                parts.exponent = min(parts.exponent * 10 + Int(byte() - 0x30), DecimalNumber.exponentLimit)
                index += 1
            }
            if sign == UInt8(ascii: "-") { parts.exponent.negate() }
        }
        return index == bytes.count ? parts : nil
    }
}
