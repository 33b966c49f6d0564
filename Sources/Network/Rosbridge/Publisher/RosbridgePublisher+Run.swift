import Platform
import WebSocket

/// The life of a publisher: connections, one after the other, until everything is sent or the server is lost.
extension RosbridgePublisher {
    /// Connects and sends the queue, again over a new connection when one is lost.
    func run() async -> Result<Void, any Error> {
        while true {
            do {
                try await session(connect())
                return await end(.success(()))
            } catch {
                if current.hasDeliveredEverything, !(error is CancellationError) { return await end(.success(())) }
                switch await recover(from: error) {
                case .giveUp(let error): return await end(.failure(error))
                case .retry(let delay):
                    guard (try? await Task.sleep(for: .seconds(delay))) != nil else {
                        return await end(.failure(CancellationError()))
                    }
                }
            }
        }
    }

    private enum Next {
        case giveUp(any Error)
        case retry(afterSeconds: Double)
    }

    private func end(_ result: Result<Void, any Error>) async -> Result<Void, any Error> {
        transport = nil
        outcome = result
        if case .failure(let error) = result { await queue.fail(error) }
        wake()
        return result
    }

    /// Connects, for no longer than there is time for attempts.
    private func connect() async throws -> WebSocketTransport {
        current = ConnectionState()
        current.progressBefore = ledger.progress
        var transportOptions = options.transport
        // Not every server closes TCP soon, and messages are waiting.
        transportOptions.endsWithCloseFrame = true
        if let deadline = recovery.deadlineNanoseconds {
            let left = Duration.nanoseconds(max(100_000_000, deadline - MonotonicClock.nowNanoseconds()))
            transportOptions.connectTimeout = min(transportOptions.connectTimeout, left)
            transportOptions.handshakeTimeout = min(transportOptions.handshakeTimeout, left)
        }
        let transport = try await WebSocketTransport.connect(to: url, options: transportOptions, on: eventLoop)
        self.transport = transport
        current.lastHeardNanoseconds = MonotonicClock.nowNanoseconds()
        if !isReady, options.transport.compression != nil, try await transport.waitUntilOpen() == nil {
            warn("the server does not compress: messages are sent as they are")
        }
        return transport
    }

    /// Puts unconfirmed messages back and decides how to go on.
    private func recover(from error: any Error) async -> Next {
        transport?.abort()
        transport = nil
        let now = MonotonicClock.nowNanoseconds()
        // A connection that was given up ends without a close frame, too.
        if Task.isCancelled { return .giveUp(CancellationError()) }
        guard let error = error as? RosbridgeError else { return .giveUp(error) }
        let loss = ReconnectState.Loss(
            error: error,
            hasSent: current.lastMessage != nil,
            wasFruitful: wasFruitful(nowNanoseconds: now),
            largestFrame: current.largestFrame,
            message: current.lastMessage,
            nowNanoseconds: now
        )
        // A hanging server has handled nothing since its last sign of life.
        let isHung = error.stage == .timeout || error.stage == .stalled
        if isReady { interruptions.begin(atNanoseconds: isHung ? current.lastHeardNanoseconds : now) }
        let frameLimit = recovery.frameLimit
        let decision = recovery.decide(loss, using: &randomness)
        guard case .retry(let delay) = decision else {
            if case .giveUp(let error) = decision { return .giveUp(error) }
            return .giveUp(error)
        }
        if current.readyNanoseconds != nil { noteLost(error) }
        if recovery.frameLimit < frameLimit {
            warn("frames are \(recovery.frameLimit) bytes at most from here on, rather than \(frameLimit)")
        }
        await putBack()
        return .retry(afterSeconds: delay)
    }

    private func wasFruitful(nowNanoseconds now: Int64) -> Bool {
        if ledger.progress > current.progressBefore { return true }
        guard let ready = current.readyNanoseconds, !ledger.hasUnconfirmed, underWay == nil else { return false }
        return now - ready > 1_000_000_000
    }

    /// Puts messages whose arrival is uncertain back at the front of the queue, followed by the one about to be sent.
    private func putBack() async {
        let lost = ledger.takeBack(isConfirming: options.confirm, isCautious: recovery.fruitlessConnections > 0)
        if lost.forgotten > 0 {
            warn(
                "\(lost.forgotten) messages that were confirmed in the last \(options.resend.text) before the connection"
                    + " was lost are not sent again: more than \(options.resendBytes >> 20) MiB were confirmed in that time,"
                    + " or they were confirmed over \(AckTracker.maximumConfirmations) connections that did not last"
            )
        }
        let all = lost.items + (underWay.map { [$0] } ?? [])
        underWay = nil
        await queue.putBack(all)
    }

    /// Runs one connection: advertises, then sends until the queue is finished; throws when the connection is lost.
    private func session(_ transport: WebSocketTransport) async throws {
        // Not cancelled when sending fails: confirmations that have arrived count, although the connection is gone.
        let receiving = Task { try await self.receive(from: transport) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await receiving.value
                return false
            }
            group.addTask {
                try await self.watch(transport)
                return false
            }
            group.addTask {
                try await self.sendEverything(over: transport)
                return true
            }
            defer { group.cancelAll() }
            do {
                // Receiving ends when the connection does, sending when the work is done.
                while let isDone = try await group.next() {
                    if isDone { return }
                }
            } catch {
                // Closing the connection ends both: sending waits for the system to take data, receiving for the end.
                transport.abort()
                throw error
            }
        }
    }

    private func receive(from transport: WebSocketTransport) async throws {
        for try await batch in transport.batches {
            current.lastHeardNanoseconds = MonotonicClock.nowNanoseconds()
            for message in batch { handle(ServerReply(message.payload)) }
            transport.receiveMore()
        }
    }

    private func handle(_ reply: ServerReply) {
        switch reply {
        case .serviceResponse(let id, let answer):
            if answersByCall.keys.contains(id) {
                answersByCall.updateValue(answer, forKey: id)
            } else {
                _ = ledger.confirm(id: id, nowNanoseconds: MonotonicClock.nowNanoseconds())
            }
            wake()
        case .status(let level, let text):
            statusCount += 1
            if statusCount <= 10 { warn("the server says (\(level)): \(text.prefix(500))") }
        case .other:
            return
        }
    }
}
