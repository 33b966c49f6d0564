import Messages
import Rosbridge
import Testing
import WebSocket

@Suite("Server and its connections", .timeLimit(.minutes(2)))
struct ServerConnectionTests {
    @Test("a message above the limit is a close with 1009")
    func tooBig() async throws {
        let (server, _, port) = try await startServer(maximumMessageSize: 1000)
        let client = try await RawClient(port: port)
        try await client.send(String(repeating: " ", count: 1001))
        let error = try await client.closure()
        #expect(error?.closeCode == 1009)
        await server.stop()
    }

    @Test("two clients share their topics, and one that leaves is no problem for the other")
    func twoClients() async throws {
        let (server, delegate, port) = try await startServer()
        let first = try await RawClient(port: port)
        try await first.send(advertiseChatter)
        #expect(try await first.end() == [])
        let second = try await RawClient(port: port)
        try await second.send(#"{"op":"publish","topic":"/chatter","msg":{"data":"2"}}"#)
        #expect(try await second.end() == [])
        try await until { await delegate.events.last == "left 2, 0" }
        #expect(await delegate.texts == ["2"])
        #expect(await server.topics.map(\.name) == ["/chatter"])
        await server.stop()
    }

    @Test("stopping closes with 1001 and hands on what was received")
    func stop() async throws {
        let (server, delegate, port) = try await startServer(delegate: RecordingDelegate(delay: .milliseconds(50)))
        let client = try await RawClient(port: port)
        let publish = #"{"op":"publish","topic":"/chatter","msg":{"data":"x"}}"#
        try await client.send(advertiseChatter, publish, publish, publish)
        try await until { await !delegate.messages.isEmpty }
        await server.stop()
        #expect(await delegate.texts.count >= 1)
        #expect(await delegate.events.last == "left 1, 0")
        #expect(try await client.closure()?.closeCode == 1001)
        try await server.run()
        await #expect(throws: RosbridgeError.self) { try await RawClient(port: port) }
    }

    @Test("a recorder that cannot go on ends the server, which says why")
    func failure() async throws {
        struct DiskFull: Error {}
        let (server, _, port) = try await startServer(delegate: RecordingDelegate(failure: DiskFull()))
        let client = try await RawClient(port: port)
        try await client.send(advertiseChatter, #"{"op":"publish","topic":"/chatter","msg":{"data":"x"}}"#)
        await #expect(throws: DiskFull.self) { try await server.run() }
        _ = try await client.closure()
    }

    @Test("a port that is taken is an error")
    func portTaken() async throws {
        let (server, delegate, port) = try await startServer()
        let second = RosbridgeServer(ServerOptions { $0.port = port }, delegate: delegate)
        let error = await #expect(throws: RosbridgeError.self) { try await second.start() }
        #expect(error?.stage == .listen)
        await server.stop()
    }

    @Test("what is not WebSocket is answered with a status and is no client")
    func notWebSocket() async throws {
        let (server, delegate, port) = try await startServer()
        let options = TransportOptions { $0.fields = [.init("X-Filler", String(repeating: "x", count: 20_000))] }
        let publisher = RosbridgePublisher(try localURL(port), options: PublisherOptions { $0.transport = options })
        let error = await #expect(throws: RosbridgeError.self) { try await publisher.open([.chatter]) }
        #expect(error?.status == 431)
        await server.stop()
        #expect(await delegate.events.isEmpty)
    }

    /// Holds every message until it is opened.
    private actor Gate: RecorderDelegate {
        private var isOpen = false
        private var waiting: [CheckedContinuation<Void, Never>] = []
        private(set) var count = 0

        func open() {
            isOpen = true
            for waiter in waiting { waiter.resume() }
            waiting = []
        }

        func received(_ messages: [StampedMessage], from client: RecorderClient) async throws -> [Refusal] {
            for _ in messages {
                count += 1
                if !isOpen { await withCheckedContinuation { waiting.append($0) } }
            }
            return []
        }
    }

    @Test("a recorder that is slow makes the client wait: nothing piles up")
    func backPressure() async throws {
        let gate = Gate()
        let server = RosbridgeServer(ServerOptions { $0.port = 0 }, delegate: gate)
        // The client itself says when nothing of what it sends is taken any more.
        let client = try await RawClient(port: try await server.start(), stallTimeout: .milliseconds(500))
        try await client.send(advertiseChatter, #"{"op":"publish","topic":"/chatter","msg":{"data":"x"}}"#)
        try await until { await gate.count == 1 }
        // Without back-pressure all of this would be taken, however long it takes; two sockets hold far less.
        let filler = [UInt8](repeating: 0x20, count: 1 << 20)
        let error = await #expect(throws: RosbridgeError.self) {
            for _ in 0..<100 { try await client.transport.send(.binary(filler)) }
        }
        #expect(error?.stage == .stalled)
        await gate.open()
        await server.stop()
    }
}
