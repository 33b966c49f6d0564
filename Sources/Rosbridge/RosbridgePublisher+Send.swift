import ROS

/// What a publisher sends over one connection.
extension RosbridgePublisher {
    func sendEverything(over transport: WebSocketTransport) async throws {
        try await advertise(over: transport)
        isReady = true
        wakeWaiters()
        while let item = try await nextItem() {
            try await send(item, over: transport)
            try await keepWindow(over: transport)
        }
        try Task.checkCancellation()
        try await confirmEverything(over: transport)
        for topic in topics { try await transport.send(text: Operation.unadvertise(topic: topic.name).json) }
        await transport.close()
    }

    /// Announces the topics in their order, waits until the server has handled it, and lets subscribers connect.
    private func advertise(over transport: WebSocketTransport) async throws {
        for topic in topics { try await transport.send(text: Operation.advertise(topic).json) }
        if ledger.isConfirming {
            try await sendBarrier(over: transport)
            try await waitForConfirmation(options.barrierTimeout) { $0.ledger.outstandingBarriers == 0 }
        }
        if options.settle > .zero { try await Task.sleep(for: options.settle) }
    }

    private func nextItem() async throws -> OutgoingQueue.Item? {
        if let item = pending.first { return item }
        guard let item = await queue.take() else {
            try Task.checkCancellation()
            return nil
        }
        // Kept here until it is sent: if the connection breaks now, it is the first of the next one.
        pending = [item]
        return item
    }

    private func send(_ item: OutgoingQueue.Item, over transport: WebSocketTransport) async throws {
        let topic = item.message.topic
        swap(&encoded, &lastEncoded)
        encoded.removeAll(keepingCapacity: true)
        do {
            try RosbridgeEnvelope.appendPublish(topic: topic.name, message: item.message.message, to: &encoded)
        } catch {
            throw RosbridgeError(url.description, .message, "\(topic.name): \(error)")
        }
        if encoded.count <= options.maximumMessageSize {
            try await transport.send(text: encoded)
        } else {
            try await sendFragments(of: topic, over: transport)
        }
        if topic.isLatched { latched[topic.name] = item }
        ledger.noteSent(item, bytes: encoded.count)
        pending = pending.dropFirst()
    }

    private func sendFragments(of topic: Topic, over transport: WebSocketTransport) async throws {
        guard options.allowsFragments else {
            throw RosbridgeError(
                url.description,
                .message,
                "\(topic.name): expected at most \(options.maximumMessageSize) bytes, found \(encoded.count)",
                advice: "raise --max-message-size if the server allows it, or leave out --no-fragments"
            )
        }
        let fragmenter = Fragmenter(maximumFrameLength: options.maximumMessageSize)
        for frame in fragmenter.fragments(of: encoded, id: Fragmenter.makeID(using: &randomness)) {
            try await transport.send(text: frame)
        }
    }
}

// MARK: - Barriers

extension RosbridgePublisher {
    private func sendBarrier(over transport: WebSocketTransport) async throws {
        barrierCount += 1
        let id = "\(barrierPrefix)-\(barrierCount)"
        ledger.noteBarrier(id: id, nowNanoseconds: MonotonicClock.nowNanoseconds())
        try await transport.send(text: Operation.callService(service: "/rosapi/get_time", id: id).json)
    }

    /// Sends a barrier when it is due, and waits while too much is under way.
    private func keepWindow(over transport: WebSocketTransport) async throws {
        guard ledger.isBarrierDue(nowNanoseconds: MonotonicClock.nowNanoseconds()) else { return }
        try await sendBarrier(over: transport)
        if ledger.isWindowFull {
            try await waitForConfirmation(options.confirmTimeout) { !$0.ledger.isWindowFull }
        }
    }

    private func confirmEverything(over transport: WebSocketTransport) async throws {
        guard ledger.isConfirming else {
            let count = ledger.unconfirmedMessages
            if options.confirm, count > 0 { warn("\(count) messages were sent without confirmation") }
            return
        }
        guard ledger.hasUnconfirmed || ledger.outstandingBarriers > 0 else { return }
        if ledger.needsBarrier { try await sendBarrier(over: transport) }
        try await waitForConfirmation(options.confirmTimeout) { $0.ledger.outstandingBarriers == 0 }
        if ledger.unconfirmedMessages > 0 {
            warn("\(ledger.unconfirmedMessages) messages were not confirmed by the server")
        }
    }

    /// Waits until the server has answered; if it does not in time, barriers are not used any more.
    private func waitForConfirmation(
        _ timeout: Duration,
        until isDone: (isolated RosbridgePublisher) -> Bool
    ) async throws {
        let deadline = MonotonicClock.nowNanoseconds() + timeout.nanoseconds
        let timer = Task {
            try? await Task.sleep(for: timeout)
            self.wakeWaiters()
        }
        defer { timer.cancel() }
        await waitForWaiters { isDone(self) || MonotonicClock.nowNanoseconds() >= deadline || Task.isCancelled }
        try Task.checkCancellation()
        guard !isDone(self) else { return }
        warn(
            "the server has not answered a barrier within \(timeout): going on without confirmation and flow control"
        )
        ledger.stopConfirming()
    }

    /// Suspends until the condition holds; it is looked at again after each ``wakeWaiters()``.
    func waitForWaiters(until isDone: () -> Bool) async {
        while !isDone() {
            let id = nextWaiterID
            nextWaiterID += 1
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiters[id] = $0 }
            } onCancel: {
                Task { await self.wakeWaiters() }
            }
        }
    }

    func wakeWaiters() {
        let all = waiters.values
        waiters = [:]
        for waiter in all { waiter.resume() }
    }
}
