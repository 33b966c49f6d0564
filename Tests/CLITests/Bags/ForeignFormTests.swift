import Foundation
import SystemPackage
import TestSupport
import Testing

/// .mcap files with messages of other worlds than ROS 2, as the package mcap writes them.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ForeignFormTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// Writes a file: five messages of each channel `(topic, encoding, schema's name, its encoding)`.
    private static let writing = """
        import json, sys
        from mcap.writer import Writer
        path, profile, channels = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
        bodies = {"json": b'{"speed": 1.5, "gear": null}', "cdr": bytes([0, 1, 0, 0, 5, 0, 0, 0])}
        with open(path, "wb") as file:
            writer = Writer(file)
            writer.start(profile=profile, library="test")
            for topic, encoding, name, form in channels:
                data = b"\\xff\\x00\\xfe" if form == "protobuf" else b"" if form == "unknown" else b"int32 data"
                schema = writer.register_schema(name, form, data) if form else 0
                channel = writer.register_channel(topic, encoding, schema)
                for k in range(5):
                    time = 10**18 + k * 10**9
                    writer.add_message(channel, time, bodies.get(encoding, bytes([k, 7])), time, k)
            writer.finish()
        """
    /// Everything that a reader of .mcap gets of a file.
    private static let reading = """
        import sys
        from mcap.reader import make_reader
        for path in sys.argv[1:]:
            with open(path, "rb") as file:
                reader = make_reader(file, validate_crcs=True)
                print("profile", reader.get_header().profile)
                for schema, channel, message in reader.iter_messages():
                    form = (schema.name, schema.encoding, schema.data.hex()) if schema else None
                    print(channel.topic, channel.message_encoding, form, message.log_time, message.data.hex())
        """

    private func write(_ name: String, profile: String, _ channels: [[String]]) throws -> String {
        let path = folder(name)
        let text = String(decoding: try JSONEncoder().encode(channels), as: UTF8.self)
        _ = try PeerPython.output(of: Self.writing, [path, profile, text])
        return path
    }

    private static let ros1 = ["/pose", "ros1", "geometry_msgs/Pose", "ros1msg"]
    private static let protobuf = ["/marks", "protobuf", "foxglove.Marks", "protobuf"]
    private static let json = ["/car", "json", "", ""]
    private static let cdr = ["/count", "cdr", "std_msgs/msg/Int32", "ros2msg"]
    private static let unknown = ["/thing", "cdr", "acme_msgs/msg/Thing", "unknown"]

    @Test(arguments: [("ros1", [ros1]), ("", [protobuf, json, cdr]), ("ros2", [unknown, cdr])])
    func areCopiedCutAndMerged(profile: String, channels: [[String]]) async throws {
        let file = try write("a.mcap", profile: profile, channels)
        let original = try PeerPython.output(of: Self.reading, [file]).split(separator: "\n")
        let copied = try await Command.run(["convert", file, "-o", folder("copy"), "--storage", "mcap"])
        #expect(copied.status == 0, "\(copied)")
        let copy = try PeerPython.output(of: Self.reading, [folder("copy/copy_0.mcap")]).split(separator: "\n")
        #expect(copy.sorted() == original.sorted())
        let cut = ["convert", file, folder("copy"), "-o", folder("cut"), "--start", "2", "--end", "3"]
        try await Command.succeed(cut + ["--storage", "mcap"])
        let part = try PeerPython.output(of: Self.reading, [folder("cut/cut_0.mcap")]).split(separator: "\n")
        // Two of five messages of each channel, from both inputs.
        #expect(part.count == 1 + 4 * channels.count && Set(part).isSubset(of: original))
    }

    @Test func areNamedAndNotCalledDamaged() async throws {
        let file = try write("ros1.mcap", profile: "ros1", [Self.ros1])
        let check = try await CheckResult.of(file)
        #expect(check.status == 0 && check.result.warnings == 0, "\(check.result.findings)")
        #expect(check.result.findings.contains { $0.kind == "message.form" && $0.topic == "/pose" })
        // A .db3 has no place for them.
        let refused = try await Command.run(["convert", file, "-o", folder("db3")])
        refused.expectError(65, naming: "/pose", "ros1", "--storage mcap")
        try await Command.run(["inspect", file, "--echo", "/pose"]).expectError(65, naming: "ros1")
        try await Command.run(["replay", file, "--dry-run"]).expectError(65, naming: "ros1")
    }

    /// rosbag2 refuses a bag of both (rosbag2#1245); the advice makes one that it takes.
    @Test func besideCDRAreLeftOutOfADatabase() async throws {
        let file = try write("mixed.mcap", profile: "", [Self.protobuf, Self.cdr])
        let check = try await CheckResult.of(file)
        let mixed = try #require(check.result.findings.first { $0.kind == "bag.mixed-formats" })
        #expect(check.status == 1 && mixed.advice.contains("mapeverything convert"))
        let outcome = try await Command.run(["convert", file, "-o", folder("db3"), "--json"])
        #expect(outcome.status == 1, "\(outcome)")
        let result = try ConversionResult(outcome)
        #expect(result.left_out.map(\.name) == ["/marks"] && result.written == 5)
        #expect(try await CheckResult.of(folder("db3")).result.findings.filter { $0.severity == "error" }.isEmpty)
    }

    @Test func plainJSONIsShown() async throws {
        let file = try write("car.mcap", profile: "", [Self.json])
        let lines = try await Command.succeed(["inspect", file, "--echo", "/car", "-n", "1", "--json"])
        #expect(lines == #"{"topic":"/car","stamp_ns":1000000000000000000,"msg":{"speed":1.5,"gear":null}}"# + "\n")
        let text = try await Command.succeed(["inspect", file, "--echo", "/car", "-n", "1"])
        #expect(text.contains("\"speed\": 1.5") && text.hasSuffix("---\n"), "\(text)")
    }

    @Test func pointersOfGitLFSAreNamed() async throws {
        let file = folder("x.mcap")
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n"
        try pointer.write(toFile: file, atomically: true, encoding: .utf8)
        let commands = [
            ["inspect", file], ["convert", file, "-o", folder("o"), "--accept-damage"], ["repair", file],
            ["replay", file, "--dry-run", "--accept-damage"],
        ]
        for command in commands { try await Command.run(command).expectError(65, naming: "x.mcap", "Git LFS pointer") }
        #expect(!FileManager.default.fileExists(atPath: folder("o")))
    }
}
