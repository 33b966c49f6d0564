package import Messages
import Platform
import WebSocket

/// A rosbridge server that decodes published messages and passes them to a delegate; used by `record`.
///
///     let server = RosbridgeServer(ServerOptions { $0.port = 0 }, delegate: recorder)
///     let port = try await server.start()    // throws RosbridgeError if the port is taken
///     ...                                    // the delegate is called from now on
///     try await server.run()                 // returns after stop(); throws what the delegate threw
///     await server.stop()                    // from a signal handler's task: closes with 1001, finishes what was received
///     let report = await server.report()
///
/// It accepts text and binary frames, fragmented or not, and the operations advertise, publish, unadvertise, fragment
/// and call_service. Refused operations are answered with a status message. Each client has a task of its own.
package actor RosbridgeServer {
    nonisolated let options: ServerOptions
    nonisolated let delegate: any RecorderDelegate
    /// Large messages are decoded one at a time, as each takes many times the memory of its text.
    nonisolated let largeMessages = AsyncMutex()
    private var registry: TopicRegistry
    private var latched: LatchedBudget
    private var server: Server?
    private var serving: Task<Void, Never>?
    private var connectedCount = 0
    private var failure: (any Error)?
    private var counts = ServerReport()
    private var unknownFields = UnknownKeyTally()
    private var resends = ResendFilter()

    package init(_ options: ServerOptions = ServerOptions(), delegate: any RecorderDelegate) {
        self.options = options
        self.delegate = delegate
        registry = TopicRegistry(limit: options.limits.topics, typeNamed: options.typeNamed)
        latched = LatchedBudget(byteLimit: options.limits.latchedBytes)
    }

    /// Starts listening and returns the port.
    package func start() async throws -> Int {
        precondition(serving == nil, "a server is started once")
        let server = try await Server(options)
        self.server = server
        let delegate = delegate
        serving = Task {
            await server.run(refused: { await delegate.turnedAway($0, problem: $1.problem) }, serve: self.serve)
        }
        return server.port
    }

    /// Waits until the server has stopped; throws the delegate's error.
    package func run() async throws {
        await withTaskCancellationHandler {
            await serving?.value
        } onCancel: {
            Task { await self.stop() }
        }
        if let failure { throw failure }
    }

    /// Stops listening, closes every connection with 1001, and returns when the delegate has received everything.
    package func stop() async {
        await server?.close(failure == nil ? .goingAway : .internalError, reason: "the recorder stops")
        await serving?.value
    }

    /// The report up to now.
    package func report() -> ServerReport {
        var report = counts
        report.unknownFields = unknownFields.keys
        return report
    }

    /// The topics that clients have advertised, sorted by name.
    package var topics: [Topic] { registry.all }

    /// Serves a client to its end, concurrently with all others.
    @concurrent
    private nonisolated func serve(_ connection: Server.Client) async {
        let (client, count) = await begin(connection.address)
        await delegate.connected(client, count: count)
        var session = ClientSession(client, connection.transport, server: self)
        var problem: String?
        do {
            try await session.run()
        } catch let error as RosbridgeError {
            if !error.isProperEnd { problem = error.problem }
        } catch {
            await fail(error)
        }
        connection.transport.abort()
        await delegate.left(client, problem: problem, count: await end(client, session, isLost: problem != nil))
    }

    private func begin(_ address: String) -> (client: RecorderClient, count: Int) {
        counts.clients += 1
        connectedCount += 1
        return (RecorderClient(number: counts.clients, address: address), connectedCount)
    }

    private func end(_ client: RecorderClient, _ session: ClientSession, isLost: Bool) -> Int {
        connectedCount -= 1
        resends.end(client.number, isLost: isLost, nowNanoseconds: MonotonicClock.nowNanoseconds())
        counts.repeated += session.repeatedCount
        counts.received += session.receivedCount
        counts.refused += session.refusedCount
        counts.unfinished += session.unfinishedCount
        for (topic, fields) in session.unknownFields { unknownFields.add(fields, topic: topic) }
        for name in session.advertised { registry.unadvertise(name) }
        return connectedCount
    }

    /// Ends the server because nothing can be recorded any more.
    private func fail(_ error: any Error) {
        if failure == nil { failure = error }
        Task { await self.stop() }
    }

    // MARK: - What sessions ask

    func advertise(
        _ name: String,
        type: String,
        isLatched: Bool,
        queueSize: Int
    ) throws(Refusal) -> Topic {
        try registry.advertise(name, type: type, isLatched: isLatched, queueSize: queueSize)
    }

    func unadvertise(_ name: String) { registry.unadvertise(name) }

    /// Returns the topic with this absolute name, if it is known, and notes that a client publishes on it.
    func use(_ name: String) -> Topic? { registry.use(name) }

    /// Which of a client's messages came before over a connection that was lost.
    func repeated(_ marks: [ResendFilter.Mark], from client: RecorderClient) -> [Bool] {
        resends.sift(marks, of: client.number, nowNanoseconds: MonotonicClock.nowNanoseconds())
    }

    /// Notes a message of a latched topic, which every chunk repeats, or refuses it.
    func keep(_ message: StampedMessage, byteCount: Int) throws(Refusal) {
        try latched.keep(message, byteCount: byteCount)
    }

    var knownTopics: [(name: String, type: String)] { registry.all.map { ($0.name, $0.typeName) } }
}

/// A mutex for tasks that admits them in the order of their arrival.
actor AsyncMutex {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Waits for its turn; call ``leave()`` afterwards.
    func enter() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    func leave() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
}

/// Receives the messages and events of a ``RosbridgeServer``.
package protocol RecorderDelegate: Sendable {
    /// Takes a client's decoded messages; calls for one client are made in order, one at a time.
    ///
    /// Suspending makes that client wait. An error means that nothing can be recorded any more, and ends the server.
    ///
    /// - Returns: the reasons why some of them cannot be recorded; the client is told.
    func received(_ messages: [StampedMessage], from client: RecorderClient) async throws -> [Refusal]
    /// A client has advertised a topic; it may have been before.
    func advertised(_ topic: Topic) async
    /// A client has opened a connection; `count` are connected now.
    func connected(_ client: RecorderClient, count: Int) async
    /// A client has disconnected, with the problem unless it closed properly; `count` remain.
    func left(_ client: RecorderClient, problem: String?, count: Int) async
    /// A connection was refused: its TLS or WebSocket handshake failed or timed out.
    func turnedAway(_ address: String, problem: String) async
    /// An operation of a client was refused; the client was told.
    func refused(_ refusal: Refusal, from client: RecorderClient) async
    /// True if messages of this topic are recorded; clients that wait for a recorder ask for it.
    func records(_ topicName: String) -> Bool
}

extension RecorderDelegate {
    package func advertised(_ topic: Topic) async {}
    package func connected(_ client: RecorderClient, count: Int) async {}
    package func left(_ client: RecorderClient, problem: String?, count: Int) async {}
    package func turnedAway(_ address: String, problem: String) async {}
    package func refused(_ refusal: Refusal, from client: RecorderClient) async {}
    package func records(_ topicName: String) -> Bool { true }
}

/// Identifies a connection to a server.
package struct RecorderClient: Hashable, Sendable, CustomStringConvertible {
    /// Counts from 1, in the order of the connections.
    package var number: Int
    /// Address and port.
    package var address: String

    package init(number: Int, address: String) { (self.number, self.address) = (number, address) }

    package var description: String { "client \(number) (\(address))" }
}
