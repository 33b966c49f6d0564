import Foundation
import TestSupport
import Testing

/// True where videos can be encoded.
let hasFFmpeg = FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg")

/// `export --to lerobot`: data sets for learning, judged by what others read of them and by the recordings themselves.
@Suite(.enabled(if: hasFFmpeg, "ffmpeg encodes the videos")) struct LeRobotTests {
    /// What the judge compares with the recorded depth.
    private static let exact = ["--min-confidence", "0", "--no-edge-filter", "--max-depth", "10"]

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private struct Report: Decodable {
        var episodes: Int
        var steps: Int
        var frames_per_second: Int
        var largest_error_ms: Double
        var unusable_frames: Int
        var replaced_steps: Int
        var missing_steps: Int
        var incomplete: Int
        var passed_over: Int
        var repeated_steps: Int
    }

    private struct Grade: Decodable {
        var passed: Int
        var failed: [String]
        var grade: String
    }

    private func sample(_ name: String, seconds: Int = 2, fps: Int = 30, _ more: [String] = []) async throws -> String {
        let shape = ["--duration", "\(seconds)", "--fps", "\(fps)", "--size", "640x480", "--gps", "--noise"]
        try await Binary.succeed(["sample", "-o", folder(name)] + shape + more)
        return folder(name)
    }

    private func export(_ inputs: [String], _ name: String, _ more: [String] = []) async throws -> Report {
        try await Binary.json(["export"] + inputs + ["--to", "lerobot", "-o", folder(name), "--json"] + more)
    }

    private func judge(_ arguments: [String]) async throws {
        let outcome = try await PeerPython.runAside([Repository.path("tools/peers/check_lerobot.py")] + arguments)
        #expect(outcome.status == 0, "\(outcome.everything)")
    }

    @Test(
        "rows, depth codes and images are those of the recording, by other programs",
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
        arguments: ["landscapeRight", "portrait"]
    )
    func recorded(orientation: String) async throws {
        let room = try await sample("room", ["--orientation", orientation])
        let report = try await export([room], "set", Self.exact)
        #expect(report.episodes == 1 && report.steps == 60 && report.frames_per_second == 30)
        #expect(report.largest_error_ms < 0.001 && report.incomplete == 0)
        // A portrait image is stored upright, and the data set has the sensor's grid: only its rows and depth are compared.
        try await judge([folder("set"), room, "--frames"] + (orientation == "portrait" ? ["--turned"] : []))
        let grade: Grade = try await Peer.json("grade_dataset.py", [folder("set")])
        #expect(grade.failed == [] && grade.passed >= 7 && grade.grade == "A", "\(grade)")
    }

    @Test("any number of workers makes the same bytes, and so do two data sets that are merged")
    func sameBytes() async throws {
        let (one, two) = (try await sample("one", seconds: 1), try await sample("two", seconds: 1, ["--seed", "5"]))
        for jobs in ["1", "3"] { _ = try await export([one, two], "both\(jobs)", ["-j", jobs]) }
        _ = try await export([one], "first")
        _ = try await export([two], "second")
        let merged = try await export([folder("first"), folder("second")], "merged")
        #expect(merged.episodes == 2 && merged.steps == 60)
        let written = try ["both1", "both3", "merged"].map { try FileTree.contents(folder($0)) }
        #expect(FileTree.differences(written[0], written[1]) == [] && written[0].count >= 9)
        #expect(FileTree.differences(written[0], written[2]) == [])
        // Other tasks are kept apart, other rates refused.
        _ = try await export([two], "asked", ["--task", "Find the door."])
        _ = try await export([folder("first"), folder("asked")], "tasks")
        if Peer.isAvailable { try await judge([folder("tasks")]) }
        _ = try await export([two], "slow", ["--fps", "10"])
        let refused = try await Binary.run(
            ["export", folder("first"), folder("slow"), "--to", "lerobot", "-o", folder("none")]
        )
        #expect(refused.status == 65 && refused.errors.contains("expected 30 steps a second"), "\(refused)")
        #expect(!FileManager.default.fileExists(atPath: folder("none")))
    }

    @Test(
        "a fixed rate takes the nearest frames, and a gap of more than a second ends an episode",
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence))
    )
    func grid() async throws {
        let room = try await sample("room", seconds: 5, fps: 12)
        let whole = try await export([room], "ten", Self.exact + ["--fps", "10"])
        // 60 frames from 0 to 59/12 s.
        #expect(whole.steps == 50 && whole.frames_per_second == 10 && whole.repeated_steps == 0)
        #expect(whole.passed_over == 10 && (20...42).contains(whole.largest_error_ms), "\(whole)")
        try await judge([folder("ten"), room])
        let lines = try String(contentsOfFile: room + "/frames.jsonl", encoding: .utf8).split(separator: "\n")
        let cut = (lines[..<20] + lines[35...]).joined(separator: "\n") + "\n"
        try cut.write(toFile: room + "/frames.jsonl", atomically: true, encoding: .utf8)
        let parts = try await export([room], "parts", Self.exact)
        #expect(parts.episodes == 2 && parts.steps == 45 && parts.frames_per_second == 12)
        try await judge([folder("parts"), room])
    }

    @Test("pictures and depth that cannot be used are replaced, counted and said")
    func damage() async throws {
        let room = try await sample("room", seconds: 2, fps: 10)
        for number in [4, 9, 10] {
            try Data([0xFF, 0xD8, 1, 2]).write(
                to: URL(fileURLWithPath: room + "/rgb/00000\(number).jpg".replacing("0000010", with: "000010"))
            )
        }
        try Data().write(to: URL(fileURLWithPath: room + "/depth/000007.bin"))
        let outcome = try await Binary.run(["export", room, "--to", "lerobot", "-o", folder("set"), "--json"])
        let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
        #expect(report.steps == 20 && report.unusable_frames + report.incomplete == 4, "\(report)")
        #expect(report.replaced_steps + report.repeated_steps == 4, "\(report)")
        let strict = try await Binary.run(["export", room, "--to", "lerobot", "-o", folder("strict"), "--strict"])
        #expect(strict.status == 1, "\(strict)")
        if Peer.isAvailable { try await judge([folder("set")]) }
    }

    @Test("streams that a recording lacks are left out and said; without ffmpeg or its encoders nothing is written")
    func missing() async throws {
        let room = try await sample("room", seconds: 1, fps: 10)
        let bare = try await sample("bare", seconds: 1, fps: 10, ["--no-lidar", "--imu-rate", "0"])
        let both = try await Binary.run(["export", room, bare, "--to", "lerobot", "-o", folder("both")])
        for stream in ["depth", "IMU"] {
            let warning = "warning: \(stream): left out: \(bare) has none; otherwise: --leave-out \(bare)"
            #expect(both.status == 0 && both.errors.contains(warning), "\(both)")
        }
        if Peer.isAvailable { try await judge([folder("both")]) }
        let poses = try await export([room], "poses", ["--action", "none", "--no-depth-video", "--size", "320x240"])
        #expect(poses.steps == 10)

        let without = try await Binary.run(
            ["export", room, "--to", "lerobot", "-o", folder("none")],
            environment: ["PATH": folder("nothing")]
        )
        #expect(without.status == 69 && without.errors.contains("apt install ffmpeg"), "\(without)")
        let programs = folder("programs")
        try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
        let script = """
            for word in "$@"; do
                [ "$word" != libx265 ] || { echo "Unknown encoder 'libx265'" >&2; exit 1; }
            done
            exec /usr/bin/ffmpeg "$@"
            """
        try await Scratch.program(programs + "/ffmpeg", script)
        let environment = ["PATH": programs]
        let arguments = ["export", room, "--to", "lerobot", "-o", folder("none")]
        let refused = try await Binary.run(arguments, environment: environment)
        #expect(refused.status == 69 && refused.errors.contains("Unknown encoder 'libx265'"), "\(refused)")
        #expect(refused.errors.contains("--no-depth-video"))
        #expect(!FileManager.default.fileExists(atPath: folder("none")))
        let flat = try await Binary.run(arguments + ["--no-depth-video"], environment: environment)
        #expect(flat.status == 0, "\(flat)")
    }

    @Test(
        "a bag of the phone's topics gives what its recording gives, from each image that it has",
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
        arguments: ["sqlite3", "mcap"]
    )
    func bags(storage: String) async throws {
        let room = try await sample("room", seconds: 3, fps: 10)
        try await Binary.succeed(["bag", room, "-o", folder("bag"), "--profile", "full", "--storage", storage])
        let report = try await export([folder("bag")], "set", Self.exact)
        #expect(report.episodes == 1 && report.steps >= 3, "\(report)")
        try await judge([folder("set"), room])
        let features = try String(contentsOfFile: folder("set/meta/info.json"), encoding: .utf8)
        for name in ["observation.images.front", "observation.images.depth", "observation.imu"] {
            #expect(features.contains(name))
        }
    }

    @Test("data sets that are damaged or of other programs are refused with the file and what is wrong")
    func refused() async throws {
        let room = try await sample("room", seconds: 1, fps: 10)
        _ = try await export([room], "set")
        let video = "videos/observation.images.front/chunk-000/file-000.mp4"
        let table = "data/chunk-000/file-000.parquet"
        let damages: [(name: String, file: String, change: (Data) -> Data?, said: String)] = [
            ("cut", video, { $0.prefix($0.count / 2) }, "expected 10, found"),
            ("gone", video, { _ in nil }, "expected a video, found none"),
            ("half", table, { $0.prefix($0.count / 2) }, "expected the end of a Parquet file"),
            (
                "other", "meta/info.json",
                { Data(String(decoding: $0, as: UTF8.self).replacing("front", with: "wrist").utf8) }, "wrist"
            ),
            ("empty", "meta/info.json", { _ in Data() }, "found byte 0"),
        ]
        for damage in damages {
            let copy = folder(damage.name)
            try FileManager.default.copyItem(atPath: folder("set"), toPath: copy)
            let file = URL(fileURLWithPath: "\(copy)/\(damage.file)")
            let changed = damage.change(try Data(contentsOf: file))
            try FileManager.default.removeItem(at: file)
            try changed?.write(to: file)
            let outcome = try await Binary.run(["export", copy, "--to", "lerobot", "-o", folder("none")])
            #expect(outcome.status == 65 && outcome.errors.contains(damage.said), "\(damage.name): \(outcome)")
        }
        // A table of as many rows, but of other numbers of IMU samples.
        _ = try await export([room], "wide", ["--fps", "5"])
        _ = try await export([room], "narrow", ["--fps", "10", "--duration", "0.41"])
        let odd = folder("odd")
        try FileManager.default.copyItem(atPath: folder("wide"), toPath: odd)
        try FileManager.default.removeItem(atPath: "\(odd)/\(table)")
        try FileManager.default.copyItem(atPath: folder("narrow/\(table)"), toPath: "\(odd)/\(table)")
        let outcome = try await Binary.run(["export", odd, "--to", "lerobot", "-o", folder("none")])
        #expect(outcome.status == 65 && outcome.errors.contains("observation.imu"), "\(outcome)")
        for (arguments, said) in [
            ([folder("set"), "--every", "3"], "--every"), ([folder("set"), room], "is a data set"),
        ] {
            let outcome = try await Binary.run(["export"] + arguments + ["--to", "lerobot", "-o", folder("none")])
            #expect(outcome.status == 2 && outcome.errors.contains(said), "\(outcome)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder("none")))
    }

    @Test("a recording of which nothing can be used takes nothing from the others, and is named")
    func barren() async throws {
        let room = try await sample("room", seconds: 1, fps: 10)
        let lost = try await sample("lost", seconds: 1, fps: 10)
        let lines = try String(contentsOfFile: lost + "/frames.jsonl", encoding: .utf8)
        try lines.replacing("\"tracking_state\":\"normal\"", with: "\"tracking_state\":\"limited_motion\"")
            .write(toFile: lost + "/frames.jsonl", atomically: true, encoding: .utf8)
        let arguments = ["export", room, lost, "--to", "lerobot", "-o", folder("set"), "--strict"]
        let outcome = try await Binary.run(arguments)
        #expect(outcome.status == 1 && outcome.output.contains("images 640x480, depth 256x192"), "\(outcome)")
        #expect(outcome.output.contains(/without one +lost/), "\(outcome)")
    }

    @Test("recordings of other apps become data sets", arguments: ["r3d", "polycam", "arkitscenes", "native"])
    func formats(format: String) async throws {
        // The native one has pictures of two sizes, as a phone that is turned has.
        let orientation = format == "native" ? "mixed" : "landscapeRight"
        let shape = ["--duration", "1", "--fps", "10", "--format", format, "--orientation", orientation]
        let name = format == "r3d" ? "room.r3d" : "room"
        try await Binary.succeed(["sample", "-o", folder(name)] + shape)
        let report = try await export([folder(name)], "set")
        #expect(report.steps >= 9 && report.episodes == 1, "\(report)")
        if Peer.isAvailable { try await judge([folder("set")]) }
    }
}
