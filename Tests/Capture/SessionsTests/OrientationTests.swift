import Recording
import Sessions
import TestSupport
import Testing

@Suite struct OrientationTests {
    @Test func orientationIsDecidedForEachFrame() throws {
        let turns: [ImageOrientation] = [.portrait, .landscapeLeft, .portraitUpsideDown, .landscapeRight]
        let read = try ReadSession(SessionBuilder(frameCount: 8) { turns[$0 % 4] })
        let images = read.loadAll().compactMap(\.image)
        #expect(read.diagnostics.isEmpty)
        #expect(images.map(\.orientation) == turns + turns)
        #expect(images[0].width == 48 && images[0].height == 64 && images[1].width == 64)
        #expect(read.summary.orientations.count == 4 && read.summary.orientationChanges == 7)
    }

    /// The word says one thing, the size another, and gravity decides between the two that the size allows.
    @Test(
        arguments: [
            ("landscapeRight", ImageOrientation.portrait), ("landscapeLeft", .portraitUpsideDown),
            ("portrait", .landscapeLeft), ("portraitUpsideDown", .landscapeRight),
        ]
    )
    func gravityDecidesWhereWordAndSizeDisagree(word: String, held: ImageOrientation) throws {
        var builder = try SessionBuilder(frameCount: 2) { _ in held }
        builder.lines[1]["device_orientation"] = "\"\(word)\""
        let read = try ReadSession(builder)
        let images = read.loadAll().compactMap(\.image)
        #expect(images.map(\.orientation) == [held, held])
        let problem = try #require(read.only(.orientationContradicted))
        #expect(problem.file == "rgb/000001.jpg")
        #expect(problem.expected.contains(word))
        #expect(problem.found.contains(held.rawValue) && problem.found.contains(held.swapsAxes ? "48x64" : "64x48"))
        #expect(problem.kind.severity == .notice)
    }

    @Test func imageOfAnotherScaleIsTaken() throws {
        var builder = try SessionBuilder(frameCount: 3) { $0 == 1 ? .portrait : .landscapeLeft }
        builder.files["rgb/000000.jpg"] = try SessionBuilder.jpeg(width: 32, height: 24)
        builder.files["rgb/000001.jpg"] = try SessionBuilder.jpeg(width: 96, height: 128)
        let read = try ReadSession(builder)
        #expect(read.loadAll().compactMap(\.image?.orientation) == [.landscapeLeft, .portrait, .landscapeLeft])
        #expect(read.diagnostics.isEmpty)
    }

    @Test func imageOfAnotherShapeIsRefused() throws {
        var builder = try SessionBuilder(frameCount: 2)
        builder.files["rgb/000001.jpg"] = try SessionBuilder.jpeg(width: 64, height: 32)
        let read = try ReadSession(builder)
        #expect(read.loadAll().map { $0.image != nil } == [true, false])
        let problem = try #require(read.only(.imageSizeUnexpected))
        #expect(problem.place == "rgb/000001.jpg")
        #expect(problem.expected.contains("64x48") && problem.found.contains("64x32"))
    }

    /// An EXIF orientation is a lie: the turn is in the pixels.
    @Test func exifIsIgnored() throws {
        var builder = try SessionBuilder(frameCount: 1)
        let plain = try SessionBuilder.jpeg(.landscapeRight)
        // Start of image, then APP1 with a TIFF directory of one entry: Orientation (0x0112) = 6.
        let exif: [UInt8] =
            Array("Exif".utf8) + [0, 0, 0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
            + [0, 0, 0, 0]
        builder.files["rgb/000000.jpg"] = plain[..<2] + [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif + plain[2...]
        let read = try ReadSession(builder)
        let payload = read.loadAll()[0]
        #expect(read.diagnostics.isEmpty)
        #expect(payload.image?.orientation == .landscapeRight)
        #expect(payload.decoded?.width == 64 && payload.decoded?.height == 48)
    }
}
