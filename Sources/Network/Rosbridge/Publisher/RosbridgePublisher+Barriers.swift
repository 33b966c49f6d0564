import Platform

/// Barriers: calls that the server answers in order, so that their answers confirm what was sent before them.
extension RosbridgePublisher {
    func makeCallID(_ kind: String) -> String {
        callCount += 1
        return "\(kind)-\(callPrefix)-\(callCount)"
    }

    private func sendBarrier(over transport: WebSocketTransport) async throws {
        let id = makeCallID("barrier")
        ledger.noteBarrier(id: id, nowNanoseconds: MonotonicClock.nowNanoseconds())
        try await transport.send(text: Operation.callService(service: "/rosapi/get_time", id: id).json)
        ledger.noteBarrierTaken(id: id, nowNanoseconds: MonotonicClock.nowNanoseconds())
    }

    /// Waits until the server has handled the advertisements; on timeout it is taken for one that answers no calls.
    func confirmAdvertisements(over transport: WebSocketTransport) async throws {
        try await sendBarrier(over: transport)
        let timeout = options.barrierTimeout
        if try await wait(timeout, until: { $0.ledger.outstandingBarriers == 0 }) { return }
        guard !ledger.hasBeenAnswered else { return try giveUpBarrier(after: timeout) }
        // A server that does not answer a ping either is not one without services: it hangs.
        guard try await answersPing(transport, within: timeout) else {
            throw RosbridgeError(
                url.description,
                .timeout,
                "expected an answer to the advertisements within \(timeout.text), found silence"
            )
        }
        goOnWithoutConfirmation(after: timeout)
    }

    private func answersPing(_ transport: WebSocketTransport, within timeout: Duration) async throws -> Bool {
        let before = MonotonicClock.nowNanoseconds()
        let ping = Task {
            try await transport.ping()
            self.current.lastHeardNanoseconds = MonotonicClock.nowNanoseconds()
            self.wake()
        }
        defer { ping.cancel() }
        return try await wait(timeout) { $0.current.lastHeardNanoseconds > before }
    }

    /// Sends a barrier when one is due, and waits while too many are unanswered.
    func keepWindow(over transport: WebSocketTransport) async throws {
        guard ledger.isBarrierDue(nowNanoseconds: MonotonicClock.nowNanoseconds()) else { return }
        try await sendBarrier(over: transport)
        await wait { !$0.ledger.isWindowFull }
        try Task.checkCancellation()
    }

    func confirmEverything(over transport: WebSocketTransport) async throws {
        if ledger.needsBarrier { try await sendBarrier(over: transport) }
        await wait { $0.ledger.outstandingBarriers == 0 }
        try Task.checkCancellation()
        try await becomeCertain(over: transport)
        if ledger.isConfirming {
            current.hasDeliveredEverything = !ledger.hasUnconfirmed
        } else if options.confirm, ledger.unconfirmedMessages > 0 {
            warn("\(ledger.unconfirmedMessages) messages were sent without confirmation")
        }
    }

    /// Keeps the connection until the server has outlived the last confirmation by the resend window.
    ///
    /// Until then confirmed messages may be lost with the server, and would have to be sent again.
    private func becomeCertain(over transport: WebSocketTransport) async throws {
        while let time = ledger.certaintyNanoseconds {
            let left = time - MonotonicClock.nowNanoseconds()
            if left > 0 { try await Task.sleep(for: .nanoseconds(left)) }
            if ledger.outstandingBarriers == 0, ledger.certaintyNanoseconds == time {
                try await sendBarrier(over: transport)
            }
            await wait { $0.ledger.outstandingBarriers == 0 }
            try Task.checkCancellation()
        }
    }

    /// Throws when the server owes an answer for too long; sends a barrier when no more messages are sent.
    func watch(_ transport: WebSocketTransport) async throws {
        let timeout = options.confirmTimeout
        let interval = max(.milliseconds(5), min(.seconds(1), timeout / 8))
        while true {
            try await Task.sleep(for: interval)
            let now = MonotonicClock.nowNanoseconds()
            guard current.readyNanoseconds != nil else { continue }
            if let silence = ledger.silenceNanoseconds(nowNanoseconds: now), silence > timeout.nanoseconds {
                try giveUpBarrier(after: timeout)
                wake()
            } else if underWay == nil, ledger.outstandingBarriers == 0 {
                // The last confirmed messages are kept until a later answer shows that the server is still alive.
                let isCertaintyDue = ledger.certaintyNanoseconds.map { $0 <= now } ?? false
                if isCertaintyDue || ledger.isBarrierDue(nowNanoseconds: now) { try await sendBarrier(over: transport) }
            }
        }
    }

    /// Gives up a server that has answered before and stopped: unconfirmed messages go over another connection.
    private func giveUpBarrier(after timeout: Duration) throws {
        guard options.reconnect != nil else { return goOnWithoutConfirmation(after: timeout) }
        throw RosbridgeError(
            url.description,
            .timeout,
            "expected the server to confirm what it was sent within \(timeout.text), found no answer",
            advice: "give a slow server more time with --barrier-timeout"
        )
    }

    private func goOnWithoutConfirmation(after timeout: Duration) {
        warn(
            "the server has not answered a barrier within \(timeout.text): going on without confirmation and flow control"
        )
        ledger.stopConfirming()
    }
}
