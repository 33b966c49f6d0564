import Exports
import Foundation
import Platform
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing
import Translation

/// Sessions of any format, trimmed and read again.
@Suite struct SessionTrimTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func options(_ format: SampleFormat) -> SampleOptions {
        var options = SampleOptions()
        options.format = format
        options.durationSeconds = 2
        options.framesPerSecond = 5
        options.imageSize = GridSize(width: 160, height: 120)
        options.imuRateHertz = format.hasMotion ? 100 : 0
        options.hasGPS = format.hasLocation
        options.hasNoise = true
        options.drift = .percent(1)
        return options
    }

    private func sample(_ options: SampleOptions, _ name: String = "source") async throws -> FilePath {
        let path = directory.appending(options.format.isFile ? name + ".r3d" : name)
        try await SyntheticSession.write(to: path, options: options)
        return path
    }

    @discardableResult
    private func trim(
        _ source: FilePath,
        to name: String,
        _ change: (inout SessionTrim) -> Void = { _ in }
    ) async throws -> TrimReport {
        var trim = SessionTrim(OpenedRecording(try SessionFormats.open(path: source.string)))
        change(&trim)
        return try await trim.run(into: OutputFolder(creating: directory.appending(name)))
    }

    private static let formats: [SampleFormat] = [
        .native, .strayScanner, .threeDScannerApp, .record3D, .r3d, .transformsJSON, .scanPackage,
    ]

    /// Gravity that was recorded with the acceleration of the hand stays so, and the check of it stays as lenient.
    @Test func gravityStaysWithTheHand() async throws {
        let source = try await sample(Self.options(.strayScanner))
        try await trim(source, to: "out")
        let (before, after) = (try ReadRecording(source), try ReadRecording(directory.appending("out")))
        try #require(before.motion.count > 100 && after.motion.count == before.motion.count)
        for (one, other) in zip(before.motion, after.motion) {
            #expect(!one.separatesGravity && !other.separatesGravity)
            #expect(one.gravity == other.gravity && other.userAcceleration == .zero)
        }
        let line = try String(contentsOfFile: directory.appending("out/imu.jsonl").string, encoding: .utf8)
            .split(separator: "\n")[0]
        #expect(line.contains("\"total_acceleration\"") && !line.contains("gravity"), "\(line)")
        var check = GravityCheck()
        let cursor = try SessionFormats.open(path: directory.appending("out").string).records(RecordRequest())
        while let record = try cursor.next() { check.add(record) }
        #expect(check.count > 0 && check.limitDegrees == 6 && !check.separatesGravity)
    }

    @Test(arguments: formats, ["out", "out.zip"])
    func everythingIsKept(_ format: SampleFormat, output: String) async throws {
        var options = Self.options(format)
        if format == .native {
            options.orientation = .mixed
            options.hasRelativeDepth = true
            options.hasObservations = true
        } else if format.turnsPictures {
            options.orientation = .fixed(.portrait)
        }
        let source = try await sample(options)
        let report = try await trim(source, to: output)
        #expect(report.framesIn == 10 && report.framesKept == 10 && report.encodedPictures == 0)
        let (read, truth) = (try ReadRecording(directory.appending(output)), try ReadRecording(source))
        ReadRecording.expectSame(read, truth)
        #expect(read.summary.format == "native" && read.summary.generation == 2)
        let lacksConfidence = [.record3D, .transformsJSON].contains(format)
        #expect(read.problems.map(\.kind) == (lacksConfidence ? [.noConfidence] : []), "\(read.problems)")
        #expect(report.pictures == 10 && report.depthMaps == 10)
        #expect(report.samples[.motion, default: 0] == truth.motion.count)
        #expect(read.summary.worldAlignment == truth.summary.worldAlignment)
    }

    private static let captures = ["3dsa-chair", "ioslogger-walk", "logger-mixed-orientation", "stray-eyeq1"]

    /// Recordings of phones, which have what no sample has: pictures of some frames only, fixes, compass readings.
    @Test(
        .enabled(if: captures.allSatisfy { Captures.have($0) }, Comment(rawValue: Captures.absence)),
        arguments: captures
    )
    func realCapturesStayAsTheyAre(_ capture: String) async throws {
        let source = Captures.path(capture)
        try await trim(source, to: "out") { $0.rule.keepsLimitedTracking = true }
        let read = try ReadRecording(directory.appending("out"))
        ReadRecording.expectSame(read, try ReadRecording(source))
        let kinds = read.problems.map(\.kind)
        #expect(!kinds.contains(.missingImage) && !kinds.contains(.missingDepth), "\(kinds)")
    }

    /// Poses and IMU samples without pictures and depth.
    @Test func recordingsWithoutPicturesKeepTheirPoses() async throws {
        let source = try await sample(Self.options(.iosLogger))
        let report = try await trim(source, to: "out")
        #expect(report.pictures == 0 && report.depthMaps == 0)
        let read = try ReadRecording(directory.appending("out"))
        ReadRecording.expectSame(read, try ReadRecording(source))
        #expect(read.problems.isEmpty && !read.summary.hasImages, "\(read.problems)")
    }

    /// The native layout has JPEGs only.
    @Test func otherPicturesAreEncoded() async throws {
        let source = try await sample(Self.options(.nerfCapture))
        let report = try await trim(source, to: "out")
        #expect(report.encodedPictures == 10)
        let (read, truth) = (try ReadRecording(directory.appending("out")), try ReadRecording(source))
        ReadRecording.expectSame(read, truth)
        for (a, b) in zip(read.frames, truth.frames) {
            #expect(a.image?.format == .jpeg && b.image?.format == .png)
            let decoder = ImageDecoder()
            let (one, other) = (try decoder.full(#require(a.image)), try decoder.full(#require(b.image)))
            let sum = zip(one.pixels, other.pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            #expect(one.pixels.count == other.pixels.count && Double(sum) / Double(one.pixels.count) < 4)
        }
    }

    @Test func spanAndRateKeepWhatLiesInThem() async throws {
        let source = try await sample(Self.options(.native))
        let truth = try ReadRecording(source)
        let first = truth.frames[2].reference.time
        let last = truth.frames[8].reference.time
        let report = try await trim(source, to: "out") {
            $0.span = first...last
            $0.rule.every = 3
        }
        #expect(report.framesIn == 7 && report.framesKept == 3 && report.counts[.passedOver] == 4)
        let read = try ReadRecording(directory.appending("out"))
        #expect(read.frames.map(\.reference.time) == [2, 5, 8].map { truth.frames[$0].reference.time })
        #expect(read.frames.map(\.reference.index) == [0, 1, 2])
        // Bit for bit: some pixels are no numbers.
        let depths = read.frames.map { $0.depth?.metres.map(\.bitPattern) }
        #expect(depths == [2, 5, 8].map { truth.frames[$0].depth?.metres.map(\.bitPattern) }, "depth")
        #expect(read.motion.map(\.time) == truth.motion.map(\.time).filter { first <= $0 && $0 <= last })
    }

    /// What a recording does not say of its sharpness is measured.
    @Test func sharpnessIsMeasured() async throws {
        let source = try await sample(Self.options(.strayScanner))
        try await trim(source, to: "all") { $0.rule.minimumSharpness = 0 }
        let all = try ReadRecording(directory.appending("all")).frames.compactMap(\.reference.sharpness)
        try #require(all.count == 10)
        let limit = all.sorted()[5]
        let report = try await trim(source, to: "some") { $0.rule.minimumSharpness = limit }
        #expect(report.framesIn == 10 && report.framesKept == all.count { $0 >= limit })
        #expect(report.counts[.blurred] == all.count { $0 < limit } && report.unknownSharpness == 0)
    }

    @Test(arguments: [false, true]) func sameBytesForAnyNumberOfWorkers(isMeasured: Bool) async throws {
        let source = try await sample(Self.options(.record3D))
        for jobs in [1, 3] {
            try FileManager.default.createDirectory(
                atPath: directory.appending("\(jobs)").string,
                withIntermediateDirectories: false
            )
            for name in ["out", "out.zip"] {
                try await trim(source, to: "\(jobs)/\(name)") {
                    $0.jobs = jobs
                    if isMeasured { $0.rule.minimumSharpness = 1 }
                }
            }
        }
        let one = try FileTreeContent(directory.appending("1")).files
        let three = try FileTreeContent(directory.appending("3")).files
        #expect(one.count == 10 * 2 + 3 && one == three)
    }

    @Test(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
    func zipIsReadByOthers() async throws {
        let source = try await sample(Self.options(.native))
        try await trim(source, to: "walk.zip")
        try await trim(source, to: "walk")
        let code = """
            import os, sys, zipfile
            archive, folder = sys.argv[1:]
            with zipfile.ZipFile(archive) as z:
                assert z.testzip() is None
                names = z.namelist()
                assert len(set(names)) == len(names)
                for name in names:
                    assert z.read(name) == open(os.path.join(os.path.dirname(folder), name), "rb").read(), name
            files = [os.path.join(d, f) for d, _, fs in os.walk(folder) for f in fs]
            print(len(names) == len(files), len(names))
            """
        let paths = ["walk.zip", "walk"].map { directory.appending($0).string }
        let output = try PeerPython.run(["-c", code] + paths).outputOfSuccess()
        #expect(output == "True \(10 * 3 + 4)\n")
    }

    @Test func nothingIsLeftOfWhatCannotBeWritten() async throws {
        let source = try await sample(Self.options(.native))
        let error = await #expect(throws: TrimError.self) {
            try await trim(source, to: "out") { $0.rule.minimumSharpness = 1e6 }
        }
        #expect(error?.description.contains("10 frames below --min-sharpness") == true)
        try await trim(source, to: "there")
        let before = try FileTreeContent(directory.appending("there")).files
        await #expect(throws: FileError.self) { try await trim(source, to: "there") }
        #expect(try FileTreeContent(directory.appending("there")).files == before)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path.string)
        #expect(Set(names) == ["source", "there"])
    }

    @Test func damageIsCountedAndTheRestKept() async throws {
        let source = try await sample(Self.options(.native))
        try FileManager.default.removeItem(atPath: source.appending("rgb/000002.jpg").string)
        #expect(truncate(source.appending("depth/000004.bin").string, 1000) == 0)
        let lines = try String(contentsOfFile: source.appending("frames.jsonl").string, encoding: .utf8)
            .split(separator: "\n")
        let damaged = lines.enumerated().map { $0.offset == 6 ? "{\"frame_index\":6" : String($0.element) }
        try damaged.joined(separator: "\n").write(
            toFile: source.appending("frames.jsonl").string,
            atomically: false,
            encoding: .utf8
        )
        let report = try await trim(source, to: "out")
        #expect(report.framesIn == 9 && report.framesKept == 9 && report.pictures == 8 && report.depthMaps == 8)
        for kind in [ProblemKind.missingImage, .wrongDepthSize, .unreadableLine] {
            #expect(report.diagnostics.count(of: kind) == 1, "\(kind)")
        }
        let read = try ReadRecording(directory.appending("out"))
        ReadRecording.expectSame(read, try ReadRecording(source))
        // What was lost was counted when it was; the copy claims none of it.
        #expect(read.problems.isEmpty, "\(read.problems)")
    }
}
