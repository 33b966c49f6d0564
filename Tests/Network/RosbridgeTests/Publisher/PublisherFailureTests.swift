import Messages
import Rosbridge
import Testing
import WebSocket

@Suite("Publisher and failing servers", .timeLimit(.minutes(2)))
struct PublisherFailureTests {
    private func openError(_ behaviour: ScriptedServer.Behaviour) async throws -> RosbridgeError? {
        let server = try await ScriptedServer(behaviour)
        var options = quickOptions()
        if case .silent = behaviour { options.transport.handshakeTimeout = .milliseconds(300) }
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        let error = await #expect(throws: RosbridgeError.self) { try await publisher.open([.chatter]) }
        _ = try await server.stop()
        return error
    }

    @Test("no server")
    func noServer() async throws {
        let server = try await ScriptedServer(.proper)
        _ = try await server.stop()
        let publisher = RosbridgePublisher(try localURL(server.port), options: quickOptions())
        let error = await #expect(throws: RosbridgeError.self) { try await publisher.open([.chatter]) }
        #expect(error?.stage == .connect && error?.description.hasPrefix("ws://127.0.0.1:\(server.port): ") == true)
    }

    @Test("no such name")
    func noName() async throws {
        let publisher = RosbridgePublisher(try RosbridgeURL("u:secret@no-such-host.invalid"), options: quickOptions())
        let error = await #expect(throws: RosbridgeError.self) { try await publisher.open([.chatter]) }
        #expect(error?.stage == .resolve && error?.description.contains("secret") == false)
    }

    struct Status: Sendable, CustomTestStringConvertible {
        var head: String
        var code: Int
        /// What the problem has to say.
        var mentions: String
        var isTransient = false
        var retryAfterSeconds: Int?
        var testDescription: String { head }
    }

    private static let statuses = [
        Status(head: "200 OK", code: 200, mentions: "200 OK"),
        Status(head: "301 Moved\r\nLocation: wss://robot/bridge", code: 301, mentions: "wss://robot/bridge"),
        Status(head: "400 Bad Request", code: 400, mentions: "Bad Request"),
        Status(
            head: "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"a\"",
            code: 401,
            mentions: "Basic realm=\"a\""
        ),
        Status(head: "403 Forbidden\r\nContent-Length: 0", code: 403, mentions: "Forbidden"),
        Status(head: "404 Not Found", code: 404, mentions: "Not Found"),
        Status(head: "426 Upgrade Required\r\nSec-WebSocket-Version: 8", code: 426, mentions: "version 8"),
        Status(head: "429 Slow Down", code: 429, mentions: "Slow Down", isTransient: true),
        Status(
            head: "503 Busy\r\nRetry-After: 5",
            code: 503,
            mentions: "5 seconds",
            isTransient: true,
            retryAfterSeconds: 5
        ),
    ]

    @Test("another HTTP status than 101 is an error with what the server said, and advice", arguments: statuses)
    func httpStatus(_ status: Status) async throws {
        let error = try await openError(.answers("HTTP/1.1 \(status.head)\r\n\r\n"))
        #expect(error?.stage == .handshake && error?.status == status.code && error?.advice != nil)
        #expect(error?.isTransient == status.isTransient && error?.retryAfterSeconds == status.retryAfterSeconds)
        #expect(error?.problem.contains(status.mentions) == true, "\(String(describing: error))")
    }

    @Test("a server that does not compress is told of")
    func noCompression() async throws {
        let server = try await ScriptedServer(.proper)
        var options = quickOptions()
        options.transport.compression = .zlib()
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter])
        let report = try await publisher.finish()
        _ = try await server.stop()
        #expect(report.warnings.count == 1 && report.warnings.first?.contains("does not compress") == true)
    }

    @Test("something that is no HTTP server")
    func notHTTP() async throws {
        let error = try await openError(.answers("SSH-2.0-OpenSSH_9.2p1\r\n"))
        #expect(error?.stage == .handshake && error?.advice != nil, "\(String(describing: error))")
    }

    @Test("a server that says nothing")
    func silent() async throws {
        let error = try await openError(.silent)
        #expect(error?.stage == .timeout)
    }

    @Test("a close with 1009 says which limit to raise, and is not tried again")
    func tooBig() async throws {
        let server = try await ScriptedServer(.closes(afterMessages: 1, 1009, "message too big"))
        let publisher = RosbridgePublisher(try localURL(server.port), options: quickOptions())
        try await publisher.open([.cloud])
        try await publisher.write(bytes(1000))
        let error = await #expect(throws: RosbridgeError.self) { try await publisher.finish() }
        #expect(error?.stage == .closed && error?.closeCode == 1009)
        #expect(error?.advice?.contains("max_message_size") == true)
        #expect(await publisher.report().topics.first?.unconfirmed == 1)
        #expect(Set(try await server.stop().map(\.connection)) == [0])
    }

    @Test("a lost connection ends a publisher that must not reconnect, and its writers learn of it")
    func lost() async throws {
        let server = try await ScriptedServer(.drops(afterMessages: 3))
        var options = quickOptions()
        options.reconnect = nil
        options.queueBytes = 100
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter])
        let error = await #expect(throws: RosbridgeError.self) {
            while true { try await publisher.write(text("x")) }
        }
        #expect(error?.stage == .lost)
        await #expect(throws: RosbridgeError.self) { try await publisher.finish() }
        _ = try await server.stop()
    }

    @Test("after a loss what was not confirmed is sent again, in order, and nothing is missing")
    func reconnects() async throws {
        let server = try await ScriptedServer(.drops(afterMessages: 4), .drops(afterMessages: 30), .proper)
        let publisher = RosbridgePublisher(try localURL(server.port), options: quickOptions())
        try await publisher.open([.chatter, .fixed])
        try await publisher.write(text("map", on: .fixed))
        for number in 0..<100 { try await publisher.write(text("\(number)")) }
        let report = try await publisher.finish()
        #expect(report.topics[0].written == 100 && report.topics[0].unconfirmed == 0)
        #expect(await publisher.progress().reconnections == 2 && report.warnings.count == 2)
        guard case .bridge(let status)? = await publisher.status() else {
            Issue.record("expected the status of a bridge")
            return
        }
        #expect(!status.isConnected && status.interruptions == 2 && status.confirmedMessages == 101)
        #expect(status.queuedMessages == 0 && status.resentMessages == report.connection?.resent)
        #expect(status.url == "\(publisher.url)" && status.lastWarning == report.warnings.last)
        let received = try await server.stop()
        for connection in 0..<3 {
            let texts = received.filter { $0.connection == connection }.map(\.text)
            #expect(texts.filter { $0.hasPrefix(#"{"op":"advertise""#) }.count == 2)
            // The latched message comes first on each connection.
            #expect(texts.first { $0.contains("publish") }?.contains("map") == true)
        }
        var seen: [String] = []
        for text in received.map(\.text) where text.contains("/chatter") && text.contains("publish") {
            if !seen.contains(text) { seen.append(text) }
        }
        #expect(seen == (0..<100).map { #"{"op":"publish","topic":"/chatter","msg":{"data":"\#($0)"}}"# })
        let last = received.filter { $0.connection == 2 && $0.text.contains("/chatter") && $0.text.contains("publish") }
        #expect(last.last?.text.contains("\"99\"") == true)
    }

    @Test("a server that stops reading is an error after a while, and memory does not grow")
    func stopsReading() async throws {
        let server = try await ScriptedServer(.stopsReading(afterMessages: 1))
        var options = quickOptions()
        options.reconnect = nil
        options.confirm = false
        options.queueBytes = 2_000_000
        options.transport.stallTimeout = .milliseconds(400)
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.cloud])
        let error = await #expect(throws: RosbridgeError.self) {
            while true {
                try await publisher.write(bytes(1_000_000))
                #expect(await publisher.progress().queuedBytes <= 2_000_000)
            }
        }
        #expect(error?.stage == .stalled)
        _ = try await server.stop()
    }

    @Test("a server that answers no ping is given up")
    func deaf() async throws {
        let server = try await ScriptedServer(.deaf)
        var options = quickOptions()
        options.reconnect = nil
        options.confirm = false
        options.transport.pingInterval = .milliseconds(50)
        options.transport.pingTimeout = .milliseconds(200)
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter])
        let error = await #expect(throws: RosbridgeError.self) {
            // Before, each write that the system took counted as a sign of life.
            try await until {
                try await publisher.write(text("x"))
                return false
            }
        }
        #expect(error?.stage == .timeout && error?.problem.contains("ping") == true)
        _ = try await server.stop()
    }

    @Test("a server that does not come back is given up after a while, with what is lost")
    func neverBack() async throws {
        let server = try await ScriptedServer(.drops(afterMessages: 2))
        var options = quickOptions()
        options.reconnectTimeout = .milliseconds(300)
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter])
        try await publisher.write(text("1"))
        _ = try await server.stop()
        try await publisher.write(text("2"))
        let error = await #expect(throws: RosbridgeError.self) { try await publisher.finish() }
        #expect(error?.stage == .lost)
        await #expect(throws: RosbridgeError.self) { try await publisher.write(text("3")) }
    }

    @Test("a server that breaks each time it gets the same message is given up")
    func poison() async throws {
        let server = try await ScriptedServer(.drops(afterMessages: 1))
        var options = quickOptions()
        options.reconnectTimeout = .milliseconds(600)
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter])
        try await publisher.write(text("poison"))
        let error = await #expect(throws: RosbridgeError.self) { try await publisher.finish() }
        #expect(error?.stage == .lost && error?.advice?.contains("--max-message-size") == true)
        #expect(await publisher.report().topics.first?.unconfirmed == 1)
        #expect(Set(try await server.stop().map(\.connection)).count >= 4)
    }

    @Test("an abort ends everything at once")
    func abort() async throws {
        let server = try await ScriptedServer(.stopsReading(afterMessages: 1))
        let publisher = RosbridgePublisher(try localURL(server.port), options: quickOptions())
        try await publisher.open([.cloud])
        for _ in 0..<20 { try await publisher.write(bytes(1_000_000)) }
        await publisher.abort()
        await #expect(throws: (any Error).self) { try await publisher.write(bytes(1)) }
        _ = try await server.stop()
    }

    @Test("a cancelled finish ends")
    func cancelledFinish() async throws {
        let server = try await ScriptedServer(.stopsReading(afterMessages: 1))
        let publisher = RosbridgePublisher(try localURL(server.port), options: quickOptions())
        try await publisher.open([.cloud])
        for _ in 0..<20 { try await publisher.write(bytes(1_000_000)) }
        let finishing = Task { try await publisher.finish() }
        finishing.cancel()
        await #expect(throws: (any Error).self) { try await finishing.value }
        _ = try await server.stop()
    }

    @Test("a server that has answered and stops to is lost: the rest goes over another connection, and is confirmed")
    func hangs() async throws {
        let server = try await ScriptedServer(.stopsAnswering(afterCalls: 2), .stopsAnswering(afterCalls: 0), .proper)
        var options = quickOptions()
        options.barrierTimeout = .milliseconds(150)
        options.confirmTimeout = .milliseconds(150)
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter])
        for number in 0..<100 { try await publisher.write(text("\(number)")) }
        let report = try await publisher.finish()
        #expect(report.topics[0].written == 100 && report.topics[0].confirmed == 100)
        #expect(report.connection?.interruptions == 1 && (report.connection?.disconnectedSeconds ?? 0) >= 0.3)
        #expect(report.warnings.count == 1 && report.warnings[0].contains("confirm"))
        let received = try await server.stop()
        func numbers(_ connection: Int) -> [Int] {
            received.filter { $0.connection == connection && $0.text.contains(#""op":"publish""#) }
                .compactMap { Int($0.text.split(separator: "\"").last { Int($0) != nil } ?? "") }
        }
        // What the second barrier had confirmed does not come again.
        #expect(numbers(0).starts(with: 0..<8) && numbers(1).isEmpty && numbers(2) == Array(8..<100))
    }

    @Test("without reconnection a server that stops answering costs the confirmation only")
    func hangsWithoutReconnection() async throws {
        let server = try await ScriptedServer(.stopsAnswering(afterCalls: 2))
        var options = quickOptions()
        options.confirmTimeout = .milliseconds(150)
        options.reconnect = nil
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter])
        for number in 0..<100 { try await publisher.write(text("\(number)")) }
        let report = try await publisher.finish()
        #expect(report.topics[0].written == 100 && report.topics[0].confirmed == 8)
        #expect(report.warnings.count == 2 && report.warnings[1].contains("92 messages"))
        _ = try await server.stop()
    }

    @Test("a server that answers neither calls nor pings does not count as one without services")
    func deafFromTheStart() async throws {
        let server = try await ScriptedServer(.deaf)
        var options = quickOptions()
        options.barrierTimeout = .milliseconds(100)
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        let error = await #expect(throws: RosbridgeError.self) { try await publisher.open([.chatter]) }
        #expect(error?.stage == .timeout && error?.problem.contains("silence") == true)
        _ = try await server.stop()
    }

    @Test("after a 1009 frames become smaller until the server takes them, and that is said")
    func tooBigForTheServer() async throws {
        let server = try await ScriptedServer(.takesAtMost(bytes: 60_000))
        var options = quickOptions()
        options.maximumMessageSize = 200_000
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.cloud, .chatter])
        for number in 0..<5 {
            try await publisher.write(bytes(100_000 + number))
            try await publisher.write(text("\(number)"))
        }
        let report = try await publisher.finish()
        #expect(report.topics.map(\.confirmed) == [5, 5])
        #expect(report.warnings.contains { $0.contains("1009") && $0.contains("message too big") })
        #expect(report.warnings.contains { $0.hasPrefix("frames are ") })
        let texts = try await server.stop().map(\.text)
        // Two frames were one too many to take, then all were taken.
        #expect(texts.filter { $0.utf8.count > 60_000 }.count == 2)
    }

    @Test("what was confirmed, not confirmed and not sent is told after an error, too")
    func reportAfterError() async throws {
        let server = try await ScriptedServer(.stopsAnswering(afterCalls: 2))
        var options = quickOptions()
        options.confirmTimeout = .milliseconds(150)
        options.reconnectTimeout = .milliseconds(1)
        let publisher = RosbridgePublisher(try localURL(server.port), options: options)
        try await publisher.open([.chatter])
        for number in 0..<200 { try await publisher.write(text("\(number)")) }
        await #expect(throws: RosbridgeError.self) {
            _ = try await server.stop()
            _ = try await publisher.finish()
        }
        let topic = try #require(await publisher.report().topics.first)
        #expect(topic.confirmed == 8 && topic.unconfirmed > 0 && topic.unsent > 0)
        #expect(topic.confirmed + topic.unconfirmed + topic.unsent == 200)
    }
}
