package import WebSocket

/// What waits for one client of a server that sends: an outbox queue that knows its messages.
package protocol ClientQueue: OutboxQueue {
    /// The messages of a batch, at the moment at which they are sent.
    mutating func messages(of batch: Batch) -> [OutgoingMessage]
    mutating func noteSent(_ batch: Batch)
    mutating func noteUnsent(_ batch: Batch)
}

extension Outbox where Queue: ClientQueue {
    /// Serves a connection: sends what waits, and hands on what comes.
    ///
    /// Runs until the connection ends or all was sent; returns what ended it, nil for a regular end.
    package nonisolated func serve(
        _ transport: WebSocketTransport,
        onMessage: @escaping @Sendable (WebSocketMessage) async -> Void
    ) async -> (any Error)? {
        await withTaskGroup(of: (any Error)?.self) { group in
            group.addTask { await self.drain(to: transport) }
            group.addTask {
                do {
                    for try await batch in transport.batches {
                        for message in batch { await onMessage(message) }
                        transport.receiveMore()
                    }
                    return nil
                } catch {
                    return error
                }
            }
            let first = await group.next() ?? nil
            // Either everything was sent, or the client has gone.
            await finish(droppingRest: true)
            // The one that reads ends with the connection.
            transport.abort()
            group.cancelAll()
            return first
        }
    }

    /// Sends what comes until the end, and returns what ended it; nil when all was sent.
    private func drain(to transport: WebSocketTransport) async -> (any Error)? {
        while let batch = await take() {
            do {
                try await transport.send(queue.messages(of: batch))
                queue.noteSent(batch)
            } catch {
                queue.noteUnsent(batch)
                return error
            }
        }
        await transport.close(.normal)
        return nil
    }

    /// Ends a connection once its client takes nothing for a time, although something waits; until cancelled.
    package nonisolated func endWhenStalled(_ transport: WebSocketTransport, patience: Duration) async {
        var taken = await takenCount
        while true {
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            let (before, isIdle) = (taken, await isIdle)
            taken = await takenCount
            guard isIdle || taken != before else { break }
        }
        await end(transport)
    }

    /// Ends a connection at once; what waits is counted as unsent.
    package nonisolated func end(_ transport: WebSocketTransport) async {
        await finish(droppingRest: true)
        transport.abort()
    }
}
