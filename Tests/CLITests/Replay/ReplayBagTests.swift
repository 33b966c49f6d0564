import Foundation
import SystemPackage
import TestSupport
import Testing

/// What a rosbridge server gets of a bag, against what others read in it.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ReplayBagTests {
    private let folder: Scratch
    private var direct: String { folder("direct") }

    init() throws { folder = try Scratch() }

    private func replay(
        _ bag: String,
        _ options: [String] = [],
        server: [String] = []
    ) async throws -> (diary: Diary, outcome: Outcome) {
        try await PeerServer.replay(bag, ["--rate", "max"] + options, into: folder.path, server: server)
    }

    /// Replays the bag and expects these messages, by topic, and nothing else.
    private func expect(_ digests: [String: [String]], of bag: String, _ options: [String] = []) async throws {
        let (diary, outcome) = try await replay(bag, options)
        #expect(outcome.status == 0, "\(bag): \(outcome)")
        #expect(diary.all("refused").map(\.why) == [], "\(bag)")
        #expect(diary.digests == digests, "\(bag)")
        #expect(diary.all("closed").map(\.forgotten) == [0])
    }

    /// What differs for a reader.
    static let forms = BagForm.all.filter { form in !["iron", "kilted", "rolling"].contains { form.name.hasSuffix($0) }
    }

    @Test(arguments: forms)
    func everyFormArrives(form: BagForm) async throws {
        try await SampleBags.write(direct)
        let expected = try await BagListing.of(direct).digests
        #expect(expected.count == SampleBags.topics.count)
        let bag = folder("form")
        try await SampleBags.write(bag, form.options)
        try await expect(expected, of: bag)
        // Its file alone says as much.
        try await expect(expected, of: try #require(try SampleBags.files(bag).first))
    }

    @Test(arguments: [["1"], ["3", "shuffled"], ["3", "crash"], ["3", "legacy"]])
    func chunksOfTheAppArrive(layout: [String]) async throws {
        try await SampleBags.write(direct)
        try await SampleBags.write(folder("json"), BagForm.json.options)
        let app = folder("mapeverything_20260101_120000_0a1b2c3d")
        try await Peer.run("app_bag.py", [folder("json"), app] + layout)
        try await expect(try await BagListing.of(direct).digests, of: app)
    }

    /// Bags by others, with types that only they define.
    static let real = [
        "bags-ros2-jazzy/jazzy_db3", "bags-ros2-jazzy/jazzy_mcap", "bags-rosbag2/rosbag2_py/mcap/talker",
        "bags-rosbag2/rosbag2_py/mcap/wbag", "bags-rosbag2/rosbag2_py/sqlite3/wbag",
        "bags-rosbag2/rosbag2_py/mcap/convert_a", "bags-rosbag2/rosbag2_py/mcap/convert_b",
        "bags-rosbag2/rosbag2_tests/mcap/cdr_test", "bags-rosbag2/rosbag2_tests/sqlite3/cdr_test",
        "bags-rosbag2/rosbag2_tests/mcap/bag_with_topics_and_service_events",
        "bags-rosbag2/rosbag2_tests/sqlite3/bag_with_topics_and_service_events",
        "bags-rosbag2/rosbag2_transport/mcap/rewriter_a", "bags-rosbag2/rosbag2_transport/mcap/rewriter_b",
    ]

    @Test(.enabled(if: Captures.have("bags-rosbag2"), Comment(rawValue: Captures.absence)), arguments: real)
    func bagsOfOthersArrive(name: String) async throws {
        let bag = Captures.path(name).string
        let values: [String: [String]] = try await Peer.json("bag_values.py", [bag])
        #expect(!values.isEmpty)
        let mirror = folder("mirror")
        let (diary, outcome) = try await replay(bag, ["--save-local", mirror], server: ["--types", bag])
        // No server takes calls of services: unless they are left out by an option, the status tells too.
        #expect(outcome.status == (bag.hasSuffix("service_events") ? 1 : 0), "\(outcome)")
        #expect(diary.all("refused").map(\.why) == [])
        #expect(diary.digests == values)
        // The mirror has the very bytes.
        let readings = try await PeerReading.of([bag, mirror])
        let rows = try #require(readings[bag]).files.filter { !$0.contains("/srv/") }
            .map { $0.hasPrefix("/") ? $0 : "/" + $0 }
        #expect(readings[mirror]?.files == rows.sorted())
        #expect(readings[mirror]?.rosbags == rows.sorted())
    }

    @Test(arguments: [BagForm.any, .mcap])
    func mirrorHasTheSameBytes(form: BagForm) async throws {
        try await SampleBags.write(direct, form.options)
        let (_, outcome) = try await replay(direct, ["--save-local", folder("mirror")] + form.options)
        #expect(outcome.status == 0, "\(outcome)")
        let readings = try await PeerReading.of([direct, folder("mirror")])
        let rows = try #require(readings[direct]?.agreed)
        #expect(readings[folder("mirror")]?.agreed == rows)
        #expect(rows.count == SampleBags.count)
    }

    @Test func mirrorOverTheBagIsRefused() async throws {
        try await SampleBags.write(direct)
        let before = try FileTree.contents(direct)
        let file = try #require(try SampleBags.files(direct).first)
        for path in [direct, file] {
            let options = ["--url", "127.0.0.1:1", "--save-local", direct, "--force"]
            let outcome = try await Binary.run(["replay", path] + options)
            outcome.expectError(73, naming: direct, "a path outside of the input")
        }
        #expect(FileTree.differences(before, try FileTree.contents(direct)) == [])
    }

    @Test func dryRunCountsEverythingAndSendsNothing() async throws {
        try await SampleBags.write(direct)
        let listing = try await BagListing.of(direct)
        let report = folder("report.json")
        let result = try BagReplayResult(
            try await Binary.run(["replay", direct, "--dry-run", "--report", report, "--json"])
        )
        #expect(
            Dictionary(uniqueKeysWithValues: result.topics.map { ($0.name, $0.count) })
                == listing.digests.mapValues(\.count)
        )
        #expect(result.bag == direct && result.sinks.isEmpty && result.absent.isEmpty && result.problems.isEmpty)
        #expect(FileManager.default.fileExists(atPath: report))
        let text = try await Binary.succeed(["replay", direct, "--dry-run", "--strict"])
        #expect(text.contains("nothing was sent or written") && text.contains("\(SampleBags.count) messages"))
    }

    @Test func namesAndSelection() async throws {
        try await SampleBags.write(direct)
        let listing = try await BagListing.of(direct).digests
        let selection = ["--topics", "/mapping/pose", "/tf", "--remap", "/mapping/pose:=/pose", "--namespace", "robot"]
        let poses = try #require(listing["/mapping/pose"]), transforms = try #require(listing["/tf"])
        try await expect(["/pose": poses, "/tf": transforms], of: direct, selection)
        let others = listing.filter { !$0.key.contains("camera") && $0.key.hasPrefix("/mapping") }
        try await expect(others, of: direct, ["--regex", "^/mapping", "--exclude-regex", "camera"])
    }

    @Test func loopsGoOnInTime() async throws {
        try await SampleBags.write(direct)
        let topics = ["--topics", "/mapping/pose", "/tf_static"]
        let (once, _) = try await replay(direct, topics)
        let (diary, outcome) = try await replay(direct, topics + ["--loop=3", "--save-local", folder("mirror")])
        #expect(outcome.status == 0, "\(outcome)")
        let first = once.stamps("/mapping/pose"), stamps = diary.stamps("/mapping/pose")
        #expect(stamps.count == 3 * first.count && Array(stamps.prefix(first.count)) == first)
        #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 })
        // The second pass has the intervals of the first.
        let shift = stamps[first.count] - first[0]
        let passes = (0..<3).flatMap { (pass: Int64) -> [Int64] in first.map { $0 + pass * shift } }
        #expect(stamps == passes)
        let listing = try await BagListing.of(folder("mirror"))
        #expect(listing.rows.filter { $0.topic == "/mapping/pose" }.map(\.stamp) == stamps.map { $0 })
        #expect(zip(listing.rows, listing.rows.dropFirst()).allSatisfy { $0.time <= $1.time })
    }

    @Test func seekingAndStartingBeginWithWhatIsLatched() async throws {
        try await SampleBags.write(direct)
        let rows = try await BagListing.of(direct).rows
        let start = try #require(rows.map(\.time).min()) + 1_000_000_000
        let latched: Set = ["/tf_static", "/mapping/session"]
        let later = rows.filter { $0.time >= start && !latched.contains($0.topic) }
        let commands = folder("commands")
        try #"{"command":"seek","to":1}"#.appending("\n").write(toFile: commands, atomically: true, encoding: .utf8)
        for options in [["--start", "1", "--rate", "max"], ["--start-paused", "--control", "stdin", "--rate", "100"]] {
            let server = try await PeerServer.start(folder.path)
            let arguments = ["replay", direct, "--url", server.url, "--settle", "0", "--on-full", "wait"] + options
            let outcome = try await ChildProcess(Binary.path, arguments, input: commands).finish()
            let diary = try await server.finish()
            #expect(outcome.status == 0, "\(outcome)")
            #expect(Set(diary.publishes.prefix(2).compactMap(\.topic)) == latched, "\(options)")
            let others = diary.publishes.filter { !latched.contains($0.topic ?? "") }
            #expect(others.map(\.digest) == later.map(\.digest), "\(options)")
            // Beside what was latched before, that the session has stopped.
            #expect(diary.publishes.count == later.count + 3)
        }
    }

    @Test func brokenMessagesAndStrangeKeysAreCounted() async throws {
        try await SampleBags.write(direct)
        try await SampleBags.write(folder("json"), BagForm.json.options)
        try await Peer.run("app_bag.py", [folder("json"), folder("app"), "2", "broken", "strange"])
        let (diary, outcome) = try await replay(folder("app"), ["--json", "--strict", "--accept-damage"])
        #expect(outcome.status == 1, "\(outcome)")
        #expect(diary.digests == (try await BagListing.of(direct).digests))
        #expect(diary.all("refused").isEmpty)
        let result = try BagReplayResult(outcome)
        let broken = result.problems.filter { $0.kind == "broken message" }
        #expect(broken.map(\.topic) == ["/mapping/pose"] && broken.map(\.count) == [3])
        #expect(broken.first?.examples.count == 3)
        #expect(broken.first?.examples.allSatisfy { !$0.reason.isEmpty } == true)
        let poses = diary.count("/mapping/pose")
        let keys = result.problems.filter { $0.kind == "unknown key" }
        #expect(keys.map(\.key) == ["pose.extra", "surprise"] && keys.allSatisfy { $0.count == poses })
        let refused = try await Binary.run(["replay", folder("app"), "--dry-run"])
        #expect(refused.status == 65 && refused.errors.contains("3 messages are not what"), "\(refused)")
        let text = try await Binary.run(["replay", folder("app"), "--dry-run", "--accept-damage"])
        #expect(text.status == 0 && text.output.contains("skipped: 3 messages of /mapping/pose"), "\(text)")
        #expect(text.output.contains("\(poses) x key \"surprise\""), "\(text)")
    }

    @Test func typesThatNobodyKnowsAreLeftOut() async throws {
        try await SampleBags.write(folder("json"), BagForm.json.options)
        let app = folder("app")
        try await Peer.run("app_bag.py", [folder("json"), app, "1", "foreign"])
        let lossy = try await Binary.run(["replay", app, "--dry-run"])
        #expect(lossy.status == 1 && lossy.output.contains("left out: /count, foo_msgs/msg/Count"), "\(lossy)")
        #expect(lossy.output.contains("--msg-path"), "\(lossy)")
        #expect(try await Binary.run(["replay", app, "--dry-run", "--skip-unknown"]).status == 0)
        // There is no server at that port: where nothing else is left the refusal comes before any connection.
        let refused = try await Binary.run(["replay", app, "--url", "127.0.0.1:1", "--topics", "/count"])
        refused.expectError(65, naming: "/count", "foo_msgs/msg/Count")
        let options = ["--skip-unknown", "--json", "--strict"]
        let (diary, outcome) = try await replay(app, options)
        #expect(outcome.status == 1 && diary.count("/count") == 0, "\(outcome)")
        let result = try BagReplayResult(outcome)
        #expect(result.absent.map(\.name) == ["/count"] && result.absent.allSatisfy(\.has_messages))
        try SampleBags.makeFolder(folder("source/foo_msgs/msg"))
        try "int64 total\nstring name\n".write(
            toFile: folder("source/foo_msgs/msg/Count.msg"),
            atomically: true,
            encoding: .utf8
        )
        let found = ["replay", app, "--dry-run", "--json", "--strict", "--msg-path", folder("source")]
        #expect(
            try BagReplayResult(try await Binary.run(found)).topics.contains { $0.name == "/count" && $0.count == 1 }
        )
        let typed = ["replay", app, "--dry-run", "--json", "--type", "/count=std_msgs/msg/Int64"]
        let retyped = try BagReplayResult(try await Binary.run(typed))
        #expect(retyped.topics.first { $0.name == "/count" }?.type == "std_msgs/msg/Int64")
        #expect(Set(retyped.problems.compactMap(\.key)) == ["name", "total"])
    }

    @Test(.enabled(if: Captures.have("bags-rosbag2"), Comment(rawValue: Captures.absence)))
    func whatCannotBePublishedIsRefused() async throws {
        let services = Captures.path("bags-rosbag2/rosbag2_cpp/only_services.mcap").string
        try await Binary.run(["replay", services, "--dry-run"]).expectError(65, naming: "/add_two_ints", "service")
        let foreign = Captures.path("bags-rosbag2/rosbag2_tests/mcap/wrong_rmw_test").string
        try await Binary.run(["replay", foreign, "--dry-run"]).expectError(65, naming: "wrong_format")
    }

    /// Options that say how messages are made of a session.
    @Test func optionsForSessionsAreRefused() async throws {
        try await SampleBags.write(direct)
        let all = [
            ["--profile", "record"], ["--frames", "ros"], ["--epoch", "auto"], ["--timezone", "Z"],
            ["--heading", "0"], ["--geoid", "grid.gtx"], ["--georeference", "off"],
            ["--calibration", "auto"], ["--keep-limited-tracking"], ["-j", "2"], ["--min-confidence", "1"],
            ["--min-depth", "1"], ["--max-depth", "3"], ["--voxel-size", "0"], ["--voxel-point", "first"],
            ["--outlier", "off"], ["--outlier-voxel", "1"], ["--outlier-neighbours", "1"], ["--edge-filter"],
            ["--no-edge-filter"], ["--colour", "eighth"],
        ]
        for options in all {
            let outcome = try await Binary.run(["replay", direct, "--dry-run"] + options)
            outcome.expectError(2, naming: options[0].replacing("--no-edge", with: "--edge"))
        }
        try await Binary.run(["replay", direct, "--dry-run"] + all.joined()).expectError(
            2,
            naming: "--profile, --frames"
        )
    }

    @Test func valuesThatCannotBeMeantAreRefused() async throws {
        try await SampleBags.write(direct)
        let wrong = [
            ["--start", "100"], ["--start", "1", "--end", "0.5"], ["--start", "frame:9999"], ["--duration", "0"],
            ["--topics", "/nope"], ["--regex", "("], ["--type", "nonsense"], ["--clock", "0"], ["--namespace", "1st"],
            ["--remap", "/mapping/pose:=/tf"],
        ]
        for options in wrong {
            let outcome = try await Binary.run(["replay", direct, "--dry-run"] + options)
            #expect(outcome.status == 2, "\(options): \(outcome)")
        }
        let session = try await Samples.plain.value
        for options in [["--skip-unknown"], ["--type", "/a=b/msg/C"], ["--msg-path", "/tmp"]] {
            try await Binary.run(["replay", session, "--dry-run"] + options).expectError(2, naming: options[0])
        }
        try await Binary.run(["replay", folder("nothing"), "--dry-run"]).expectError(66)
    }
}

/// What `replay BAG --json` says.
struct BagReplayResult: Decodable {
    struct Topic: Decodable {
        var name: String
        var type: String
        var count: Int
    }

    struct Absent: Decodable {
        var name: String
        var reason: String
        var has_messages: Bool
    }

    struct Problem: Decodable {
        struct Example: Decodable {
            var stamp_ns: Int64
            var reason: String
        }

        var kind: String
        var topic: String
        var key: String?
        var count: Int
        var examples: [Example]
    }

    struct Sink: Decodable {}

    var bag: String
    var topics: [Topic]
    var absent: [Absent]
    var problems: [Problem]
    var sinks: [Sink]

    init(_ outcome: Outcome) throws {
        self = try JSONDecoder().decode(BagReplayResult.self, from: Data(outcome.output.utf8))
    }
}
