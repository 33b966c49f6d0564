import SystemPackage
import TestSupport

/// The reference implementation, as PyPI's pyliblzfse has it.
enum LZFSEPeer {
    struct Case {
        var plain: [UInt8]
        var stream: [UInt8]
    }

    /// Data of many kinds, each with the stream that the reference makes of it.
    static func cases() throws -> [Case] {
        let folder = try TemporaryDirectory()
        _ = try PeerPython.output(of: caseScript, [folder.appending("cases").string])
        let parts = parts(of: try readFile(folder.appending("cases")))
        return stride(from: 0, to: parts.count, by: 2).map { Case(plain: parts[$0], stream: parts[$0 + 1]) }
    }

    /// What the reference makes of streams; nil of those that it refuses.
    static func decode(_ streams: [[UInt8]]) throws -> [[UInt8]?] {
        let folder = try TemporaryDirectory()
        try write(streams.flatMap { length($0.count) + $0 }, to: folder.appending("streams"))
        _ = try PeerPython.output(of: decodeScript, ["streams", "out"].map { folder.appending($0).string })
        return parts(of: try readFile(folder.appending("out"))).map { $0.first == 1 ? Array($0.dropFirst()) : nil }
    }

    /// Pieces that each follow their length in four bytes.
    private static func parts(of bytes: [UInt8]) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var place = 0
        while place + 4 <= bytes.count {
            let end = place + 4 + bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
            parts.append(Array(bytes[place + 4..<end]))
            place = end
        }
        return parts
    }

    private static func length(_ count: Int) -> [UInt8] { (0..<4).map { UInt8(count >> (8 * $0) & 255) } }

    private static let caseScript = """
        import random, struct, sys
        import liblzfse, numpy
        rng = numpy.random.default_rng(1)
        random.seed(1)
        y, x = numpy.mgrid[0:256, 0:192]
        depth = (1 + 0.01 * x + 0.003 * y + 0.2 * numpy.sin(x / 9) * numpy.cos(y / 7)).astype('<f4')
        noisy = (depth + rng.normal(0, 0.002, depth.shape)).astype('<f4')
        half = noisy.astype('<f2').astype('<f4')
        confidence = ((rng.random((256, 192)) > 0.97) + (x > 60)).astype('u1')
        words = [bytes(random.choices(b'abcdefghijklmnopqrstuvwxyz', k=random.randint(2, 9))) for _ in range(2000)]
        text = b' '.join(random.choices(words, k=200000))
        cases = [b'', b'a', bytes(8), bytes(20), b'hello hello hello hello', bytes(100000), rng.bytes(3000)]
        cases += [depth.tobytes(), noisy.tobytes(), half.tobytes(), confidence.tobytes(), rng.bytes(200000), text]
        cases += [text[:size] for size in (200, 4095, 4096, 4097)]
        cases += [(b'x' * 70000 + b'y' * 3) * 9, b'ab' * 50000, b'abc' * 50000, b'abcdefghijklmno' * 9000]
        cases += [noisy.tobytes() + rng.bytes(100000) + text[:300000] + noisy.tobytes()]
        for _ in range(400):
            size = random.choice([random.randint(0, 40), random.randint(0, 5000), random.randint(0, 20000)])
            piece = bytearray(rng.integers(0, random.choice([1, 2, 3, 16, 64, 256]), size, dtype='u1').tobytes())
            for _ in range(random.randint(0, 30) if size > 10 else 0):
                source, target, count = random.randrange(size), random.randrange(size), random.randint(1, 900)
                piece[target:target + count] = piece[source:source + count]
            cases.append(bytes(piece))
        with open(sys.argv[1], 'wb') as file:
            for case in cases:
                for part in (case, liblzfse.compress(case)):
                    file.write(struct.pack('<I', len(part)) + part)
        """

    private static let decodeScript = """
        import struct, sys
        import liblzfse
        data, place = open(sys.argv[1], 'rb').read(), 0
        with open(sys.argv[2], 'wb') as file:
            while place < len(data):
                count = struct.unpack_from('<I', data, place)[0]
                try:
                    out = b'\\1' + liblzfse.decompress(data[place + 4:place + 4 + count])
                except Exception:
                    out = b'\\0'
                file.write(struct.pack('<I', len(out)) + out)
                place += 4 + count
        """
}
