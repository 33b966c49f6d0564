import NIOCore
package import WebSocket

/// The options of a WebSocket connection.
package struct TransportOptions: Sendable {
    /// How the server's certificate is checked; no effect on ws.
    package enum Trust: Sendable, Equatable {
        /// Checked against the system's certificate authorities, and the host name.
        case system
        /// Checked against the certificates of a PEM file, and the host name: private authorities, or the server's own
        /// certificate.
        case authorities(path: String)
        /// Not checked: an attacker on the path can read and change everything.
        case anyone
    }

    package var fields: [HTTPField] = []
    package var trust: Trust = .system
    /// The client certificate for a server that requests one; no effect on ws.
    package var identity: TLSIdentity?
    package var connectTimeout = Duration.seconds(10)
    package var handshakeTimeout = Duration.seconds(10)
    /// True if receiving ends with the close frame of the peer, rather than with the end of TCP after it.
    package var endsWithCloseFrame = false
    /// The time limit for the closing handshake and the end of TCP.
    package var closeTimeout = Duration.seconds(5)
    /// The time without progress in sending after which the connection is given up.
    package var stallTimeout = Duration.seconds(30)
    /// How often a ping is sent; `nil` for never.
    package var pingInterval: Duration? = .seconds(20)
    /// The silence after a ping after which the connection is given up.
    ///
    /// It is six times as long while the system accepts output.
    package var pingTimeout = Duration.seconds(20)
    /// Limits on what the other end may send.
    package var limits = ConnectionLimits(bytes: 16 << 20)
    package var compression: DeflateOptions?

    /// The defaults, changed by `set`.
    package init(_ set: (inout Self) -> Void = { _ in }) { set(&self) }
}

/// Delivers events from the event loop to the receiving task.
struct TransportReceiver: Sendable {
    /// Completes with the handshake, and the compression that it has agreed on.
    let opened: EventLoopPromise<DeflateParameters?>
    /// Completes with the error that ended the connection.
    let ended: EventLoopPromise<RosbridgeError>
    let batches: AsyncThrowingStream<[WebSocketMessage], any Error>.Continuation
    /// The name of the peer for errors.
    let server: String

    func receive(_ messages: [WebSocketMessage]) { batches.yield(messages) }

    /// Ends the stream, with an error unless we closed the connection; only the first call counts.
    func end(_ error: RosbridgeError?) {
        let cause = error ?? RosbridgeError(server, .lost, "expected an open connection, found it closed")
        opened.fail(cause)
        ended.succeed(cause)
        batches.finish(throwing: error)
    }
}
