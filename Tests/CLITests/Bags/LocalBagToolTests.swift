import Foundation
import Testing

/// The tool that users of the phone app know.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct LocalBagToolTests {
    private let folder: Scratch
    private var app: String { folder("session") }

    init() async throws {
        folder = try Scratch()
        try await SampleBags.write(folder("direct"))
        try await SampleBags.write(folder("json"), BagForm.json.options)
        try await Peer.run("app_bag.py", [folder("json"), folder("session"), "2"])
    }

    private func run(_ arguments: [String]) async throws -> Outcome {
        let environment = ["MAPEVERYTHING_BINARY": Binary.path]
        let tool = Repository.path("tools/mapeverything-local-bag-to-ros2")
        return try await ChildProcess(tool, arguments, environment: environment).finish()
    }

    private func rows(_ bag: String) async throws -> [String] {
        try #require(try await PeerReading.of([bag])[bag]?.agreed)
    }

    @Test func writesBesideTheInput() async throws {
        let expected = try await rows(folder("direct"))
        let outcome = try await run([app + "/"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("\(SampleBags.count) "))
        #expect(try await rows(folder("session_native_ros2")) == expected)
        try await Conformance.check(folder("session_native_ros2"))
        // Twice is refused, unless it is forced.
        #expect(try await run([app]).status == 2)
        #expect(try await run(["--force", app]).status == 0)
        let chunk = try await run(["\(app)/mapeverything_0.db3"])
        #expect(chunk.status == 0, "\(chunk)")
        #expect(FileManager.default.fileExists(atPath: "\(app)/mapeverything_0_native_ros2/metadata.yaml"))
    }

    @Test func mergesEachInputOnce() async throws {
        let expected = try await rows(folder("direct"))
        let output = folder("merged")
        let inputs = [app, app + "/", "\(app)/mapeverything_1.db3", "\(folder.path)/./session"]
        let outcome = try await run(inputs + ["-o", output])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try await rows(output) == expected)
        let chunks = ["\(app)/mapeverything_1.db3", "\(app)/mapeverything_0.db3", "\(app)/mapeverything_1.db3"]
        #expect(try await run(["--output=\(folder("chunks"))", "--"] + chunks).status == 0)
        #expect(try await rows(folder("chunks")) == expected)
    }

    @Test func storesAsItIsAsked() async throws {
        let expected = try await rows(folder("direct"))
        let arguments = [
            app, "-o", folder("mcap"), "--storage-id", "mcap", "--topic", "/tf", "--topic=/mapping/status",
        ]
        let outcome = try await run(arguments + ["--verbose"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.errors.contains("convert"))
        let wanted = expected.filter { $0.hasPrefix("/tf ") || $0.hasPrefix("/mapping/status ") }
        #expect(!wanted.isEmpty)
        #expect(try await rows(folder("mcap")) == wanted)
    }

    @Test func dryRunsNameEverythingAndWriteNothing() async throws {
        let before = try FileTree.contents(folder.path)
        let outcome = try await run([app, "--dry-run"])
        #expect(outcome.status == 0, "\(outcome)")
        for topic in SampleBags.topics { #expect(outcome.output.contains(topic)) }
        #expect(outcome.output.contains(app))
        #expect(FileTree.differences(before, try FileTree.contents(folder.path)) == [])
    }

    @Test func unknownTypes() async throws {
        let foreign = folder("foreign")
        try await Peer.run("app_bag.py", [folder("json"), foreign, "1", "foreign"])
        let lossy = try await run([foreign])
        #expect(lossy.status == 2 && lossy.output.contains("left out: /count"), "\(lossy)")
        #expect(try await run([foreign, "--skip-unknown", "-o", folder("known")]).status == 0)
        let typed = try await run([foreign, "-o", folder("typed"), "--type", "/count=std_msgs/msg/Int64"])
        #expect(typed.status == 0, "\(typed)")
        #expect(try await rows(folder("typed")).contains { $0.hasPrefix("/count std_msgs/msg/Int64 ") })
    }

    @Test(arguments: [[], ["--nonsense"], ["--storage-id"], ["absent"], ["x", "--storage-id", "parquet"]])
    func mistakesEndWithTwo(arguments: [String]) async throws {
        let outcome = try await run(arguments)
        #expect(outcome.status == 2, "\(outcome)")
        #expect(outcome.output.isEmpty && !outcome.errors.isEmpty)
        let help = try await run(["--help"])
        #expect(help.status == 0 && help.output.contains("--skip-unknown"))
    }
}
