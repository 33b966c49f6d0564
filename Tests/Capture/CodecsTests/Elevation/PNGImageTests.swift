import Codecs
import Recording
import SystemPackage
import TestSupport
import Testing

@Suite struct PNGImageTests {
    private static func pixels(_ width: Int, _ height: Int, _ channels: Int) -> [UInt8] {
        var generator = SeededRandomNumbers(seed: 3)
        return (0..<width * height * channels).map { place in
            place % 5 == 0 ? UInt8.random(in: 0...255, using: &generator) : UInt8(truncatingIfNeeded: place &* 7)
        }
    }

    @Test(arguments: [3, 4], [[0], [1], [2], [3], [4], [4, 2, 0, 3, 1]] as [[UInt8]])
    func everyFilterGivesThePixelsBack(channels: Int, filters: [UInt8]) throws {
        let pixels = Self.pixels(19, 11, channels)
        var made = HandmadePNG(width: 19, height: 11, channels: channels, pixels: pixels, filters: filters)
        made.pieces = 7
        made.otherChunks = [("gAMA", [0, 0, 0, 1]), ("PLTE", [1, 2, 3])]
        let image = try PNGImage(decoding: made.bytes)
        #expect(image.width == 19 && image.height == 11 && image.channels == channels)
        #expect(image.pixels == pixels)
    }

    @Test func whatTheEncoderWritesIsRead() throws {
        let pixels = Self.pixels(300, 200, 3)
        let image = try PNGImage(decoding: PNG.encode(RGBImage(width: 300, height: 200, pixels: pixels)))
        #expect(image.pixels == pixels)
    }

    @Test(
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        arguments: [("RGB", 3), ("RGBA", 4)]
    )
    func filesOfPillowAreRead(mode: String, channels: Int) throws {
        let directory = try TemporaryDirectory()
        let (raw, path) = (directory.appending("raw"), directory.appending("x.png"))
        let pixels = Self.pixels(64, 50, channels)
        try write(pixels, to: raw)
        let script = """
            import sys; from PIL import Image
            Image.frombytes(sys.argv[1], (64, 50), open(sys.argv[2], 'rb').read()).save(sys.argv[3])
            """
        _ = try PeerPython.output(of: script, [mode, raw.string, path.string])
        #expect(try PNGImage(decoding: readFile(path)).pixels == pixels)
    }

    @Test func whatIsNotUnderstoodIsRefused() throws {
        let made = HandmadePNG(width: 2, height: 2, channels: 3, pixels: Array(0..<12), filters: [0])
        #expect(try PNGImage(decoding: made.bytes).pixels == Array(0..<12))
        func refused(_ why: String, _ change: (inout HandmadePNG) -> Void) {
            var made = made
            change(&made)
            #expect(throws: CodecError.self, "\(why)") { try PNGImage(decoding: made.bytes) }
        }
        refused("16 bits") { $0.kind = [16, 2, 0, 0, 0] }
        refused("palette") { $0.kind = [8, 3, 0, 0, 0] }
        refused("interlaced") { $0.kind = [8, 2, 0, 0, 1] }
        refused("compression") { $0.kind = [8, 2, 1, 0, 0] }
        refused("filter") { $0.rows[1].filter = 5 }
        refused("rows missing") { $0.rows.removeLast() }
        refused("critical chunk") { $0.otherChunks = [("ABCD", [])] }
        refused("too wide") { $0.width = 4097 }
        refused("a size that lies") { ($0.width, $0.height) = (4096, 4096) }
    }

    @Test func cutsAndWrongChecksumsAreNoticed() throws {
        let bytes = HandmadePNG(width: 3, height: 2, channels: 4, pixels: Array(0..<24), filters: [4]).bytes
        for count in 0..<bytes.count {
            #expect(throws: CodecError.self, "\(count)") { try PNGImage(decoding: Array(bytes.prefix(count))) }
        }
        // Everything up to the end of IDAT is covered by a checksum or has one right value.
        for place in 8..<bytes.count - 12 {
            var wrong = bytes
            wrong[place] ^= 0x10
            #expect(throws: CodecError.self, "\(place)") { try PNGImage(decoding: wrong) }
        }
    }

    /// Refused, or an image of the size that its header says; no more memory than the data fill.
    @Test func mutatedFilesAreRefusedOrWhole() throws {
        var generator = SeededRandomNumbers(seed: 8)
        let original = HandmadePNG(width: 5, height: 4, channels: 3, pixels: Self.pixels(5, 4, 3), filters: [1, 4])
            .bytes
        var taken = 0
        for _ in 0..<3000 {
            let bytes = mutated(original, words: ["IDAT", "IEND", "tEXt", "\0\0\0\0"], using: &generator)
            guard let image = try? PNGImage(decoding: bytes) else { continue }
            taken += 1
            #expect(image.pixels.count == image.width * image.height * image.channels)
        }
        #expect((1..<3000).contains(taken))
    }
}
