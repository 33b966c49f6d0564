/// SHA-256 (FIPS 180-4), for type hashes of a few kilobytes.
package enum SHA256 {
    /// The digest of the bytes, as 64 lower-case hexadecimal digits.
    package static func hexadecimalDigest(_ bytes: [UInt8]) -> String {
        digest(bytes).map { hexadecimal($0) }.joined()
    }

    /// The 32 bytes of the digest.
    package static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var message = bytes
        message.append(0x80)
        while message.count % 64 != 56 { message.append(0) }
        let bitCount = UInt64(bytes.count) * 8
        for shift in stride(from: 56, through: 0, by: -8) {
            message.append(UInt8(truncatingIfNeeded: bitCount >> shift))
        }
        var state = fractionalBits(of: primes.prefix(8), root: .square)
        for start in stride(from: 0, to: message.count, by: 64) { compress(message[start..<start + 64], into: &state) }
        return state.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
    }

    /// Takes in one block of 64 bytes (clause 6.2.2).
    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        var schedule = stride(from: block.startIndex, to: block.endIndex, by: 4).map { index in
            block[index..<index + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let old = schedule[index - 15]
            let recent = schedule[index - 2]
            let mixedOld = rotate(old, 7) ^ rotate(old, 18) ^ old >> 3
            let mixedRecent = rotate(recent, 17) ^ rotate(recent, 19) ^ recent >> 10
            schedule.append(schedule[index - 16] &+ mixedOld &+ schedule[index - 7] &+ mixedRecent)
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for index in 0..<64 {
            let mixedE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
            let first = h &+ mixedE &+ (e & f ^ ~e & g) &+ constants[index] &+ schedule[index]
            let mixedA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
            let second = mixedA &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e) = (g, f, e, d &+ first)
            (d, c, b, a) = (c, b, a, first &+ second)
        }
        for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    }

    private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    // MARK: - Constants

    /// The constants are the first 32 bits of the fractional parts of roots of primes (clauses 4.2.2 and 5.3.3).
    private static let constants = fractionalBits(of: primes[...], root: .cube)

    /// The first 64 primes.
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
