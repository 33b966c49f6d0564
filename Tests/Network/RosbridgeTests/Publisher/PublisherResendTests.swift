import Messages
import Rosbridge
import Testing

/// A bridge that dies loses what it has confirmed and not passed on yet.
@Suite("Publisher and a bridge that dies", .timeLimit(.minutes(3)))
struct PublisherResendTests {
    private struct Result {
        var written: Int
        var state: DyingBridge.State
        var report: SinkReport

        /// Messages that never came, of those that were written.
        var missing: [Int] {
            let numbers = Set(
                state.delivered.compactMap { Int($0.split(separator: "\"").last { Int($0) != nil } ?? "") }
            )
            return (0..<written).filter { !numbers.contains($0) }
        }

        /// The numbers of the messages where they came first.
        var firstArrivals: [Int] {
            var seen: Set<Int> = []
            return state.delivered.compactMap { Int($0.split(separator: "\"").last { Int($0) != nil } ?? "") }
                .filter { seen.insert($0).inserted }
        }
    }

    /// Publishes, no faster than the bridge handles it, until the bridge has died so often.
    private func publish(to plan: DyingBridge.Plan, resend: Duration) async throws -> Result {
        let bridge = try await DyingBridge(plan)
        var options = quickOptions()
        options.resend = resend
        options.confirmTimeout = .milliseconds(300)
        options.barrierTimeout = .milliseconds(300)
        options.reconnectTimeout = nil
        let publisher = RosbridgePublisher(try localURL(bridge.port), options: options)
        try await publisher.open([.chatter])
        var written = 0
        while try await bridge.now().killsLeft > 0 {
            for _ in 0..<20 {
                try await publisher.write(text("\(written)"))
                written += 1
            }
            try await until { await publisher.progress().queuedMessages < 20 }
        }
        let report = try await publisher.finish()
        // The bridge lives on, and passes on what it has.
        try await until {
            let state = try await bridge.now()
            return state.delivered.count + state.lost == state.handled
        }
        let state = try await bridge.now()
        try await bridge.stop()
        return Result(written: written, state: state, report: report)
    }

    @Test("two hundred deaths, some of them noticed late, lose nothing")
    func nothingIsLost() async throws {
        let plan = DyingBridge.Plan(kills: 200, silentEvery: 20)
        let result = try await publish(to: plan, resend: .milliseconds(100))
        #expect(result.missing == [])
        #expect(result.state.lost > 200, "the bridge lost \(result.state.lost) messages: this shows something")
        let topic = try #require(result.report.topics.first)
        #expect(topic.written == result.written && topic.confirmed == result.written && topic.dropped == 0)
        let connection = try #require(result.report.connection)
        #expect(connection.interruptions > 100)
        #expect(connection.resentAfterConfirmation > 0 && connection.resent >= connection.resentAfterConfirmation)
        print("\(result.written) messages, \(result.state.lost) lost by \(200) deaths, \(connection.resent) sent again")
    }

    @Test("without --resend the same deaths cost messages that were confirmed")
    func somethingIsLostWithout() async throws {
        let result = try await publish(to: DyingBridge.Plan(kills: 30), resend: .zero)
        #expect(!result.missing.isEmpty)
        #expect(result.report.topics.first?.confirmed == result.written)
        #expect(result.report.connection?.resentAfterConfirmation == 0)
    }

    @Test("a bridge that dies after everything is confirmed, and before it can have passed it on, gets it again")
    func deathAtTheEnd() async throws {
        // Killed after its second answer: the one to the advertisements, and the last one.
        let server = try await ScriptedServer(.diesAfter(answers: 2), .proper)
        var options = quickOptions()
        options.resend = .milliseconds(200)
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter, .fixed])
        try await publisher.write(text("map", on: .fixed))
        for number in 0..<5 { try await publisher.write(text("\(number)")) }
        let report = try await publisher.finish()
        #expect(report.topics.map(\.confirmed) == [5, 1] && report.topics.map(\.written) == [5, 1])
        #expect(report.connection?.resent == 6 && report.connection?.resentAfterConfirmation == 6)
        let publishes = try await server.stop().filter { $0.text.hasPrefix(#"{"op":"publish""#) }
        // Once over each connection, in the same order, with the same bytes.
        #expect(
            publishes.filter { $0.connection == 0 }.map(\.text) == publishes.filter { $0.connection == 1 }.map(\.text)
        )
        #expect(publishes.count == 12)
    }

    @Test("an idle connection that is lost long after the last confirmation gets nothing again")
    func idle() async throws {
        let server = try await ScriptedServer(.diesAfter(answers: 3), .proper)
        var options = quickOptions()
        options.resend = .milliseconds(50)
        options.confirmTimeout = .milliseconds(400)
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter])
        try await publisher.write(text("x"))
        // The third answer, to a barrier that nothing but the end of the window asked for, makes it certain.
        try await until { await publisher.progress().reconnections == 1 }
        let report = try await publisher.finish()
        #expect(report.topics[0].confirmed == 1 && report.connection?.resent == 0)
        #expect(try await server.stop().count { $0.text.hasPrefix(#"{"op":"publish""#) } == 1)
    }
}
