package import Messages
package import NIOCore
import Platform
package import Rosbridge
import WebSocket

/// The connection of a load: it sends messages, barriers and pings, and notes when they are answered.
///
/// The actor runs on the event loop of its socket, so that measurements include no thread switch.
package actor LoadSession: WaitingActor {
    nonisolated let eventLoop: any EventLoop
    nonisolated let server: String
    private let transport: WebSocketTransport
    private let maximumMessageSize: Int
    private let idPrefix: String
    private var randomness = SystemRandomNumberGenerator()
    private var lastID = 0
    /// The unanswered barriers; answers to anything else are not kept.
    private var awaited: Set<String> = []
    /// The arrival times of answers that were not taken yet.
    private var answers: [String: Int64] = [:]
    /// The arrival time of the last pong.
    private var pongNanoseconds: Int64?
    private var failure: (any Error)?
    package var waiters: [CheckedContinuation<Void, Never>] = []
    private var receiving: Task<Void, Never>?
    /// Status messages of the server.
    package private(set) var remarks: [String] = []

    package init(_ transport: WebSocketTransport, on eventLoop: any EventLoop, server: String, maximumMessageSize: Int)
    {
        self.transport = transport
        self.eventLoop = eventLoop
        self.server = server
        self.maximumMessageSize = max(maximumMessageSize, Fragmenter.smallestLimit)
        var generator = SystemRandomNumberGenerator()
        idPrefix = "load-" + Fragmenter.makeID(using: &generator)
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    package func start() { receiving = Task { await self.receive() } }

    private func receive() async {
        do {
            for try await batch in transport.batches {
                let now = MonotonicClock.nowNanoseconds()
                for message in batch { handle(ServerReply(message.payload), now) }
                transport.receiveMore()
                wake()
            }
            end(RosbridgeError(server, .lost, "expected an open connection, found it closed"))
        } catch {
            end(error)
        }
    }

    private func handle(_ reply: ServerReply, _ now: Int64) {
        switch reply {
        case .serviceResponse(let id, _):
            if awaited.remove(id) != nil { answers[id] = now }
        case .status(let level, let text):
            if remarks.count < 10 { remarks.append("the server says (\(level)): \(text.prefix(500))") }
        case .other: return
        }
    }

    private func end(_ error: any Error) {
        failure = failure ?? error
        wake()
    }

    // MARK: - Sending

    package func advertise(_ topic: Topic) async throws {
        try await transport.send(text: Operation.advertise(topic).json)
    }

    /// Sends a message, in fragments if it is too large for one frame, and returns the size of its JSON.
    ///
    /// Throws a ``RosbridgeError`` for a message that the server would refuse.
    @discardableResult
    package func publish(_ message: any Message, on topic: Topic) async throws -> Int {
        var json: [UInt8] = []
        do {
            try RosbridgeEnvelope.appendPublish(topic: topic.name, message: message, to: &json)
        } catch {
            throw RosbridgeError(server, .message, "\(topic.name): \(error)")
        }
        if json.count <= maximumMessageSize {
            try await transport.send(text: json)
        } else {
            let fragmenter = Fragmenter(maximumFrameLength: maximumMessageSize)
            for frame in fragmenter.fragments(of: json, id: Fragmenter.makeID(using: &randomness)) {
                try await transport.send(text: frame)
            }
        }
        return json.count
    }

    /// Sends a service call that the server answers after it has handled everything sent before.
    package struct Barrier: Sendable {
        package var id: String
        package var sentNanoseconds: Int64

        package init(id: String, sentNanoseconds: Int64) {
            self.id = id
            self.sentNanoseconds = sentNanoseconds
        }
    }

    package func sendBarrier() async throws -> Barrier {
        lastID += 1
        let barrier = Barrier(id: "\(idPrefix)-\(lastID)", sentNanoseconds: MonotonicClock.nowNanoseconds())
        awaited.insert(barrier.id)
        try await transport.send(text: Operation.callService(service: "/rosapi/get_time", id: barrier.id).json)
        return barrier
    }

    // MARK: - Waiting

    /// The time at which the barrier was answered, if it was; each answer is returned once.
    package func takeAnswer(to barrier: Barrier) -> Int64? {
        answers.removeValue(forKey: barrier.id)
    }

    /// Waits for the answer and returns its arrival time; `nil` on timeout.
    package func answer(to barrier: Barrier, within timeout: Duration) async throws -> Int64? {
        try await awaitAnswer(timeout) { $0.answers[barrier.id] != nil }
        return takeAnswer(to: barrier)
    }

    /// Sends a ping and returns the nanoseconds until its pong; `nil` on timeout.
    func ping(within timeout: Duration) async throws -> Int64? {
        pongNanoseconds = nil
        let start = MonotonicClock.nowNanoseconds()
        let pinging = Task {
            try await transport.ping()
            try Task.checkCancellation()
            pongNanoseconds = MonotonicClock.nowNanoseconds()
            wake()
        }
        defer { pinging.cancel() }
        try await awaitAnswer(timeout) { $0.pongNanoseconds != nil }
        return pongNanoseconds.map { $0 - start }
    }

    /// Suspends until the condition holds or the time is over.
    ///
    /// Throws when the connection has ended or the task is cancelled.
    private func awaitAnswer(_ timeout: Duration, until isDone: @Sendable (isolated LoadSession) -> Bool) async throws {
        _ = try await wait(timeout) { isDone($0) || $0.failure != nil }
        if !isDone(self), let failure { throw failure }
    }

    // MARK: - The end

    /// Closes with a closing handshake.
    private func close() async {
        await transport.close()
        receiving?.cancel()
    }

    /// Unadvertises and closes, if the connection is still open.
    ///
    /// The server discards its queue when a connection closes, so the answer to a last barrier is awaited. There is a
    /// time limit: a slow server must not delay the response to Ctrl-C.
    package func leave(_ topics: [Topic], isOrderly: Bool) async {
        guard isOrderly else { return transport.abort() }
        let patience = Task {
            try await Task.sleep(for: .seconds(3))
            transport.abort()
        }
        // Not a child task, because the caller's task may be cancelled.
        await Task {
            for topic in topics { try? await self.transport.send(text: Operation.unadvertise(topic: topic.name).json) }
            if let barrier = try? await self.sendBarrier() {
                _ = try? await self.answer(to: barrier, within: .seconds(2))
            }
            await self.close()
        }.value
        patience.cancel()
    }
}
