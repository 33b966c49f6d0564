import Foundation
import Testing

/// Bags as the phone app writes them.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ConvertAppBagsTests {
    private let folder: Scratch
    private var app: String { folder("mapeverything_20260101_120000_0a1b2c3d") }
    private var output: String { folder("output") }

    init() throws { folder = try Scratch() }

    /// The rows that the same session has as CDR.
    private func make(_ chunks: Int, _ flags: String...) async throws -> [String] {
        try await SampleBags.write(folder("direct"))
        try await SampleBags.write(folder("json"), BagForm.json.options)
        try await Peer.run("app_bag.py", [folder("json"), app, "\(chunks)"] + flags)
        return try await rows(folder("direct"))
    }

    private func rows(_ bag: String) async throws -> [String] {
        try #require(try await PeerReading.of([bag])[bag]?.agreed)
    }

    @Test(arguments: [
        ["1"], ["11"], ["11", "shuffled"], ["3", "crash"], ["3", "legacy"], ["1", "crash", "shuffled"],
    ])
    func becomeCDR(layout: [String]) async throws {
        let direct = folder("direct")
        try await SampleBags.write(direct)
        try await SampleBags.write(folder("json"), BagForm.json.options)
        try await Peer.run("app_bag.py", [folder("json"), app] + layout)
        let before = try FileTree.contents(app)
        let outcome = try await Command.run(["convert", app, "-o", output, "--json", "--strict"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try ConversionResult(outcome).written == SampleBags.count)
        try await SampleBags.convert([app], to: folder("mcap"), BagForm.mcap.options)
        let readings = try await PeerReading.of([direct, output, folder("mcap")])
        let expected = try #require(readings[direct]?.agreed)
        #expect(readings[output]?.agreed == expected)
        #expect(readings[folder("mcap")]?.agreed == expected)
        #expect(readings[folder("mcap")]?.decoded == ["\(expected.count)"])
        try await Conformance.check(output)
        // The app's own is left as it is, and nothing of its remarks on JSON is said of CDR.
        #expect(FileTree.differences(before, try FileTree.contents(app)) == [])
        let metadata = try String(contentsOfFile: "\(output)/metadata.yaml", encoding: .utf8)
        #expect(!metadata.contains("serialization_note") && !metadata.contains("reconstructor"))
    }

    @Test func loneChunksConvert() async throws {
        let expected = try await make(2)
        try await SampleBags.convert(["\(app)/mapeverything_1.db3", "\(app)/mapeverything_0.db3"], to: output)
        #expect(try await rows(output) == expected)
    }

    @Test func brokenMessagesAndStrangeKeysAreCounted() async throws {
        let expected = try await make(2, "broken", "strange")
        let refused = try await Command.run(["convert", app, "-o", folder("refused")])
        #expect(refused.status == 65 && refused.errors.contains("3 of \(expected.count + 3) messages"), "\(refused)")
        #expect(try await rows(folder("refused")) == expected)
        let outcome = try await Command.run(["convert", app, "-o", output, "--json", "--accept-damage"])
        #expect(outcome.status == 0, "\(outcome)")
        let result = try ConversionResult(outcome)
        #expect(result.broken == 3 && result.broken_messages.count == 3)
        #expect(result.broken_messages.allSatisfy { $0.topic == "/mapping/pose" && !$0.reason.isEmpty })
        #expect(result.read == expected.count + 3 && result.written == expected.count)
        let poses = expected.count { $0.hasPrefix("/mapping/pose ") }
        let keys = Dictionary(uniqueKeysWithValues: result.unknown_keys.map { ($0.key, $0.count) })
        #expect(keys == ["surprise": poses, "pose.extra": poses], "\(result.unknown_keys)")
        #expect(try await rows(output) == expected)
        let text = try await Command.run(["convert", app, "-o", folder("text"), "--strict", "--accept-damage"])
        #expect(text.status == 1, "\(text)")
        #expect(text.output.contains("skipped: 3 messages") && text.output.contains("\(poses) x key \"surprise\""))
        // What was written is the same as without it.
        #expect(try await rows(folder("text")) == expected)
    }

    @Test func typesThatNobodyKnows() async throws {
        let expected = try await make(2, "foreign")
        let lossy = try await Command.run(["convert", app, "-o", output])
        #expect(lossy.status == 1 && lossy.output.contains("left out: /count, foo_msgs/msg/Count"), "\(lossy)")
        #expect(lossy.output.contains("--msg-path"), "\(lossy)")
        #expect(try await rows(output) == expected)
        // Where nothing else is left there is nothing to write, knowingly or not.
        for options in [[], ["--skip-unknown"], ["--accept-damage"]] {
            let alone = ["convert", app, "-o", folder("alone"), "--topics", "/count"] + options
            let refused = try await Command.run(alone)
            refused.expectError(65, naming: "/count", "foo_msgs/msg/Count")
            for advice in ["--msg-path", "--type"] { #expect(refused.errors.contains(advice), "\(refused)") }
            #expect(!FileManager.default.fileExists(atPath: folder("alone")))
        }

        let skipped = try await Command.run(["convert", app, "-o", folder("skipped"), "--skip-unknown", "--json"])
        #expect(skipped.status == 0, "\(skipped)")
        let result = try ConversionResult(skipped)
        #expect(result.left_out.map(\.name) == ["/count"] && result.left_out.allSatisfy(\.has_messages))
        #expect(try await rows(folder("skipped")) == expected)
        let strict = ["convert", app, "-o", folder("strict"), "--skip-unknown", "--strict"]
        #expect(try await Command.run(strict).status == 1)

        // The layout of a workspace's source folder: PACKAGE/msg/NAME.msg.
        try SampleBags.makeFolder(folder("source/foo_msgs/msg"))
        let definition = "int64 total\nstring name\n"
        try definition.write(toFile: folder("source/foo_msgs/msg/Count.msg"), atomically: true, encoding: .utf8)
        for form in [BagForm.any, .mcap] {
            let options = form.options + ["--msg-path", folder("source"), "--strict"]
            try await SampleBags.convert([app], to: folder("found-\(form.name)"), options)
            let found = try await rows(folder("found-\(form.name)"))
            #expect(found.filter { !$0.hasPrefix("/count ") } == expected)
            #expect(found.filter { $0.hasPrefix("/count foo_msgs/msg/Count ") }.count == 1)
        }
        let echo = ["inspect", folder("found-any"), "--echo", "/count"]
        #expect(try await Command.succeed(echo) == "total: 7\nname: seven\n---\n")

        // Another name for a type that is known: its keys are others.
        let typed = ["convert", app, "-o", folder("typed"), "--type", "/count=std_msgs/msg/Int64", "--json"]
        let retyped = try ConversionResult(try await Command.run(typed))
        #expect(retyped.topics.first { $0.name == "/count" }?.type == "std_msgs/msg/Int64")
        #expect(Set(retyped.unknown_keys.map(\.key)) == ["name", "total"])
    }
}
