import Recording

/// Depth as LeRobot's 12-bit codes: 0 to 4095 on a logarithmic scale, so that near depth has the finest steps.
///
/// `code = rint(4095 (ln(z + 3.5) - ln(0.01 + 3.5)) / (ln(10 + 3.5) - ln(0.01 + 3.5)))`, z in metres: the defaults of
/// LeRobot's depth encoder. 0 stands for 0.01 m and less, and for depth that is not known.
package enum DepthCodes {
    package static let minimumMetres = 0.01
    package static let maximumMetres = 10.0
    package static let shiftMetres = 3.5
    package static let largest = 4095

    private static let low = naturalLogarithm(minimumMetres + shiftMetres)
    private static let range = naturalLogarithm(maximumMetres + shiftMetres) - low

    /// The code of a depth; 0 for what is no depth.
    package static func code(metres: Float) -> UInt16 {
        guard metres > 0, metres.isFinite else { return 0 }
        let part = (naturalLogarithm(Double(metres) + shiftMetres) - low) / range
        return UInt16(min(max(part * Double(largest), 0), Double(largest)).rounded(.toNearestOrEven))
    }

    /// The depth that a reader makes of a code, in metres.
    package static func metres(code: Int) -> Double {
        let value = exponential(low + Double(code) / Double(largest) * range) - shiftMetres
        return min(max(value, minimumMetres), maximumMetres)
    }

    /// The codes of a picture as little-endian samples of 16 bits.
    package static func samples(_ metres: some Sequence<Float>, count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * count)
        for value in metres {
            let code = code(metres: value)
            bytes.append(UInt8(truncatingIfNeeded: code))
            bytes.append(UInt8(truncatingIfNeeded: code >> 8))
        }
        return bytes
    }
}
