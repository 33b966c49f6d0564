import Foundation
import SystemPackage
import TestSupport
import Testing

/// Messages as text.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct EchoTests {
    private let folder: Scratch
    private var bag: String { folder("bag") }

    init() throws { folder = try Scratch() }

    private func echo(_ topic: String, _ options: [String]) async throws -> String {
        try await Command.succeed(["inspect", bag, "--echo", topic] + options)
    }

    @Test(arguments: SampleBags.topics)
    func valuesAreThoseOfRosbags(topic: String) async throws {
        let count = ["/tf_static", "/mapping/session"].contains(topic) ? 1 : 2
        try await SampleBags.write(bag)
        for (name, options) in [("yaml", ["--full"]), ("json", ["--json", "--full"])] {
            let text = try await echo(topic, ["-n", "\(count)"] + options)
            try text.write(toFile: folder(name), atomically: false, encoding: .utf8)
        }
        let arguments = [bag, topic, "\(count)", folder("yaml"), folder("json")]
        let differences: [String] = try await Peer.json("echo_values.py", arguments)
        #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
    }

    @Test(arguments: [BagForm.mcap, .json, BagForm(name: "zstd", options: ["--compression", "zstd"])])
    func everyFormReadsTheSame(form: BagForm) async throws {
        try await SampleBags.write(bag)
        let expected = try await echo("/mapping/pose", [])
        try await SampleBags.write(folder("other"), form.options)
        #expect(try await Command.succeed(["inspect", folder("other"), "--echo", "/mapping/pose"]) == expected)
        #expect(expected.components(separatedBy: "\n---\n").count == 17)
    }

    @Test func longArraysAreShortened() async throws {
        try await SampleBags.write(bag)
        let cut = try await echo("/mapping/pointcloud/lidar", ["-n", "1"])
        #expect(cut.contains("- '...'\n") && cut.split(separator: "\n").count < 250)
        let full = try await echo("/mapping/pointcloud/lidar", ["-n", "1", "--full"])
        #expect(!full.contains("'...'") && full.split(separator: "\n").count > 10_000)
        // The slash at the front may be left out.
        #expect(try await echo("mapping/pointcloud/lidar", ["-n", "1"]) == cut)
    }

    @Test(.enabled(if: Captures.have("bags-rosbag2"), Comment(rawValue: Captures.absence)))
    func namesWithoutASlashAreFound() async throws {
        // As a bag of rosbag2's own has them, of a type that is in the bag alone.
        let bag = Captures.path("bags-rosbag2/rosbag2_transport/mcap/test_bag_for_seek").string
        let text = try await Command.succeed(["inspect", bag, "--echo", "topic1", "-n", "1"])
        #expect(text.hasPrefix("bool_value: ") && text.hasSuffix("\n---\n"))
    }

    @Test func mistakesAreNamed() async throws {
        try await SampleBags.write(bag)
        let unknown = try await Command.run(["inspect", bag, "--echo", "/nothing"])
        unknown.expectError(65, naming: "/nothing", "/mapping/pose", "/tf_static")
        for count in ["0", "-3"] {
            #expect(try await Command.run(["inspect", bag, "--echo", "/tf", "-n", count]).status == 2)
        }
        let session = try await Samples.plain.value
        try await Command.run(["inspect", session, "--echo", "/tf"]).expectError(2, naming: "--echo")
    }
}
