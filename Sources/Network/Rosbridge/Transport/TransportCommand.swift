package import WebSocket

/// A command from a task to the handler.
package enum TransportCommand: Sendable {
    case send(WebSocketMessage)
    /// Sends several, in order.
    case sendAll([OutgoingMessage])
    /// A ping; its promise succeeds when the pong arrives.
    case ping
    case close(CloseCode, reason: String)
    /// Reports the number of received bytes that the receiver still keeps.
    case keep(Int)
}
