import Glibc
import Messages
import Rosbridge
import Synchronization
import Testing
import Text
import WebSocket

/// What a server does not take, so that everyone is served.
@Suite("Server and its limits", .timeLimit(.minutes(2)))
struct ServerLimitTests {
    @Test(
        "a page of elsewhere is refused with 403, and told once; one of this machine or of this server is not",
        arguments: [
            ("https://evil.example", false), ("null", false), ("http://127.0.0.1.evil.example", false),
            ("http://localhost:3000", true), ("https://good.example", true), ("http://127.0.0.1:PORT", true),
        ]
    )
    func origin(page: String, isLetIn: Bool) async throws {
        let told = Mutex<[String]>([])
        var options = ServerOptions()
        options.origins = ["https://good.example"]
        options.originRefused = { origin in told.withLock { $0.append(origin) } }
        let (server, delegate, port) = try await startServer(options)
        for _ in 0..<2 {
            let error: (any Error)?
            do {
                try await visit(port, [HTTPField("Origin", page.replacing("PORT", with: "\(port)"))])
                error = nil
            } catch let refusal {
                error = refusal
            }
            #expect((error as? RosbridgeError)?.status == (isLetIn ? nil : 403))
        }
        await server.stop()
        #expect(await delegate.events.count == (isLetIn ? 4 : 0))
        #expect(told.withLock { $0 } == (isLetIn ? [] : [page]))
    }

    @Test("who shows the token comes in, whatever way it is shown")
    func token() async throws {
        let (server, delegate, port) = try await startServer(ServerOptions { $0.token = AccessToken("s3cr:et") })
        for field in ["Bearer s3cr:et", "bearer s3cr:et", "Basic YW5uYTpzM2NyOmV0"] {
            try await visit(port, [HTTPField("Authorization", field)])
        }
        try await visit(port, user: "anna:s3cr%3Aet@")
        await server.stop()
        #expect(await delegate.events.count == 8)
        #expect(await delegate.refusedConnections.isEmpty)
    }

    @Test(
        "who does not show the token is refused with 401 and told what is asked for",
        arguments: [
            [], ["Bearer s3cret2"], ["Bearer s3cre"], ["Bearer S3cret"], ["Bearer"], ["Bearer "], ["s3cret"],
            ["Basic s3cret"], ["Basic YW5uYTpz"], ["Basic AAAA"], ["Digest s3cret"], ["Bearer s3cret, Bearer s3cret"],
            ["Bearer s3cret", "Bearer other"],
        ]
    )
    func wrongToken(values: [String]) async throws {
        let (server, delegate, port) = try await startServer(ServerOptions { $0.token = AccessToken("s3cret") })
        let error = await #expect(throws: RosbridgeError.self) {
            try await visit(port, values.map { HTTPField("Authorization", $0) })
        }
        #expect(error?.status == 401 && error?.problem.contains("Bearer realm=") == true, "\(error as Any)")
        #expect(error?.advice?.contains("Bearer") == true && error?.isTransient == false)
        await server.stop()
        #expect(await delegate.events.isEmpty)
        #expect(await delegate.refusedConnections.count == 1)
    }

    @Test("a token is printable ASCII without spaces", arguments: ["", " ", "a b", "a\n", "ü", "a,b"])
    func noToken(text: String) {
        #expect(AccessToken(text) == nil)
    }

    @Test("a client has no more topics than its limit, and those that it takes back make room")
    func topicsOfClient() async throws {
        var limits = ServerLimits()
        limits.topicsOfClient = 2
        let (server, _, port) = try await startServer(ServerOptions { $0.limits = limits })
        let client = try await RawClient(port: port)
        func advertise(_ name: String) -> String {
            #"{"op":"advertise","topic":"\#(name)","type":"std_msgs/String","id":"\#(name)"}"#
        }
        try await client.send(
            advertise("/a"),
            advertise("/b"),
            advertise("a"),
            advertise("/c"),
            #"{"op":"unadvertise","topic":"a"}"#,
            advertise("/d"),
            advertise("/e")
        )
        let replies = try await client.end()
        #expect(replies.map { $0["id"] } == ["/c", "/e"])
        #expect(replies.allSatisfy { $0["msg"]?.string?.contains("at most 2 topics of a client") == true })
        await server.stop()
    }

    @Test("topics on which nothing was published go with the client that announced them")
    func unusedTopics() async throws {
        var limits = ServerLimits()
        limits.topics = 3
        let (server, delegate, port) = try await startServer(ServerOptions { $0.limits = limits })
        let first = try await RawClient(port: port)
        for name in ["a", "b", "c", "d"] {
            try await first.send(#"{"op":"advertise","topic":"\#(name)","type":"std_msgs/String"}"#)
        }
        try await first.send(#"{"op":"publish","topic":"a","msg":{"data":"x"}}"#)
        #expect(try await first.end().compactMap { $0["msg"]?.string?.contains("at most 3 topics") } == [true])
        try await until { await delegate.events.last == "left 1, 0" }
        let second = try await RawClient(port: port)
        for name in ["e", "f", "g"] {
            try await second.send(#"{"op":"advertise","topic":"\#(name)","type":"std_msgs/String"}"#)
        }
        #expect(try await second.end().count == 1)
        #expect(await server.topics.map(\.name) == ["/a", "/e", "/f"])
        await server.stop()
    }

    @Test("what is kept of latched topics is bounded, in bytes and in frames")
    func latchedTopics() async throws {
        var limits = ServerLimits()
        limits.latchedBytes = 5_000
        let (server, delegate, port) = try await startServer(ServerOptions { $0.limits = limits })
        let client = try await RawClient(port: port)
        let long = String(repeating: "x", count: 2_000)
        for name in ["a", "b", "c"] {
            try await client.send(
                #"{"op":"advertise","topic":"\#(name)","type":"std_msgs/String","latch":true}"#,
                #"{"op":"publish","topic":"\#(name)","msg":{"data":"\#(long)"},"id":"\#(name)"}"#
            )
        }
        // The same topic again takes the place of what it had.
        try await client.send(#"{"op":"publish","topic":"a","msg":{"data":"\#(long)y"},"id":"again"}"#)
        let replies = try await client.end()
        #expect(replies.map { $0["id"] } == ["c"])
        #expect(replies.first?["msg"]?.string?.contains("at most 5000 bytes") == true)
        await server.stop()
        #expect(await delegate.texts == [long, long, long + "y"])
    }

    @Test("refusals are answered up to a number, and counted beyond")
    func refusals() async throws {
        var limits = ServerLimits()
        limits.answeredRefusals = 3
        let (server, delegate, port) = try await startServer(ServerOptions { $0.limits = limits })
        let client = try await RawClient(port: port)
        for _ in 0..<10 { try await client.send("nonsense") }
        let replies = try await client.end()
        #expect(
            replies.count == 3 && replies.last?["msg"]?.string?.hasSuffix("(further ones are only counted)") == true
        )
        await server.stop()
        #expect(await delegate.refusals.count == 10)
        #expect(await server.report().refused == 10)
    }

    @Test("what a refusal repeats of a client's text is short, and nothing that a terminal would obey")
    func printable() async throws {
        let (server, _, port) = try await startServer(ServerOptions())
        let client = try await RawClient(port: port)
        let name = #"\u001b[2J\u0007"# + String(repeating: "n", count: 10_000)
        try await client.send(#"{"op":"publish","topic":"\#(name)","msg":{}}"#, #"{"op":"\#(name)"}"#)
        let texts = try await client.end().compactMap { $0["msg"]?.string }
        #expect(texts.count == 2)
        for text in texts { #expect(text.contains("?[2J?nn") && text.utf8.count < 400 && !text.contains("\u{1b}")) }
        await server.stop()
    }

    @Test("of clients that hold too much together, the one that holds most has to go")
    func heldBytes() async throws {
        let (server, delegate, port) = try await startServer(ServerOptions { $0.maximumMessageSize = 100_000 })
        let modest = try await RawClient(port: port)
        try await modest.send(advertiseChatter)
        let part = String(repeating: "x", count: 90_000)
        var greedy: [RawClient] = []
        for number in 0..<24 {
            let client = try await RawClient(port: port)
            try await client.send(#"{"op":"fragment","id":"\#(number)","num":0,"total":2,"data":"\#(part)"}"#)
            greedy.append(client)
        }
        try await until { await delegate.problems.count >= 4 }
        #expect(await delegate.problems.allSatisfy { $0.contains("at most 1600000 bytes under way") })
        try await modest.send(#"{"op":"publish","topic":"/chatter","msg":{"data":"still here"}}"#)
        #expect(try await modest.end() == [])
        for client in greedy { client.transport.abort() }
        await server.stop()
        #expect(await delegate.texts == ["still here"])
    }

    @Test("many small compressed messages that become very large are taken little by little", arguments: [0, 3])
    func compressedFlood(millisecondsAMessage: Int) async throws {
        let size = 50_000
        let options = ServerOptions {
            $0.maximumMessageSize = size
            $0.compression = .zlib(level: 9)
        }
        // What a slow recorder leaves unread comes in large pieces.
        let (server, delegate, port) = try await startServer(options, delay: .milliseconds(millisecondsAMessage))
        let transport = try await WebSocketTransport.connect(
            to: try localURL(port),
            options: TransportOptions {
                $0.pingInterval = nil
                $0.compression = .zlib(level: 9)
            }
        )
        let reading = Task {
            for try await batch in transport.batches {
                transport.receiveMore()
                if batch.contains(where: { String(decoding: $0.payload, as: UTF8.self).contains("end") }) { return }
            }
        }
        try await transport.send(.text(advertiseChatter))
        let filler = String(repeating: " ", count: size - 100)
        // As much as would be too much for all clients together, if it were unpacked at once.
        for number in 0..<200 {
            try await transport.send(
                .text(#"{"op":"publish","topic":"/chatter","msg":{"data":"\#(number)"}}"# + filler)
            )
        }
        try await transport.send(.text(#"{"op":"call_service","id":"end","service":"/none"}"#))
        try await reading.value
        await transport.close()
        await server.stop()
        #expect(await delegate.texts == (0..<200).map(String.init))
        #expect(await delegate.problems.isEmpty)
    }
}
