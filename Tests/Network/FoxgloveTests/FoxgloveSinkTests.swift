import Foxglove
import Messages
import NIOCore
import NIOPosix
import Playback
import Rosbridge
import Testing
import Text
import WebSocket

/// Clients of a sink, over real connections.
@Suite("Sessions of Foxglove's protocol", .timeLimit(.minutes(1)))
struct FoxgloveSinkTests {
    private let text = Topic(name: "/chatter", type: StringMessage.self)
    private let map = Topic(name: "/map_name", type: StringMessage.self, qos: .latched, delivery: .control)

    private func sink(
        control: PlaybackControl? = nil,
        subscribed: SubscribedTopics = SubscribedTopics(),
        _ set: (inout ServerOptions) -> Void = { _ in },
        adjust: (inout FoxgloveOptions) -> Void = { _ in }
    ) async throws -> (FoxgloveSink, port: Int) {
        var server = ServerOptions { $0.port = 0 }
        set(&server)
        var options = FoxgloveOptions(server, name: "room", sessionID: "1")
        if control != nil { options.span = 1_000...2_000 }
        adjust(&options)
        let sink = FoxgloveSink(options, control: control, subscribed: subscribed)
        try await sink.open([text, map])
        return (sink, try #require(await sink.port))
    }

    private func message(_ topic: Topic, _ data: String, at time: Int64 = 1_500) -> StampedMessage {
        StampedMessage(topic: topic, timeNanoseconds: time, message: StringMessage(data: data))
    }

    @Test("a client is greeted, and shown what it subscribes to, what is latched at once")
    func subscribing() async throws {
        let subscribed = SubscribedTopics()
        let (sink, port) = try await sink(subscribed: subscribed)
        try await sink.write(message(map, "room"))
        var client = try await FoxgloveTestClient(port)
        let info = try await client.text()
        #expect(info["op"] == "serverInfo" && info["name"] == "room" && info["dataStartTime"] == nil)
        let channels = try await client.text()["channels"]?.array ?? []
        #expect(channels.map { $0["topic"] } == ["/chatter", "/map_name"])
        try await client.send(#"{"op":"subscribe","subscriptions":[{"id":7,"channelId":2},{"id":8,"channelId":1}]}"#)
        #expect(try await client.message() == FoxgloveTestClient.Shown(subscription: 7, time: 1_500, "room"))
        while await subscribed.current.names.count < 2 { try await Task.sleep(for: .milliseconds(5)) }
        try await sink.write(message(text, "hello", at: 1_600))
        #expect(try await client.message() == FoxgloveTestClient.Shown(subscription: 8, time: 1_600, "hello"))
        try await client.send(#"{"op":"unsubscribe","subscriptionIds":[8]}"#)
        while await subscribed.current.names.count > 1 { try await Task.sleep(for: .milliseconds(5)) }
        try await sink.write(message(text, "unseen", at: 1_700))
        await client.transport.close()
        while await !subscribed.current.names.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        let report = try await sink.finish()
        #expect(report.topics.map(\.written) == [1, 1] && report.connection?.receivers == 1)
    }

    @Test("mistakes are answered, and the client stays")
    func mistakes() async throws {
        let (sink, port) = try await sink()
        var client = try await FoxgloveTestClient(port)
        for _ in 0..<2 { _ = try await client.text() }
        for request in [
            #"{"op":"subscribe","subscriptions":[{"id":1,"channelId":9}]}"#, #"{"op":"nonsense"}"#, "{",
            #"{"op":"getParameters","parameterNames":[]}"#,
        ] {
            try await client.send(request)
            let answer = try await client.text()
            #expect(answer["op"] == "status" && answer["level"] == 2, "\(request): \(answer)")
        }
        _ = try await sink.finish()
    }

    @Test("a client steers the player, and all are told; the one that asked with its own number")
    func steering() async throws {
        let control = PlaybackControl(startsPaused: true, rate: 1)
        let (sink, port) = try await sink(control: control)
        var clients = [try await FoxgloveTestClient(port), try await FoxgloveTestClient(port)]
        for place in clients.indices { for _ in 0..<2 { _ = try await clients[place].text() } }
        // Play at twice the speed, without a seek: command, speed, has a seek, place, length of the number, number.
        let speed = withUnsafeBytes(of: Float(2).bitPattern.littleEndian) { Array($0) }
        let request: [UInt8] = [0x03, 0] + speed + [0] + [UInt8](repeating: 0, count: 8) + [2, 0, 0, 0, 0x61, 0x62]
        try await clients[0].transport.send(.binary(request))
        for place in clients.indices {
            let state = try await clients[place].binary(0x05)
            #expect(state[1] == 0 && Array(state[10..<14]) == speed && state.suffix(2) == [0x61, 0x62])
        }
        let condition = await control.condition
        #expect(!condition.isPaused && condition.rate == 2)
        _ = try await sink.finish()
    }

    private struct Broken: Error, CustomStringConvertible {
        let description = "a file is gone"
    }

    @Test("clients that ask for the whole scene get it each time that there is more of it, and why there is no more")
    func scene() async throws {
        let control = PlaybackControl(startsPaused: true, rate: 1)
        let (sink, port) = try await sink(
            control: control,
            adjust: { options in
                options.scene = { show in
                    await show(["count": 1])
                    await show(["count": 2])
                    throw Broken()
                }
            }
        )
        func asks(_ client: inout FoxgloveTestClient, _ names: String) async throws {
            for _ in 0..<2 { _ = try await client.text() }
            try await client.send(#"{"op":"subscribeParameterUpdates","parameterNames":["# + names + "]}")
        }
        func told(_ client: inout FoxgloveTestClient) async throws -> JSONValue? {
            let parameters = try await client.text()["parameters"]?.array ?? []
            return parameters.first { $0["name"] == "/mapeverything/scene" }?["value"]
        }
        // One that asks for all is not told.
        var other = try await FoxgloveTestClient(port)
        try await asks(&other, "")
        var first = try await FoxgloveTestClient(port)
        try await asks(&first, #""/mapeverything/scene""#)
        #expect(try await told(&first) == ["count": 1])
        #expect(try await told(&first) == ["count": 2])
        #expect(try await told(&first) == ["problem": "a file is gone"])
        var late = try await FoxgloveTestClient(port)
        try await asks(&late, #""/mapeverything/scene""#)
        #expect(try await told(&late) == ["count": 2])
        #expect(try await told(&late) == ["problem": "a file is gone"])
        // A change of the player tells none of it again.
        await control.apply(.resume)
        #expect(try await told(&first) == nil)
        try await other.send(#"{"op":"getParameters","parameterNames":[],"id":"x"}"#)
        var answer = try await other.text()
        while answer["id"] != "x" {
            #expect(answer["parameters"]?.array?.contains(where: { $0["name"] == "/mapeverything/scene" }) == false)
            answer = try await other.text()
        }
        _ = try await sink.finish()
    }

    @Test("the player pauses when the last client has left, and that is said")
    func unseen() async throws {
        let control = PlaybackControl(startsPaused: true, rate: 1)
        let (notices, continuation) = AsyncStream<String>.makeStream()
        let (sink, port) = try await sink(control: control, adjust: { $0.notice = { continuation.yield($0) } })
        var clients = [try await FoxgloveTestClient(port), try await FoxgloveTestClient(port)]
        for place in clients.indices { for _ in 0..<2 { _ = try await clients[place].text() } }
        await control.apply(.resume)
        await clients[0].transport.close()
        // Two came, one left.
        var count = 0
        for await _ in notices {
            count += 1
            if count == 3 { break }
        }
        #expect(await !control.isPaused)
        await clients[1].transport.close()
        for await notice in notices where notice == "paused, as nobody looks any more" { break }
        #expect(await control.isPaused)
        _ = try await sink.finish()
    }

    @Test("who speaks another protocol, has no token, or is one too many is refused before anything is said")
    func admission() async throws {
        let (sink, port) = try await sink {
            $0.token = AccessToken("s3cret")
            $0.limits.clients = 1
        }
        let token = [HTTPField("Authorization", "Bearer s3cret")]
        func status(_ fields: [HTTPField], _ subprotocols: [String]) async -> Int? {
            do {
                _ = try await FoxgloveTestClient(port, fields: fields, subprotocols: subprotocols)
                return nil
            } catch {
                return (error as? RosbridgeError)?.status
            }
        }
        #expect(await status([], FoxgloveOptions.subprotocols) == 401)
        #expect(await status(token, []) == 400)
        #expect(
            await status(token + [HTTPField("Origin", "https://evil.example")], FoxgloveOptions.subprotocols) == 403
        )
        let client = try await FoxgloveTestClient(port, fields: token)
        #expect(await status(token, FoxgloveOptions.subprotocols) == 503)
        #expect(try await sink.finish().connection?.receivers == 1)
        await client.transport.close()
    }
}

/// A client of Foxglove's protocol that is told what to send, and reads message by message.
private struct FoxgloveTestClient {
    struct Shown: Equatable {
        var subscription: UInt32
        var time: Int64
        var text: String

        init(subscription: UInt32, time: Int64, _ text: String) {
            (self.subscription, self.time, self.text) = (subscription, time, text)
        }
    }

    let transport: WebSocketTransport
    private var waiting: ArraySlice<WebSocketMessage> = []
    private var batches: AsyncThrowingStream<[WebSocketMessage], any Error>.Iterator

    init(
        _ port: Int,
        fields: [HTTPField] = [],
        subprotocols: [String] = FoxgloveOptions.subprotocols
    ) async throws {
        let request = HandshakeRequest(host: "127.0.0.1:\(port)", subprotocols: subprotocols, fields: fields)
        transport = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let connection = try Connection(request: request)
                    return try WebSocketTransport(connection, in: channel, server: "sink", options: TransportOptions())
                }
            }
        batches = transport.batches.makeAsyncIterator()
        try await transport.waitUntilOpen()
    }

    func send(_ text: String) async throws { try await transport.send(text: Array(text.utf8)) }

    private mutating func next() async throws -> WebSocketMessage {
        while waiting.isEmpty {
            let batch = try await batches.next(isolation: #isolation)
            waiting = try #require(batch, "the connection has ended")[...]
            transport.receiveMore()
        }
        return waiting.removeFirst()
    }

    /// The next text, past binary frames.
    mutating func text() async throws -> JSONValue {
        while true {
            let message = try await next()
            if message.kind == .text { return try JSONValue.parse(message.payload) }
        }
    }

    /// The next binary frame of a kind.
    mutating func binary(_ opcode: UInt8) async throws -> [UInt8] {
        while true {
            let message = try await next()
            if message.kind == .binary, message.payload.first == opcode { return message.payload }
        }
    }

    /// The next message of a topic of texts.
    mutating func message() async throws -> Shown {
        let bytes = try await binary(0x01)
        func number(_ range: Range<Int>) -> UInt64 { bytes[range].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
        // The CDR of a text: four bytes of encapsulation, its length with the zero at its end, its bytes.
        let text = String(decoding: bytes[21..<(20 + Int(number(17..<21)))], as: UTF8.self)
        return Shown(subscription: UInt32(number(1..<5)), time: Int64(number(5..<13)), text)
    }
}
