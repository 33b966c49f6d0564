import Arvos
import Messages
import NIOCore
import NIOPosix
import Rosbridge
import Synchronization
import Testing
import Text
import WebSocket

/// Clients of a receiver that listens, and receivers of a sink that does.
@Suite("Sessions of Arvos", .serialized, .timeLimit(.minutes(1))) struct ArvosReceiverTests {
    private final class Log: Sendable {
        private let state = Mutex<(notices: [String], topics: [String])>(([], []))

        var notices: [String] { state.withLock { $0.notices } }
        var topics: [String] { state.withLock { $0.topics } }

        func note(_ text: String) { state.withLock { $0.notices.append(text) } }
        func take(_ batch: [StampedMessage]) { state.withLock { $0.topics += batch.map(\.topic.name) } }
    }

    private func options(_ set: (inout ServerOptions) -> Void = { _ in }) -> ServerOptions {
        ServerOptions {
            $0.port = 0
            set(&$0)
        }
    }

    private func connect(_ port: Int?, token: String? = nil) async throws -> WebSocketTransport {
        let options = TransportOptions {
            $0.fields = token.map { [HTTPField("Authorization", "Bearer \($0)")] } ?? []
        }
        let url = try RosbridgeURL("127.0.0.1:\(try #require(port))")
        return try await WebSocketTransport.connect(to: url, options: options)
    }

    private func start(
        _ server: ServerOptions,
        _ log: Log,
        posts: Bool = false
    ) async throws -> (ArvosReceiver, port: Int?) {
        let delivery = ArvosReceiver.Delivery(
            now: { 1_700_000_000_000_000_000 },
            notice: { log.note($0) },
            deliver: { log.take($0) }
        )
        let receiver = ArvosReceiver([posts ? .post(server) : .listen(server)], delivery)
        return (receiver, try await receiver.start().first?.port)
    }

    private let pose = """
        {"type":"pose","timestampNs":1700000000000000000,"position":[1,2,3],"orientation":[0,0,0,1]}
        """

    @Test("a phone is admitted with the token only; what it sends is handed on, and the last that leaves ends it")
    func token() async throws {
        let log = Log()
        let (receiver, port) = try await start(options { $0.token = AccessToken("s3cret") }, log)
        let running = Task { try await receiver.run(untilDisconnect: true) }
        let refused = await #expect(throws: RosbridgeError.self) { try await connect(port) }
        #expect(refused?.status == 401)
        let phone = try await connect(port, token: "s3cret")
        try await phone.send(text: Array(pose.utf8))
        await phone.close()
        try await running.value
        #expect(log.topics == ["/tf_static", "/tf", "/mapping/pose"])
        #expect(await receiver.clientCount == 1 && log.notices.count == 2)
        #expect(log.notices.first?.hasSuffix("connected") == true && log.notices.last?.hasSuffix("left") == true)
    }

    @Test("a publisher of rosbridge is told once, in its own words, and what else it sends is still read")
    func otherProtocol() async throws {
        let log = Log()
        let (receiver, port) = try await start(options(), log)
        let running = Task { try await receiver.run(untilDisconnect: false) }
        let client = try await connect(port)
        for _ in 0..<2 { try await client.send(text: Array(#"{"op":"advertise","topic":"/a"}"#.utf8)) }
        try await client.send(text: Array(pose.utf8))
        while log.topics.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
        await receiver.stop()
        var answers: [JSONValue] = []
        let ending = await #expect(throws: RosbridgeError.self) {
            for try await batch in client.batches {
                answers += try batch.map { try JSONValue.parse($0.payload) }
                client.receiveMore()
            }
        }
        try await running.value
        #expect(answers.map { $0["op"] } == ["status"] && ending?.closeCode == 1001)
        #expect(await receiver.counts.rejected == [.otherProtocol: 2])
        #expect(log.notices.filter { $0.hasPrefix("rejected") }.count == 1)
    }

    @Test("posts that never end hold no more than all clients may hold together: who holds most is let go")
    func unfinishedPosts() async throws {
        let (receiver, port) = try await start(options { $0.maximumMessageSize = 10_000 }, Log(), posts: true)
        let running = Task { try await receiver.run(untilDisconnect: false) }
        let head = "POST /api/telemetry HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n"
        let request = ByteBuffer(string: head + String(repeating: " ", count: 9_999))
        var channels: [any Channel] = []
        for _ in 0..<20 {
            let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            let channel = try await bootstrap.connect(host: "127.0.0.1", port: try #require(port)).get()
            channels.append(channel)
            try await channel.writeAndFlush(request)
        }
        // Sixteen of them are as much as the limit.
        while channels.count(where: { !$0.isActive }) < 4 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(channels.contains { $0.isActive })
        for channel in channels { channel.close(promise: nil) }
        await receiver.stop()
        try await running.value
    }

    @Test("a receiver that asks is answered, and one that has closed its connection has left without a reason")
    func commands() async throws {
        let log = Log()
        var delivery = ArvosSink.Delivery()
        delivery.notice = { log.note($0) }
        let sink = ArvosSink(.listen(options()), options: ArvosOptions(), delivery: delivery)
        let opening = Task { try await sink.open([]) }
        while await sink.port == nil { try await Task.sleep(for: .milliseconds(5)) }
        let receiver = try await connect(await sink.port)
        try await opening.value
        try await receiver.send(text: Array(#"{"type":"command","command":"stop_recording"}"#.utf8))
        var batches = receiver.batches.makeAsyncIterator()
        let answer = try JSONValue.parse(try #require(await batches.next()?.first).payload)
        #expect(answer["type"] == "status" && answer["message"]?.string?.contains("--allow-commands") == true)
        receiver.receiveMore()
        await receiver.close()
        while log.notices.count < 3 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(
            log.notices.last?.hasPrefix("Arvos: 127.0.0.1:") == true && log.notices.last?.hasSuffix(" left") == true
        )
        _ = try await sink.finish()
    }
}
