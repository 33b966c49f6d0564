/// A square of fractal noise that tiles without a seam, looked up by surface coordinates.
struct NoiseTexture: Sendable {
    /// Texels a side, a power of two.
    static let side = 2048
    private static let mask = Int32(side - 1)

    /// -127 to 127, row-major.
    private let texels: [Int8]

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed, stream: 0xF4AC)
        var size = 8
        var values = (0..<size * size).map { _ in random.normal() }
        // Each octave has 0.72 of the last one's amplitude: a spectrum like that of plaster or stone.
        var amplitude: Float = 1
        while size < NoiseTexture.side {
            values = NoiseTexture.doubled(values, size: size)
            size *= 2
            amplitude *= 0.72
            for place in values.indices { values[place] += amplitude * random.normal() }
        }
        let scale = 42 / (values.reduce(0) { $0 + $1 * $1 } / Float(values.count)).squareRoot()
        texels = values.map { Int8(max(-127, min(127, $0 * scale))) }
    }

    /// The same picture with twice the texels a side, interpolated, opposite sides joined.
    private static func doubled(_ values: [Float], size: Int) -> [Float] {
        let side = 2 * size
        var result = [Float](repeating: 0, count: side * side)
        for row in 0..<side {
            let above = (row / 2 + (row & 1 == 0 ? size - 1 : 0)) % size
            let below = (above + 1) % size
            let weightBelow: Float = row & 1 == 0 ? 0.75 : 0.25
            for column in 0..<side {
                let left = (column / 2 + (column & 1 == 0 ? size - 1 : 0)) % size
                let right = (left + 1) % size
                let weightRight: Float = column & 1 == 0 ? 0.75 : 0.25
                let upper = values[above * size + left] * (1 - weightRight) + values[above * size + right] * weightRight
                let lower = values[below * size + left] * (1 - weightRight) + values[below * size + right] * weightRight
                result[row * side + column] = upper * (1 - weightBelow) + lower * weightBelow
            }
        }
        return result
    }

    /// Gives quick access to the texels for as long as `body` runs.
    func withSampler<R>(_ body: (Sampler) throws -> R) rethrows -> R {
        try texels.withUnsafeBufferPointer { try body(Sampler(texels: $0)) }
    }

    struct Sampler {
        fileprivate let texels: UnsafeBufferPointer<Int8>

        /// The noise at texel coordinates, about -1 to 1 with a deviation of a third.
        @inline(__always) func callAsFunction(_ u: Lanes, _ v: Lanes) -> Lanes {
            // Both indices are masked to the square, so that each one lies inside of the buffer.
            let column = floorOf(u).integer & NoiseTexture.mask
            let row = floorOf(v).integer & NoiseTexture.mask
            let place = row &* Int32(NoiseTexture.side) &+ column
            let values = SIMD4<Int32>(
                Int32(texels[Int(place.x)]),
                Int32(texels[Int(place.y)]),
                Int32(texels[Int(place.z)]),
                Int32(texels[Int(place.w)])
            )
            return Lanes(values) * (1 / 127)
        }
    }
}
