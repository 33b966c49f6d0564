package import NIOCore
package import WebSocket

/// An action of ``TransportState`` for the channel's handler, performed in order.
package enum TransportAction {
    /// The handshake succeeded, with the negotiated compression.
    case open(DeflateParameters?)
    case deliver([WebSocketMessage])
    /// The number of received bytes that are held has changed to this.
    case held(Int)
    /// The command with this number is done, or has failed.
    case finish(UInt64, RosbridgeError?)
    /// Nothing more is received; without an error if we closed the connection.
    case end(RosbridgeError?)
    /// Call ``TransportState/tick(now:)`` after this time.
    case tick(after: TimeAmount)
    /// Close the channel, unless the peer closes it within this time.
    case closeAfter(TimeAmount)
    case close
}

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
