import Codecs
import Recording
import SystemPackage
import TestSupport
import Testing

@Suite struct PNGTests {
    @Test(
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        arguments: [(256, 256), (1, 1), (7, 300)]
    )
    func pillowReadsTheSamePixels(size: (Int, Int)) throws {
        var generator = SeededRandomNumbers(seed: 5)
        let pixels = (0..<3 * size.0 * size.1).map { place in
            place % 7 == 0 ? UInt8.random(in: 0...255, using: &generator) : UInt8(truncatingIfNeeded: place)
        }
        let directory = try TemporaryDirectory()
        let path = directory.appending("tile.png")
        let bytes = try PNG.encode(RGBImage(width: size.0, height: size.1, pixels: pixels))
        try write(bytes, to: path)
        let raw = directory.appending("raw")
        let script = """
            import sys; from PIL import Image
            i = Image.open(sys.argv[1]); i.verify(); i = Image.open(sys.argv[1])
            print(i.mode, *i.size); open(sys.argv[2], 'wb').write(i.tobytes())
            """
        #expect(try PeerPython.output(of: script, [path.string, raw.string]) == "RGB \(size.0) \(size.1)")
        #expect(try readFile(raw) == pixels)
        #expect(try PNG.inspect(bytes) == GridSize(width: size.0, height: size.1))
    }

    /// What is taken is the header that was written, as each chunk has a checksum.
    @Test func mutatedFilesAreRefusedOrHaveTheirSize() throws {
        var generator = SeededRandomNumbers(seed: 21)
        let originals = [
            try PNG16.encode(width: 3, height: 2, samples: [0, 1, 2, 300, 65_535, 5]),
            try PNG.encode(RGBImage(width: 2, height: 2, pixels: Array(0..<12))),
        ]
        let sizes = [GridSize(width: 3, height: 2), GridSize(width: 2, height: 2)]
        for round in 0..<4_000 {
            let bytes = mutated(originals[round % 2], words: ["IHDR", "IEND", "\0\0\0\r"], using: &generator)
            guard let size = try? PNG.inspect(bytes) else { continue }
            #expect(size == sizes[round % 2])
        }
    }

    @Test func depthIsNoPicture() throws {
        let depth = try PNG16.encode(width: 3, height: 2, samples: [0, 1, 2, 300, 65_535, 5])
        #expect(throws: CodecError.self) { try PNG.inspectPicture(depth) }
        let size = GridSize(width: 3, height: 2)
        #expect(try PNG.inspectPicture(PNG.encode(grey: [0, 1, 2, 3, 4, 5], size: size)) == size)
        #expect(try PNG.inspectPicture(PNG.encode(RGBImage(width: 3, height: 2, pixels: Array(0..<18)))) == size)
    }

    @Test func everyBitIsUnderAChecksum() throws {
        var bytes = try PNG.encode(RGBImage(width: 5, height: 4, pixels: Array(0..<60)))
        for place in 0..<8 * bytes.count {
            bytes[place / 8] ^= 1 << (place % 8)
            #expect(throws: CodecError.self, "\(place)") { try PNG.inspect(bytes) }
            bytes[place / 8] ^= 1 << (place % 8)
        }
        #expect(try PNG.inspect(bytes) == GridSize(width: 5, height: 4))
    }

    @Test func wrongSizesAreRefused() {
        #expect(throws: CodecError.self) { try PNG.encode(RGBImage(width: 2, height: 2, pixels: [1, 2, 3])) }
        #expect(throws: CodecError.self) { try PNG.encode(RGBImage(width: 0, height: 2, pixels: [])) }
    }

    @Test func everyCutIsNoticed() throws {
        let bytes = try PNG.encode(RGBImage(width: 2, height: 2, pixels: [UInt8](repeating: 9, count: 12)))
        for count in 0..<bytes.count {
            #expect(throws: CodecError.self, "\(count)") { try PNG.inspect(Array(bytes.prefix(count))) }
        }
    }
}
