import NIOCore
import NIOPosix
import Rosbridge
import Synchronization
import Testing
import WebSocket

/// Too many connections, and such as say nothing.
@Suite("Server and a crowd", .timeLimit(.minutes(2)))
struct ServerCrowdTests {
    @Test("who comes when the house is full is told to come back, and comes in when there is room")
    func maximumClients() async throws {
        let told = Mutex<[String]>([])
        let (server, delegate, port) = try await startServer(
            ServerOptions {
                $0.limits = ServerLimits(clients: 2)
                $0.crowdNotice = { text in told.withLock { $0.append(text) } }
            }
        )
        let first = try await RawClient(port: port), second = try await RawClient(port: port)
        let error = await #expect(throws: RosbridgeError.self) { try await visit(port) }
        #expect(error?.status == 503 && error?.retryAfterSeconds == 3 && error?.isTransient == true)
        _ = await #expect(throws: RosbridgeError.self) { try await visit(port) }
        #expect(try await first.end() == [])
        try await until { await delegate.events.contains("left 1, 1") }
        try await visit(port)
        #expect(try await second.end() == [])
        await server.stop()
        // The first one at once, all together at the end; none by itself.
        try await until { told.withLock { $0.count } == 2 }
        #expect(told.withLock { $0[0] }.hasPrefix("all 2 places are taken"))
        #expect(told.withLock { $0[1] } == "2 connections were refused, as all 2 places were taken")
        #expect(await delegate.refusedConnections.isEmpty)
    }

    @Test("who opens many connections does not have others sent away, however long these take for their handshake")
    func strangersOfOneAddress() async throws {
        let told = Mutex<[String]>([])
        var limits = ServerLimits()
        limits.strangers = 8
        let (server, _, port) = try await startServer(
            ServerOptions {
                $0.limits = limits
                $0.crowdNotice = { text in told.withLock { $0.append(text) } }
            }
        )
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        let slow = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
        let crowdsPlace = try SocketAddress(ipAddress: "127.0.0.2", port: 0)
        var crowd: [any Channel] = []
        for _ in 0..<40 {
            let channel = bootstrap.bind(to: crowdsPlace).connect(host: "127.0.0.1", port: port)
            crowd.append(try await channel.get())
        }
        try await until { crowd.count(where: { !$0.isActive }) == 33 }
        #expect(slow.isActive && crowd.suffix(7).allSatisfy(\.isActive))
        await server.stop()
        try await until { told.withLock { $0.count } == 2 }
        #expect(told.withLock { $0[0] }.hasPrefix("more than 8 connections"))
        #expect(told.withLock { $0[1] } == "33 connections were closed before their handshake was complete")
    }

    @Test("connections that say nothing keep no client out, and end with the server")
    func strangers() async throws {
        var limits = ServerLimits()
        limits.strangers = 8
        let (server, delegate, port) = try await startServer(
            ServerOptions {
                $0.handshakeTimeout = .seconds(100)
                $0.limits = limits
            }
        )
        let group = MultiThreadedEventLoopGroup.singleton
        let channels = try await withThrowingTaskGroup { tasks in
            for _ in 0..<40 {
                tasks.addTask { try await ClientBootstrap(group: group).connect(host: "127.0.0.1", port: port).get() }
            }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        try await visit(port)
        // Those that were there first have been sent away; stop does not wait for the rest.
        try await until { channels.count(where: { !$0.isActive }) >= 32 }
        await server.stop()
        for channel in channels { try await channel.closeFuture.get() }
        #expect(await delegate.events == ["connected 1, 1", "left 1, 0"])
    }

    @Test("a handshake that takes too long is ended")
    func slowHandshake() async throws {
        let (server, delegate, port) = try await startServer(ServerOptions { $0.handshakeTimeout = .milliseconds(200) })
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        let channel = try await bootstrap.connect(host: "127.0.0.1", port: port).get()
        try await channel.closeFuture.get()
        try await until { await !delegate.refusedConnections.isEmpty }
        await server.stop()
        #expect(await delegate.events.isEmpty)
    }

    @Test("a client that has said nothing gives up its place to others, unless it answers", arguments: [false, true])
    func placeWanted(answers: Bool) throws {
        let pair = try TransportPair(isServer: true)
        pair.state.placeWanted(now: pair.now)
        #expect(pair.peerReceives() > 0)
        if answers { pair.stateReceives() }
        for (seconds, isOver) in [(2, false), (3, !answers)] {
            pair.seconds = seconds
            // Asked again while the first answer is awaited, it has no more time.
            pair.state.placeWanted(now: pair.now)
            pair.state.tick(now: pair.now)
            #expect(pair.outcome().isClosed == isOver)
        }
        pair.state.end()
        #expect(pair.outcome().errors.map(\.stage) == (answers ? [] : [.timeout]))
    }

    @Test("a client that has spoken is not asked for its place")
    func placeOfASpeaker() throws {
        let pair = try TransportPair(isServer: true)
        pair.peer.send(.binary([1]))
        pair.stateReceives()
        pair.state.placeWanted(now: pair.now)
        #expect(pair.output().isEmpty)
    }

    @Test("a client that takes what it is sent has more time for its first word, but not for ever")
    func placeOfAListener() throws {
        let pair = try TransportPair(isServer: true)
        pair.state.placeWanted(now: pair.now)
        var end: Int?
        while end == nil, pair.seconds < 20 {
            pair.seconds += 1
            pair.state.take(.send(.binary([UInt8](repeating: 1, count: 10))), number: UInt64(pair.seconds))
            #expect(pair.peerReceives() > 0)
            pair.state.tick(now: pair.now)
            if pair.outcome().isClosed { end = pair.seconds }
        }
        #expect(end == 7)
    }
}
