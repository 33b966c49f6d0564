import NIOCore
import WebSocket

/// Carries what happens on the event loop to the task that waits for it.
struct TransportReceiver: Sendable {
    /// Succeeds with the handshake, and what was agreed on about compression.
    let opened: EventLoopPromise<DeflateParameters?>
    /// Succeeds with what ended the connection.
    let ended: EventLoopPromise<RosbridgeError>
    let batches: AsyncThrowingStream<[WebSocketMessage], any Error>.Continuation
    /// The name of the other end in errors.
    let server: String

    func open(_ compression: DeflateParameters?) {
        opened.succeed(compression)
    }

    func receive(_ messages: [WebSocketMessage]) {
        batches.yield(messages)
    }

    /// Ends the stream, with an error unless it was us who closed the connection; only the first call counts.
    func end(_ error: RosbridgeError?) {
        let cause = error ?? RosbridgeError(server, .lost, "expected an open connection, found it closed")
        opened.fail(cause)
        ended.succeed(cause)
        batches.finish(throwing: error)
    }
}
