import NIOCore
import WebSocket

/// Delivers events from the event loop to the receiving task.
struct TransportReceiver: Sendable {
    /// Completes with the handshake; its value is the negotiated compression.
    let opened: EventLoopPromise<DeflateParameters?>
    /// Completes with the error that ended the connection.
    let ended: EventLoopPromise<RosbridgeError>
    let batches: AsyncThrowingStream<[WebSocketMessage], any Error>.Continuation
    /// The name of the peer for errors.
    let server: String

    func open(_ compression: DeflateParameters?) {
        opened.succeed(compression)
    }

    func receive(_ messages: [WebSocketMessage]) {
        batches.yield(messages)
    }

    /// Ends the stream, with an error unless we closed the connection; only the first call counts.
    func end(_ error: RosbridgeError?) {
        let cause = error ?? RosbridgeError(server, .lost, "expected an open connection, found it closed")
        opened.fail(cause)
        ended.succeed(cause)
        batches.finish(throwing: error)
    }
}
