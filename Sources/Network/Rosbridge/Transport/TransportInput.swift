import NIOCore
import WebSocket

/// Input on its way to the receiver: bytes that wait, the messages of the batch at hand, and what the receiver holds.
///
/// After a batch nothing is read until the receiver is done with it.
struct TransportInput {
    /// Bytes of compressed input that are looked at at a time: a few may become very many.
    private static let compressedPieceLength = 512

    /// Bytes that are not looked at before the receiver is done with what came before them.
    private var backlog = ByteBuffer()
    private var messages: [WebSocketMessage] = []
    private var messageBytes = 0
    /// Bytes that the receiver was given and has not worked off.
    private var deliveredBytes = 0
    /// Bytes that the receiver keeps for longer.
    var keptBytes = 0
    /// Whether the receiver has a batch and has not asked for more.
    private(set) var isPaused = false

    init() {}

    var hasBacklog: Bool { backlog.readableBytes > 0 }
    var heldBytes: Int { deliveredBytes + keptBytes }

    mutating func append(_ bytes: ByteBuffer) {
        var bytes = bytes
        if hasBacklog { backlog.writeBuffer(&bytes) } else { backlog = bytes }
    }

    /// The next bytes for the connection; nil where none wait, or the batch of what was compressed is full.
    ///
    /// - Parameter limit: Bytes that the messages of a batch may have before the receiver is asked.
    mutating func nextPiece(isCompressed: Bool, limit: Int) -> ByteBuffer? {
        guard hasBacklog else {
            backlog = ByteBuffer()
            return nil
        }
        guard isCompressed else { return backlog.readSlice(length: backlog.readableBytes) }
        guard messageBytes < limit else { return nil }
        return backlog.readSlice(length: min(backlog.readableBytes, Self.compressedPieceLength))
    }

    mutating func add(_ message: WebSocketMessage) {
        messageBytes += message.payload.count
        messages.append(message)
    }

    /// Says that all that came at once was looked at: with messages, reading pauses.
    mutating func endBatch() { isPaused = !messages.isEmpty }

    /// The messages of the batch, which are the receiver's now; empty where there are none.
    mutating func takeBatch() -> [WebSocketMessage] {
        guard !messages.isEmpty else { return [] }
        defer { messages = [] }
        deliveredBytes = messageBytes
        messageBytes = 0
        return messages
    }

    /// The receiver is done with the last batch.
    mutating func resume() {
        isPaused = false
        deliveredBytes = 0
    }
}
