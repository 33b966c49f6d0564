import Foundation
import SystemPackage
import TestSupport
import Testing

/// Recordings by the real recorder of Humble, which stores no definitions: of what a rosbridge and a recorder publish too.
@Suite(
    .serialized,
    .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
    .enabled(if: Captures.have("bags-ros2-real"), Comment(rawValue: Captures.absence))
)
struct HumbleBagTests {
    static let recordings = ["humble_sqlite3", "humble_sqlite3_file_zstd"]

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func differences(_ recording: String, _ copy: String) async throws -> [String] {
        try await Peer.json("humble_values.py", [recording, copy, Repository.messages + "/msg"])
    }

    @Test(arguments: recordings)
    func becomeMCAPWithDefinitions(name: String) async throws {
        let recording = Captures.path("bags-ros2-real/\(name)").string, copy = folder("copy")
        let outcome = try await Command.run(["convert", recording, "-o", copy, "--storage", "mcap"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try await differences(recording, copy) == [])
    }

    @Test(arguments: recordings)
    func areReplayed(name: String) async throws {
        let recording = Captures.path("bags-ros2-real/\(name)").string
        let recorder = try await Recording.start(folder, ["--storage", "mcap"])
        let options = ["--url", "127.0.0.1:\(recorder.port)", "--rate", "max", "--settle", "0", "--strict"]
        let outcome = try await Command.run(["replay", recording] + options)
        #expect(outcome.status == 0, "\(outcome)")
        _ = try await recorder.stop()
        let inspected: BagInspection = try await Command.json(["inspect", recording, "--json"])
        let replayed: BagInspection = try await Command.json(["inspect", recorder.bag, "--json"])
        for topic in inspected.topics where topic.count > 0 {
            #expect(replayed.count(topic.name) == topic.count, "\(topic.name)")
        }
        #expect(replayed.topics.contains { $0.type == "rcl_interfaces/msg/Log" })
    }

    @Test(arguments: recordings)
    func everyMessageIsDecodedByCheck(name: String) async throws {
        let recording = Captures.path("bags-ros2-real/\(name)").string
        let outcome = try await Command.run(["check", recording, "--json"])
        #expect(!outcome.output.contains("message.unknown-type"), "\(outcome)")
        let echo = try await Command.succeed(["inspect", recording, "--echo", "/rosout", "-n", "1"])
        #expect(echo.hasPrefix("stamp:\n") && echo.contains("\nlevel: ") && echo.contains("\nfunction: "), "\(echo)")
    }
}
