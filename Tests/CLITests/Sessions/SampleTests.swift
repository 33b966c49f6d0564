import Foundation
import Testing

/// `sample`: the same by seed, on any number of workers.
@Suite(.serialized) struct SampleTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    @Test func theSameSeedGivesTheSameBytes() async throws {
        let shape = ["--duration", "1", "--fps", "8", "--size", "320x240", "--noise", "--gps", "--relative-depth"]
        let variants = [
            ["--seed", "5", "-j", "1"], ["--seed", "5", "-j", "2"], ["--seed", "5", "-j", "3"],
            ["--seed", "6", "-j", "2"],
        ]
        var trees: [[String: Data]] = []
        for (index, variant) in variants.enumerated() {
            let parent = folder("\(index)")
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: false)
            // The name is the session's id.
            try await Binary.succeed(
                ["sample", "-o", parent + "/session"] + shape + ["--orientation", "mixed"] + variant
            )
            trees.append(try FileTree.contents(parent + "/session"))
        }
        #expect(trees[0].count == 8 * 4 + 5)
        #expect(FileTree.differences(trees[0], trees[1]).isEmpty)
        #expect(FileTree.differences(trees[0], trees[2]).isEmpty)
        let other = FileTree.differences(trees[0], trees[3])
        #expect(other.contains("depth/000000.bin") && other.contains("truth.json"))
    }

    @Test func longSessionsRepeatTheirImages() async throws {
        let session = folder("session")
        let shape = ["--duration", "10", "--fps", "30", "--size", "64x48", "--images", "3"]
        let output = try await Binary.succeed(["sample", "-o", session] + shape)
        #expect(output.contains("300 frames of 3 images"))
        let names = try FileManager.default.contentsOfDirectory(atPath: session + "/rgb")
        let identities = try names.map { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(session)/rgb/\(name)")
            return attributes[.systemFileNumber] as? Int
        }
        #expect(names.count == 300 && Set(identities).count == 3)
        let inspection: SessionInspection = try await Binary.json(["inspect", session, "--json"])
        #expect(inspection.frames == 300 && inspection.problems.isEmpty)
    }

    @Test func samplesAreReplacedOnlyIfForced() async throws {
        let session = folder("session")
        let shape = ["--fps", "10", "--size", "64x48"]
        try await Binary.succeed(["sample", "-o", session, "--duration", "1", "--gps"] + shape)
        try await Binary.run(["sample", "-o", session, "--duration", "0.5"] + shape).expectError(73, naming: session)
        try await Binary.succeed(["sample", "-o", session, "--duration", "0.5", "--force"] + shape)
        let inspection: SessionInspection = try await Binary.json(["inspect", session, "--json"])
        #expect(inspection.frames == 5 && inspection.gps_fixes == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: session + "/depth").count == 5)
    }

    private static let layouts = [
        ("stray-scanner", "Stray Scanner"), ("3d-scanner-app", "3D Scanner App"), ("record3d", "Record3D"),
        ("r3d", "Record3D"), ("ios-logger", "ios_logger"),
    ]

    /// What other apps would have recorded is recognised, complete, and becomes bags that rosbags reads.
    @Test(arguments: layouts)
    func otherLayoutsAreRecordings(_ format: String, _ name: String) async throws {
        let session = folder(format == "r3d" ? "walk.r3d" : "walk")
        var shape = ["--duration", "1", "--fps", "5"]
        if format != "ios-logger" { shape += ["--size", "320x240"] }
        let outcome = try await Binary.run(["sample", "-o", session, "--format", format] + shape)
        #expect(outcome.status == 0 && outcome.output.contains("5 frames"), "\(outcome)")
        #expect(outcome.errors.contains("GPS fixes") == ["stray-scanner", "record3d", "r3d"].contains(format))
        let inspection: SessionInspection = try await Binary.json(["inspect", session, "--json"])
        #expect(inspection.format == name && inspection.frames == 5 && inspection.problems.isEmpty)
        guard Peer.isAvailable else { return }
        let bag = folder("bag")
        try await Binary.succeed(["bag", session, "-o", bag, "--profile", "record"])
        let read = try #require(try await PeerReading.of([bag])[bag]).rosbags
        #expect(!read.isEmpty)
    }

    @Test(arguments: [
        ("record3d", ["--gps"]), ("3d-scanner-app", ["--imu-rate", "50"]), ("polycam", ["--orientation", "mixed"]),
        ("r3d", ["--orientation", "landscapeLeft"]), ("arkitscenes", ["--size", "640x400"]),
        ("nerfcapture", ["--tiles"]),
    ])
    func whatAFormatCannotHaveIsAnErrorOfUse(_ format: String, _ options: [String]) async throws {
        let outcome = try await Binary.run(["sample", "-o", folder("walk"), "--format", format] + options)
        outcome.expectError(2, naming: options[0])
        #expect(outcome.errors.contains("--format \(format)"))
        #expect(!FileManager.default.fileExists(atPath: folder("walk")))
    }
}
