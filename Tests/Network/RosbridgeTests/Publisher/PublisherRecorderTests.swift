import Messages
import Rosbridge
import Synchronization
import Testing

@Suite("Publisher and its recorder", .timeLimit(.minutes(2)))
struct PublisherRecorderTests {
    private func options(_ wait: Duration) -> PublisherOptions {
        var options = quickOptions()
        options.waitForRecorder = wait
        return options
    }

    @Test("waits for a server that comes late")
    func lateServer() async throws {
        // Somebody else, who wants nothing of it, until the first attempt has failed.
        let placeholder = try await ScriptedServer(.answers("no"))
        let port = placeholder.port
        let publisher = RosbridgePublisher(try localURL(port), options: options(.seconds(60)))
        let opening = Task { try await publisher.open([.chatter]) }
        try await until { placeholder.counts.connections.load(ordering: .relaxed) > 0 }
        _ = try await placeholder.stop()
        let server = try await ScriptedServer(port: port, .records(["/chatter": 0]))
        try await opening.value
        try await publisher.write(text("x"))
        let report = try await publisher.finish()
        #expect(report.topics[0].confirmed == 1 && report.warnings.isEmpty)
        // That was no interruption.
        #expect(report.connection?.interruptions == 0)
        _ = try await server.stop()
    }

    @Test("a server that never comes is the usual error, which says how long was waited")
    func neverComes() async throws {
        let placeholder = try await ScriptedServer(.proper)
        _ = try await placeholder.stop()
        let publisher = RosbridgePublisher(try localURL(placeholder.port), options: options(.milliseconds(500)))
        let error = await #expect(throws: RosbridgeError.self) { try await publisher.open([.chatter]) }
        #expect(error?.stage == .connect && error?.problem.contains("waited 0.5 s") == true)
    }

    @Test("a server that accepts and says nothing is not waited for longer than asked")
    func silent() async throws {
        let server = try await ScriptedServer(.silent)
        let publisher = RosbridgePublisher(try localURL(server.port), options: options(.milliseconds(500)))
        let error = await #expect(throws: RosbridgeError.self) { try await publisher.open([.chatter]) }
        #expect(error?.stage == .timeout && error?.problem.contains("waited 0.5 s") == true)
        _ = try await server.stop()
    }

    @Test("nothing is sent before somebody subscribes to each topic")
    func subscribers() async throws {
        let server = try await ScriptedServer(.records(["/chatter": 2, "/cloud": 4]))
        let publisher = RosbridgePublisher(try localURL(server.port), options: options(.seconds(60)))
        try await publisher.open([.chatter, .cloud])
        try await publisher.write(text("x"))
        let report = try await publisher.finish()
        #expect(report.warnings.isEmpty)
        let texts = try await server.stop().map(\.text)
        let asked = texts.filter { $0.contains("/rosapi/subscribers") }
        #expect(asked.filter { $0.contains(#""args":{"topic":"/chatter"}"#) }.count == 3)
        #expect(asked.filter { $0.contains(#""args":{"topic":"/cloud"}"#) }.count == 5)
        let lastAsked = try #require(texts.lastIndex { $0.contains("subscribers") })
        let published = try #require(texts.firstIndex { $0.contains(#""op":"publish""#) })
        #expect(lastAsked < published)
    }

    @Test("a topic without a subscriber is a warning that names it, and the run goes on")
    func nobody() async throws {
        let server = try await ScriptedServer(.records(["/chatter": 0]))
        let publisher = RosbridgePublisher(try localURL(server.port), options: options(.milliseconds(600)))
        try await publisher.open([.chatter, .cloud])
        try await publisher.write(text("x"))
        let report = try await publisher.finish()
        #expect(report.warnings == ["no subscriber within 0.6 s for /cloud"])
        #expect(report.topics.map(\.confirmed) == [1, 0])
        _ = try await server.stop()
    }

    @Test("a server without rosapi is a warning that names the topics, at once")
    func withoutRosapi() async throws {
        let server = try await ScriptedServer(.proper)
        let publisher = RosbridgePublisher(try localURL(server.port), options: options(.seconds(3600)))
        try await publisher.open([.chatter, .cloud])
        try await publisher.write(text("x"))
        let report = try await publisher.finish()
        #expect(report.warnings.count == 1 && report.warnings[0].contains("/chatter, /cloud"))
        #expect(report.topics.map(\.confirmed) == [1, 0])
        _ = try await server.stop()
    }

    @Test(
        "a cancelled wait ends at once",
        arguments: [ScriptedServer.Behaviour.silent, .records([:]), .drops(afterMessages: 0)]
    )
    func cancelled(_ behaviour: ScriptedServer.Behaviour) async throws {
        let server = try await ScriptedServer(behaviour)
        let publisher = RosbridgePublisher(try localURL(server.port), options: options(.seconds(3600)))
        let opening = Task { try await publisher.open([.chatter]) }
        try await until { server.counts.connections.load(ordering: .relaxed) > 0 }
        if case .records = behaviour {
            // The advertisement, the barrier, and the first question.
            try await until { server.counts.messages.load(ordering: .relaxed) > 2 }
        }
        opening.cancel()
        await #expect(throws: CancellationError.self) { try await opening.value }
        _ = try await server.stop()
    }

    @Test("a connection that is being made can be cancelled")
    func cancelledConnect() async throws {
        // An address of RFC 5737 for documentation: no host answers there, or the system says so at once.
        let publisher = RosbridgePublisher(try RosbridgeURL("ws://192.0.2.1:9"), options: options(.seconds(3600)))
        let opening = Task { try await publisher.open([.chatter]) }
        // It gets as far as it can by itself.
        for _ in 0..<100 { await Task.yield() }
        opening.cancel()
        await #expect(throws: CancellationError.self) { try await opening.value }
    }
}
