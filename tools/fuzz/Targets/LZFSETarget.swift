import Codecs

extension FuzzTarget {
    /// A stream of LZFSE: the first two bytes say how much it should hold.
    static let lzfse = FuzzTarget(
        name: "lzfse",
        seeds: {
            let plains: [[UInt8]] = [[], Array("stored".utf8), Array(0...255)]
            return plains.map { sized($0.count, LZFSE.encodeStored($0)) } + [
                sized(12, smallBlock), sized(1004, packedBlock),
            ]
        },
        dictionary: ["bvx-", "bvx1", "bvx2", "bvxn", "bvx$", "\u{6}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}"],
        run: { input in
            guard input.count >= 2 else { return }
            let byteCount = Int(input[0]) | Int(input[1]) << 8
            let stream = Array(input.dropFirst(2))
            guard let plain = try? LZFSE.decode(stream, byteCount: byteCount) else { return }
            require(plain.count == byteCount, "\(plain.count) bytes instead of \(byteCount)")
            let again = try? LZFSE.decode(LZFSE.encodeStored(plain), byteCount: byteCount)
            require(again == plain, "what was stored again is not the same")
        }
    )

    private static func sized(_ count: Int, _ stream: [UInt8]) -> [UInt8] {
        [UInt8(count & 255), UInt8(count >> 8)] + stream
    }

    /// LZVN: four literals, then eight bytes from four before.
    private static let smallBlock: [UInt8] =
        Array("bvxn".utf8) + [12, 0, 0, 0, 15, 0, 0, 0, 0xE4, 1, 2, 3, 4, 0x28, 4, 6] + [UInt8](repeating: 0, count: 7)
        + Array("bvx$".utf8)

    /// Four literals and one match: every table has one symbol, which takes no bits but those of its value.
    private static var packedBlock: [UInt8] {
        var (bits, count, table): (UInt32, UInt32, [UInt8]) = (0, 0, [])
        func add(_ number: UInt32, _ length: UInt32) {
            bits |= number << count
            count += length
            while count >= 8 {
                table.append(UInt8(bits & 255))
                (bits, count) = (bits >> 8, count - 8)
            }
        }
        // Literal length 4, match length 312 and 11 bits, distance 1, the literal 97.
        for (symbols, symbol, states) in [(20, 4, 64), (20, 19, 64), (64, 1, 256), (256, 97, 1024)]
            as [(Int, Int, UInt32)]
        {
            for place in 0..<symbols { place == symbol ? add((states - 24) << 4 | 15, 14) : add(0, 2) }
        }
        if count > 0 { table.append(UInt8(bits & 255)) }
        func word(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(number >> (8 * $0) & 255) } }
        let counts = word(4 | 1 << 40 | 7 << 60) + word(10 << 40 | 2 << 60) + word(UInt64(32 + table.count))
        return Array("bvx2".utf8) + [0xEC, 3, 0, 0] + counts + table + word(0) + [0xB0, 2] + Array("bvx$".utf8)
    }
}
