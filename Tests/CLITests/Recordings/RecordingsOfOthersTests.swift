import Foundation
import TestSupport
import Testing

/// Recordings of other apps, written by numpy and Pillow, through the commands.
@Suite(
    .serialized,
    .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
) struct RecordingsOfOthersTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func lay(_ format: String) async throws -> String {
        let native = try await Samples.plain.value
        let path = folder(format)
        _ = try await PeerPython.runAside([Repository.peer("lay_recordings.py"), format, native, path])
            .outputOfSuccess()
        return path
    }

    /// The poses of the bag's topic are those of the native session's bag, and everything checks as sound.
    @Test(arguments: [
        ("polycam", "Polycam"), ("arkitscenes", "ARKitScenes"), ("scanpackage", "ScanPackage"),
    ])
    func inspectedCheckedAndWritten(format: String, name: String) async throws {
        let path = try await lay(format)
        let inspection: SessionInspection = try await Command.json(["inspect", path, "--json"])
        #expect(inspection.frames == 40 && inspection.frames_with_image == 40 && inspection.frames_with_depth == 40)
        #expect(inspection.depth_size == [256, 192] && inspection.problems.isEmpty)
        #expect(try await Command.succeed(["inspect", path]).contains("\(name) layout"))
        #expect(try await Command.succeed(["check", path, "--strict"]).hasSuffix("\nsound\n"))
        let bag = folder("\(format)-bag")
        try await Binary.succeed(["bag", path, "-o", bag, "--profile", "record", "--epoch", "2026-01-01T00:00:00Z"])
        #expect(try await Command.succeed(["check", bag]).hasSuffix("\nsound\n"))
        let native = folder("native-bag")
        try await Binary.succeed([
            "bag", try await Samples.plain.value, "-o", native, "--profile", "record", "--epoch",
            "2026-01-01T00:00:00Z",
        ])
        let echo = ["--echo", "/mapping/pose", "-n", "40", "--json"]
        let poses = try await (numbers(["inspect", bag] + echo), numbers(["inspect", native] + echo))
        #expect(poses.0.count == poses.1.count && poses.0.count >= 40 * 7)
        #expect(zip(poses.0, poses.1).allSatisfy { abs($0 - $1) < 2e-5 })
    }

    /// Every number of a position or an orientation that is echoed.
    private func numbers(_ arguments: [String]) async throws -> [Double] {
        let text = try await Command.succeed(arguments)
        return text.matches(of: /"[xyzw]": ?(-?[0-9.]+(e-?[0-9]+)?)/.ignoresCase()).compactMap { Double($0.1) }
    }
}
