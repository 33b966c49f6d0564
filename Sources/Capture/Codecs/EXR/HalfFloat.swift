/// IEEE 754 numbers of 16 bits, bit by bit: no processor's own rounding of NaN or of numbers near zero.
enum HalfFloat {
    /// The same number; NaN stays NaN, with its bits.
    static func float(_ half: UInt16) -> Float {
        let sign = UInt32(half & 0x8000) << 16
        let exponent = UInt32(half >> 10 & 31)
        let fraction = UInt32(half & 1023)
        switch exponent {
        case 0:
            // Multiples of 2^-24.
            let magnitude = Float(fraction) * 0x1p-24
            return Float(bitPattern: sign | magnitude.bitPattern)
        case 31: return Float(bitPattern: sign | 0x7F80_0000 | fraction << 13)
        default: return Float(bitPattern: sign | (exponent + 112) << 23 | fraction << 13)
        }
    }

    /// The nearest number of 16 bits, of two the even one; infinite from 65520 on.
    static func half(_ float: Float) -> UInt16 {
        let sign = UInt16(float.bitPattern >> 16) & 0x8000
        let magnitude = float.bitPattern & 0x7FFF_FFFF
        if magnitude > 0x7F80_0000 { return sign | 0x7E00 }
        if magnitude >= 0x477F_F000 { return sign | 0x7C00 }
        if magnitude < 0x3880_0000 {
            return sign | UInt16((Float(bitPattern: magnitude) * 0x1p24).rounded(.toNearestOrEven))
        }
        let rounded = magnitude + 0xFFF + (magnitude >> 13 & 1)
        return sign | UInt16((rounded - 0x3800_0000) >> 13)
    }
}
