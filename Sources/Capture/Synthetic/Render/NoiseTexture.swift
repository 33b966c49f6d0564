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

/// The noise of an image sensor: a bank of normal numbers, read from places that differ from row to row.
struct SensorGrain: Sendable {
    /// A power of two, small enough to stay in the processor's cache.
    private static let size = 1 << 17
    private let bank: [Int8]

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed, stream: 0x64A1)
        let numbers = (0..<SensorGrain.size).map { _ in Int8(max(-127, min(127, random.normal() * 32))) }
        // A load at the last place reads on at the first ones.
        bank = numbers + numbers[..<4]
    }

    func withSampler<R>(_ body: (Sampler) throws -> R) rethrows -> R {
        try bank.withUnsafeBytes { try body(Sampler(bank: $0)) }
    }

    struct Sampler {
        fileprivate let bank: UnsafeRawBufferPointer

        /// A place to start a row at.
        func offset(_ random: inout SeededRandom) -> Int {
            Int(random.next() % UInt64(SensorGrain.size))
        }

        /// Normal numbers for four pixels: one for all channels (deviation 1), and smaller ones for red and for blue.
        @inline(__always)
        func values(at place: Int) -> (common: Lanes, red: Lanes, blue: Lanes) {
            (load(place) * (1 / 32), load(place &+ 40_503) * (0.35 / 32), load(place &+ 92_821) * (0.35 / 32))
        }

        @inline(__always)
        private func load(_ place: Int) -> Lanes {
            let offset = place & (SensorGrain.size - 1)
            let bytes = bank.loadUnaligned(fromByteOffset: offset, as: SIMD4<Int8>.self)
            return Lanes(SIMD4<Int32>(truncatingIfNeeded: bytes))
        }
    }
}

/// Repeatable numbers from a seed and a place (SplitMix64), the same on every machine and for any number of workers.
struct SeededRandom {
    private var state: UInt64

    /// Streams of different `stream` values are independent of each other.
    init(seed: UInt64, stream: UInt64) {
        state = SeededRandom.mix(seed &+ 0x9E37_79B9_7F4A_7C15 &* (stream &+ 1))
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return SeededRandom.mix(state)
    }

    /// In [0, 1).
    mutating func uniform() -> Float {
        Float(next() >> 40) * 0x1p-24
    }

    /// Nearly normal, mean 0 and deviation 1: the sum of four uniform numbers.
    mutating func normal() -> Float {
        let bits = next()
        let sum = (bits & 0xFFFF) &+ (bits >> 16 & 0xFFFF) &+ (bits >> 32 & 0xFFFF) &+ (bits >> 48)
        return (Float(sum) - 131_070) * (1.732_050_8 / 65_536)
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
