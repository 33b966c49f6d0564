import Codecs
import Recording
import SystemPackage
import TestSupport
import Testing

/// The own decoder at an eighth against libjpeg-turbo at an eighth.
@Suite struct EighthDecoderTests {
    private func expectSame(_ bytes: [UInt8], isOwn: Bool = true) throws {
        let own = try JPEGDecoder()
        let library = try JPEGDecoder(usesDCOnlyDecoder: false)
        let image = try own.decode(bytes, eighths: 1)
        let expected = try library.decode(bytes, eighths: 1)
        #expect(image.width == expected.width && image.height == expected.height)
        #expect(image.pixels == expected.pixels)
        #expect(own.dcOnlyCount == (isOwn ? 1 : 0))
        #expect(library.dcOnlyCount == 0)
    }

    @Test(arguments: [(16, 16), (17, 23), (31, 40), (250, 131), (641, 479)], [30, 75, 90, 100])
    func encodedImagesAreTheSame(size: (Int, Int), quality: Int) throws {
        for noise in [1, 20, 110] {
            let image = TestImages.textured(width: size.0, height: size.1, seed: UInt64(quality), noise: noise)
            try expectSame(try JPEGEncoder().encode(image, quality: quality))
        }
    }

    @Test func tinyImagesAreLeftToTheLibrary() throws {
        for size in [(1, 1), (8, 8), (15, 200), (200, 9)] {
            let image = TestImages.textured(width: size.0, height: size.1)
            try expectSame(try JPEGEncoder().encode(image), isOwn: false)
        }
    }

    @Test func oneDecoderServesManyImages() throws {
        let own = try JPEGDecoder()
        let library = try JPEGDecoder(usesDCOnlyDecoder: false)
        var image = RGBImage(width: 0, height: 0, pixels: [])
        for (index, size) in [(64, 48), (320, 200), (64, 48), (48, 64), (200, 320)].enumerated() {
            let picture = TestImages.textured(width: size.0, height: size.1, seed: UInt64(index))
            let bytes = try JPEGEncoder().encode(picture, quality: 50 + 10 * index)
            try own.decode(bytes, eighths: 1, into: &image)
            #expect(image.pixels == (try library.decode(bytes, eighths: 1)).pixels)
        }
        #expect(own.dcOnlyCount == 5)
    }

    @Test(
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        arguments: ["420", "422", "444", "grey", "restart", "optimised", "noise", "progressive", "cmyk", "adobe"]
    )
    func kindsThatPillowWritesAreTheSame(kind: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("image.jpg")
        let script = """
            import sys, numpy
            from PIL import Image
            path, kind = sys.argv[1:]
            rng = numpy.random.default_rng(5)
            y, x = numpy.mgrid[0:181, 0:333]
            a = numpy.stack([x * 0.7, y * 1.2, (x + y) * 0.4], -1) + rng.normal(0, 90 if kind == 'noise' else 9, (181, 333, 3))
            i = Image.fromarray(a.clip(0, 255).astype('uint8'))
            if kind == 'grey': i = i.convert('L')
            if kind == 'cmyk': i = i.convert('CMYK')
            options = {'quality': 91, 'subsampling': {'422': 1, '444': 0}.get(kind, 2)}
            if kind == 'progressive': options['progressive'] = True
            if kind == 'optimised': options['optimize'] = True
            if kind == 'restart': options['restart_marker_blocks'] = 5
            if kind == 'adobe': options.update(keep_rgb=True, subsampling=0)
            i.save(path, **options)
            """
        _ = try PeerPython.output(of: script, [path.string, kind])
        let bytes = try readFile(path)
        if kind == "restart" {
            #expect(bytes.indices.dropLast().contains { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD3 })
        }
        if kind == "cmyk" {
            // The library cannot make RGB of it, and there is no other decoder for it.
            #expect(throws: CodecError.self) { try JPEGDecoder().decode(bytes, eighths: 1) }
        } else {
            try expectSame(bytes, isOwn: kind != "progressive" && kind != "adobe")
        }
    }

    @Test(
        .enabled(
            if: Captures.have("logger-chair", "logger-mixed-orientation", "logger-door-60fps"),
            Comment(rawValue: Captures.absence)
        ),
        arguments: [
            "logger-chair/rgb/000003.jpg", "logger-mixed-orientation/rgb/000007.jpg",
            "logger-door-60fps/rgb/000010.jpg",
            "logger-benchy/rgb/000001.jpg",
        ]
    )
    func capturesAreTheSame(path: String) throws {
        try expectSame(try readFile(Captures.path(path)))
    }

    /// Both decoders must agree on every damaged file: the same pixels, or an error from both; and the whole image is refused
    /// with the same words as an eighth of it, which `check` counts on.
    @Test(arguments: 0..<8)
    func mutationsAreJudgedAlike(seed: Int) throws {
        var generator = SeededRandomNumbers(seed: UInt64(1000 + seed))
        let picture = TestImages.textured(width: 70, height: 53, seed: UInt64(seed), noise: 30)
        let original = try JPEGEncoder().encode(picture, quality: 85)
        let own = try JPEGDecoder()
        let library = try JPEGDecoder(usesDCOnlyDecoder: false)
        var accepted = 0
        for round in 0..<500 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                // Half of the damage goes into the headers.
                let range = round % 2 == 0 ? 0..<min(620, bytes.count) : 0..<bytes.count
                let place = Int.random(in: range, using: &generator)
                if Bool.random(using: &generator) {
                    bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
                } else {
                    bytes[place] = UInt8.random(in: 0...255, using: &generator)
                }
            }
            if round % 5 == 0 { bytes.remove(at: Int.random(in: 0..<bytes.count, using: &generator)) }
            let first = Result { () throws(CodecError) in try own.decode(bytes, eighths: 1) }
            let second = Result { () throws(CodecError) in try library.decode(bytes, eighths: 1) }
            let whole = Result { () throws(CodecError) in try library.decode(bytes) }
            let (wholeError, eighthError) = (whole.problem, second.problem)
            #expect(wholeError == eighthError, "round \(round)")
            switch (first, second) {
            case (.success(let image), .success(let expected)):
                #expect(image.width == expected.width && image.pixels == expected.pixels, "round \(round)")
                accepted += 1
            case (.failure(let error), .failure(let expected)):
                #expect(error == expected, "round \(round)")
            case (.success, .failure(let error)):
                Issue.record("round \(round): the library alone refuses: \(error)")
            case (.failure(let error), .success):
                Issue.record("round \(round): the own decoder alone refuses: \(error)")
            }
        }
        // Some damage is invisible to any decoder; the comparison above must have seen such files too.
        #expect(accepted > 20 && own.dcOnlyCount > 20)
    }
}

extension Result where Failure == CodecError {
    fileprivate var problem: CodecError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
