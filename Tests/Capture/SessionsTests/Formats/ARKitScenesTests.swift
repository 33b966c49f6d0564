import Foundation
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// What only ARKitScenes has.
@Suite struct ARKitScenesTests {
    private func laid() async throws -> Relaid { try await RelaidFormat.arkitScenes.laid }

    private func seen(_ width: Int = 640, _ height: Int = 480) async throws -> RelaidTruth {
        try await RelaidTruth.standardPNG.value.withCameras(of: GridSize(width: width, height: height))
    }

    /// The largest pictures that nearly all poses have: `wide` is there for the first so many of twenty frames.
    @Test(arguments: [(20, 1920, 1440), (18, 1920, 1440), (17, 640, 480), (0, 640, 480)])
    func bestStream(wideFrames: Int, width: Int, height: Int) async throws {
        var relaid = try await laid()
        relaid.addScenes("wide", try await seen(1920, 1440).frames.prefix(wideFrames))
        relaid.addScenes("lowres_wide", try await seen(256, 192).frames)
        let session = try relaid.read()
        #expect(session.summary.sensorSize == GridSize(width: width, height: height))
        guard wideFrames != 18 else {
            #expect(session.frames.count == 18 && session.kinds == [.badIntrinsics: 2])
            return
        }
        try FormatTests.expect(session, await seen(width, height))
        #expect(session.diagnostics.isEmpty, "\(session.diagnostics.entries)")
    }

    /// What the data set's own script fetches at least.
    @Test func smallPictures() async throws {
        var relaid = try await laid()
        relaid.files = relaid.files.filter { !$0.key.hasPrefix("vga_wide") }
        relaid.addScenes("lowres_wide", try await seen(256, 192).frames)
        try FormatTests.expect(try relaid.read(), await seen(256, 192))
    }

    /// Pictures between the poses are no frames, and are counted.
    @Test func picturesWithoutPoses() async throws {
        var relaid = try await laid()
        var count = 0
        for frame in try await seen().frames {
            for later in [33, 67, 100, 133, 167] {
                let time = RelaidFormat.sceneTime(frame) + later
                relaid.files[RelaidFormat.sceneFile("vga_wide", milliseconds: time)] = [1]
                relaid.put("1 1 1 1 1 1", RelaidFormat.sceneFile("vga_wide_intrinsics", milliseconds: time))
                relaid.files[RelaidFormat.sceneFile("lowres_depth", milliseconds: time)] = [1]
                count += 1
            }
        }
        let session = try relaid.read()
        try FormatTests.expect(session, await seen())
        #expect(session.kinds == [.pictureWithoutPose: count] && session.diagnostics.lostCount == 0)
        let example = try #require(session.only(.pictureWithoutPose) ?? session.diagnostics.entries[0].examples.first)
        #expect(example.file == "vga_wide" && example.found == "none for 100 of 120 pictures")
        let report = try await SessionCheck(path: session.path.string, jobs: 2).run()
        #expect(report.isSound, "\(report.findings)")
    }

    /// The part for object detection has a folder around the frames, a mesh beside it, and no confidence.
    @Test func detectionLayout() async throws {
        var relaid = Relaid()
        for (name, bytes) in try await laid().files where !name.hasPrefix("confidence/") && !name.hasSuffix(".ply") {
            relaid.files["\(RelaidFormat.sceneNumber)_frames/\(name)"] = bytes
        }
        relaid.files["\(RelaidFormat.sceneNumber)_3dod_mesh.ply"] = [1]
        relaid.put("{}", "\(RelaidFormat.sceneNumber)_3dod_annotation.json")
        let session = try relaid.read()
        try FormatTests.expect(session, await seen(), hasConfidence: false)
        #expect(session.diagnostics.entries.map(\.kind) == [.noConfidence] && !session.summary.hasConfidence)
    }

    @Test func depthWithoutPictures() async throws {
        var relaid = try await laid()
        relaid.files = relaid.files.filter { !$0.key.hasPrefix("vga_wide") }
        let session = try relaid.read()
        #expect(session.frames.count == 20 && session.loadAll().allSatisfy { $0.depth != nil && $0.image == nil })
        #expect(session.kinds == [.streamMissing: 1] && !session.summary.hasImages)
    }

    /// Two milliseconds apart is the same frame, three are another.
    @Test(arguments: [(2, 0), (-2, 0), (3, 1), (-3, 1)])
    func tolerance(milliseconds: Int, missing: Int) async throws {
        var relaid = try await laid()
        let frame = try await seen().frames[5]
        let bytes = relaid.files.removeValue(forKey: RelaidFormat.sceneFile("vga_wide", frame))
        let time = RelaidFormat.sceneTime(frame) + milliseconds
        relaid.files[RelaidFormat.sceneFile("vga_wide", milliseconds: time)] = bytes
        let session = try relaid.read()
        session.loadAll()
        #expect(session.frames.count == 20 && session.diagnostics.lostCount == missing)
        #expect(session.kinds == (missing == 0 ? [:] : [.missingImage: 1, .pictureWithoutPose: 1]))
    }

    /// A damaged line costs its frame.
    @Test(arguments: [
        ("4321.9 0 0 0 1 2", ProblemKind.missingField, "lowres_wide.traj:4"),
        ("4321.9 0 0 0 1 2 3 4", .missingField, "lowres_wide.traj:4"),
        ("x 0 0 0 1 2 3", .badField, "lowres_wide.traj:4:column 1"),
        ("-1 0 0 0 1 2 3", .badField, "lowres_wide.traj:4:column 1"),
        ("4321.9 0 nan 0 1 2 3", .badField, "lowres_wide.traj:4:column 3"),
        ("4321.9 9 0 0 1 2 3", .badTransform, "lowres_wide.traj:4:column 2"),
        ("4321.9 1e300 1e300 0 1 2 3", .badTransform, "lowres_wide.traj:4:column 2"),
        ("4321.9 0 0 0 1e9 2 3", .badTransform, "lowres_wide.traj:4:column 5"),
        ("4321.95 0 0 0 1 2 3", .badIntrinsics, "lowres_wide.traj:4"),
        ("9000000000 0 0 0 1 2 3", .badIntrinsics, "lowres_wide.traj:4"),
    ])
    func damagedLines(line: String, kind: ProblemKind, place: String) async throws {
        var relaid = try await laid()
        let text = String(decoding: try #require(relaid.files["lowres_wide.traj"]), as: UTF8.self)
        var lines = text.split(separator: "\n").map { String($0) }
        lines[3] = line
        relaid.put(lines.joined(separator: "\n"), "lowres_wide.traj")
        let session = try relaid.read()
        #expect(session.frames.count == 19 && session.diagnostics.lostCount == 1)
        #expect(try #require(session.only(kind), "\(session.diagnostics.entries)").place == place)
    }

    /// Numbers with tabs and several blanks between them, and lines of Windows, are the same.
    @Test func blanks() async throws {
        var relaid = try await laid()
        let camera = RelaidFormat.sceneFile("vga_wide_intrinsics", try await seen().frames[3])
        for file in ["lowres_wide.traj", camera] {
            let text = String(decoding: try #require(relaid.files[file]), as: UTF8.self)
            relaid.put(text.replacing(" ", with: " \t ").replacing("\n", with: " \r\n"), file)
        }
        let session = try relaid.read()
        try FormatTests.expect(session, await seen())
        #expect(session.diagnostics.isEmpty)
    }

    /// A damaged camera costs its frame.
    @Test(arguments: [
        ("", nil as String?), ("640 480 500 500 320", nil), ("640.5 480 500 500 320 240", "column 1"),
        ("640 0 500 500 320 240", "column 2"), ("640 480 0 500 320 240", "column 3"),
        ("640 480 500 500 320 inf", "column 6"),
    ])
    func damagedCameras(text: String, column: String?) async throws {
        var relaid = try await laid()
        let file = RelaidFormat.sceneFile("vga_wide_intrinsics", try await seen().frames[3])
        relaid.put(text, file)
        let session = try relaid.read()
        #expect(session.frames.count == 19)
        let problem = try #require(session.only(.badIntrinsics), "\(session.diagnostics.entries)")
        #expect(problem.file == file && problem.field == column && !problem.expected.isEmpty)
    }

    /// Files of another capture among them change nothing.
    @Test func filesOfAnotherCapture() async throws {
        var relaid = try await laid()
        relaid.put("640 480 1 1 1 1", "vga_wide_intrinsics/10000000_4321.300.pincam")
        relaid.put("640 480 1 1 1 1", "lowres_wide_intrinsics/._47333462_4321.300.pincam")
        let session = try relaid.read()
        try FormatTests.expect(session, await seen())
        #expect(session.diagnostics.isEmpty)
    }

    /// Without the poses it is known what it is, and said what is missing.
    @Test func withoutPoses() async throws {
        var relaid = try await laid()
        relaid.files["lowres_wide.traj"] = nil
        let problem = #expect(throws: Problem.self) { try relaid.read() }
        #expect(problem?.file == "lowres_wide.traj" && problem?.found == "no such file")
    }

    /// The mesh alone, which the data set has for each capture.
    @Test func meshAlone() async throws {
        var relaid = try await laid()
        relaid.files = relaid.files.filter { $0.key.hasSuffix(".ply") }
        let error = #expect(throws: SessionError.self) { try relaid.read() }
        #expect("\(String(describing: error))".contains("of ARKitScenes fetch lowres_wide.traj"))
    }
}
