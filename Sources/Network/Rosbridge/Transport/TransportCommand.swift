package import WebSocket

/// What a task asks of the handler.
package enum TransportCommand: Sendable {
    case send(WebSocketMessage)
    /// A ping whose promise is kept when its pong comes.
    case ping
    case close(CloseCode, reason: String)
    /// Says how many bytes of what was received the receiver still keeps.
    case keep(Int)
}
