import ROS
import WebSocket

/// The life of a publisher: connections, one after the other, until everything is sent or the server is lost.
extension RosbridgePublisher {
    /// Works off the queue over this connection and those that follow it.
    func run(_ first: WebSocketTransport) async -> Result<Void, any Error> {
        var transport = first
        var policy = options.reconnect
        var fruitless = 0
        while true {
            let progressBefore = ledger.progress
            do {
                try await session(transport)
                return await end(.success(()))
            } catch {
                transport.abort()
                self.transport = nil
                let isFruitful = ledger.progress > progressBefore || (!ledger.hasUnconfirmed && pending.isEmpty)
                fruitless = isFruitful ? 0 : fruitless + 1
                if isFruitful { policy?.reset() }
                guard isReady, !Task.isCancelled, policy != nil, (error as? RosbridgeError)?.isTransient ?? false else {
                    return await end(.failure(error))
                }
                guard fruitless < Self.maximumFruitlessConnections else {
                    return await end(.failure(surrender(after: error)))
                }
                warn("\(error); connecting again")
                guard let next = await reconnect(&policy) else { return await end(.failure(error)) }
                reconnections += 1
                transport = next
                self.transport = next
                await prepareResending()
            }
        }
    }

    /// How many connections in a row may be lost before any of what they were given is confirmed.
    private static let maximumFruitlessConnections = 6

    /// The error for a server that is lost each time it gets the same messages.
    private func surrender(after error: any Error) -> RosbridgeError {
        RosbridgeError(
            url.description,
            .lost,
            "expected the server to take what it is sent, found the connection lost each time"
                + " (\((error as? RosbridgeError)?.problem ?? "\(error)"))",
            advice: "is a message too large for the server? lower --max-message-size"
        )
    }

    private func end(_ result: Result<Void, any Error>) async -> Result<Void, any Error> {
        transport = nil
        outcome = result
        if case .failure(let error) = result { await queue.fail(error) }
        wakeWaiters()
        return result
    }

    /// Tries to connect until it succeeds; `nil` when the time for it is over.
    private func reconnect(_ policy: inout ReconnectPolicy?) async -> WebSocketTransport? {
        let start = MonotonicClock.nowNanoseconds()
        while !Task.isCancelled {
            let delay = policy?.nextDelaySeconds(using: &randomness) ?? 1
            guard (try? await Task.sleep(for: .seconds(delay))) != nil else { return nil }
            do {
                return try await WebSocketTransport.connect(to: url, options: options.transport, on: eventLoop)
            } catch {
                guard (error as? RosbridgeError)?.isTransient ?? false else { return nil }
            }
            if let timeout = options.reconnectTimeout,
                MonotonicClock.nowNanoseconds() - start > timeout.nanoseconds
            {
                return nil
            }
        }
        return nil
    }

    /// Puts what was not confirmed before the queue; in a live run without what is too old by now.
    private func prepareResending() async {
        var items = ledger.takeUnconfirmed() + Array(pending)
        var stale: [OutgoingQueue.Item] = []
        if options.onFull == .drop {
            let oldest = MonotonicClock.nowNanoseconds() - options.liveWindow.nanoseconds
            let isStale = { (item: OutgoingQueue.Item) in
                item.message.topic.delivery != .control && item.queuedNanoseconds < oldest
            }
            stale = items.filter(isStale)
            items.removeAll(where: isStale)
        }
        let resent = Set(items.map(\.message.topic.name))
        let forgotten = topics.compactMap { latched[$0.name] }.filter { !resent.contains($0.message.topic.name) }
        pending = ArraySlice(forgotten + items)
        await queue.dropStale(and: stale)
    }

    /// One connection: advertises, then sends until the queue is finished; throws when the connection is lost.
    private func session(_ transport: WebSocketTransport) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.receive(from: transport) }
            group.addTask { try await self.sendEverything(over: transport) }
            // The receiver ends when the connection does, the sender when its work is done: the first decides.
            defer { group.cancelAll() }
            try await group.next()
            try await group.next()
        }
    }

    private func receive(from transport: WebSocketTransport) async throws {
        for try await batch in transport.batches {
            for message in batch { handle(ServerReply(message.payload)) }
            transport.receiveMore()
        }
    }

    private func handle(_ reply: ServerReply) {
        switch reply {
        case .serviceResponse(let id, _):
            _ = ledger.confirm(id: id)
            wakeWaiters()
        case .status(let level, let text):
            statusCount += 1
            if statusCount <= 10 { warn("the server says (\(level)): \(text.prefix(500))") }
        case .other:
            return
        }
    }

    func warn(_ text: String) {
        if warnings.count < 100 { warnings.append(text) }
    }
}
