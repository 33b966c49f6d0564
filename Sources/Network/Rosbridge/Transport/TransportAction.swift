package import NIOCore
package import WebSocket

/// What ``TransportState`` asks of the channel's handler, to be performed in order.
package enum TransportAction {
    /// The handshake succeeded, with what was agreed on about compression.
    case open(DeflateParameters?)
    case deliver([WebSocketMessage])
    /// So many bytes of what was received are held.
    case held(Int)
    /// The command with this number is done, or will never be.
    case finish(UInt64, RosbridgeError?)
    /// Nothing more is received; without an error where we closed the connection.
    case end(RosbridgeError?)
    /// Call ``TransportState/tick(now:)`` after this time.
    case tick(after: TimeAmount)
    /// Close the channel, unless the peer does so within this time.
    case closeAfter(TimeAmount)
    case close
}
