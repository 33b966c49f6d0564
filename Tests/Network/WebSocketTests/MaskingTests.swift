import Testing
import WebSocket

@Suite("Masking")
struct MaskingTests {
    @Test("is a byte-wise xor at every length, offset and alignment", arguments: [0, 1, 2, 3, 5, 64, 127])
    func agreesWithTheNaiveLoop(offset: Int) {
        let key = MaskingKey(0x12, 0x34, 0x56, 0x78)
        let keyBytes: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        for length in [0, 1, 3, 7, 8, 9, 63, 64, 65, 200, 1031] {
            let source = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let expected = source.enumerated().map { $1 ^ keyBytes[($0 + offset) % 4] }
            for shift in 0..<9 {
                var destination = [UInt8](repeating: 0, count: length + shift)
                destination.withUnsafeMutableBytes { target in
                    source.withUnsafeBytes {
                        key.mask($0, into: UnsafeMutableRawBufferPointer(rebasing: target[shift...]), offset: offset)
                    }
                }
                #expect(Array(destination[shift...]) == expected)
            }
        }
    }

    @Test("undoes itself in place")
    func isItsOwnInverse() {
        let key = MaskingKey(0xFF, 0x00, 0xA5, 0x01)
        let original = (0..<517).map { UInt8(truncatingIfNeeded: $0) }
        var bytes = original
        for _ in 0..<2 {
            bytes.withUnsafeMutableBytes { key.mask(UnsafeRawBufferPointer($0), into: $0) }
        }
        #expect(bytes == original)
        // Without an offset the first byte is masked with the first of the key.
        bytes.withUnsafeMutableBytes { key.mask(UnsafeRawBufferPointer($0), into: $0) }
        #expect(bytes.prefix(5) == [0xFF, 1, 0xA7, 2, 0xFB])
    }

    @Test("a key comes from the generator")
    func keyIsRandom() {
        var randomness = FixedRandomness(numbers: [0x1122_3344_DDCC_BBAA])
        #expect(MaskingKey(using: &randomness) == MaskingKey(0xAA, 0xBB, 0xCC, 0xDD))
    }
}
