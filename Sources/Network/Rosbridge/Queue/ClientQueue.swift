package import NIOCore
package import WebSocket

/// The queue of one client of a server that sends: an outbox queue that knows its messages.
package protocol ClientQueue: OutboxQueue {
    /// The messages of a batch, at the moment at which they are sent.
    mutating func messages(of batch: Batch) -> [OutgoingMessage]
    mutating func noteSent(_ batch: Batch)
    mutating func noteUnsent(_ batch: Batch)
}

/// A client that is sent what waits in its outbox.
package struct QueuedClient<Queue: ClientQueue>: Sendable {
    package let transport: WebSocketTransport
    package let name: String
    package let outbox: Outbox<Queue>

    package init(_ transport: WebSocketTransport, name: String, _ queue: Queue, on loop: any EventLoop) {
        self.transport = transport
        self.name = name
        outbox = Outbox(queue, eventLoop: loop)
    }

    /// Serves the connection: sends what waits, and hands on what comes.
    ///
    /// Runs until the connection ends or all was sent; returns what ended it, nil for a regular end.
    package func serve(onMessage: @escaping @Sendable (WebSocketMessage) async -> Void) async -> (any Error)? {
        transport.receiveMore()
        return await withTaskGroup(of: (any Error)?.self) { group in
            group.addTask { await outbox.drain(to: transport) }
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
            // Either everything was sent, or the client has gone; the task that reads ends with the connection.
            await end()
            group.cancelAll()
            return first
        }
    }

    /// Ends the connection once the client takes nothing for a time, although something waits; until cancelled.
    package func endWhenStalled(patience: Duration) async {
        var taken = await outbox.takenCount
        while true {
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            let (before, isIdle) = (taken, await outbox.isIdle)
            taken = await outbox.takenCount
            guard isIdle || taken != before else { break }
        }
        await end()
    }

    /// Ends the connection at once; what waits is counted as unsent.
    package func end() async {
        await outbox.finish(droppingRest: true)
        transport.abort()
    }

    /// The notice that the client has left, with the reason unless it closed properly.
    package func farewell(_ ending: (any Error)?) async -> String {
        let isProper = (ending as? RosbridgeError)?.isProperEnd == true
        let reason = await outbox.wasOverrun ? "it does not read" : isProper ? nil : ending.map { "\($0)" }
        return "\(name) left\(reason.map { ": \($0)" } ?? "")"
    }

    /// The line of a report about what the client was too slow for, by name; nil where nothing was dropped.
    package func slowness(_ dropped: [(name: String, count: Int)]) -> String? {
        guard !dropped.isEmpty else { return nil }
        return "\(name): dropped as it was too slow: "
            + dropped.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
    }
}

extension Outbox where Queue: ClientQueue {
    /// Sends what comes until the end, and returns what ended it; nil when all was sent.
    fileprivate func drain(to transport: WebSocketTransport) async -> (any Error)? {
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
}
