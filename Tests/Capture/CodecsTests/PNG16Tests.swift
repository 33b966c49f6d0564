import Codecs
import SystemPackage
import TestSupport
import Testing

@Suite struct PNG16Tests {
    @Test(
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        arguments: [(256, 192), (1, 1), (7, 300)]
    )
    func pillowReadsTheSameSamples(size: (Int, Int)) throws {
        var generator = SeededRandomNumbers(seed: 3)
        let samples = (0..<size.0 * size.1).map { place in
            place % 5 == 0 ? UInt16.random(in: 0...65535, using: &generator) : UInt16(truncatingIfNeeded: place * 3)
        }
        let directory = try TemporaryDirectory()
        let path = directory.appending("depth.png")
        try write(PNG16.encode(width: size.0, height: size.1, samples: samples), to: path)
        let raw = directory.appending("raw")
        let script = """
            import sys; from PIL import Image; import numpy
            i = Image.open(sys.argv[1]); i.verify(); i = Image.open(sys.argv[1])
            print(i.mode, *i.size); open(sys.argv[2], 'wb').write(numpy.asarray(i).astype('<u2').tobytes())
            """
        #expect(try PeerPython.output(of: script, [path.string, raw.string]) == "I;16 \(size.0) \(size.1)")
        let expected: [UInt8] = samples.flatMap { sample -> [UInt8] in [UInt8(sample & 255), UInt8(sample >> 8)] }
        #expect(try readFile(raw) == expected)
    }

    @Test func smoothDepthIsSmall() throws {
        let samples: [UInt16] = (0..<256 * 192).map { place in
            let (row, column) = place.quotientAndRemainder(dividingBy: 256)
            return UInt16(1000 + row + column)
        }
        #expect(try PNG16.encode(width: 256, height: 192, samples: samples).count < 10_000)
    }

    @Test func wrongSizesAreRefused() {
        #expect(throws: CodecError.self) { try PNG16.encode(width: 2, height: 2, samples: [1, 2, 3]) }
        #expect(throws: CodecError.self) { try PNG16.encode(width: 0, height: 2, samples: []) }
    }
}
