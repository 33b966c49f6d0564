import TestSupport

/// Streams that the reference's encoder does not write, built by the format's own rules.
enum HandmadeLZFSE {
    static let end = Array("bvx$".utf8)

    static func long(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

    static func stored(_ bytes: [UInt8]) -> [UInt8] { Array("bvx-".utf8) + long(bytes.count) + bytes }

    /// A block of LZVN from any instructions.
    static func lzvn(_ instructions: [UInt8], holds count: Int) -> [UInt8] {
        Array("bvxn".utf8) + long(count) + long(instructions.count) + instructions
    }

    static let lzvnEnd: [UInt8] = [6, 0, 0, 0, 0, 0, 0, 0]

    /// Instructions of every kind at random, and what they say, found one byte after the other.
    static func randomLZVN(
        after earlier: [UInt8],
        count: Int,
        using generator: inout SeededRandomNumbers
    ) -> (instructions: [UInt8], plain: [UInt8]) {
        var (instructions, plain): ([UInt8], [UInt8]) = ([], earlier)
        var distance = 0
        func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        for index in 0..<count {
            var (literals, repeated, code): (Int, Int, [Int]) = (0, 0, [])
            let reach = { (literals: Int) in plain.count + literals }
            // The reference refuses a block that holds nothing.
            switch index == 0 ? 0 : random(0...8) {
            case 0:
                literals = random(1...15)
                code = [0xE0 + literals]
            case 1:
                literals = random(16...271)
                code = [0xE0, literals - 16]
            case 2 where distance > 0:
                repeated = random(1...15)
                code = [0xF0 + repeated]
            case 3 where distance > 0:
                repeated = random(16...271)
                code = [0xF0, repeated - 16]
            case 4 where distance > 0:
                // Three literals leave room for less.
                (literals, repeated) = (random(1...3), random(3...4))
                code = [literals << 6 | (repeated - 3) << 3 | 6]
            case 5 where reach(0) > 0:
                (literals, repeated) = (random(0...3), random(3...34))
                distance = random(1...min(16_383, reach(literals)))
                let word = distance << 2 | (repeated - 3) & 3
                code = [0xA0 | literals << 3 | (repeated - 3) >> 2, word & 255, word >> 8]
            case 6 where reach(0) > 0:
                (literals, repeated) = (random(0...3), random(3...4))
                distance = random(1...min(65_535, reach(literals)))
                code = [literals << 6 | (repeated - 3) << 3 | 7, distance & 255, distance >> 8]
            case 7 where reach(0) > 0:
                (literals, repeated) = (random(0...3), random(3...4))
                distance = random(1...min(1535, reach(literals)))
                code = [literals << 6 | (repeated - 3) << 3 | distance >> 8, distance & 255]
            default:
                code = [[0x0E, 0x16][random(0...1)]]
            }
            let bytes = (0..<literals).map { _ in UInt8(random(0...255)) }
            instructions += code.map { UInt8($0) } + bytes
            plain += bytes
            for _ in 0..<repeated { plain.append(plain[plain.count - distance]) }
        }
        return (instructions + lzvnEnd, Array(plain.dropFirst(earlier.count)))
    }

    /// The same stream with plain tables, where it is one block with packed ones.
    static func withPlainTables(_ stream: [UInt8]) -> [UInt8] {
        func word(_ place: Int) -> UInt64 { stream[place..<place + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        func field(_ index: Int, _ shift: Int, _ bits: Int) -> Int {
            Int(word(8 + 8 * index) >> UInt64(shift)) & ((1 << bits) - 1)
        }
        func short(_ number: Int) -> [UInt8] { Array(long(number).prefix(2)) }
        let headerCount = field(2, 0, 32)
        let (literalBytes, matchBytes) = (field(0, 20, 20), field(1, 40, 20))
        var bytes = Array("bvx1".utf8) + stream[4..<8] + long(literalBytes + matchBytes)
        for number in [field(0, 0, 20), field(0, 40, 20), literalBytes, matchBytes] { bytes += long(number) }
        bytes += long(field(0, 60, 3) - 7)
        for index in 0..<4 { bytes += short(field(1, 10 * index, 10)) }
        bytes += long(field(1, 60, 3) - 7)
        for shift in [32, 42, 52] { bytes += short(field(2, shift, 10)) }
        for frequency in frequencies(Array(stream[32..<headerCount])) { bytes += short(frequency) }
        return bytes + [0, 0] + stream[headerCount...]
    }

    /// The prefix code, bit by bit.
    private static func frequencies(_ bytes: [UInt8]) -> [Int] {
        var place = 0
        func bit() -> Int {
            defer { place += 1 }
            return place / 8 < bytes.count ? Int(bytes[place / 8] >> UInt8(place % 8) & 1) : 0
        }
        func number(_ bits: Int) -> Int { (0..<bits).reduce(0) { $0 | bit() << $1 } }
        return (0..<360).map { _ in
            if bit() == 0 { return number(1) }
            if bit() == 0 { return 2 + number(1) }
            if bit() == 0 { return 4 + number(2) }
            if bit() == 0 { return 8 + number(4) }
            return 24 + number(10)
        }
    }
}
