package import Messages
import NIOCore
import NIOPosix
import Platform

/// Publishes messages to a rosbridge server: connects, advertises, sends, confirms, reconnects, and ends without loss.
///
///     let url = try RosbridgeURL("10.0.0.5")
///     let publisher = RosbridgePublisher(url, options: PublisherOptions { $0.onFull = .drop })
///     try await publisher.open(topics)            // throws RosbridgeError
///     try await publisher.write(message)          // suspends when the queue is full; throws once the server is lost
///     let report = try await publisher.finish()   // drains, confirms, unadvertises, closes
///
/// ``progress()`` can be asked at any time, ``report()`` also after an error, and ``abort()`` ends without draining.
/// Messages are queued as values and encoded when they are sent. Unconfirmed messages are kept. After a lost connection
/// they are sent again in order, together with those that were confirmed in the last second before the loss. So
/// delivery is at least once, and what is not confirmed is reported.
package actor RosbridgePublisher: MessageSink, WaitingActor {
    package nonisolated let url: RosbridgeURL
    /// The publisher runs on its socket's event loop, so that a message is encoded, masked and sent on one thread.
    let eventLoop: any EventLoop
    let options: PublisherOptions
    let queue: Outbox<OutgoingQueue>
    var ledger: AckTracker
    var recovery: ReconnectState
    var interruptions = Interruptions()
    /// The state of the current or last connection.
    var current = ConnectionState()
    var topics: [Topic] = []
    var transport: WebSocketTransport?
    var randomness: any RandomNumberGenerator & Sendable
    var warnings: [String] = []
    var statusCount = 0
    /// The highest counts that ``progress()`` has shown.
    var mostSent = 0
    var mostConfirmed = 0
    /// The last message of each latched topic, sent again because a restarted server has lost it.
    var latched: [String: OutgoingQueue.Item] = [:]
    /// Messages by topic that were refused because the server is lost or did not come in time.
    var notTaken: [String: Int] = [:]
    /// The item that was taken from the queue and is not sent yet.
    var underWay: OutgoingQueue.Item?
    /// Two buffers, used in turn: the event loop may hold the last one slightly longer than the sender waits for it.
    var encoded: [UInt8] = []
    var lastEncoded: [UInt8] = []
    var callPrefix = ""
    var callCount = 0
    /// The answers to service calls by the id of the call; the inner value is `nil` until the answer arrives.
    var answersByCall: [String: CallAnswer?] = [:]
    /// Our topics that rosapi lists.
    var takenTopics = TakenTopics()
    package var waiters: [CheckedContinuation<Void, Never>] = []
    private var running: Task<Result<Void, any Error>, Never>?
    private var isFinished = false

    package init(
        _ url: RosbridgeURL,
        options: PublisherOptions = PublisherOptions(),
        randomness: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        self.url = url
        self.options = options
        self.randomness = randomness
        eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        queue = Outbox(
            OutgoingQueue(
                byteLimit: options.queueBytes,
                policy: options.onFull,
                liveWindowNanoseconds: options.liveWindow.nanoseconds
            ),
            eventLoop: eventLoop
        )
        ledger = AckTracker(
            isConfirming: options.confirm,
            windowBytes: options.windowBytes,
            timeoutNanoseconds: options.confirmTimeout.nanoseconds,
            // Without reconnection nothing can be sent again.
            resendNanoseconds: options.reconnect == nil ? 0 : options.resend.nanoseconds,
            resendBytes: options.resendBytes
        )
        recovery = ReconnectState(options, nowNanoseconds: MonotonicClock.nowNanoseconds())
        callPrefix = Fragmenter.makeID(using: &self.randomness)
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    /// Connects and advertises; returns when the server has handled the advertisements and discovery had its time.
    ///
    /// With ``PublisherOptions/waitForRecorder`` it waits for a server, and for a subscriber of each topic.
    package func open(_ topics: [Topic]) async throws {
        precondition(running == nil, "a publisher is opened once")
        self.topics = topics
        recovery = ReconnectState(options, nowNanoseconds: MonotonicClock.nowNanoseconds())
        running = Task { await self.run() }
        await withTaskCancellationHandler {
            await wait { $0.isReady || $0.hasEnded }
        } onCancel: {
            Task { await self.abort() }
        }
        if case .failure(let error)? = outcome { throw error }
        try Task.checkCancellation()
    }

    /// Queues a message; waits for room if nothing may be dropped.
    package func write(_ message: StampedMessage) async throws {
        let item = OutgoingQueue.Item(
            message: message,
            byteCount: message.message.encodedCDRSize,
            queuedNanoseconds: MonotonicClock.nowNanoseconds()
        )
        do {
            try await queue.put(item)
        } catch {
            notTaken[message.topic.name, default: 0] += 1
            throw error
        }
    }

    /// Sends what is queued, waits for the confirmation, unadvertises and closes; throws if the server was lost.
    ///
    /// Cancelling the waiting task gives up what was not sent.
    package func finish() async throws -> SinkReport {
        guard let running, !isFinished else { return await report() }
        isFinished = true
        await queue.finish()
        let result = await withTaskCancellationHandler {
            await running.value
        } onCancel: {
            Task { await self.abort() }
        }
        try result.get()
        return await report()
    }

    /// Gives the server a moment for what is queued, and then ends.
    package func hurry() async {
        guard running != nil, !hasEnded else { return }
        try? await Task.sleep(for: .hurry)
        if !hasEnded { await abort() }
    }

    /// Ends at once; queued messages are lost, and sent ones without confirmation count as unconfirmed.
    package func abort() async {
        running?.cancel()
        transport?.abort()
        await queue.fail(CancellationError())
        _ = await running?.value
    }

    // MARK: - Where the run stands

    /// True if the first connection is advertised and settled.
    var isReady = false
    var outcome: Result<Void, any Error>?
    var hasEnded: Bool { outcome != nil }
}

/// Waiting for subscribers, such as recorders, before the first message.
extension RosbridgePublisher {
    /// Asks until each topic has a subscriber; what cannot be found out in time is a warning.
    func awaitSubscribers(over transport: WebSocketTransport) async throws {
        guard let deadline = recovery.deadlineNanoseconds, let patience = options.waitForRecorder else { return }
        var missing = topics.map(\.name)
        while !missing.isEmpty {
            let left = Duration.nanoseconds(deadline - MonotonicClock.nowNanoseconds())
            guard left > .zero else { break }
            let calls = missing.map { (service: "/rosapi/subscribers", topic: Optional($0)) }
            let answers = try await call(calls, over: transport, within: left)
            if answers.contains(where: { $0?.isAnswered == false }) {
                return warn(
                    "the server cannot tell who subscribes (is rosapi running?): not known whether anybody records "
                        + missing.joined(separator: ", ")
                )
            }
            missing = zip(missing, answers).filter { $1?.subscribers?.isEmpty != false }.map(\.0)
            let pause = Duration.nanoseconds(deadline - MonotonicClock.nowNanoseconds())
            if !missing.isEmpty, pause > .zero { try await Task.sleep(for: min(.milliseconds(200), pause)) }
        }
        if !missing.isEmpty {
            warn("no subscriber within \(patience.text) for \(missing.joined(separator: ", "))")
        }
    }

    /// Calls services, and returns the answers that came in time, in the order of the calls.
    func call(
        _ calls: [(service: String, topic: String?)],
        over transport: WebSocketTransport,
        within timeout: Duration
    ) async throws -> [CallAnswer?] {
        var ids: [String] = []
        defer { answersByCall = [:] }
        for (service, topic) in calls {
            let id = makeCallID(service.split(separator: "/").last.map(String.init) ?? "call")
            ids.append(id)
            answersByCall.updateValue(nil, forKey: id)
            try await transport.send(text: Operation.callService(service: service, id: id, topic: topic).json)
        }
        _ = try await wait(timeout) { $0.answersByCall.values.allSatisfy { $0 != nil } }
        return ids.map { answersByCall[$0] ?? nil }
    }
}
