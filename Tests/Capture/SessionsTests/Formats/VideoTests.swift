import Codecs
import Foundation
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// Pictures of videos: each row gets its own, and what is wrong with a video costs its pictures only.
@Suite(.enabled(if: NumberedVideo.isAvailable, NumberedVideo.absence)) struct VideoTests {
    private static let rows = 20

    private static func session(
        _ video: [UInt8],
        _ change: (inout Relaid) -> Void = { _ in }
    ) async throws -> ReadSession {
        var relaid = try await RelaidFormat.stray.laid
        relaid.files = relaid.files.filter { !$0.key.hasPrefix("rgb/") }
        relaid.files["rgb.mp4"] = video
        change(&relaid)
        let directory = try TemporaryDirectory()
        return try ReadSession(directory, path: relaid.write(into: directory))
    }

    /// The number that an image shows; nil where there is none.
    private static func number(_ image: StoredImage?) throws -> Int? {
        guard let image else { return nil }
        let picture = try ImageDecoder().full(image)
        return (0..<8).reduce(0) { sum, bit in
            let x = (2 * bit + 1) * picture.width / 16
            return sum | (picture.pixels[3 * (picture.height / 2 * picture.width + x) + 1] > 115 ? 1 << bit : 0)
        }
    }

    /// The numbers of the frames' images, with the pictures taken in the order of the frames.
    private static func numbers(_ session: ReadSession, _ diagnostics: inout Diagnostics) throws -> [Int?] {
        let pass = try #require(session.session.makeVideoPass())
        let loader = session.session.makeLoader()
        return try session.frames.map { frame in
            try number(loader.image(of: frame, pass.picture(of: frame), &diagnostics))
        }
    }

    @Test(arguments: NumberedVideo.Coding.allCases, [false, true])
    func eachRowHasItsPicture(coding: NumberedVideo.Coding, hidesFirst: Bool) async throws {
        let video = try NumberedVideo.make(0..<Self.rows, coding, hidesFirst: hidesFirst)
        let session = try await Self.session(video)
        #expect(session.diagnostics.isEmpty, "\(session.diagnostics.entries)")
        #expect(session.summary.hasImages && session.frames.allSatisfy { $0.hasImage })
        var diagnostics = Diagnostics()
        #expect(try Self.numbers(session, &diagnostics) == Array(0..<Self.rows))
        // Some only, and one by one without a pass.
        let loader = session.session.makeLoader()
        for row in [3, 4, 11, 19, 2] {
            #expect(try Self.number(loader.image(of: session.frames[row], &diagnostics)) == row)
        }
        #expect(diagnostics.isEmpty, "\(diagnostics.entries)")
        #expect(session.summary.imageSource?.contains("re-encoded as JPEG, quality 90") == true)
    }

    /// One picture less than rows: of a hidden first one the last is missing, where nothing is hidden the first.
    @Test(arguments: [(true, 0), (false, 1)])
    func onePictureLess(hidesFirst: Bool, firstRow: Int) async throws {
        let video = try NumberedVideo.make(firstRow..<firstRow + Self.rows - 1, hidesFirst: hidesFirst)
        let session = try await Self.session(video)
        let problem = try #require(session.only(.pictureCountDiffers))
        #expect(problem.expected.hasPrefix("20 ") && problem.found.hasPrefix("19;"))
        var diagnostics = Diagnostics()
        let found = try Self.numbers(session, &diagnostics)
        #expect(found == (0..<Self.rows).map { (firstRow..<firstRow + 19).contains($0) ? $0 : nil })
    }

    @Test(arguments: [15, 24])
    func otherCounts(count: Int) async throws {
        let session = try await Self.session(NumberedVideo.make(0..<count))
        #expect(try #require(session.only(.pictureCountDiffers)).found.hasPrefix("\(count);"))
        var diagnostics = Diagnostics()
        #expect(try Self.numbers(session, &diagnostics) == (0..<Self.rows).map { $0 < count ? $0 : nil })
        #expect(diagnostics.isEmpty)
    }

    /// Colours as ffmpeg has them, whatever the video says of its matrix and range, and odd sides.
    @Test(arguments: ["bt709", "smpte170m", "full"], [(320, 240), (322, 242)])
    func colours(matrix: String, size: (width: Int, height: Int)) async throws {
        let isFull = matrix == "full"
        let more = ["-colorspace", isFull ? "bt709" : matrix, "-color_range", isFull ? "pc" : "tv"]
        let video = try NumberedVideo.make(5..<5 + Self.rows, size: size, more: more)
        let session = try await Self.session(video)
        let directory = try TemporaryDirectory()
        let (file, raw) = (directory.appending("v.mp4"), directory.appending("rgb"))
        try SessionBuilder.write(video, to: file)
        try NumberedVideo.run(["-i", file.string, "-frames:v", "1", "-pix_fmt", "rgb24", "-f", "rawvideo", raw.string])
        let expected = try NumberedVideo.bytes(raw)
        var diagnostics = Diagnostics()
        let image = try #require(session.session.makeLoader().image(of: session.frames[0], &diagnostics))
        #expect(image.width == size.width && image.height == size.height)
        let found = try ImageDecoder().full(image).pixels
        try #require(found.count == expected.count)
        // In the middle of bars and above them.
        for (x, y) in [(20, 120), (60, 120), (100, 120), (30, 20), (300, 230)] {
            for channel in 0..<3 {
                let place = 3 * (y * size.width + x) + channel
                #expect(abs(Int(found[place]) - Int(expected[place])) <= 4, "\(x), \(y): \(channel)")
            }
        }
    }

    enum Damage: String, CaseIterable, Sendable { case empty, text, cut, picture, beginning }

    @Test(arguments: Damage.allCases)
    func brokenVideos(damage: Damage) async throws {
        let whole = try NumberedVideo.make(0..<Self.rows)
        let video: [UInt8] =
            switch damage {
            case .empty: []
            case .text: Array("#EXTM3U\nhttp://localhost/x.ts\n".utf8)
            case .cut: Array(whole.prefix(whole.count / 2))
            case .picture: HandmadePNG.gray8(width: 4, height: 4, [UInt8](repeating: 7, count: 16))
            case .beginning: [0, 0, 0, 24]
            }
        let session = try await Self.session(video)
        let problem = try #require(session.only(.brokenVideo))
        #expect(problem.file == "rgb.mp4" && !problem.found.contains("0x"), "\(problem)")
        if damage == .cut { #expect(problem.found.contains("moov"), "\(problem)") }
        #expect(session.frames.count == Self.rows && session.frames.allSatisfy { !$0.hasImage && $0.depthSize != nil })
        #expect(session.summary.imageAbsence?.contains("rgb.mp4") == true && !session.summary.hasImages)
    }

    /// The table of samples stands in front: the pictures before the cut are used, the others counted.
    @Test func cutBehindItsTables() async throws {
        let whole = try NumberedVideo.make(0..<Self.rows, more: ["-movflags", "+faststart"])
        let session = try await Self.session(Array(whole.prefix(whole.count * 6 / 10)))
        var diagnostics = Diagnostics()
        let found = try Self.numbers(session, &diagnostics)
        let good = found.prefix { $0 != nil }.count
        #expect(good >= 3 && good < Self.rows)
        for (row, number) in found.enumerated() { #expect(number == nil || number == row) }
        // The one that is cut itself may be made up from what is there of it.
        let counted = diagnostics.count(of: .missingPicture) + diagnostics.count(of: .damagedPicture)
        #expect(counted == found.filter { $0 == nil }.count)
    }

    /// One that does not decode costs its own frame, and moves none of those behind it.
    @Test func damagedInTheMiddle() async throws {
        var video = try NumberedVideo.make(0..<Self.rows, more: ["-g", "1"])
        let place = try NumberedVideo.place(ofSample: 7, in: video)
        for byte in place { video[byte] = 0xFF }
        let session = try await Self.session(video)
        var diagnostics = Diagnostics()
        let found = try Self.numbers(session, &diagnostics)
        #expect(found == (0..<Self.rows).map { $0 == 7 ? nil : $0 })
        #expect(diagnostics.count(of: .missingPicture) == 1, "\(diagnostics.entries)")
    }

    /// What ffmpeg makes up for a picture that does not decode is no picture, nor is what follows from it.
    @Test(arguments: [7, 11], [false, true])
    func damageReachesTheNextKeyPicture(broken: Int, accepts: Bool) async throws {
        var video = try NumberedVideo.make(0..<Self.rows)
        // Behind the headers of the picture: it is found, and does not decode.
        let place = try NumberedVideo.place(ofSample: broken, in: video)
        let middle = place.lowerBound + 12..<place.upperBound
        for byte in middle { video[byte] = UInt8(truncatingIfNeeded: 31 &* byte) }
        let plain = try await Self.session(video)
        var options = OpeningOptions()
        options.acceptsDamage = accepts
        let session = try SessionFormats.open(path: plain.path.string, options: options)
        let pass = try #require(session.makeVideoPass())
        let loader = session.makeLoader()
        var diagnostics = Diagnostics()
        let found = plain.frames.map { frame in
            loader.image(of: frame, pass.picture(of: frame), &diagnostics) != nil
        }
        let reached = broken..<(broken / 5 + 1) * 5
        let missing = found.indices.filter { !found[$0] }
        let said = diagnostics.count(of: .damagedPicture) + diagnostics.count(of: .missingPicture)
        #expect(said == reached.count, "\(diagnostics.entries)")
        if accepts {
            #expect(diagnostics.count(of: .damagedPicture) == found.filter(\.self).count - (Self.rows - reached.count))
        } else {
            #expect(missing == Array(reached))
        }
    }

    /// ffmpeg reads a stored video where it is, and a compressed one from a copy, which a look at a folder does not make.
    @Test(arguments: ["zip", "deflated", "tar"])
    func insideOfArchives(kind: String) async throws {
        let plain = try await Self.session(NumberedVideo.make(0..<Self.rows))
        var contents: [String: [UInt8]] = [:]
        for case let file as String in try #require(FileManager.default.enumerator(atPath: plain.path.string)) {
            let path = plain.path.appending(FilePath(file).components)
            if let bytes = FileManager.default.contents(atPath: path.string) { contents[file] = Array(bytes) }
        }
        let entries = HandmadeArchives.entries(contents, under: "scan/", isDeflated: kind == "deflated")
        let archive = plain.directory.appending("scan.archive")
        let bytes = kind == "tar" ? HandmadeArchives.tar(entries) : HandmadeArchives.zip(entries)
        try SessionBuilder.write(bytes, to: archive)
        let session = try ReadSession(plain.directory, path: archive)
        var diagnostics = session.diagnostics
        #expect(try Self.numbers(session, &diagnostics) == Array(0..<Self.rows))
        #expect(diagnostics.isEmpty, "\(diagnostics.entries)")
        var options = OpeningOptions()
        options.copiesVideos = false
        let looked = try SessionFormats.open(path: archive.string, options: options)
        #expect(looked.diagnostics.count(of: .videoNotRead) == (kind == "deflated" ? 1 : 0))
        #expect(looked.summary.hasImages == (kind != "deflated"))
    }

    /// ffmpeg is told which pictures will be wanted; one that was not named is there all the same.
    @Test(arguments: [[0, 9, 18], [7, 8], Array(stride(from: 0, to: 20, by: 2)), Array(0..<20), []], [nil, 7])
    func expectedPictures(rows: [Int], broken: Int?) async throws {
        var video = try NumberedVideo.make(0..<Self.rows, more: ["-g", "1"])
        if let broken { for byte in try NumberedVideo.place(ofSample: broken, in: video) { video[byte] = 0xFF } }
        let session = try await Self.session(video)
        let pass = try #require(session.session.makeVideoPass())
        for row in rows { pass.expect(session.frames[row]) }
        let loader = session.session.makeLoader()
        var diagnostics = Diagnostics()
        func numbers(_ rows: [Int]) throws -> [Int?] {
            try rows.map { row in
                try Self.number(
                    loader.image(of: session.frames[row], pass.picture(of: session.frames[row]), &diagnostics)
                )
            }
        }
        #expect(try numbers(rows) == rows.map { $0 == broken ? nil : $0 })
        #expect(diagnostics.count(of: .missingPicture) == (rows.contains(7) && broken == 7 ? 1 : 0))
        #expect(try numbers([19, 5]) == [19, 5])
    }

    /// Many times are found by halving; where they would not fit into an argument all pictures are written.
    @Test func manyExpectedPictures() throws {
        let times = (0..<100_000).map { Int64($0) * 512 }
        let few = try #require(VideoSelection(Set(stride(from: 0, to: 100_000, by: 30)), times: times))
        #expect(few.samples.count == 3_334 && few.filter.utf8.count < 131_072)
        #expect(few.sample(after: -1) == 0 && few.sample(after: 30) == 60 && few.sample(after: 99_990) == nil)
        #expect(VideoSelection(Set(stride(from: 0, to: 100_000, by: 3)), times: times) == nil)
        #expect(VideoSelection([-1, 100_000], times: times) == nil)
        // While nothing is wanted for long, some are written: whether ffmpeg hangs is told by that.
        let late = try #require(VideoSelection([99_000], times: times)).samples
        #expect(late.last == 99_000 && late.count == 387)
        #expect(zip([-1] + late, late).allSatisfy { $1 - $0 <= VideoSelection.longestGap && $0 < $1 })
    }

    /// Going back decodes from the start again, but not without end.
    @Test func goingBack() async throws {
        let session = try await Self.session(NumberedVideo.make(0..<Self.rows))
        let pass = try #require(session.session.makeVideoPass())
        let loader = session.session.makeLoader()
        var diagnostics = Diagnostics()
        for _ in 0..<12 {
            for row in [9, 1] {
                let number = try Self.number(
                    loader.image(of: session.frames[row], pass.picture(of: session.frames[row]), &diagnostics)
                )
                #expect(number == row || number == nil)
            }
        }
        #expect((1...15).contains(diagnostics.count(of: .missingPicture)))
    }

    @Test func picturesBesideItWin() async throws {
        let truth = try await RelaidTruth.standard.value
        let session = try await Self.session(NumberedVideo.make(0..<Self.rows)) { relaid in
            for (name, bytes) in RelaidFormat.stray.lay(truth).files where name.hasPrefix("rgb/") {
                relaid.files[name] = bytes
            }
        }
        #expect(session.diagnostics.isEmpty && session.session.makeVideoPass() == nil)
        #expect(session.loadAll()[3].image?.bytes == truth.frames[3].image)
    }

    @Test func otherShape() async throws {
        let session = try await Self.session(NumberedVideo.make(0..<Self.rows, size: (320, 180)))
        session.loadAll()
        #expect(session.kinds == [.imageSizeUnexpected: Self.rows])
    }

    /// ios_logger numbers its pictures; every second pose has one.
    @Test func iosLogger() throws {
        var relaid = Relaid()
        let times = (0..<24).map { String(format: "%.6f", 1_700_000_000 + Double($0) / 60) }
        relaid.put(times.map { "\($0),0.1,0.2,0.3,1,0,0,0" }.joined(separator: "\r\n"), "ARposes.txt")
        let rows = (0..<12).map { "\(times[2 * $0]),\($0),1450,1450,960,720" }
        // One row is lost: its picture belongs to no pose.
        relaid.put((rows[..<5] + rows[6...]).joined(separator: "\r\n"), "Frames.txt")
        relaid.files["Frames.m4v"] = try NumberedVideo.make(0..<12, .h264)
        let directory = try TemporaryDirectory()
        let session = try ReadSession(directory, path: relaid.write(into: directory))
        #expect(session.diagnostics.isEmpty, "\(session.diagnostics.entries)")
        var diagnostics = Diagnostics()
        let found = try Self.numbers(session, &diagnostics)
        #expect(found == (0..<24).map { $0 % 2 == 0 && $0 != 10 ? $0 / 2 : nil })
        #expect(diagnostics.isEmpty)
    }
}
