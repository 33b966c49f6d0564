import Codecs
import Recording
import SystemPackage
import TestSupport
import Testing

/// What is found wrong with a JPEG by its markers, with libjpeg-turbo as the judge.
@Suite struct JPEGStructureTests {
    private static func sample() throws -> [UInt8] {
        try JPEGEncoder().encode(TestImages.textured(width: 160, height: 120))
    }

    private static func place(of marker: UInt8, in bytes: [UInt8]) throws -> Int {
        try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == marker })
    }

    private static func segment(_ marker: UInt8, in bytes: [UInt8]) throws -> Range<Int> {
        let start = try place(of: marker, in: bytes)
        return start..<start + 2 + Int(bytes[start + 2]) << 8 + Int(bytes[start + 3])
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var reason: String
        /// Whether libjpeg-turbo makes a picture of it all the same, the rest of it without content.
        var isFilledIn = false
        var apply: @Sendable (inout [UInt8]) throws -> Void
    }

    static let damages = [
        Damage(testDescription: "no coded data", reason: "coded data") { bytes in
            bytes.removeSubrange(try segment(0xDA, in: bytes).upperBound..<bytes.count - 2)
        },
        Damage(testDescription: "a hundredth of the coded data", reason: "coded data") { bytes in
            let start = try segment(0xDA, in: bytes).upperBound
            bytes.removeSubrange(start + (bytes.count - 2 - start) / 100..<bytes.count - 2)
        },
        Damage(testDescription: "no scan", reason: "scan") { bytes in
            bytes.removeSubrange(try segment(0xDA, in: bytes).lowerBound..<bytes.count - 2)
        },
        Damage(testDescription: "no quantisation", reason: "quantisation table") { bytes in
            bytes.removeSubrange(try segment(0xDB, in: bytes))
            // There is one for brightness, and mostly another for colour.
            while bytes.indices.dropLast().contains(where: { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDB }) {
                bytes.removeSubrange(try segment(0xDB, in: bytes))
            }
        },
        Damage(testDescription: "a scan of another component", reason: "component 9") { bytes in
            bytes[try segment(0xDA, in: bytes).lowerBound + 5] = 9
        },
        Damage(testDescription: "a scan before the frame", reason: "frame header before") { bytes in
            let frame = Array(bytes[try segment(0xC0, in: bytes)])
            bytes.removeSubrange(try segment(0xC0, in: bytes))
            bytes.insert(contentsOf: frame, at: bytes.count - 2)
        },
        Damage(testDescription: "a scan header that is too long", reason: "scan header") { bytes in
            bytes[try segment(0xDA, in: bytes).lowerBound + 4] = 2
        },
        Damage(testDescription: "restart markers that never come", reason: "restart markers") { bytes in
            bytes.insert(contentsOf: [0xFF, 0xDD, 0, 4, 0, 5], at: try segment(0xDA, in: bytes).lowerBound)
        },
        Damage(testDescription: "a reserved marker in the coded data", reason: "reserved", isFilledIn: true) { bytes in
            let place = (try segment(0xDA, in: bytes).upperBound + bytes.count) / 2
            // Its segment reaches to the end of the image, so that the walk over the markers goes on.
            let length = bytes.count - 2 - (place + 2)
            bytes.replaceSubrange(place..<place + 4, with: [0xFF, 0x33, UInt8(length >> 8), UInt8(length & 255)])
        },
    ]

    @Test(arguments: damages)
    func damageShowsInTheMarkers(damage: Damage) throws {
        var bytes = try Self.sample()
        #expect(try JPEG.inspect(bytes).structureProblem == nil)
        try damage.apply(&bytes)
        let info = try JPEG.inspect(bytes)
        #expect(info.isComplete)
        let problem = try #require(info.structureProblem)
        #expect(problem.reason.contains(damage.reason), "\(problem)")
        guard !damage.isFilledIn else { return }
        #expect(throws: CodecError.self) { try JPEGDecoder(usesDCOnlyDecoder: false).decode(bytes) }
    }

    /// Whatever is refused by its markers, libjpeg-turbo refuses too: no image that decodes is held back.
    @Test(arguments: 0..<6)
    func nothingThatDecodesIsRefused(seed: Int) throws {
        var generator = SeededRandomNumbers(seed: UInt64(100 + seed))
        let original = try Self.sample()
        let library = try JPEGDecoder(usesDCOnlyDecoder: false)
        var refused = 0
        for _ in 0..<1000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                // Half of the changes hit the headers.
                let end = Bool.random(using: &generator) ? 640 : bytes.count - 2
                bytes[Int.random(in: 2..<end, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let info = try? JPEG.inspect(bytes), info.isComplete, let problem = info.structureProblem else {
                continue
            }
            refused += 1
            #expect(throws: CodecError.self, "\(problem)") { try library.decode(bytes) }
        }
        #expect(refused > 10)
    }

    @Test(
        .enabled(if: PeerPython.isAvailable, "needs the Python peers"),
        arguments: ["420", "444", "grey", "restart", "optimised", "progressive", "cmyk"]
    )
    func soundKindsPass(kind: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("image.jpg")
        let script = """
            import sys, numpy
            from PIL import Image
            path, kind = sys.argv[1:]
            rng = numpy.random.default_rng(7)
            i = Image.fromarray(rng.integers(0, 255, (181, 333, 3), dtype=numpy.uint8))
            if kind == 'grey': i = i.convert('L')
            if kind == 'cmyk': i = i.convert('CMYK')
            options = {'quality': 85}
            if kind in ('420', '444'): options['subsampling'] = {'420': 2, '444': 0}[kind]
            if kind == 'restart': options['restart_marker_blocks'] = 5
            if kind == 'optimised': options['optimize'] = True
            if kind == 'progressive': options.update(progressive=True, restart_marker_blocks=7)
            i.save(path, 'JPEG', **options)
            """
        _ = try PeerPython.output(of: script, [path.string, kind])
        var bytes = try readFile(path)
        let info = try JPEG.inspect(bytes)
        #expect(info.isComplete && info.structureProblem == nil, "\(String(describing: info.structureProblem))")
        #expect(!JPEG.mayHaveHole(bytes))
        guard kind == "restart" else { return }
        // Two restart intervals are cut out of the middle: the markers no longer count on.
        let marks = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && (0xD0...0xD7).contains(bytes[$0 + 1]) }
        bytes.removeSubrange(marks[10]..<marks[12])
        #expect(try JPEG.inspect(bytes).structureProblem?.reason.contains("restart markers") == true)
        #expect(throws: CodecError.self) { try JPEGDecoder(usesDCOnlyDecoder: false).decode(bytes) }
    }

    /// A lost page of a file is suspected wherever it lies; noise is not.
    @Test func lostPagesAreSuspected() throws {
        let original = try JPEGEncoder().encode(TestImages.textured(width: 640, height: 480, noise: 60))
        #expect(original.count > 40_000 && !JPEG.mayHaveHole(original))
        for start in stride(from: 600, to: original.count - 4200, by: 977) {
            var bytes = original
            for place in start..<start + 4096 { bytes[place] = 0 }
            #expect(JPEG.mayHaveHole(bytes), "\(start)")
        }
        #expect(!JPEG.mayHaveHole([]) && !JPEG.mayHaveHole(Array(repeating: 7, count: 200)))
    }
}
