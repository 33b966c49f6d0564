import Rosbridge
import WebSocket

/// A client: what it has subscribed to, and what waits for it.
struct FoxgloveClient: Sendable {
    let transport: WebSocketTransport
    let name: String
    let outbox: FoxgloveOutbox
    /// The client's subscription of a topic, by the topic's place in the list.
    var subscriptions: [Int: UInt32] = [:]
    /// What it has subscribed to and been shown nothing of yet.
    var missing: Set<Int> = []
    /// The parameters it is told of.
    var parameters: Set<String> = []

    /// Runs until the connection ends or all was sent; returns what ended it, nil for a regular end.
    func run(onMessage: @escaping @Sendable (WebSocketMessage) async -> Void) async -> (any Error)? {
        await withTaskGroup(of: (any Error)?.self) { group in
            group.addTask { await outbox.drain(to: transport) }
            group.addTask { await receive(onMessage) }
            let first = await group.next() ?? nil
            // Either everything was sent, or the client has gone.
            await outbox.finish(droppingRest: true)
            // The one that reads ends with the connection.
            transport.abort()
            group.cancelAll()
            return first
        }
    }

    private func receive(_ onMessage: @Sendable (WebSocketMessage) async -> Void) async -> (any Error)? {
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
}
