import Foundation
import Glibc
import Testing

/// `list`: what each recording is, by what is known of it, and what was passed over.
@Suite(.serialized) struct ListTests {
    private struct List: Decodable {
        struct Recording: Decodable {
            var path: String
            var bytes: Int
            var format: String?
            var device: String?
            var start: String?
            var start_ns: Int64?
            var duration_s: Double?
            var frames: Int?
            var depth: Bool?
            var imu: Bool?
            var gps_fixes: Int?
            var lost: Int?
            var first_loss: String?
            var error: String?
        }

        struct Place: Decodable {
            var path: String
            var reason: String
        }

        var recordings: [Recording]
        var unreadable: [Place]
        var damaged: Int
        var unopened: Int
        var other_archives: Int
        var folders_seen: Int
        var bytes: Int
    }

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// A folder with a whole recording, one without GPS, one with a lost frame, and two that cannot be read.
    private func lay() async throws {
        let (full, plain) = (try await Samples.full.value, try await Samples.plain.value)
        let manager = FileManager.default
        for (name, source) in [("deep/er/full", full), ("plain", plain), ("cut", plain), ("headless", plain)] {
            let path = folder(name)
            try manager.createDirectory(
                atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path,
                withIntermediateDirectories: true
            )
            try manager.copyItem(atPath: source, toPath: path)
        }
        try await Peer.run("pack.py", [plain, folder("packed.zip")])
        let frames = URL(fileURLWithPath: folder("cut/frames.jsonl"))
        let text = try Data(contentsOf: frames)
        try text.dropLast(40).write(to: frames)
        try manager.removeItem(atPath: folder("headless/frames.jsonl"))
        try Data("no archive".utf8).write(to: URL(fileURLWithPath: folder("other.zip")))
        try manager.createSymbolicLink(atPath: folder("gone"), withDestinationPath: "nowhere")
    }

    @Test func saysOfEachWhatInspectSays() async throws {
        try await lay()
        let list: List = try await Binary.json(["list", folder.path, "--json"])
        let names = list.recordings.map { $0.path.dropFirst(folder.path.count + 1) }
        #expect(names == ["cut", "deep/er/full", "headless", "packed.zip", "plain"])
        #expect(list.damaged == 1 && list.unopened == 1 && list.other_archives == 1)
        #expect(list.unreadable.map(\.path) == [folder("gone")])
        #expect(list.bytes == list.recordings.reduce(0) { $0 + $1.bytes })
        for recording in list.recordings where !recording.path.hasSuffix("headless") {
            let inspection: SessionInspection = try await Binary.json(["inspect", recording.path, "--json"])
            #expect(recording.format == "native" && recording.device == inspection.device)
            #expect(recording.frames == inspection.frames && recording.start_ns == inspection.first_stamp_ns)
            #expect(abs((recording.duration_s ?? 0) - inspection.duration_s) < 0.001)
            #expect(recording.depth == true && recording.imu == true && recording.error == nil)
            #expect(recording.gps_fixes == inspection.gps_fixes)
            #expect(recording.lost == (recording.path.hasSuffix("cut") ? 1 : 0))
        }
        #expect(list.recordings[0].frames == 39 && list.recordings[0].first_loss?.contains("frames.jsonl") == true)
        #expect(list.recordings[1].gps_fixes == 4 && list.recordings[1].start?.hasPrefix("2026-01-01T12:00:00") == true)
        let headless = list.recordings[2]
        #expect(headless.frames == nil && headless.error?.contains("headless") == true && headless.bytes > 0)
        let archive = try FileManager.default.attributesOfItem(atPath: folder("packed.zip"))[.size] as? Int
        #expect(list.recordings[3].bytes == archive)
        let sum = try FileTree.contents(folder("plain")).values.reduce(0) { $0 + $1.count }
        #expect(list.recordings[4].bytes == sum)
    }

    @Test func textHasALineForEachAndDoesNotDependOnTheWorkers() async throws {
        try await lay()
        let text = try await Binary.succeed(["list", folder.path, "-j", "1"])
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == 8, "\(text)")
        for (line, name) in zip(lines.dropFirst(), ["cut", "deep/er/full", "headless", "packed.zip", "plain"]) {
            #expect(line.hasPrefix(folder(name)), "\(line)")
        }
        #expect(lines[1].contains("damaged: 1 error: frames.jsonl: line 40"))
        #expect(lines[6].hasPrefix("not looked into: \(folder("gone")): "))
        #expect(lines[7].hasPrefix("5 recordings, "))
        #expect(lines[7].contains("; 1 damaged; 1 that cannot be read; 1 archives without a recording; 1 "))
        #expect(try await Binary.succeed(["list", folder.path, "-j", "5"]) == text)
    }

    @Test func foldersThatCannotBeReadAreNamed() async throws {
        try await lay()
        try FileManager.default.createDirectory(atPath: folder("locked/in"), withIntermediateDirectories: true)
        // A user that no permission keeps out would see nothing of this.
        let user = geteuid() == 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
        let command = user + [Binary.path, "list", folder.path, "--json"]
        chmod(folder.path, 0o755)
        chmod(folder("locked"), 0)
        defer { chmod(folder("locked"), 0o700) }
        let outcome = try await ChildProcess("/usr/bin/env", command).finish(seconds: 60)
        #expect(outcome.status == 0, "\(outcome.everything)")
        let list = try JSONDecoder().decode(List.self, from: Data(outcome.output.utf8))
        #expect(list.unreadable.map(\.path) == [folder("gone"), folder("locked")])
        #expect(list.unreadable.last?.reason == "Permission denied")
        #expect(list.recordings.count == 5)
    }

    @Test func emptyFoldersAndNoFolder() async throws {
        let list: List = try await Binary.json(["list", folder.path, "--json"])
        #expect(list.recordings.isEmpty && list.folders_seen == 1)
        #expect(try await Binary.succeed(["list", folder.path]) == "0 recordings, 0 B, in 1 folders\n")
        try await Binary.run(["list", folder("nothing")]).expectError(66, naming: folder("nothing"))
        try await Binary.run(["list", folder.path, "-j", "0"]).expectError(2)
        let here = try await Binary.run(["list"], in: folder.path)
        #expect(here.status == 0 && here.output == "0 recordings, 0 B, in 1 folders\n", "\(here)")
    }
}
