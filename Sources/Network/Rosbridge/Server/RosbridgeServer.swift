import Files
package import Messages
import WebSocket

/// A rosbridge server that decodes published messages and passes them to a delegate; used by `record`.
///
///     let server = RosbridgeServer(ServerOptions(port: 0), delegate: recorder)
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
    private var listener: Listener?
    private var accepting: Task<Void, Never>?
    private var sessions: [Int: WebSocketTransport] = [:]
    private var nextNumber = 1
    private var isStopping = false
    private var failure: (any Error)?
    private var counts = ServerReport()
    private var unknownFields = UnknownFieldTally()
    private var resends = ResendFilter()

    package init(_ options: ServerOptions = ServerOptions(), delegate: any RecorderDelegate) {
        self.options = options
        self.delegate = delegate
        registry = TopicRegistry(limit: options.limits.topics, typeNamed: options.typeNamed)
        latched = LatchedBudget(byteLimit: options.limits.latchedBytes)
    }

    /// Starts listening and returns the port.
    package func start() async throws -> Int {
        precondition(listener == nil, "a server is started once")
        let listener = try await Listener(options)
        self.listener = listener
        accepting = Task { await self.accept(from: listener) }
        return listener.port
    }

    /// Waits until the server has stopped; throws the delegate's error.
    package func run() async throws {
        await withTaskCancellationHandler {
            await accepting?.value
        } onCancel: {
            Task { await self.stop() }
        }
        if let failure { throw failure }
    }

    /// Stops listening, closes every connection with 1001, and returns when the delegate has received everything.
    package func stop() async {
        if !isStopping {
            isStopping = true
            listener?.close()
            for transport in sessions.values { closeSoon(transport) }
        }
        await accepting?.value
    }

    /// The report up to now.
    package func report() -> ServerReport {
        var report = counts
        report.unknownFields = unknownFields.fields
        return report
    }

    /// The topics that clients have advertised, sorted by name.
    package var topics: [Topic] { registry.all }
}

// MARK: - Connections

extension RosbridgeServer {
    private func accept(from listener: Listener) async {
        await withDiscardingTaskGroup { group in
            for await connection in listener.connections {
                group.addTask { await self.serve(connection) }
            }
        }
    }

    /// Serves a connection to its end, concurrently with all others.
    @concurrent
    private nonisolated func serve(_ connection: Listener.Incoming) async {
        let transport = connection.transport
        do {
            try await transport.waitUntilOpen()
        } catch {
            // A connection without a handshake request does not count as a client.
            guard let error = error as? RosbridgeError, error.isRefusal else { return }
            return await delegate.turnedAway(connection.address, problem: error.problem)
        }
        let (client, count) = await begin(connection)
        await delegate.connected(client, count: count)
        var session = ClientSession(client, transport, server: self)
        var problem: String?
        do {
            try await session.run()
        } catch let error as RosbridgeError {
            if !error.isProperEnd { problem = error.problem }
        } catch {
            await fail(error)
        }
        transport.abort()
        await delegate.left(client, problem: problem, count: await end(client, session, isLost: problem != nil))
    }

    private func begin(_ connection: Listener.Incoming) -> (client: RecorderClient, count: Int) {
        let client = RecorderClient(number: nextNumber, address: connection.address)
        nextNumber += 1
        counts.clients += 1
        sessions[client.number] = connection.transport
        if isStopping { closeSoon(connection.transport) }
        return (client, sessions.count)
    }

    private func end(_ client: RecorderClient, _ session: ClientSession, isLost: Bool) -> Int {
        sessions[client.number] = nil
        resends.end(client.number, isLost: isLost, nowNanoseconds: MonotonicClock.nowNanoseconds())
        counts.repeated += session.repeatedCount
        counts.received += session.receivedCount
        counts.refused += session.refusedCount
        counts.unfinished += session.unfinishedCount
        for (topic, path, count) in session.unknownFieldCounts { unknownFields.add(topic, path, count) }
        for name in session.advertised { registry.unadvertise(name) }
        return sessions.count
    }

    private func closeSoon(_ transport: WebSocketTransport) {
        let code: CloseCode = failure == nil ? .goingAway : .internalError
        Task { await transport.close(code, reason: "the recorder stops") }
    }

    /// Ends the server because nothing can be recorded any more.
    private func fail(_ error: any Error) {
        if failure == nil { failure = error }
        Task { await self.stop() }
    }
}

// MARK: - What sessions ask

extension RosbridgeServer {
    func advertise(
        _ name: String,
        type: String,
        isLatched: Bool,
        queueSize: Int
    ) throws(Refusal) -> Topic {
        try registry.advertise(name, type: type, isLatched: isLatched, queueSize: queueSize)
    }

    func unadvertise(_ name: String) {
        registry.unadvertise(name)
    }

    /// Returns the topic with this absolute name, if it is known, and notes that a client publishes on it.
    func use(_ name: String) -> Topic? {
        registry.use(name)
    }

    /// Which of a client's messages came before over a connection that was lost.
    func repeated(_ marks: [ResendFilter.Mark], from client: RecorderClient) -> [Bool] {
        resends.sift(marks, of: client.number, nowNanoseconds: MonotonicClock.nowNanoseconds())
    }

    /// Notes a message of a latched topic, which every chunk repeats, or refuses it.
    func keep(_ message: StampedMessage, byteCount: Int) throws(Refusal) {
        try latched.keep(message, byteCount: byteCount)
    }

    var knownTopics: [(name: String, type: String)] {
        registry.all.map { ($0.name, $0.typeName) }
    }
}

extension RosbridgeError {
    /// Whether the other end closed the connection properly.
    package var isProperEnd: Bool {
        stage == .closed && (closeCode == nil || closeCode == 1000 || closeCode == 1001)
    }

    /// Whether a connection that never opened was refused by us, rather than ended by the other side.
    fileprivate var isRefusal: Bool {
        switch stage {
        case .tls, .timeout: true
        case .handshake: !problem.contains("end of the stream")
        default: false
        }
    }
}
