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
