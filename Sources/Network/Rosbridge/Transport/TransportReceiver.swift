package import NIOCore
package import WebSocket

/// The result of opening a connection: its compression, and the time of each step.
package struct TransportOpening: Sendable {
    /// The negotiated compression.
    package var compression: DeflateParameters?
    package var connected: NIODeadline
    /// Nil without TLS.
    package var secured: NIODeadline?
    package var opened: NIODeadline
}

/// Delivers events from the event loop to the receiving task.
struct TransportReceiver: Sendable {
    /// Completes with the handshake.
    let opened: EventLoopPromise<TransportOpening>
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
