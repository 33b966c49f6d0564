import Foundation
import Testing

/// Servers that are slow, that go away, and users who do.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ReplayPressureTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    @Test func slowServersCostBulkAndNothingElse() async throws {
        let session = try await Samples.full.value
        let options = ["--rate", "max", "--on-full", "drop", "--queue-mb", "0.4", "--window-mb", "0.2", "--json"]
        let server = ["--delay", "0.02"]
        let (diary, outcome) = try await PeerServer.replay(session, options, into: folder.path, server: server)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(diary.all("refused").map(\.why) == [])
        let report = try JSONDecoder().decode(RunReport.self, from: Data(outcome.output.utf8))
        let sink = try #require(report.sinks.first)
        #expect(sink.topics.reduce(0) { $0 + $1.dropped } > 0)
        #expect(sink.topics.allSatisfy { $0.unconfirmed == 0 })
        for topic in report.topics where topic.count > 0 {
            let counts = try #require(sink.topics.first { $0.name == topic.name })
            #expect(counts.written + counts.dropped == topic.count, "\(topic.name)")
            #expect(diary.count(topic.name) == counts.written, "\(topic.name)")
        }
        #expect(diary.count("/tf_static") == 1)
        let strict = options + ["--strict"]
        #expect(try await PeerServer.replay(session, strict, into: folder.path, server: server).outcome.status == 1)
    }

    @Test func slowServersCostTimeWhereNothingMayBeDropped() async throws {
        let session = try await Samples.plain.value
        let options = ["--rate", "max", "--queue-mb", "0.4", "--window-mb", "0.2"]
        let (diary, outcome) = try await PeerServer.replay(
            session,
            options,
            into: folder.path,
            server: ["--delay", "0.01"]
        )
        #expect(outcome.status == 0, "\(outcome)")
        let (quick, _) = try await PeerServer.replay(session, ["--rate", "max"], into: folder.path)
        #expect(diary.digests == quick.digests)
    }

    @Test func interruptsEndInOrder() async throws {
        let bag = folder("bag")
        let session = try await Samples.plain.value
        let server = try await PeerServer.start(folder.path)
        let options = ["--settle", "0", "--loop", "--save-local", bag, "--json"]
        let replay = try Binary.start(["replay", session, "--url", server.url] + options)
        _ = try await server.process.waitForOutput("published 20")
        await replay.signal(SIGINT)
        let outcome = try await replay.finish()
        #expect(outcome.status == 130, "\(outcome)")
        let report = try JSONDecoder().decode(RunReport.self, from: Data(outcome.output.utf8))
        #expect(report.interrupted)
        let diary = try await server.finish()
        let tail = diary.entries.suffix(diary.advertised.count + 2).map(\.event)
        #expect(tail.first == "call_service" && tail.last == "closed")
        #expect(tail.dropFirst().dropLast().allSatisfy { $0 == "unadvertise" })
        #expect(diary.all("closed").map(\.code) == [1000])
        #expect(diary.all("closed").map(\.forgotten) == [0])
        #expect(diary.publishes.count >= 20)
        // The mirror has what was sent, whole.
        let listing = try await BagListing.of(bag)
        #expect(listing.digests == diary.digests)
        if Peer.isAvailable { try await Conformance.check(bag) }
    }

    @Test func interruptedBagsAreWhole() async throws {
        let session = folder("session"), bag = folder("bag")
        let shape = ["--duration", "100", "--fps", "30", "--size", "480x360", "--images", "4"]
        try await Binary.succeed(["sample", "-o", session] + shape)
        let process = try Binary.start([
            "bag", session, "-o", bag, "--profile", "record", "--chunk-size-mb", "1", "-j", "1",
        ])
        let deadline = Date(timeIntervalSinceNow: 60)
        while !FileManager.default.fileExists(atPath: bag + "/bag_1.db3"), Date() < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        await process.signal(SIGINT)
        let outcome = try await process.finish()
        #expect(outcome.status == 130, "\(outcome)")
        #expect(outcome.output.contains("interrupted"))
        let inspection: BagInspection = try await Binary.json(["inspect", bag, "--json"])
        let poses = try #require(inspection.count("/mapping/pose"))
        #expect(poses > 0 && poses < 1000)
        if Peer.isAvailable { try await Conformance.check(bag) }
    }

    @Test func brokenConnectionsAreMadeAgain() async throws {
        let session = try await Samples.plain.value
        let options = ["--rate", "max", "--json"]
        let server = ["--abort-after", "30", "--abort-once", "--clients", "2"]
        let (diary, outcome) = try await PeerServer.replay(session, options, into: folder.path, server: server)
        #expect(outcome.status == 0, "\(outcome)")
        let (whole, _) = try await PeerServer.replay(session, ["--rate", "max"], into: folder.path)
        // At least once, and of each topic in order.
        for (topic, digests) in whole.digests {
            let arrived = try #require(diary.digests[topic])
            #expect(Set(arrived) == Set(digests), "\(topic)")
            #expect(arrived.suffix(1) == digests.suffix(1), "\(topic)")
        }
        #expect(diary.all("closed").map(\.code).last == 1000)
        let report = try JSONDecoder().decode(RunReport.self, from: Data(outcome.output.utf8))
        let sink = try #require(report.sinks.first)
        #expect(sink.warnings.contains { $0.contains("connecting again") })
        #expect(sink.interruptions == 1 && (sink.disconnected_s ?? 0) > 0)
        for topic in report.topics where topic.count > 0 {
            #expect(sink.topics.first { $0.name == topic.name }?.confirmed == topic.count, "\(topic.name)")
        }
        let refusing = ["--abort-after", "30"]
        let giveUp = try await PeerServer.replay(
            session,
            ["--rate", "max", "--reconnect", "off"],
            into: folder.path,
            server: refusing
        )
        giveUp.outcome.expectError(69, hasReported: true)
        #expect(giveUp.outcome.output.contains("ended by an error\nconfirmed as handled"), "\(giveUp.outcome)")
        #expect(giveUp.outcome.output.contains(" not sent") && !giveUp.outcome.output.contains("unaccounted"))
        let json = try await PeerServer.replay(
            session,
            ["--rate", "max", "--reconnect", "off", "--json"],
            into: folder.path,
            server: refusing
        )
        let failed = try JSONDecoder().decode(FailedReport.self, from: Data(json.outcome.output.utf8))
        #expect(failed.error.contains("lost"))
        let counts = try #require(failed.sinks.first).topics
        // What the server can have published is confirmed or unconfirmed; what was not sent is neither.
        #expect(counts.reduce(0) { $0 + ($1.confirmed ?? 0) } <= json.diary.publishes.count)
        #expect(counts.reduce(0) { $0 + ($1.confirmed ?? 0) + $1.unconfirmed } >= json.diary.publishes.count)
    }

    private struct FailedReport: Decodable {
        var error: String
        var sinks: [RunReport.Sink]
    }
}
