import Foundation
import Testing

/// How large frames are, and what is done about messages that are larger.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)), .timeLimit(.minutes(5)))
struct ReplaySizeTests {
    private let folder: Scratch
    private static let cloudTopic = "/mapping/pointcloud/lidar"

    init() throws { folder = try Scratch() }

    private func replay(_ limit: Int?, _ options: [String] = []) async throws -> (FaultyServer.Notes, Outcome) {
        let size = limit.map { ["--max-message-size", "\($0)"] } ?? []
        return try await FaultyServer.replay(
            try await Samples.plain.value,
            size + ["--json"] + options,
            into: folder.path,
            server: ["--seed", "1"] + (limit.map { ["--message-limit", "\($0)"] } ?? [])
        )
    }

    @Test func limitsAreKeptToTheByte() async throws {
        let (whole, _) = try await replay(nil)
        let largest = whole.largest_frame
        #expect(largest > 10_000)
        let limits = [1000, largest - 1, largest, largest + 1] + (0..<3).map { _ in Int.random(in: 1000..<largest) }
        for limit in limits {
            let (notes, outcome) = try await replay(limit)
            #expect(outcome.status == 0, "\(limit): \(outcome)")
            #expect(notes.too_big == 0 && notes.largest_frame <= limit && notes.connections == 1, "\(limit)")
            #expect(notes.firstArrivals == whole.firstArrivals && notes.refused == [], "\(limit)")
            // A byte less than the largest message is enough to split it, and no more is.
            if limit >= largest { #expect(notes.largest_frame == largest) }
        }
    }

    @Test func cloudsAreThinnedWhereAsked() async throws {
        let (whole, _) = try await replay(nil)
        let limit = 20_000
        let (notes, outcome) = try await replay(limit, ["--fit"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(notes.too_big == 0 && notes.refused == [])
        for (topic, keys) in whole.firstArrivals where topic != Self.cloudTopic {
            #expect(notes.firstArrivals[topic] == keys, "\(topic)")
        }
        let report = try JSONDecoder().decode(RunReport.self, from: Data(outcome.output.utf8))
        let sink = try #require(report.sinks.first)
        let cloud = try #require(sink.topics.first { $0.name == Self.cloudTopic })
        let widths = { (notes: FaultyServer.Notes) in
            notes.published.filter { $0.topic == Self.cloudTopic }.compactMap(\.width)
        }
        let offered = widths(whole), kept = widths(notes)
        #expect(offered.count == kept.count && cloud.thinned == kept.count)
        #expect(cloud.offered_points == offered.reduce(0, +) && cloud.kept_points == kept.reduce(0, +))
        for (before, after) in zip(offered, kept) {
            // Every k-th point, for some k: as many as that leaves.
            #expect(after < before && (2..<before).contains { (before + $0 - 1) / $0 == after })
        }
        #expect(sink.topics.allSatisfy { $0.name == Self.cloudTopic || $0.thinned == 0 })
        let (again, _) = try await replay(limit, ["--fit"])
        #expect(again.firstArrivals == notes.firstArrivals)
        let server = try await FaultyServer.start(folder.path, ["--seed", "1"])
        let session = try await Samples.plain.value
        let size = ["--fit", "--max-message-size", "\(limit)", "--strict"]
        let text = try await Binary.run(["replay", session, "--url", server.url] + FaultyServer.quick() + size)
        #expect(text.status == 1, "\(text)")
        #expect(text.output.contains("\(Self.cloudTopic): \(kept.count) clouds were thinned"), "\(text)")
        _ = try await server.finish()
    }

    @Test func serversThatTakeLessAreGivenLess() async throws {
        let (whole, _) = try await replay(nil)
        let options = ["--json"]
        let session = try await Samples.plain.value
        let server = ["--seed", "1", "--message-limit", "20000"]
        let (notes, outcome) = try await FaultyServer.replay(session, options, into: folder.path, server: server)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(notes.too_big > 0 && notes.closed == [1000])
        #expect(notes.firstArrivals == whole.firstArrivals)
        let report = try JSONDecoder().decode(RunReport.self, from: Data(outcome.output.utf8))
        let warnings = report.sinks.flatMap(\.warnings)
        #expect(warnings.contains { $0.contains("1009") } && warnings.contains { $0.contains("frames are ") })
        // Without fragments nothing can be done, and the error says which limits there are.
        let strict = try await FaultyServer.start(folder.path, server)
        let refused = try await Binary.run(
            ["replay", session, "--url", strict.url, "--no-fragments"] + FaultyServer.quick()
        )
        await strict.stop()
        refused.expectError(69, naming: "1009", hasReported: true)
        #expect(refused.errors.contains("max_message_size") && refused.errors.contains("--max-message-size"))
    }
}
