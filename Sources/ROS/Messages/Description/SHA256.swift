/// SHA-256 (FIPS 180-4): of bytes at once, or of what comes piece by piece.
///
///     var hash = SHA256()
///     hash.update(piece)
///     hash.hexadecimalDigest()
package struct SHA256: Sendable {
    private var state = SHA256.initialState
    /// The bytes that do not fill a block yet.
    private var rest: [UInt8] = []
    private var byteCount: UInt64 = 0

    package init() {}

    /// The digest of the bytes, as 64 lower-case hexadecimal digits.
    package static func hexadecimalDigest(_ bytes: [UInt8]) -> String {
        var hash = SHA256()
        hash.update(bytes)
        return hash.hexadecimalDigest()
    }

    package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        byteCount &+= UInt64(bytes.count)
        var start = 0
        if !rest.isEmpty {
            start = min(64 - rest.count, bytes.count)
            rest += bytes[..<start]
            guard rest.count == 64 else { return }
            rest.withUnsafeBytes { Self.compress($0, into: &state) }
            rest.removeAll(keepingCapacity: true)
        }
        let end = start + (bytes.count - start) / 64 * 64
        Self.compress(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), into: &state)
        rest += bytes[end...]
    }

    /// The 32 bytes of the digest of all that came so far.
    package func digest() -> [UInt8] {
        var padded = self
        var padding: [UInt8] = [0x80]
        while (rest.count + padding.count) % 64 != 56 { padding.append(0) }
        let bitCount = byteCount &* 8
        for shift in stride(from: 56, through: 0, by: -8) {
            padding.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
        }
        padded.update(padding)
        return (0..<8).flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: padded.state[word] >> UInt32($0)) }
        }
    }

    /// The digest of all that came so far, as 64 lower-case hexadecimal digits.
    package func hexadecimalDigest() -> String { digest().map { hexadecimal($0) }.joined() }

    /// Takes in whole blocks of 64 bytes (clause 6.2.2).
    ///
    /// Clause 6.2.2 writes the schedule as 64 words; sixteen of them are kept, as word `t` needs none before `t - 16`.
    private static func compress(_ blocks: UnsafeRawBufferPointer, into state: inout SIMD8<UInt32>) {
        constants.withUnsafeBufferPointer { constants in
            withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 16) { schedule in
                for start in stride(from: 0, to: blocks.count, by: 64) {
                    for index in 0..<16 {
                        schedule[index] = UInt32(
                            bigEndian: blocks.loadUnaligned(fromByteOffset: start + 4 * index, as: UInt32.self)
                        )
                    }
                    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
                    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
                    for index in 0..<64 {
                        let place = index & 15
                        if index >= 16 {
                            let old = schedule[(index &+ 1) & 15]
                            let recent = schedule[(index &+ 14) & 15]
                            let mixedOld = rotate(old, 7) ^ rotate(old, 18) ^ old &>> 3
                            let mixedRecent = rotate(recent, 17) ^ rotate(recent, 19) ^ recent &>> 10
                            schedule[place] = schedule[place] &+ mixedOld &+ schedule[(index &+ 9) & 15] &+ mixedRecent
                        }
                        let mixedE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
                        let first = h &+ mixedE &+ (e & f ^ ~e & g) &+ constants[index] &+ schedule[place]
                        let mixedA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
                        let second = mixedA &+ (a & b ^ a & c ^ b & c)
                        (h, g, f, e) = (g, f, e, d &+ first)
                        (d, c, b, a) = (c, b, a, first &+ second)
                    }
                    state = state &+ SIMD8(a, b, c, d, e, f, g, h)
                }
            }
        }
    }

    @inline(__always)
    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 { word &>> count | word &<< (32 &- count) }

    /// The constants are the first 32 bits of the fractional parts of roots of primes (clauses 4.2.2 and 5.3.3).
    private static let constants = fractionalBits(of: primes[...], root: .cube)

    private static let initialState = SIMD8(fractionalBits(of: primes.prefix(8), root: .square))

    private static let primes: [UInt64] = (2...311).filter { candidate in
        (2..<candidate).allSatisfy { candidate % $0 != 0 }
    }

    private enum Root { case square, cube }

    /// The root's first 32 fractional bits: the integer root of the prime times 2^64 or 2^96, found bit by bit.
    private static func fractionalBits(of primes: ArraySlice<UInt64>, root: Root) -> [UInt32] {
        primes.map { prime in
            let scaled = UInt128(prime) << (root == .square ? 64 : 96)
            var result: UInt128 = 0
            // The largest prime is 311, so that both roots have fewer than 37 bits.
            for bit in stride(from: 36, through: 0, by: -1) {
                let candidate = result | 1 << UInt128(bit)
                let power = root == .square ? candidate * candidate : candidate * candidate * candidate
                if power <= scaled { result = candidate }
            }
            return UInt32(truncatingIfNeeded: result)
        }
    }
}
