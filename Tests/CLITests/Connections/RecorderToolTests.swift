import Foundation
import Glibc
import Testing

/// The tool that starts a real rosbridge server and its recorder, with a `ros2` that only notes what is done to it.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct RecorderToolTests {
    private let folder: Scratch
    private var notesPath: String { folder("notes") }
    private var bag: String { folder("bag") }

    init() throws {
        folder = try Scratch()
        try FileManager.default.createDirectory(atPath: folder("bin"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder("bin/ros2"),
            withDestinationPath: Repository.peer("fake_ros2.py")
        )
    }

    private func start(
        _ options: [String],
        launch: String = "proper",
        bag behaviour: String = "proper",
        path: String? = nil
    ) throws -> ChildProcess {
        let system = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try ChildProcess(
            Repository.path("tools/run-rosbridge-recorder"),
            ["--bridge-startup-delay", "0.2", "--output", bag] + options,
            environment: [
                "PATH": path ?? "\(folder("bin")):\(system)", "FAKE_ROS2_NOTES": notesPath, "FAKE_LAUNCH": launch,
                "FAKE_BAG": behaviour,
            ]
        )
    }

    private var notes: [String] {
        let text = (try? String(contentsOfFile: notesPath, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { String($0) }
    }

    /// What happened, without how it began.
    private var endings: [String] {
        notes.filter { note in ["SIG", "ends"].contains { note.contains($0) } }
    }

    /// Python, and what every machine has.
    private func pathWithoutROS() async throws -> String {
        let bare = folder("bare")
        try FileManager.default.createDirectory(atPath: bare, withIntermediateDirectories: true)
        let code = "import sys; print(sys.executable)"
        let python = try await ChildProcess("/usr/bin/env", ["python3", "-c", code]).finish().output
        try FileManager.default.createSymbolicLink(
            atPath: "\(bare)/python3",
            withDestinationPath: String(python.split(separator: "\n")[0])
        )
        return bare + ":/usr/bin:/bin"
    }

    private static let defaults = [
        "/mapping/pose",
        "/mapping/camera/image/compressed",
        "/mapping/camera/camera_info",
        "/mapping/pointcloud/lidar",
        "/mapping/depth_anything/calibration",
        "/mapping/pointcloud/depth_anything",
        "/mapping/gps/fix",
        "/mapping/gps/metadata",
        "/mapping/satellite/image/compressed",
        "/mapping/satellite/tile_info",
        "/mapping/dem/tile",
    ]

    @Test func oneInterruptEndsBothInOrder() async throws {
        let tool = try start(["--port", "9191", "--chunk-size-mb", "3"], bag: "slow")
        _ = try await tool.waitForOutput("[recorder] ready")
        await tool.signal(SIGINT)
        _ = try await tool.waitForError("recorder: SIGINT")
        // However long the recorder takes, the server lives on.
        try await waitForNote("bag SIGINT")
        #expect(endings == ["bag SIGINT"])
        try "".write(toFile: notesPath + ".go", atomically: true, encoding: .utf8)
        let outcome = try await tool.finish()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(endings == ["bag SIGINT", "bag ends", "launch SIGINT", "launch ends"])
        let calls = notes.filter { $0.contains(" called ") }
        #expect(
            calls == [
                "launch called launch rosbridge_server rosbridge_websocket_launch.xml address:=0.0.0.0 port:=9191",
                "bag called bag record --storage sqlite3 --output \(bag) --max-bag-size 3145728 "
                    + "--qos-profile-overrides-path \(bag)_qos.yaml "
                    + Self.defaults.joined(separator: " "),
            ]
        )
        // Each is the head of a group of its own, and does not listen to the terminal.
        let surroundings = notes.filter { $0.contains(" group ") }
        #expect(surroundings.count == 2)
        #expect(surroundings.allSatisfy { $0.hasSuffix("group True input /dev/null extra None") })
        #expect(outcome.output.contains("[rosbridge] ready") && outcome.errors.contains("the bag is in \(bag)"))
    }

    private func waitForNote(_ note: String) async throws {
        while !notes.contains(note) { try await Task.sleep(for: .milliseconds(20)) }
    }

    @Test func escalatesWhatDoesNotEnd() async throws {
        let tool = try start(["--shutdown-timeout", "0.3"], launch: "stubborn", bag: "deaf")
        _ = try await tool.waitForOutput("[recorder] ready")
        await tool.signal(SIGTERM)
        let outcome = try await tool.finish()
        #expect(outcome.status == 1 && outcome.errors.contains("SIGTERM: the bag may not be closed"), "\(outcome)")
        #expect(endings == ["bag SIGINT", "bag SIGTERM", "bag ends", "launch SIGINT", "launch SIGTERM"])
        #expect(outcome.errors.contains("rosbridge: SIGKILL"))
    }

    @Test func aSecondInterruptHurries() async throws {
        let tool = try start(["--shutdown-timeout", "3600"], launch: "stubborn", bag: "stubborn")
        _ = try await tool.waitForOutput("[recorder] ready")
        for note in ["bag SIGINT", "bag SIGTERM", "launch SIGINT", "launch SIGTERM"] {
            await tool.signal(SIGINT)
            try await waitForNote(note)
        }
        await tool.signal(SIGINT)
        let outcome = try await tool.finish()
        #expect(outcome.status == 1, "\(outcome)")
        #expect(endings == ["bag SIGINT", "bag SIGTERM", "launch SIGINT", "launch SIGTERM"])
    }

    @Test func aServerThatDiesEndsTheRecorder() async throws {
        let tool = try start([], launch: "dies")
        let outcome = try await tool.finish()
        #expect(outcome.status == 1 && notes.filter { $0.hasPrefix("bag") }.isEmpty, "\(outcome)")
        #expect(outcome.errors.contains("rosbridge has ended by itself with status 7; its last lines:\n    line 10\n"))
        #expect(outcome.errors.hasSuffix("    line 29\n"), "\(outcome)")
    }

    @Test func aRecorderThatDiesEndsTheServer() async throws {
        let outcome = try await start([], bag: "dies").finish()
        #expect(outcome.status == 1 && outcome.errors.contains("recorder has ended by itself"), "\(outcome)")
        #expect(outcome.errors.hasSuffix("    line 29\n"))
        #expect(endings == ["launch SIGINT", "launch ends"])
    }

    @Test func interruptsBeforeTheRecordingBegins() async throws {
        let tool = try start(["--bridge-startup-delay", "3600"])
        _ = try await tool.waitForOutput("[rosbridge] ready")
        await tool.signal(SIGINT)
        let outcome = try await tool.finish()
        #expect(outcome.status == 130 && endings == ["launch SIGINT", "launch ends"], "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: bag))
    }

    @Test func nothingIsLeftBehind() async throws {
        let tool = try start([], launch: "leaves")
        _ = try await tool.waitForOutput("[recorder] ready")
        while !notes.contains(where: { $0.hasPrefix("launch child ") }) {
            try await Task.sleep(for: .milliseconds(20))
        }
        let child = try #require(notes.first { $0.hasPrefix("launch child ") }.flatMap { Int32($0.dropFirst(13)) })
        await tool.signal(SIGINT)
        let outcome = try await tool.finish()
        #expect(outcome.status == 0, "\(outcome)")
        // Dead, or a zombie that its new parent has not collected yet.
        let state = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
        #expect(state == nil || state?.contains(") Z ") == true, "\(state ?? "")")
    }

    @Test func dryRunsPrintWhatWouldRunAndMakeNothing() async throws {
        try "# mine\n/a\n\n /b # and this\n/mapping/pose\n".write(
            toFile: folder("topics"),
            atomically: true,
            encoding: .utf8
        )
        let before = try FileTree.contents(folder.path)
        let output = folder("a place/bag")
        let outcome = try await start([
            "--dry-run", "--output", output, "--topic", "/c", "--topics-file", folder("topics"), "--include-optional",
            "--include-hidden", "--max-bag-duration", "60", "--storage", "mcap", "--address", "::1",
            "--rosbridge-arg", "ssl:=true", "--rosbridge-arg", "certfile:=/x y",
        ]).finish()
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).prefix { !$0.isEmpty }
        try #require(lines.count == 2)
        #expect(
            lines[0] == "ros2 launch rosbridge_server rosbridge_websocket_launch.xml address:=::1 port:=9090 "
                + "ssl:=true 'certfile:=/x y'"
        )
        let start = "ros2 bag record --storage mcap --output '\(output)' --max-bag-size 536870912 "
        let qos = "--qos-profile-overrides-path '\(output)_qos.yaml' "
        let rest = "--max-bag-duration 60 \(qos)--include-hidden-topics /"
        #expect(lines[1].hasPrefix(start + rest), "\(lines[1])")
        let topics = lines[1].split(separator: " ").filter { $0.hasPrefix("/") && !$0.hasSuffix("'") }.map(String.init)
        #expect(Array(topics.prefix(11)) == Self.defaults && Array(topics.suffix(3)) == ["/a", "/b", "/c"])
        let optional = ["/tf", "/tf_static", "/mapping/odom", "/mapping/imu", "/mapping/map", "/map"]
        #expect(optional.allSatisfy { topics.contains($0) } && Set(topics).count == topics.count)
        #expect(FileTree.differences(before, try FileTree.contents(folder.path)) == [])
        // No ros2 is needed for it, and a shell takes the lines as they are.
        let all = try await self.start(
            ["--dry-run", "--record-all", "--setup", "/a b/setup.bash", "--no-qos-overrides"],
            path: try await pathWithoutROS()
        )
        .finish()
        #expect(all.status == 0 && all.output.contains(" --all") && !all.output.contains("/mapping"), "\(all)")
        let words = try await ChildProcess(
            "/bin/bash",
            ["-c", "set -- \(all.output.split(separator: "\n")[0]); echo $#"]
        )
        .finish()
        #expect(words.output == "3\n", "\(words)")
    }

    @Test func sourcesASetupFirst() async throws {
        let setup = folder("my setup.bash")
        try "export FAKE_EXTRA=sourced".write(toFile: setup, atomically: true, encoding: .utf8)
        let tool = try start(["--setup", setup, "--record-all"])
        _ = try await tool.waitForOutput("[recorder] ready")
        await tool.signal(SIGINT)
        let outcome = try await tool.finish()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(notes.count { $0.hasSuffix("group True input /dev/null extra sourced") } == 2)
        #expect(notes.contains { $0.hasSuffix("--qos-profile-overrides-path \(bag)_qos.yaml --all") })
    }

    private struct Profile: Decodable, Equatable {
        var history: String
        var reliability: String
        var durability: String
    }

    /// The recorder by itself keeps the last 10 messages of a topic, and loses what comes faster than it writes.
    @Test(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
    func theRecorderIsToldToKeepEveryMessage() async throws {
        let dry = try await start(["--dry-run"]).finish()
        let text = try #require(dry.output.split(separator: "\n\n", maxSplits: 1).last)
        #expect(text.hasPrefix("# \(bag)_qos.yaml\n"))
        let tool = try start([])
        _ = try await tool.waitForOutput("[recorder] ready")
        await tool.signal(SIGINT)
        #expect(try await tool.finish().status == 0)
        // What is written is what was shown, and PyYAML reads it as one profile for each topic.
        let written = try String(contentsOfFile: "\(bag)_qos.yaml", encoding: .utf8)
        #expect(text == "# \(bag)_qos.yaml\n" + written)
        let profiles: [String: Profile] = try await Peer.json("read_yaml.py", ["\(bag)_qos.yaml"])
        let bridged = Profile(history: "keep_all", reliability: "reliable", durability: "transient_local")
        for (name, profile) in profiles { #expect(profile == bridged, "\(name)") }
        // Where other nodes publish, too, theirs are recorded.
        let shared = try await start(["--dry-run", "--direct", "/tf"]).finish().output
        let tf = "/tf:\n  history: keep_all\n  reliability: reliable\n  durability: volatile\n"
        #expect(shared.contains(tf) && shared.components(separatedBy: "volatile").count == 2, "\(shared)")
        let played = try await start(["--dry-run", "--direct", "all"]).finish().output
        #expect(!played.contains("transient_local"))
        #expect(try await start(["--dry-run", "--direct", "tf"]).finish().status == 2)
        let everything = try await start(["--dry-run", "--include-optional"]).finish().output
        for topic in profiles.keys {
            #expect(everything.split(whereSeparator: \.isWhitespace).contains { $0 == topic })
        }
    }

    @Test func aFileOfOnesOwnIsUsedAndNothingIsOverwritten() async throws {
        try "/mapping/pose: {history: keep_last, depth: 5}\n".write(
            toFile: folder("own.yaml"),
            atomically: true,
            encoding: .utf8
        )
        let own = try await start(["--dry-run", "--qos-overrides", folder("own.yaml")]).finish()
        #expect(own.output.contains("--qos-profile-overrides-path \(folder("own.yaml")) "))
        #expect(own.output.split(separator: "\n").count == 2)
        try "mine".write(toFile: "\(bag)_qos.yaml", atomically: true, encoding: .utf8)
        for options in [[], ["--qos-overrides", folder("none")]] {
            let refused = try await start(options).finish()
            #expect(
                refused.status == 2 && refused.errors.contains(options.isEmpty ? "bag_qos.yaml" : "none"),
                "\(refused)"
            )
        }
        #expect(try String(contentsOfFile: "\(bag)_qos.yaml", encoding: .utf8) == "mine" && notes.isEmpty)
    }

    @Test func refusesWithTwo() async throws {
        try FileManager.default.createDirectory(atPath: bag, withIntermediateDirectories: false)
        let exists = try await start([]).finish()
        #expect(exists.status == 2 && exists.errors.contains("\(bag): expected no such path"), "\(exists)")
        try FileManager.default.removeItem(atPath: bag)
        let missing = try await start([], path: try await pathWithoutROS()).finish()
        #expect(missing.status == 2 && missing.errors.contains("ros2: expected it on PATH"), "\(missing)")
        #expect(missing.errors.contains("--setup") && missing.errors.contains("mapeverything record"))
        for options in [
            ["--topic", "pose"], ["--topics-file", folder("none")], ["--setup", folder("none")], ["--port", "70000"],
            ["--chunk-size-mb", "0"], ["--bogus"], ["--shutdown-timeout=-1"], ["--bridge-startup-delay", "nan"],
        ] {
            let outcome = try await start(options).finish()
            #expect(outcome.status == 2 && outcome.output.isEmpty && !outcome.errors.isEmpty, "\(outcome)")
        }
        #expect(!FileManager.default.fileExists(atPath: bag) && notes.isEmpty)
    }
}
