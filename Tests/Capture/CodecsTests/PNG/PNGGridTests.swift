import Codecs
import Recording
import SystemPackage
import TestSupport
import Testing

@Suite struct PNGGridTests {
    private static func bytes(_ count: Int) -> [UInt8] {
        var generator = SeededRandomNumbers(seed: 12)
        return (0..<count).map { place in
            place % 6 == 0 ? UInt8.random(in: 0...255, using: &generator) : UInt8(truncatingIfNeeded: place / 3)
        }
    }

    /// With the chunks that Apple's encoder adds, and data in several pieces.
    private static func made(_ width: Int, _ height: Int, bits: Int, _ bytes: [UInt8], _ filters: [UInt8]) -> [UInt8] {
        var made = HandmadePNG(width: width, height: height, channels: bits / 8, pixels: bytes, filters: filters)
        made.kind = [UInt8(bits), 0, 0, 0, 0]
        made.otherChunks = [
            ("iCCP", Array("Gray\0\0".utf8) + [0x78, 1, 3, 0, 0, 0, 0, 1]),
            ("eXIf", Array("MM\0*".utf8) + [0, 0, 0, 8]),
            ("iDOT", [UInt8](repeating: 1, count: 28)), ("tRNS", [0, 0]),
        ]
        made.pieces = 3
        return made.bytes
    }

    @Test(arguments: [[0], [1], [2], [3], [4], [4, 2, 0, 3, 1]] as [[UInt8]], [(19, 11), (1, 4), (256, 192)])
    func everyFilterGivesTheSamplesBack(filters: [UInt8], size: (Int, Int)) throws {
        let (width, height) = size
        let grey = Self.bytes(width * height)
        let small = try PNGGrid<UInt8>(decoding: Self.made(width, height, bits: 8, grey, filters))
        #expect(small.samples == grey && small.size.width == width && small.size.height == height)
        let deep = Self.bytes(2 * width * height)
        let large = try PNGGrid<UInt16>(decoding: Self.made(width, height, bits: 16, deep, filters))
        #expect(large.samples == (0..<width * height).map { UInt16(deep[2 * $0]) * 256 + UInt16(deep[2 * $0 + 1]) })
    }

    @Test(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
    func filesOfPillowAreRead() throws {
        let folder = try TemporaryDirectory()
        let (grey, deep) = (Self.bytes(64 * 50), Self.bytes(2 * 64 * 50))
        try write(grey, to: folder.appending("8.raw"))
        try write(deep, to: folder.appending("16.raw"))
        let script = """
            import os, sys; from PIL import Image; import numpy
            os.chdir(sys.argv[1])
            Image.frombytes('L', (64, 50), open('8.raw', 'rb').read()).save('8.png', icc_profile=b'x' * 99)
            depth = Image.fromarray(numpy.fromfile('16.raw', '>u2').reshape(50, 64).astype('<u2'))
            depth.save('16.png', compress_level=9, exif=b'Exif\\0\\0MM\\0*\\0\\0\\0\\x08\\0\\0')
            print(depth.mode)
            """
        #expect(try PeerPython.output(of: script, [folder.path.string]) == "I;16")
        #expect(try PNGGrid<UInt8>(decoding: readFile(folder.appending("8.png"))).samples == grey)
        let samples = try PNGGrid<UInt16>(decoding: readFile(folder.appending("16.png"))).samples
        #expect(samples.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] } == deep)
    }

    @Test func whatTheEncodersWriteIsRead() throws {
        let samples = (0..<300 * 7).map { UInt16(truncatingIfNeeded: $0 &* 40_503) }
        let bytes = try PNG16.encode(width: 300, height: 7, samples: samples)
        #expect(try PNGGrid<UInt16>(decoding: bytes).samples == samples)
        let error = #expect(throws: CodecError.self) { try PNGGrid<UInt8>(decoding: bytes) }
        #expect(error?.reason == "expected 8-bit grey without interlacing, found 16-bit grey")
        let colours = try PNG.encode(rgba: [1, 2, 3, 4, 5, 6, 7, 8], size: .init(width: 2, height: 1))
        #expect(try PNGImage(decoding: colours).colours.pixels == [1, 2, 3, 5, 6, 7])
        #expect(throws: CodecError.self) { try PNGGrid<UInt8>(decoding: colours) }
    }

    /// Depth and confidence of two apps, whose PNGs Apple's encoder and lodepng wrote.
    @Test(
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        .enabled(if: Captures.have("3dsa-chair", "stray-eyeq1"), Comment(rawValue: Captures.absence))
    )
    func realFilesAreReadAsPillowReadsThem() throws {
        let folder = try TemporaryDirectory()
        let script = """
            import glob, os, sys; from PIL import Image; import numpy
            root, out = sys.argv[1:]
            patterns = ['3dsa-chair/depth_*.png', '3dsa-chair/conf_*.png', 'stray-eyeq1/depth/*', 'stray-eyeq1/confidence/*']
            for number, path in enumerate(sorted(sum([glob.glob(os.path.join(root, p))[:20] for p in patterns], []))):
                image = Image.open(path)
                numpy.asarray(image).astype('<u2').tofile(f'{out}/{number}')
                print(path, 16 if image.mode.startswith('I') else 8)
            """
        let lines = try PeerPython.output(of: script, [Captures.root.string, folder.path.string]).split(separator: "\n")
        #expect(lines.count > 40)
        for (number, line) in lines.enumerated() {
            let words = line.split(separator: " ")
            let bytes = try readFile(FilePath(String(words[0])))
            let isDeep = words[1] == "16"
            let samples =
                isDeep
                ? try PNGGrid<UInt16>(decoding: bytes).samples
                : try PNGGrid<UInt8>(decoding: bytes).samples.map(UInt16.init)
            let found = samples.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
            #expect(try found == readFile(folder.appending("\(number)")), "\(line)")
        }
    }
}
