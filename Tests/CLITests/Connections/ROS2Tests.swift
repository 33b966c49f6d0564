import Foundation
import SystemPackage
import TestSupport
import Testing

/// `replay --ros2` into readers of others, each a process of its own; nothing leaves the loopback.
@Suite(
    "ROS 2 without a bridge",
    .serialized,
    .enabled(if: ROS2Reader.isAvailable, Comment(rawValue: ROS2Reader.absence))
)
struct ROS2Tests {
    private let directory: TemporaryDirectory
    private let bag: String

    init() async throws {
        directory = try TemporaryDirectory()
        let session = directory.appending("room").string
        bag = directory.appending("room.mcap").string
        try await Command.succeed([
            "sample", "-o", session, "--duration", "2", "--fps", "10", "--size", "320x240", "--gps",
        ])
        try await Command.succeed(["bag", session, "-o", bag])
    }

    /// Topics with their types, and how many messages each has, by a reader of bags that is not ours.
    private func content(of path: String? = nil) async throws -> [ROS2Reader.Topic] {
        let code = """
            import hashlib, json, struct, sys
            from mcap.reader import make_reader
            topics = {}
            with open(sys.argv[1], "rb") as file:
                for schema, channel, message in make_reader(file).iter_messages(log_time_order=True):
                    topic = topics.setdefault(channel.topic, [schema.name, 0, hashlib.sha256()])
                    data = message.data + bytes(-len(message.data) % 4)
                    topic[1] += 1
                    topic[2].update(struct.pack("<I", len(data)) + data)
            print(json.dumps([{"topic": name, "type": t[0], "count": t[1], "sha256": t[2].hexdigest()}
                for name, t in sorted(topics.items())]))
            """
        let output = try await PeerPython.runAside(["-c", code, path ?? bag]).outputOfSuccess()
        return try JSONDecoder().decode([ROS2Reader.Topic].self, from: Data(output.utf8))
    }

    private func replay(_ domain: Int, _ options: [String] = []) async throws -> Outcome {
        try await Binary.run(
            ["replay", bag, "--ros2", "--domain", "\(domain)", "--rate", "max"] + options,
            environment: ROS2Reader.environment
        )
    }

    /// Every message, in order by topic, with the receive buffer that systems come with, and by another implementation.
    @Test(
        "every message arrives",
        arguments: [
            (ROS2Reader.Kind.cyclone, ["--receive-buffer", "212992"]), (.cyclone, []), (.fast, []),
        ] as [(ROS2Reader.Kind, [String])]
    )
    func everything(kind: ROS2Reader.Kind, options: [String]) async throws {
        let content = try await content()
        let total = content.reduce(0) { $0 + $1.count }
        let domain = kind == .fast ? 71 : options.isEmpty ? 72 : 73
        let reader = try await ROS2Reader(kind, domain, content, ["--expect", "\(total)"] + options)
        let outcome = try await replay(domain, ["--wait-for-readers", "all"])
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(
            outcome.output.contains("acknowledged by 1 reader: \(total) of \(total) messages\n"),
            "\(outcome.output)"
        )
        // Readers of Fast DDS keep an unknown number, and these of Cyclone everything.
        #expect(
            outcome.errors.contains("do not say how many messages they keep") == (kind == .fast),
            "\(outcome.errors)"
        )
        #expect(!outcome.errors.contains("keep only the last"), "\(outcome.errors)")
        let read = try await reader.finish()
        #expect(read == content)
    }

    @Test("readers that keep less are named before a fast replay")
    func shortReader() async throws {
        let reader = try await ROS2Reader(.cyclone, 85, try await content(), ["--depth", "5", "--seconds", "4"])
        let outcome = try await replay(85, ["--wait-for-readers", "all"])
        #expect(outcome.errors.contains("readers keep only the last messages of /mapping/camera/camera_info (5), "))
        _ = try await reader.process.finish()
    }

    /// The way back: what is replayed at full speed is recorded, with definitions and in the order of each topic.
    @Test("what is replayed is recorded", arguments: ["back", "back.mcap"])
    func wayBack(output: String) async throws {
        let content = try await content()
        let total = content.reduce(0) { $0 + $1.count }
        let path = directory.appending(output).string
        let domain = output.hasSuffix(".mcap") ? 79 : 80
        let recorder = try Binary.start(
            ["record", "--ros2", "--domain", "\(domain)", "-o", path, "--until-disconnect"],
            environment: ROS2Reader.environment
        )
        _ = try await recorder.waitForError("recording domain")
        let outcome = try await replay(domain, ["--wait-for-readers", "all"])
        #expect(outcome.status == 0, "\(outcome.everything)")
        let recorded = try await recorder.finish(seconds: 60)
        #expect(recorded.status == 0 && recorded.output.contains("\(total) messages of"), "\(recorded.everything)")
        // Rows have the time at which they came, which is that of another day: a habit of recorders.
        let checked = try await Command.run(["check", "--strict", path])
        #expect(checked.status == 0, "\(checked.everything)")
        let converted = try await Command.run(["convert", path, "-o", path + "-again"])
        #expect(
            converted.status == 0 && converted.output.contains("\(total) of \(total) messages written"),
            "\(converted.everything)"
        )
        guard output.hasSuffix(".mcap") else { return }
        #expect(try await self.content(of: path) == content)
    }

    /// The node, the types, their hashes and the QoS, as a third implementation sees them.
    @Test("the graph", arguments: [("jazzy", 16), ("humble", 24)])
    func graph(distribution: String, gidBytes: Int) async throws {
        let content = try await content()
        let graph = try ChildProcess(
            try #require(PeerPython.interpreter),
            [
                Repository.path("tools/peers/dds_graph.py"), "--domain", "74", "--seconds", "20", "--writers",
                "\(content.count + 1)",
            ]
        )
        let player = try Binary.start(
            [
                "replay", bag, "--ros2", "--domain", "74", "--wait-for-readers", "none", "--node-name", "/robot/play",
                "--ros-distro", distribution, "--stay", "8", "--rate", "max",
            ],
            environment: ROS2Reader.environment
        )
        let seen = try await graph.finish(seconds: 60).output
        await player.signal(SIGINT)
        _ = try await player.finish(seconds: 30)
        let value = try #require(try JSONSerialization.jsonObject(with: Data(seen.utf8)) as? [String: Any])
        let text = String(describing: value)
        let writers = try #require(value["writers"] as? [[String: Any]], "\(seen.prefix(2000))")
        for topic in content {
            let writer = try #require(
                writers.first { $0["topic"] as? String == "rt" + topic.topic },
                "\(topic.topic): \(seen.prefix(4000))"
            )
            let parts = topic.type.split(separator: "/")
            #expect(writer["type"] as? String == "\(parts[0])::msg::dds_::\(parts[2])_")
            #expect((writer["user_data"] as? String)?.hasPrefix("typehash=RIHS01_") == true, "\(writer)")
        }
        #expect(text.contains("enclave=/;") && text.contains("play") && text.contains("/robot"))
        #expect(seen.contains("\"gid_bytes\": \(gidBytes)"), "\(seen.suffix(2000))")
    }

    /// The report of a replay by topic.
    private func lanes(_ outcome: Outcome) throws -> [String: (written: Int, confirmed: Int, unconfirmed: Int)] {
        let report = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let sinks = try #require(report["sinks"] as? [[String: Any]])
        let topics = try #require(sinks.first?["topics"] as? [[String: Any]])
        return try Dictionary(
            uniqueKeysWithValues: topics.map { topic in
                func number(_ key: String) -> Int { topic[key] as? Int ?? 0 }
                let name = try #require(topic["name"] as? String)
                return (name, (number("written"), number("confirmed"), number("unconfirmed")))
            }
        )
    }

    /// What a killed reader had not acknowledged is counted, and what is sent to nobody after it; what another one gets is not.
    @Test("a reader that is killed", arguments: [false, true])
    func lostReader(isReplaced: Bool) async throws {
        let content = try await content()
        let total = content.reduce(0) { $0 + $1.count }
        let domain = isReplaced ? 81 : 75
        let reader = try await ROS2Reader(.cyclone, domain, content, ["--progress"])
        let player = try Binary.start(
            [
                "replay", bag, "--ros2", "--domain", "\(domain)", "--wait-for-readers", "all", "--reader-timeout", "1",
                "--json",
            ],
            environment: ROS2Reader.environment
        )
        _ = try await reader.process.waitForError("/mapping/imu ")
        try await Task.sleep(for: .milliseconds(700))
        await reader.process.signal(SIGKILL)
        let second = isReplaced ? try await ROS2Reader(.cyclone, domain, content, ["--progress"]) : nil
        let outcome = try await player.finish(seconds: 60)
        await second?.process.signal(SIGKILL)
        #expect(outcome.status == 69, "\(outcome.everything)")
        #expect(outcome.errors.contains("was lost"), "\(outcome.errors)")
        #expect(isReplaced || outcome.errors.contains("nobody reads /"), "\(outcome.errors)")
        #expect(outcome.errors.contains("expected every message acknowledged by every reader, found "))
        let lanes = try lanes(outcome)
        let lost = lanes.values.reduce(0) { $0 + $1.unconfirmed }
        #expect(lanes.values.reduce(0) { $0 + $1.written } == total && lost > 0 && lost < total)
        #expect(lanes.values.reduce(0) { $0 + $1.confirmed } + lost == total)
        var had = try await reader.progress()
        if let second { try await had.merge(second.progress(), uniquingKeysWith: +) }
        for (topic, lane) in lanes where topic != "/tf_static" {
            // One may be killed before it has acknowledged what it got last; what it has not got it never acknowledged.
            let more = had[topic, default: 0] - (lane.written - lane.unconfirmed)
            #expect((0...3).contains(more), "\(topic): \(lane), readers had \(had[topic, default: 0])")
        }
    }

    /// A reader that stands still for a while slows the replay down, and loses nothing.
    @Test("a reader that is stopped")
    func stoppedReader() async throws {
        let content = try await content()
        let total = content.reduce(0) { $0 + $1.count }
        let reader = try await ROS2Reader(.cyclone, 82, content, ["--expect", "\(total)", "--progress"])
        let player = try Binary.start(
            ["replay", bag, "--ros2", "--domain", "82", "--wait-for-readers", "all"],
            environment: ROS2Reader.environment
        )
        _ = try await reader.process.waitForError("/mapping/imu ")
        await reader.process.signal(SIGSTOP)
        try await Task.sleep(for: .seconds(5))
        await reader.process.signal(SIGCONT)
        let outcome = try await player.finish(seconds: 60)
        #expect(
            outcome.status == 0 && outcome.output.contains("\(total) of \(total) messages"),
            "\(outcome.everything)"
        )
        #expect(outcome.output.contains("a reader was behind"), "\(outcome.output)")
        #expect(try await reader.finish() == content)
    }

    /// With everything kept, one that comes after a killed one has all of it.
    @Test("everything is kept for late readers")
    func keptForLate() async throws {
        let content = try await content()
        let total = content.reduce(0) { $0 + $1.count }
        let first = try await ROS2Reader(.cyclone, 83, content, ["--progress"], transient: true)
        let player = try Binary.start(
            [
                "replay", bag, "--ros2", "--domain", "83", "--wait-for-readers", "all", "--keep-all-for-late-joiners",
                "--stay", "1",
            ],
            environment: ROS2Reader.environment
        )
        _ = try await first.process.waitForError("/mapping/imu ")
        await first.process.signal(SIGKILL)
        let second = try await ROS2Reader(.cyclone, 83, content, ["--expect", "\(total)"], transient: true)
        let outcome = try await player.finish(seconds: 60)
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(try await second.finish() == content)
    }

    /// Those who ask for what is not offered, and those who are heard and cannot be reached, are named.
    @Test("others that cannot have it")
    func turnedAway() async throws {
        let content = [
            ROS2Reader.Topic(topic: "/mapping/imu", type: "std_msgs/msg/String", count: 0, sha256: ""),
            ROS2Reader.Topic(topic: "/tf", type: "tf2_msgs/msg/TFMessage", count: 0, sha256: ""),
        ]
        let late = [
            ROS2Reader.Topic(topic: "/mapping/pose", type: "geometry_msgs/msg/PoseStamped", count: 0, sha256: "")
        ]
        let player = try Binary.start(
            ["replay", bag, "--ros2", "--domain", "84", "--rate", "max", "--reader-timeout", "16"],
            environment: ROS2Reader.environment
        )
        // The first of a domain has index 0.
        try await Task.sleep(for: .milliseconds(1000))
        let deaf = try ["silent", "no-address"].map { kind in
            try ChildProcess(
                try #require(PeerPython.interpreter),
                [Repository.path("tools/peers/dds_deaf.py"), "--domain", "84", "--kind", kind, "--seconds", "14"]
            )
        }
        let readers = [
            try await ROS2Reader(.cyclone, 84, content, ["--seconds", "14"]),
            try await ROS2Reader(.cyclone, 84, late, ["--seconds", "14"], transient: true),
        ]
        let errors = try await player.finish(seconds: 60).errors
        for text in [
            "a reader of /mapping/imu cannot have it: it expects std_msgs/msg/String, not sensor_msgs/msg/Imu",
            "a reader of /mapping/pose cannot have it: it asks for what was published before it came",
            "a program of ROS 2 (Fast DDS, process ", "is heard and cannot be reached: nothing comes of",
            "is heard and cannot be reached: none of its addresses is on a network interface",
        ] { #expect(errors.contains(text), "\(errors)") }
        for reader in readers { _ = try await reader.process.finish() }
        for one in deaf {
            let key = try await String(one.finish().output.prefix(24))
            #expect(key.count == 24 && errors.contains(key), "\(key): \(errors)")
        }
    }

    /// Every structure and number is that of the library's own headers.
    @Test("layouts")
    func layouts() async throws {
        let outcome = try await ChildProcess(
            "cc",
            [
                "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", Repository.path("Sources/System/CCycloneDDS"),
                Repository.path("tools/peers/dds_layout.c"),
            ]
        )
        .finish()
        #expect(outcome.status == 0, "\(outcome.everything)")
    }

    /// One that comes after the last message has what is latched.
    @Test("a late reader has the latched topics")
    func lateReader() async throws {
        let content = try await content().filter { $0.topic == "/tf_static" }
        try #require(content.count == 1)
        let player = try Binary.start(
            ["replay", bag, "--ros2", "--domain", "76", "--wait-for-readers", "none", "--stay", "15", "--rate", "max"],
            environment: ROS2Reader.environment
        )
        _ = try await player.waitForError("latched topics stay", seconds: 40)
        let reader = try await ROS2Reader(.cyclone, 76, content, ["--expect", "1", "--seconds", "10"], transient: true)
        let read = try await reader.finish()
        #expect(read.first?.count == 1)
        await player.signal(SIGINT)
        _ = try await player.finish(seconds: 30)
    }

    /// One sentence each, and nothing pretended.
    @Test(
        "what cannot be done",
        arguments: [
            (["--reader-timeout", "1"], [:], 69, "expected a reader of "),
            (["--domain", "233"], [:], 2, "a domain from 0 to 232"),
            ([], ["MAPEVERYTHING_DDSC": "/nowhere.so"], 69, "Cyclone DDS: expected libddsc 0.10, found none"),
            ([], ["ROS_SECURITY_ENABLE": "true"], 2, "ROS_SECURITY_ENABLE: expected"),
            ([], ["RMW_IMPLEMENTATION": "rmw_zenoh_cpp"], 2, "RMW_IMPLEMENTATION: expected"),
            (
                [], ["CYCLONEDDS_URI": "<Nonsense/>"], 2,
                "CYCLONEDDS_URI: expected a configuration of Cyclone DDS, found config:"
            ),
            ([], ["CYCLONEDDS_URI": "file:///nowhere.xml"], 2, "can't open configuration file file:///nowhere.xml"),
            (
                ["--reader-timeout", "0.1"],
                [
                    "CYCLONEDDS_URI": ROS2Reader.loopback(
                        "<Discovery><Peers><Peer Address=\"a b\"/></Peers></Discovery>"
                    )
                ],
                69, "warning: Cyclone DDS: add_peer_addresses: a b"
            ),
            (["--url", "10.0.0.5"], [:], 2, "no --ros2 beside it"),
            (["--node-name", "a b"], [:], 2, "--node-name"),
        ] as [([String], [String: String], Int32, String)]
    )
    func refused(options: [String], variables: [String: String], status: Int32, text: String) async throws {
        let domain = options.contains("--domain") ? [] : ["--domain", "77"]
        let outcome = try await Binary.run(
            ["replay", bag, "--ros2", "--rate", "max"] + domain + options,
            environment: ROS2Reader.environment.merging(variables) { $1 }
        )
        #expect(outcome.status == status && outcome.errors.contains(text), "\(outcome.everything)")
    }

    @Test("a dry run says what a recorder needs")
    func dryRun() async throws {
        let outcome = try await Binary.run(
            ["replay", bag, "--ros2", "--domain", "78", "--dry-run"],
            environment: ROS2Reader.environment
        )
        #expect(outcome.status == 0, "\(outcome.everything)")
        for text in [
            "ROS_DOMAIN_ID=78 ", "ros2 bag record --max-cache-size 0 --qos-profile-overrides-path", "history: keep_all",
            "durability: transient_local",
        ] { #expect(outcome.output.contains(text), "\(outcome.output)") }
    }
}
