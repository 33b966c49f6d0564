/// Inverse cosine transforms of a block of 8 x 8 to one pixel, or to 2 x 2, in the integer arithmetic of libjpeg.
///
/// A pixel of the smaller image stands for 8 x 8, or 4 x 4, pixels; of the cosine terms, even ones other than the first
/// cancel in a half of the block, so that the terms 0, 1, 3, 5 and 7 remain.
enum ReducedTransform {
    /// 2^13 times the weights of the terms 1, 3, 5 and 7.
    private static let weight1 = 29_692
    private static let weight3 = -10_426
    private static let weight5 = 6_967
    private static let weight7 = -5_906

    /// One sample, less 128, from the first coefficient, dequantised.
    @inline(__always)
    static func single(_ dc: Int) -> Int {
        (dc &+ 4) &>> 3
    }

    /// Four samples, less 128, row by row, from dequantised coefficients in natural order.
    ///
    /// `nil` where a half column leaves 16 bits, which no sound image does: libjpeg-turbo's fast code saturates there.
    @inline(__always)
    static func double(_ c: UnsafePointer<Int32>) -> (Int, Int, Int, Int)? {
        let column0 = column(c, 0)
        let column1 = column(c, 1)
        let column3 = column(c, 3)
        let column5 = column(c, 5)
        let column7 = column(c, 7)
        let excess = beyond16(column0) | beyond16(column1) | beyond16(column3) | beyond16(column5) | beyond16(column7)
        guard excess == 0 else { return nil }
        let top = row(column0.0, column1.0, column3.0, column5.0, column7.0)
        let bottom = row(column0.1, column1.1, column3.1, column5.1, column7.1)
        return (top.0, top.1, bottom.0, bottom.1)
    }

    /// True if a sound image may have the value: far beyond the range, libjpeg's table wraps around.
    @inline(__always)
    static func isSound(_ value: Int) -> Bool {
        value >= -384 && value < 512
    }

    @inline(__always)
    static func sample(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, value &+ 128)))
    }

    /// T.81, figure A.6: the place in a row-major block of a coefficient of the zigzag sequence, 0 to 63.
    @inline(__always)
    static func naturalOrder(_ place: Int) -> UInt8 {
        zigzag[place]
    }

    private static let zigzag: InlineArray<64, UInt8> = [
        0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14,
        21, 28,
        35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
        47,
        55, 62, 63,
    ]

    @inline(__always)
    private static func beyond16(_ halves: (Int, Int)) -> Int {
        ((halves.0 &+ 32_768) | (halves.1 &+ 32_768)) & ~0xFFFF
    }

    /// The upper and the lower half of a column, with two more bits of precision.
    @inline(__always)
    private static func column(_ c: UnsafePointer<Int32>, _ index: Int) -> (Int, Int) {
        let even = Int(c[index]) &<< 15
        let odd =
            Int(c[index &+ 8]) &* weight1 &+ Int(c[index &+ 24]) &* weight3
            &+ Int(c[index &+ 40]) &* weight5 &+ Int(c[index &+ 56]) &* weight7
        return ((even &+ odd &+ 4096) &>> 13, (even &- odd &+ 4096) &>> 13)
    }

    @inline(__always)
    private static func row(_ c0: Int, _ c1: Int, _ c3: Int, _ c5: Int, _ c7: Int) -> (Int, Int) {
        let even = c0 &<< 15
        let odd = c1 &* weight1 &+ c3 &* weight3 &+ c5 &* weight5 &+ c7 &* weight7
        return ((even &+ odd &+ 524_288) &>> 20, (even &- odd &+ 524_288) &>> 20)
    }
}
