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
}
