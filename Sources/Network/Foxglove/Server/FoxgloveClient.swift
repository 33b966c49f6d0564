import Rosbridge

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
}
