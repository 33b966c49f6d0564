import Codecs
import SystemPackage
import TestSupport
import Testing

@Suite(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct EXRPeerTests {
    /// Each compression and type, sizes that do not fill the last block, and numbers that cannot be packed.
    @Test func everyFileOfThePeerIsRead() throws {
        let folder = try TemporaryDirectory()
        let script = """
            for kind in ('f2', 'f4'):
                for name in ('NO', 'ZIPS', 'ZIP'):
                    for width, height in ((192, 256), (1, 1), (7, 33), (16, 16)):
                        for content in ('smooth', 'noise'):
                            pixels = depth(width, height, kind)
                            if content == 'noise':
                                count = width * height * numpy.dtype(kind).itemsize
                                pixels = numpy.frombuffer(rng.bytes(count), kind).reshape(height, width)
                            stem = f'{kind}-{name}-{width}x{height}-{content}'
                            write(stem + '.exr', {'Z': pixels}, getattr(OpenEXR, name + '_COMPRESSION'), comments='a test')
                            open(stem + '.f4', 'wb').write(rows(stem + '.exr', 'Z').astype('<f4').tobytes())
                            print(stem, width, height)
            """
        let lines = try EXRPeer.run(script, in: folder).split(separator: "\n")
        #expect(lines.count == 48)
        for line in lines {
            let words = line.split(separator: " ")
            let image = try EXRImage(decoding: readFile(folder.appending("\(words[0]).exr")))
            #expect("\(image.width) \(image.height)" == "\(words[1]) \(words[2])")
            #expect(EXRPeer.isSame(image.values, try EXRPeer.bits(folder.appending("\(words[0]).f4"))), "\(line)")
        }
    }

    /// All 65536 numbers of 16 bits.
    @Test func everyHalfIsTheSameNumber() throws {
        let folder = try TemporaryDirectory()
        let script = """
            every = numpy.arange(65536, dtype='u2').view('f2').reshape(256, 256)
            write('every.exr', {'R': every}, OpenEXR.ZIP_COMPRESSION)
            open('every.f4', 'wb').write(every.astype('<f4').tobytes())
            """
        _ = try EXRPeer.run(script, in: folder)
        let image = try EXRImage(decoding: readFile(folder.appending("every.exr")))
        #expect(EXRPeer.isSame(image.values, try EXRPeer.bits(folder.appending("every.f4"))))
        // Each of them is written as itself again.
        let again = try EXRImage(decoding: EXREncoder.encode(width: 256, height: 256, values: image.values))
        #expect(EXRPeer.isSame(image.values, again.values.map(\.bitPattern)))
    }

    @Test func oneOfSeveralChannelsIsRead() throws {
        let folder = try TemporaryDirectory()
        let script = """
            channels = {'A': depth(9, 20, 'f2'), 'Z': depth(9, 20, 'f4'), 'id': rng.integers(0, 9, (20, 9)).astype('u4')}
            write('three.exr', channels, OpenEXR.ZIP_COMPRESSION, dataWindow=((0, 0), (8, 19)))
            for name in ('A', 'Z'):
                open(name, 'wb').write(rows('three.exr', name).astype('<f4').tobytes())
            """
        _ = try EXRPeer.run(script, in: folder)
        let bytes = try readFile(folder.appending("three.exr"))
        for name in ["A", "Z"] {
            let image = try EXRImage(decoding: bytes, channel: name)
            #expect(EXRPeer.isSame(image.values, try EXRPeer.bits(folder.appending(name))), "\(name)")
        }
        for (channel, reason) in [(nil, "expected one channel, found A, Z, id"), ("id", "found integers")] {
            let error = #expect(throws: CodecError.self) { try EXRImage(decoding: bytes, channel: channel) }
            #expect(error?.reason.contains(reason) == true)
        }
    }

    @Test func otherKindsAreRefusedByName() throws {
        let folder = try TemporaryDirectory()
        let script = """
            for name in ('RLE', 'PIZ', 'PXR24', 'B44', 'B44A', 'DWAA', 'DWAB'):
                write(name, {'R': depth(40, 40, 'f2')}, getattr(OpenEXR, name + '_COMPRESSION'))
            write('order', {'R': depth(40, 40, 'f2')}, OpenEXR.ZIP_COMPRESSION, order=OpenEXR.DECREASING_Y)
            tiles = OpenEXR.TileDescription()
            write('tiles', {'R': depth(40, 40, 'f2')}, OpenEXR.ZIP_COMPRESSION, type=OpenEXR.tiledimage, tiles=tiles)
            parts = [OpenEXR.Part({'type': OpenEXR.scanlineimage}, {'R': depth(8, 8, 'f2')}, n) for n in 'ab']
            with OpenEXR.File(parts) as file:
                file.write('several parts')
            """
        _ = try EXRPeer.run(script, in: folder)
        for name in ["RLE", "PIZ", "PXR24", "B44", "B44A", "DWAA", "DWAB", "order", "tiles", "several parts"] {
            let bytes = try readFile(folder.appending(name))
            let error = #expect(throws: CodecError.self, "\(name)") { try EXRImage(decoding: bytes) }
            #expect(error?.reason.contains(name) == true, "\(error.map(String.init(describing:)) ?? "")")
        }
    }

    @Test(arguments: [(192, 256), (1, 1), (5, 17), (300, 40)])
    func thePeerReadsWhatIsWritten(width: Int, height: Int) throws {
        var generator = SeededRandomNumbers(seed: 9)
        var values = (0..<width * height).map { place in
            place % 9 == 0
                ? Float(bitPattern: UInt32.random(in: 0 ... .max, using: &generator)) : Float(place) * 0.001 + 0.5
        }
        values[0] = 65_519.996
        let folder = try TemporaryDirectory()
        try write(
            EXREncoder.encode(width: width, height: height, values: values, channel: "depth.V"),
            to: folder.appending("ours.exr")
        )
        try write(
            values.flatMap { value in (0..<4).map { UInt8(value.bitPattern >> (8 * $0) & 255) } },
            to: folder.appending("f4")
        )
        let script = """
            expected = numpy.fromfile('f4', '<f4').astype('f2')
            found = rows('ours.exr', 'depth.V')
            same = (found.ravel().view('u2') == expected.view('u2')) | (numpy.isnan(found.ravel()) & numpy.isnan(expected))
            print(*found.shape, found.dtype, same.all())
            """
        #expect(try EXRPeer.run(script, in: folder) == "\(height) \(width) float16 True")
    }

    @Test(.enabled(if: Captures.have("record3d-door"), Comment(rawValue: Captures.absence)))
    func realDepthIsReadAsThePeerReadsIt() throws {
        let folder = try TemporaryDirectory()
        let source = Captures.path("record3d-door/depth")
        let script = """
            for index in range(24):
                open(f'{index}', 'wb').write(rows('\(source.string)/' + f'{index}.exr', 'R').astype('<f4').tobytes())
            """
        _ = try EXRPeer.run(script, in: folder)
        for index in 0..<24 {
            let image = try EXRImage(decoding: readFile(source.appending("\(index).exr")))
            #expect(image.width == 192 && image.height == 256)
            #expect(EXRPeer.isSame(image.values, try EXRPeer.bits(folder.appending("\(index)"))), "\(index)")
        }
    }
}
