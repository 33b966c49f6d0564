import Codecs
import Recording
import SystemPackage
import TestSupport
import Testing

@Suite struct JPEGTests {
    @Test(arguments: [(64, 48), (1, 1), (17, 9), (250, 131), (640, 480)])
    func encodedImageComesBack(size: (Int, Int)) throws {
        let image = TestImages.textured(width: size.0, height: size.1, noise: 0)
        let bytes = try JPEGEncoder().encode(image, quality: 95)
        let info = try JPEG.inspect(bytes)
        #expect(info.width == size.0 && info.height == size.1)
        #expect(info.components == 3 && info.isBaseline && info.isComplete && !info.isProgressive)
        #expect(info.sampling.map(\.horizontal) == [2, 1, 1] && info.sampling.map(\.vertical) == [2, 1, 1])
        let decoder = try JPEGDecoder()
        let full = try decoder.decode(bytes)
        #expect(full.width == size.0 && full.height == size.1)
        #expect(TestImages.difference(full.pixels, image.pixels).mean < 6)
    }

    @Test func eighthIsTheMeanOfBlocks() throws {
        let image = TestImages.textured(width: 320, height: 240)
        let decoder = try JPEGDecoder()
        let eighth = try decoder.decode(try JPEGEncoder().encode(image, quality: 95), eighths: 1)
        #expect(eighth.width == 40 && eighth.height == 30)
        var means: [UInt8] = []
        for row in 0..<30 {
            for column in 0..<40 {
                for channel in 0..<3 {
                    var sum = 0
                    for y in 0..<8 {
                        for x in 0..<8 {
                            sum += Int(image.pixels[3 * ((8 * row + y) * 320 + 8 * column + x) + channel])
                        }
                    }
                    means.append(UInt8(sum / 64))
                }
            }
        }
        let difference = TestImages.difference(eighth.pixels, means)
        #expect(difference.mean < 4 && difference.maximum < 45)
    }

    @Test func storageIsUsedAgainAcrossSizes() throws {
        let decoder = try JPEGDecoder()
        let encoder = try JPEGEncoder()
        var image = RGBImage(width: 0, height: 0, pixels: [])
        for (width, height) in [(100, 80), (40, 60), (200, 100)] {
            let bytes = try encoder.encode(TestImages.textured(width: width, height: height))
            try decoder.decode(bytes, into: &image)
            #expect(image.width == width && image.height == height)
            #expect(image.pixels == (try JPEGDecoder().decode(bytes)).pixels)
        }
    }

    @Test func everyPrefixIsATypedErrorOrIncomplete() throws {
        let bytes = try JPEGEncoder().encode(TestImages.textured(width: 48, height: 40))
        let decoder = try JPEGDecoder()
        for length in 0..<bytes.count {
            let prefix = Array(bytes[..<length])
            if let info = try? JPEG.inspect(prefix) {
                #expect(!info.isComplete && info.width == 48 && info.height == 40)
            }
            #expect(throws: CodecError.self) { try decoder.decode(prefix) }
            #expect(throws: CodecError.self) { try decoder.decode(prefix, eighths: 1) }
        }
    }

    @Test func truncatedImageIsDecodedOnRequest() throws {
        let image = TestImages.textured(width: 160, height: 160)
        let bytes = try JPEGEncoder().encode(image)
        let half = Array(bytes[..<(bytes.count / 2)])
        #expect(throws: CodecError.self) { try JPEGDecoder().decode(half) }
        let decoded = try JPEGDecoder(allowTruncated: true).decode(half)
        let whole = try JPEGDecoder().decode(bytes)
        let topRows = 3 * 160 * 32
        #expect(decoded.pixels[..<topRows] == whole.pixels[..<topRows])
    }

    @Test func headerClaimsAreBounded() throws {
        var bytes = try JPEGEncoder().encode(TestImages.textured(width: 64, height: 64))
        let frame = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
        bytes.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
        let error = #expect(throws: CodecError.self) { try JPEGDecoder().decode(bytes) }
        #expect(error?.reason.contains("65535 x 65535") == true)
        // Allowed sizes that the data cannot fill are refused too, before the image is allocated.
        bytes.replaceSubrange(frame + 5..<frame + 9, with: [0x10, 0x00, 0x40, 0x00])
        let claim = #expect(throws: CodecError.self) { try JPEGDecoder().decode(bytes, eighths: 1) }
        #expect(claim?.reason.contains("too few bytes") == true)
    }

    @Test(arguments: [
        [], [0xFF], [0xFF, 0xD8], [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF, 0xD9], [0xFF, 0xD8, 0x00],
    ])
    func whatIsNoJPEGIsRefused(bytes: [UInt8]) throws {
        #expect(throws: CodecError.self) { try JPEG.inspect(bytes) }
        #expect(throws: CodecError.self) { try JPEGDecoder().decode(bytes) }
    }

    @Test func aThumbnailInsideAnExtraSegmentIsNotTheImage() throws {
        let encoder = try JPEGEncoder()
        let image = try encoder.encode(TestImages.textured(width: 90, height: 70))
        let thumbnail = try encoder.encode(TestImages.textured(width: 16, height: 16))
        let length = thumbnail.count + 2
        let segment = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + thumbnail
        let bytes = Array(image[..<2]) + segment + Array(image[2...])
        #expect(try JPEG.inspect(bytes).width == 90)
        let cut = Array(bytes[..<(bytes.count - 2)])
        #expect(try JPEG.inspect(cut).isComplete == false)
        #expect(try JPEGDecoder().decode(bytes).width == 90)
    }

    @Test func aDamagedImageDoesNotSpoilTheNextOne() throws {
        let sound = try JPEGEncoder().encode(TestImages.textured(width: 64, height: 48))
        let decoder = try JPEGDecoder(usesDCOnlyDecoder: false)
        let expected = try decoder.decode(sound)
        let start = try #require(sound.indices.dropLast().first { sound[$0] == 0xFF && sound[$0 + 1] == 0xC4 })
        for place in start..<start + 420 {
            var damaged = sound
            damaged[place] ^= 0x70
            _ = try? decoder.decode(damaged)
            #expect(try decoder.decode(sound).pixels == expected.pixels, "byte \(place)")
        }
    }

    @Test(arguments: 0..<8)
    func mutationsNeverCrash(seed: Int) throws {
        var generator = SeededRandomNumbers(seed: UInt64(seed))
        let original = try JPEGEncoder().encode(TestImages.textured(width: 120, height: 90), quality: 80)
        let decoder = try JPEGDecoder()
        let lenient = try JPEGDecoder(allowTruncated: true)
        for _ in 0..<150 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) {
                bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
            }
            for decoder in [decoder, lenient] {
                do {
                    let image = try decoder.decode(bytes)
                    #expect(image.pixels.count == 3 * image.width * image.height)
                    _ = try decoder.decode(bytes, eighths: 1)
                } catch {
                    #expect(error.codec == .jpeg && !error.reason.isEmpty)
                }
            }
        }
    }

    @Test(
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        .enabled(if: Captures.have("logger-benchy"), Comment(rawValue: Captures.absence)),
        arguments: [
            "logger-chair/rgb/000003.jpg", "logger-mixed-orientation/rgb/000007.jpg",
            "logger-door-60fps/rgb/000010.jpg",
        ]
    )
    func pillowSeesTheSamePicture(path: String) throws {
        let bytes = try readFile(Captures.path(path))
        let directory = try TemporaryDirectory()
        let raw = directory.appending("raw")
        let script = """
            import sys; from PIL import Image
            i = Image.open(sys.argv[1]); print(*i.size); open(sys.argv[2], 'wb').write(i.convert('RGB').tobytes())
            """
        let size = try PeerPython.output(of: script, [Captures.path(path).string, raw.string])
        let info = try JPEG.inspect(bytes)
        #expect(size == "\(info.width) \(info.height)")
        #expect(info.isComplete)
        let expected = try readFile(raw)
        let difference = TestImages.difference(try JPEGDecoder().decode(bytes).pixels, expected)
        #expect(difference.mean < 0.5, "mean \(difference.mean) maximum \(difference.maximum)")
    }

    @Test(
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        arguments: ["progressive", "grey", "444", "422"]
    )
    func otherKindsAreRead(kind: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("image.jpg")
        let script = """
            import sys; from PIL import Image
            kind = sys.argv[2]
            i = Image.linear_gradient('L').resize((200, 120))
            if kind != 'grey': i = Image.merge('RGB', (i, i.rotate(180), i))
            i.save(sys.argv[1], progressive=kind == 'progressive', subsampling={'444': 0, '422': 1}.get(kind, 2), quality=92)
            """
        _ = try PeerPython.output(of: script, [path.string, kind])
        let bytes = try readFile(path)
        let info = try JPEG.inspect(bytes)
        #expect(info.isProgressive == (kind == "progressive") && info.isBaseline == (kind != "progressive"))
        #expect(info.components == (kind == "grey" ? 1 : 3))
        let decoder = try JPEGDecoder()
        #expect(try decoder.decode(bytes).pixels.count == 3 * 200 * 120)
        let eighth = try decoder.decode(bytes, eighths: 1)
        #expect(eighth.width == 25 && eighth.height == 15)
        #expect(eighth.pixels[0] < 20 && eighth.pixels[3 * 24 * 15] > 200)
    }
}
