import Glibc

/// A decimal number as written: sign, digits and a power of ten, before it is rounded to any machine type.
struct DecimalNumber {
    var isNegative = false
    /// The first 19 significant digits, as an integer.
    var significand: UInt64 = 0
    /// How many significant digits there are in all, from the first that is not 0.
    var digitCount = 0
    /// The power of ten by which ``significand`` is multiplied.
    var exponent = 0
    /// True if the text has neither a fraction nor an exponent.
    var isInteger = true

    /// The largest power of ten that is taken as written; beyond it every number is out of range anyway.
    static let exponentLimit = 1_000_000

    mutating func appendDigit(_ byte: UInt8, isFraction: Bool) {
        let digit = UInt64(byte &- 0x30)
        if digitCount == 0, digit == 0 {
            if isFraction { exponent &-= 1 }
            return
        }
        if digitCount < 19 {
            significand = significand &* 10 &+ digit
            if isFraction { exponent &-= 1 }
        } else if !isFraction {
            exponent &+= 1
        }
        digitCount &+= 1
    }

    /// The exact value as `Double`, rounded to nearest even, or `nil` if the digits in hand do not decide it.
    ///
    /// Clinger's fast path (1990): a significand below 2^53 and a power of ten up to 10^22 are both exact, so one
    /// multiplication or division rounds once.
    var fastDouble: Double? {
        guard digitCount <= 19, significand <= 1 << 53, exponent >= -22, exponent <= 22 else {
            return significand == 0 ? (isNegative ? -0.0 : 0) : nil
        }
        let magnitude = Double(significand)
        let value = exponent < 0 ? magnitude / exactPower(-exponent) : magnitude * exactPower(exponent)
        return isNegative ? -value : value
    }
}

/// Ten to a power from 0 to 22, all of which are exact.
private func exactPower(_ exponent: Int) -> Double {
    exactPowers[exponent]
}

private let exactPowers: [23 of Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]

/// The value of a checked decimal number by `strtod`, on a terminated copy of bounded size; infinite when out of range.
///
/// No `Double` or midpoint of two has more than 768 significant digits, so that what follows those only matters as zero
/// or not zero.
func slowDouble(_ token: UnsafeRawBufferPointer, exponent decimal: DecimalNumber) -> Double {
    let kept = min(decimal.digitCount, 800)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: kept + 32) { copy in
        var count = 0
        func append(_ byte: UInt8) {
            copy[count] = CChar(bitPattern: byte)
            count += 1
        }
        if decimal.isNegative { append(UInt8(ascii: "-")) }
        var digits = 0
        var isRestZero = true
        for byte in token {
            if byte | 0x20 == UInt8(ascii: "e") { break }
            guard byte >= 0x30, byte <= 0x39, digits > 0 || byte > 0x30 else { continue }
            digits += 1
            if digits <= kept { append(byte) } else if byte > 0x30 { isRestZero = false }
        }
        if !isRestZero { append(UInt8(ascii: "1")) }
        // The significand stands for the first 19 digits, the copy for `kept` of them and perhaps a sticky one.
        let written = kept + (isRestZero ? 0 : 1)
        append(UInt8(ascii: "e"))
        for byte in String(decimal.exponent + min(decimal.digitCount, 19) - written).utf8 { append(byte) }
        append(0)
        return copy.baseAddress.map { strtod($0, nil) } ?? .nan
    }
}

extension Double {
    /// The number with so many digits after the point, rounded half away from zero; `nan` and `inf` as they are.
    package func text(decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        // What no integer holds, infinities and NaN too.
        guard abs(self) * scale < 9e18 else { return "\(self)" }
        let rounded = Int64((abs(self) * scale).rounded())
        let sign = self < 0 && rounded != 0 ? "-" : ""
        guard decimals > 0 else { return "\(sign)\(rounded)" }
        let digits = String(rounded)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        return sign + padded.dropLast(decimals) + "." + padded.suffix(decimals)
    }
}
