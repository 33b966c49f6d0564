import Messages
import Rosbridge
import Testing

@Suite("Publisher", .timeLimit(.minutes(2)))
struct PublisherTests {
    @Test("advertises, confirms, publishes, confirms, unadvertises, in this order")
    func order() async throws {
        let server = try await ScriptedServer(.proper)
        let publisher = RosbridgePublisher(try localURL(server.port), options: quickOptions())
        try await publisher.open([.chatter, .fixed])
        try await publisher.write(text("hello"))
        let report = try await publisher.finish()
        #expect(report.topics.map(\.name) == ["/chatter", "/fixed"] && report.warnings.isEmpty)
        #expect(report.topics[0].written == 1 && report.topics[0].unconfirmed == 0 && report.topics[0].dropped == 0)
        let texts = try await server.stop().map(\.text)
        let operations = texts.map { String($0.prefix(24)) }
        let expected: [String] = [
            #"{"op":"advertise","topic"#, #"{"op":"advertise","topic"#, #"{"op":"call_service","id"#,
            #"{"op":"publish","topic":"#, #"{"op":"call_service","id"#, #"{"op":"unadvertise","top"#,
            #"{"op":"unadvertise","top"#,
        ]
        #expect(operations == expected)
        #expect(texts[3] == #"{"op":"publish","topic":"/chatter","msg":{"data":"hello"}}"#)
        #expect(report.topics[0].bytes == texts[3].utf8.count)
    }

    @Test("everything arrives at our own server, in order, large or small, whole or in fragments")
    func endToEnd() async throws {
        let (server, delegate, port) = try await startServer()
        var options = quickOptions()
        options.maximumMessageSize = 50_000
        options.windowBytes = 100_000
        let publisher = RosbridgePublisher(try localURL(port), options: options)
        try await publisher.open([.chatter, .cloud, .fixed])
        try await publisher.write(text("map", on: .fixed))
        for number in 0..<200 {
            try await publisher.write(text("\(number) \"ü\" / \\"))
            if number % 20 == 0 { try await publisher.write(bytes(30_000 + number)) }
        }
        let report = try await publisher.finish()
        await server.stop()
        #expect(report.topics.map(\.written) == [200, 10, 1] && report.topics.allSatisfy { $0.unconfirmed == 0 })
        #expect(await delegate.texts.filter { $0 != "map" } == (0..<200).map { "\($0) \"ü\" / \\" })
        #expect(await delegate.sizes == stride(from: 0, to: 200, by: 20).map { 30_000 + $0 })
        #expect(await delegate.refusals.isEmpty)
        #expect(await delegate.messages.first { $0.topic.name == "/fixed" }?.topic.isLatched == true)
        #expect(await delegate.problems.isEmpty)
    }

    @Test("a slow server makes the writer wait, and loses nothing")
    func slowServer() async throws {
        let (server, delegate, port) = try await startServer(delegate: RecordingDelegate(delay: .milliseconds(2)))
        var options = quickOptions()
        options.queueBytes = 200_000
        options.windowBytes = 100_000
        let publisher = RosbridgePublisher(try localURL(port), options: options)
        try await publisher.open([.cloud])
        var largestQueue = 0
        for _ in 0..<100 {
            try await publisher.write(bytes(20_000))
            largestQueue = max(largestQueue, await publisher.progress().queuedBytes)
        }
        _ = try await publisher.finish()
        #expect(largestQueue <= 200_000)
        #expect(await delegate.sizes.count == 100)
        await server.stop()
    }

    @Test("a server that needs long for each message is waited for, not taken for dead")
    func patience() async throws {
        let (server, delegate, port) = try await startServer(delegate: RecordingDelegate(delay: .milliseconds(25)))
        var options = quickOptions()
        options.confirmTimeout = .milliseconds(800)
        let publisher = RosbridgePublisher(try localURL(port), options: options)
        try await publisher.open([.chatter])
        // Two seconds of work, all of which would fit into the window.
        for number in 0..<80 { try await publisher.write(text("\(number)")) }
        let report = try await publisher.finish()
        await server.stop()
        #expect(report.connection?.interruptions == 0 && report.warnings.isEmpty)
        #expect(await delegate.texts == (0..<80).map(String.init))
    }

    @Test("what was sent is confirmed when nothing follows, too")
    func quiet() async throws {
        let server = try await ScriptedServer(.proper)
        let publisher = RosbridgePublisher(try localURL(server.port), options: quickOptions())
        try await publisher.open([.chatter])
        try await publisher.write(text("1"))
        try await publisher.write(text("2"))
        try await until { await publisher.progress().confirmedMessages == 2 }
        _ = try await publisher.finish()
        _ = try await server.stop()
    }

    @Test("a live run drops the oldest clouds, keeps every pose, and counts")
    func liveDrops() async throws {
        let (server, delegate, port) = try await startServer(delegate: RecordingDelegate(delay: .milliseconds(5)))
        var options = quickOptions()
        options.onFull = .drop
        options.queueBytes = 100_000
        options.windowBytes = 50_000
        let publisher = RosbridgePublisher(try localURL(port), options: options)
        try await publisher.open([.chatter, .cloud])
        for number in 0..<100 {
            try await publisher.write(bytes(20_000))
            try await publisher.write(text("\(number)"))
        }
        let report = try await publisher.finish()
        await server.stop()
        let cloud = try #require(report.topics.first { $0.name == "/cloud" })
        #expect(cloud.dropped > 0 && cloud.written + cloud.dropped == 100)
        #expect(await delegate.sizes.count == cloud.written)
        #expect(await delegate.texts == (0..<100).map(String.init))
    }

    @Test("a server that answers no barrier gets a warning and everything all the same")
    func withoutBarriers() async throws {
        let server = try await ScriptedServer(.withoutBarriers)
        var options = quickOptions()
        options.barrierTimeout = .milliseconds(50)
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter])
        for number in 0..<20 { try await publisher.write(text("\(number)")) }
        let report = try await publisher.finish()
        #expect(report.topics[0].written == 20 && report.topics[0].unconfirmed == 20)
        #expect(report.warnings.count == 2 && report.warnings[0].contains("barrier"))
        #expect(report.warnings[1].contains("20 messages"))
        let texts = try await server.stop().map(\.text)
        #expect(texts.filter { $0.contains("publish") }.count == 20)
        #expect(texts.filter { $0.contains("call_service") }.count == 1)
    }

    @Test("without --confirm no barrier is sent")
    func withoutConfirmation() async throws {
        let server = try await ScriptedServer(.withoutBarriers)
        var options = quickOptions()
        options.confirm = false
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter])
        try await publisher.write(text("x"))
        let report = try await publisher.finish()
        #expect(report.warnings.isEmpty && report.topics[0].unconfirmed == 1)
        #expect(try await server.stop().count == 3)
    }

    @Test("status messages of the server are warnings")
    func status() async throws {
        let server = try await ScriptedServer(
            .says([#"{"op":"status","level":"error","msg":"no such type"}"#, "nonsense", "[]"])
        )
        let publisher = RosbridgePublisher(try localURL(server.port), options: quickOptions())
        try await publisher.open([.chatter])
        try await publisher.write(text("x"))
        let report = try await publisher.finish()
        #expect(report.warnings == ["the server says (error): no such type"])
        _ = try await server.stop()
    }

    @Test("a message that is too large is refused when fragments are not allowed")
    func withoutFragments() async throws {
        let (server, delegate, port) = try await startServer()
        var options = quickOptions()
        options.maximumMessageSize = 1000
        options.allowsFragments = false
        let publisher = RosbridgePublisher(try localURL(port), options: options)
        try await publisher.open([.cloud])
        try await publisher.write(bytes(2000))
        let error = await #expect(throws: RosbridgeError.self) { try await publisher.finish() }
        #expect(error?.stage == .message && error?.problem.contains("/cloud") == true)
        #expect(await delegate.messages.isEmpty)
        await server.stop()
    }

    @Test("progress counts what was sent, confirmed and queued")
    func progress() async throws {
        let (server, _, port) = try await startServer()
        let publisher = RosbridgePublisher(try localURL(port), options: quickOptions())
        try await publisher.open([.chatter])
        #expect(await publisher.progress().isConnected)
        for _ in 0..<10 { try await publisher.write(text("x")) }
        _ = try await publisher.finish()
        let progress = await publisher.progress()
        #expect(progress.sentMessages == 10 && progress.confirmedMessages == 10 && progress.queuedMessages == 0)
        #expect(progress.sentBytes == 10 * 54 && !progress.isConnected && progress.droppedMessages == 0)
        await server.stop()
    }
}
