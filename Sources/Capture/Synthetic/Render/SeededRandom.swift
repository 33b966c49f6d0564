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
