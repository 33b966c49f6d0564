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
        let read = try await reader.finish()
        #expect(read == content)
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
        // Rows have the time at which they came, by which check would find a replay of another day.
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

    /// What a killed reader had not acknowledged is counted, and what is sent to nobody after it.
    @Test("a reader that is lost")
    func lostReader() async throws {
        let content = try await content()
        let total = content.reduce(0) { $0 + $1.count }
        let reader = try await ROS2Reader(.cyclone, 75, content, [])
        let player = try Binary.start(
            [
                "replay", bag, "--ros2", "--domain", "75", "--wait-for-readers", "all", "--reader-timeout", "1",
                "--json",
            ],
            environment: ROS2Reader.environment
        )
        try await Task.sleep(for: .milliseconds(1500))
        await reader.process.signal(SIGKILL)
        let outcome = try await player.finish(seconds: 60)
        #expect(outcome.status == 69, "\(outcome.everything)")
        #expect(outcome.errors.contains("nobody reads /") && outcome.errors.contains("was lost"), "\(outcome.errors)")
        #expect(outcome.errors.contains("expected every message acknowledged by every reader, found "))
        let report = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        let sinks = try #require(report["sinks"] as? [[String: Any]])
        let topics = try #require(sinks.first?["topics"] as? [[String: Any]])
        func sum(_ key: String) -> Int { topics.reduce(0) { $0 + ($1[key] as? Int ?? 0) } }
        #expect(sum("written") == total && sum("unconfirmed") > 0 && sum("unconfirmed") < total)
        #expect(sum("confirmed") + sum("unconfirmed") == total)
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
            ([], ["CYCLONEDDS_URI": "<Nonsense/>"], 2, "CYCLONEDDS_URI: expected"),
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

/// A raw reader of a domain that is not ours, built when it is first wanted.
struct ROS2Reader {
    enum Kind: String, Sendable {
        case cyclone = "dds_read"
        case fast = "dds_read_fast"
    }

    struct Topic: Decodable, Hashable, Sendable {
        var topic: String
        var type: String
        var count: Int
        var sha256: String
    }

    /// True where the library is there, and what the judges are made of; a part of them must be in CI.
    static var isAvailable: Bool {
        PeerPython.isAvailable
            && (PeerPython.isRequired || FileManager.default.fileExists(atPath: "/usr/include/dds/dds.h"))
    }

    static let absence = "needs the Python peers, libddsc0debian, cyclonedds-dev and libfastrtps-dev"

    /// Nothing leaves the loopback.
    static let environment = [
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "CYCLONEDDS_URI":
            "<CycloneDDS><Domain><General><Interfaces><NetworkInterface name=\"lo\"/></Interfaces></General></Domain></CycloneDDS>",
    ]

    private static let programs = Task { () throws -> String in
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mapeverything-dds-\(getpid())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for command in [
            ["cc", "-O2", "-o", "\(folder)/dds_read", Repository.path("tools/peers/dds_read.c"), "-lddsc"],
            [
                "c++", "-O2", "-o", "\(folder)/dds_read_fast", Repository.path("tools/peers/dds_read_fast.cpp"),
                "-lfastrtps",
                "-lfastcdr",
            ],
        ] {
            let outcome = try await ChildProcess(command[0], Array(command.dropFirst())).finish()
            try #require(outcome.status == 0, "\(outcome.everything)")
        }
        return folder
    }

    let process: ChildProcess
    private let content: [Topic]

    /// Starts a reader, and waits until it reads.
    init(_ kind: Kind, _ domain: Int, _ content: [Topic], _ options: [String], transient: Bool = false) async throws {
        let folder = try await Self.programs.value
        let topics = content.map { topic in
            let isLatched = transient || ["/tf_static"].contains(topic.topic)
            return "\(topic.topic)=\(topic.type)" + (isLatched ? ":transient" : "")
        }
        self.content = content
        process = try ChildProcess(
            "\(folder)/\(kind.rawValue)",
            ["--domain", "\(domain)", "--topics", topics.joined(separator: ",")] + options
        )
        _ = try await process.waitForError("ready")
    }

    /// The topics by name, with their types as a bag has them.
    func finish() async throws -> [Topic] {
        let outcome = try await process.finish(seconds: 90)
        let types = Dictionary(uniqueKeysWithValues: content.map { ($0.topic, $0.type) })
        return try outcome.output.split(separator: "\n")
            .map { line in
                var topic = try JSONDecoder().decode(Topic.self, from: Data(line.utf8))
                if topic.topic.hasPrefix("rt/") { topic.topic = String(topic.topic.dropFirst(2)) }
                topic.type = types[topic.topic] ?? topic.type
                return topic
            }
            .sorted { $0.topic < $1.topic }
    }
}
