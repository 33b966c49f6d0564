/// The 4-byte key that is XORed with the payload of every client frame (RFC 6455, 5.3).
package struct MaskingKey: Equatable, Sendable {
    /// The key as an integer whose least significant byte masks payload byte 0.
    private var value: UInt32

    package init(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
        value = UInt32(first) | UInt32(second) << 8 | UInt32(third) << 16 | UInt32(fourth) << 24
    }

    /// Makes a random key, unpredictable if the generator is (RFC 6455, 10.3).
    package init(using generator: inout some RandomNumberGenerator) {
        value = UInt32(truncatingIfNeeded: generator.next())
    }

    /// Byte `index & 3` of the key.
    package func byte(at index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: value &>> UInt32((index & 3) &* 8))
    }

    /// The key rotated for a piece that starts `offset` bytes into the payload.
    package func rotated(by offset: Int) -> MaskingKey {
        var rotated = self
        let shift = UInt32((offset & 3) &* 8)
        rotated.value = shift == 0 ? value : value &>> shift | value &<< (32 &- shift)
        return rotated
    }

    /// Masks `source`, which starts `offset` bytes into its payload, into the beginning of `destination`.
    ///
    /// The two may be the same memory. Masking and unmasking are the same operation. `destination` must be at least as
    /// long as `source`. Callers mask a large payload piece by piece, so that each piece stays in the cache.
    package func mask(
        _ source: UnsafeRawBufferPointer,
        into destination: UnsafeMutableRawBufferPointer,
        offset: Int = 0
    ) {
        precondition(destination.count >= source.count, "the destination of a mask is too short")
        guard let input = source.baseAddress, let output = destination.baseAddress else { return }
        let count = source.count
        let key = rotated(by: offset)
        let half = UInt64(key.value.littleEndian)
        let vector = SIMD8<UInt64>(repeating: half << 32 | half)
        var index = 0
        while index &+ 64 <= count {
            let piece = input.loadUnaligned(fromByteOffset: index, as: SIMD8<UInt64>.self)
            output.storeBytes(of: piece ^ vector, toByteOffset: index, as: SIMD8<UInt64>.self)
            index &+= 64
        }
        while index < count {
            let byte = input.load(fromByteOffset: index, as: UInt8.self)
            output.storeBytes(of: byte ^ key.byte(at: index), toByteOffset: index, as: UInt8.self)
            index &+= 1
        }
    }
}
