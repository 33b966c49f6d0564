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
