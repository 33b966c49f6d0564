import Foundation
import Testing

/// Servers that go wrong in every way, again and again: nothing may be lost.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)), .timeLimit(.minutes(5)))
struct ReplayFaultTests {
    private let folder: Scratch
    private static let latched: Set<String> = ["/tf_static", "/mapping/session"]

    init() throws { folder = try Scratch() }

    /// Every message there, of each topic in order, over all topics in the order of a run without faults, and none again
    /// that was confirmed.
    private func expectNothingLost(_ notes: FaultyServer.Notes, as whole: FaultyServer.Notes, _ outcome: Outcome) {
        #expect(outcome.status == 0, "\(outcome)")
        #expect(notes.refused == [])
        #expect(notes.firstArrivals.keys.sorted() == whole.firstArrivals.keys.sorted())
        for (topic, keys) in whole.firstArrivals {
            let arrived = notes.firstArrivals[topic] ?? []
            #expect(Set(arrived) == Set(keys), "\(topic): \(arrived.count) of \(keys.count)")
            #expect(arrived == keys, "\(topic) out of order")
        }
        let isSteady = { (message: FaultyServer.Published) in !Self.latched.contains(message.topic) }
        #expect(notes.inOrder.filter(isSteady).map(\.key) == whole.inOrder.filter(isSteady).map(\.key))
        // These replays are run with --resend 0.
        #expect(notes.duplicates(exceptOf: Self.latched).map { "\($0.topic) over \($0.connection)" } == [])
        // Over one connection nothing comes twice.
        for (number, messages) in Dictionary(grouping: notes.published, by: \.connection) {
            #expect(Set(messages.map { $0.topic + $0.key }).count == messages.count, "connection \(number)")
        }
    }

    @Test func hundredFaultsLoseNothing() async throws {
        let seed = ProcessInfo.processInfo.environment["MAPEVERYTHING_SEED"] ?? "\(Int.random(in: 0..<1_000_000))"
        print("faults by seed \(seed): MAPEVERYTHING_SEED=\(seed) repeats them")
        let session = try await Samples.plain.value
        let options = ["--loop", "20", "--json", "--window-mb", "0.2", "--wait-for-recorder", "20"]
        let (whole, _) = try await FaultyServer.replay(
            session,
            options,
            into: folder.path,
            server: ["--seed", seed, "--recorder"]
        )
        let server = ["--seed", seed, "--faults", "100", "--recorder"]
        let (notes, outcome) = try await FaultyServer.replay(session, options, into: folder.path, server: server)
        expectNothingLost(notes, as: whole, outcome)
        #expect(notes.faults.values.reduce(0, +) == 100, "\(notes.faults)")
        #expect(notes.closed == [1000])
        let report = try JSONDecoder().decode(RunReport.self, from: Data(outcome.output.utf8))
        let sink = try #require(report.sinks.first)
        #expect(sink.topics.reduce(0) { $0 + ($1.confirmed ?? 0) } == report.topics.reduce(0) { $0 + $1.count })
        #expect(sink.topics.allSatisfy { $0.unconfirmed == 0 && $0.dropped == 0 })
        #expect((sink.interruptions ?? 0) > 20 && (sink.disconnected_s ?? 0) > 0)
    }

    /// A bridge that dies loses what it has confirmed, and DDS has not sent yet.
    @Test func deathsBeforeDeliveryLoseNothing() async throws {
        let session = try await Samples.plain.value
        let isFull = ProcessInfo.processInfo.environment["MAPEVERYTHING_FULL"] == "1"
        // More than a few dozen: a bound for how often a message is sent again must not end it for one that is lost.
        let deaths = isFull ? 300 : 90
        let (whole, _) = try await FaultyServer.replay(session, [], into: folder.path, server: ["--seed", "1"])
        let (notes, outcome) = try await FaultyServer.replay(
            session,
            ["--on-full", "wait", "--json", "--loop", "\(deaths / 3)"],
            into: folder.path,
            server: ["--seed", "2", "--faults", "\(deaths)", "--kinds", "die", "--delivery", "0.3"],
            rate: "4",
            resend: "0.5"
        )
        #expect(outcome.status == 0, "\(outcome)")
        #expect(notes.faults == ["die": deaths] && notes.lost > deaths && notes.refused == [])
        let report = try JSONDecoder().decode(RunReport.self, from: Data(outcome.output.utf8))
        let sink = try #require(report.sinks.first)
        #expect(sink.topics.allSatisfy { $0.unconfirmed == 0 && $0.dropped == 0 && $0.unsent == 0 })
        #expect((sink.resent_after_confirmation ?? 0) > 0)
        for topic in report.topics {
            // Stamps go on from loop to loop: no two messages are the same.
            let arrived = Set(notes.published.filter { $0.topic == topic.name }.map(\.key)).count
            #expect(arrived == topic.count, "\(topic.name): \(arrived) of \(topic.count)")
            #expect(sink.topics.first { $0.name == topic.name }?.confirmed == topic.count, "\(topic.name)")
        }
        #expect(Set(whole.published.map(\.topic)).isSubset(of: Set(notes.published.map(\.topic))))
    }

    /// Without a definition of a type a server takes no topic of it, confirms all the same, and says nothing.
    @Test func topicsThatTheServerDoesNotTakeAreNamed() async throws {
        let session = try await Samples.full.value
        let lacking = ["--seed", "1", "--rosapi", "--without", "mapeverything_msgs"]
        let (notes, outcome) = try await FaultyServer.replay(session, ["--json"], into: folder.path, server: lacking)
        #expect(outcome.status == 0 && notes.ignored > 0, "\(outcome)")
        let report = try JSONDecoder().decode(RunReport.self, from: Data(outcome.output.utf8))
        let sink = try #require(report.sinks.first)
        let own = report.topics.filter { $0.type.hasPrefix("mapeverything_msgs/") }
        #expect(own.count > 1 && own.reduce(0) { $0 + $1.count } == notes.ignored)
        #expect(sink.warnings.count == own.count)
        for topic in own {
            #expect(sink.warnings.contains { $0.contains(topic.name) && $0.contains(topic.type) }, "\(topic)")
            // And at once, on standard error.
            #expect(outcome.errors.contains("warning: the server has not taken \(topic.name) (\(topic.type))"))
        }
        for topic in report.topics {
            let counts = try #require(sink.topics.first { $0.name == topic.name })
            let isTaken = !topic.type.hasPrefix("mapeverything_msgs/")
            #expect(counts.confirmed == (isTaken ? topic.count : 0) && counts.refused == (isTaken ? 0 : topic.count))
        }
        let (_, text) = try await FaultyServer.replay(session, ["--strict"], into: folder.path, server: lacking)
        #expect(text.status == 1 && text.output.contains(", \(notes.ignored) refused by the server"), "\(text)")
        // One that takes them, and whose rosapi learns of it late, is no reason for a warning, nor one without rosapi.
        for server in [["--seed", "1", "--rosapi", "--rosapi-after", "3"], ["--seed", "1"]] {
            let (_, fine) = try await FaultyServer.replay(session, ["--strict"], into: folder.path, server: server)
            #expect(fine.status == 0 && fine.errors.isEmpty && !fine.output.contains("refused"), "\(fine)")
        }
    }

    static let kinds = [
        "kill", "end", "1001", "1011", "cut", "accept", "handshake", "hang", "deaf", "refuse", "slow", "before",
        "after",
    ]

    private static let waiting = ["--on-full", "wait", "--window-mb", "0.2", "--wait-for-recorder", "5"]
    private static let server = ["--seed", "1", "--recorder"]
    /// What arrives without faults: the same for every kind of them.
    private static let whole = Task {
        let folder = try Scratch()
        let session = try await Samples.plain.value
        return try await FaultyServer.replay(session, waiting, into: folder.path, server: server).0
    }

    @Test(arguments: kinds)
    func eachFaultAloneLosesNothing(kind: String) async throws {
        let session = try await Samples.plain.value
        let whole = try await Self.whole.value
        let faults = Self.server + ["--faults", "3", "--kinds", kind]
        let (notes, outcome) = try await FaultyServer.replay(session, Self.waiting, into: folder.path, server: faults)
        expectNothingLost(notes, as: whole, outcome)
        #expect(notes.faults == [kind: 3])
    }
}
