import Foundation
import Testing

/// Files that a recording should have and has not: every command tells the same of them.
@Suite(.serialized) struct MissingFilesTests {
    private let folder: Scratch

    init() async throws {
        folder = try Scratch()
        try await Command.succeed([
            "sample", "-o", folder("tj"), "--format", "transforms-json", "--duration", "1", "--fps", "5", "--images",
            "2",
            "--size", "96x72",
        ])
    }

    private struct List: Decodable {
        struct Recording: Decodable {
            var lost: Int?
            var first_loss: String?
        }

        var recordings: [Recording]
    }

    private func remove(_ files: (String) -> Bool) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder("tj/images")) where files(name) {
            try FileManager.default.removeItem(atPath: folder("tj/images/\(name)"))
        }
    }

    /// One of five and all five are both errors.
    @Test(arguments: [1, 5])
    func picturesAreGone(count: Int) async throws {
        let whole = try await CheckResult.of(folder("tj"))
        #expect(whole.status == 0 && whole.result.errors == 0)
        var left = count
        try remove { _ in
            left -= 1
            return left >= 0
        }
        let (check, status) = try await CheckResult.of(folder("tj"))
        let kind = count == 5 ? "streamMissing" : "missingImage"
        let finding = try #require(check.findings.first { $0.kind == kind }, "\(check.findings)")
        #expect(status == 1 && check.errors == 1 && finding.count == 1)
        let text = try await Command.succeed(["inspect", folder("tj")])
        let strict = try await Command.run(["inspect", folder("tj"), "--strict"])
        #expect(strict.status == 1)
        let list: List = try await Command.json(["list", folder.path, "--json"])
        #expect(list.recordings.map(\.lost) == [1])
        let listed = try await Command.run(["list", folder.path, "--strict"])
        #expect(listed.status == 1)
        let bag = try await Binary.run(["bag", folder("tj"), "-o", folder("bag"), "--profile", "record", "--strict"])
        #expect(bag.status == 1)
        try await Command.succeed(["report", folder("tj"), "-o", folder("page.html")])
        let page = try String(contentsOfFile: folder("page.html"), encoding: .utf8)
        #expect(!page.contains("nothing is lost"))
        guard count == 5 else { return }
        #expect(finding.places[0].hasPrefix("images: ") && finding.places[0].hasSuffix("found none of 5"))
        #expect(text.contains("images          none of 5\n") && page.contains("none of 5"))
        #expect(list.recordings[0].first_loss?.hasSuffix("has none of them") == true)
    }

    /// What cannot be read has a report too, beside the error and its status.
    @Test(arguments: [("none", Int32(66)), ("tj/images", 66), ("headless", 65)])
    func checkAlwaysPrintsAnObject(name: String, status: Int32) async throws {
        try FileManager.default.createDirectory(atPath: folder("headless"), withIntermediateDirectories: false)
        try Data("\n".utf8).write(to: URL(fileURLWithPath: folder("headless/frames.jsonl")))
        let outcome = try await Command.run(["check", folder(name), "--json", "--report", folder("report.json")])
        #expect(outcome.status == status && outcome.errors.hasPrefix("mapeverything: "), "\(outcome.everything)")
        let result = try CheckResult(outcome)
        #expect(!result.sound && result.errors == 1 && result.findings.count == 1)
        let written = try String(contentsOfFile: folder("report.json"), encoding: .utf8)
        #expect(written == outcome.output)
        let text = try await Command.run(["check", folder(name)])
        #expect(text.status == status && text.output.isEmpty)
    }

    /// Recordings of which none can be read are an error; one that cannot is said on stderr, and is one under --strict.
    @Test func recordingsThatCannotBeRead() async throws {
        try FileManager.default.createDirectory(atPath: folder("headless"), withIntermediateDirectories: false)
        try Data("\n".utf8).write(to: URL(fileURLWithPath: folder("headless/frames.jsonl")))
        let both = try await Command.run(["list", folder.path])
        #expect(both.status == 0 && both.errors.contains("1 of 2 recordings cannot be read"), "\(both.everything)")
        #expect(try await Command.run(["list", folder.path, "--strict"]).status == 1)
        let alone = try await Command.run(["list", folder("headless"), "--json"])
        #expect(alone.status == 65 && alone.output.contains("\"unopened\": 1"), "\(alone.everything)")
        let sound = try await Command.run(["list", folder("tj"), "--strict"])
        #expect(sound.status == 0 && sound.errors.isEmpty, "\(sound.everything)")
    }
}
