import Foundation
import Testing

/// Images that no decoder takes do not go out, whether a cloud is due on their frame or not.
@Suite(.serialized) struct ImageDamageTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// Changes the coded data of a JPEG; its header and its end stay.
    private func damage(_ path: String, _ change: (inout [UInt8], Range<Int>) -> Void) throws {
        let url = URL(fileURLWithPath: path)
        var bytes = [UInt8](try Data(contentsOf: url))
        let scan = try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
        change(&bytes, scan + 14..<bytes.count - 2)
        try Data(bytes).write(to: url)
    }

    /// Before, all three were published where the bag has no clouds.
    @Test func undecodableImagesWithoutACloudAreNotPublished() async throws {
        let session = folder("session")
        try FileManager.default.copyItem(atPath: try await Samples.plain.value, toPath: session)
        try damage("\(session)/rgb/000005.jpg") { bytes, data in bytes.removeSubrange(data) }
        try damage("\(session)/rgb/000010.jpg") { bytes, data in
            for place in data.lowerBound + 3000..<data.lowerBound + 3000 + 8192 { bytes[place] = 0 }
        }
        try damage("\(session)/rgb/000015.jpg") { bytes, data in
            bytes.replaceSubrange(data.lowerBound + 900..<data.lowerBound + 904, with: [0xFF, 0x33, 0x00, 0x02])
        }
        let topics = ["--topics", "/mapping/camera/image/compressed", "/mapping/camera/camera_info", "--json"]
        let bag = folder("bag")
        let outcome = try await Command.run(["bag", session, "-o", bag, "--profile", "full", "--strict"] + topics)
        #expect(outcome.status == 1, "\(outcome)")
        let sound: BagInspection
        let whole = folder("whole")
        try await Command.succeed(
            ["bag", try await Samples.plain.value, "-o", whole, "--profile", "full"] + topics.dropLast()
        )
        sound = try await Command.json(["inspect", whole, "--json"])
        let inspection: BagInspection = try await Command.json(["inspect", bag, "--json"])
        let images = sound.count("/mapping/camera/image/compressed")
        // 40 frames at 10 Hz, images at 2 Hz: frames 0, 5, 10 and so on.
        #expect(images == 8 && inspection.count("/mapping/camera/image/compressed") == 5)
        #expect(inspection.count("/mapping/camera/camera_info") == 5)
        let check = try await CheckResult.of(session)
        #expect(check.status == 1)
        #expect(check.result.findings.first { $0.kind == "brokenImage" }?.count == 3, "\(check.result.findings)")
        // The bag's own check decodes every image in it.
        #expect(try await CheckResult.of(bag).result.errors == 0)
    }
}
