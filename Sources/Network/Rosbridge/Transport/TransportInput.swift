import NIOCore
import WebSocket

/// The input side of a transport: waiting bytes, the messages of the current batch, and the bytes that the receiver
/// holds.
///
/// After a batch nothing is read until the receiver has handled it.
struct TransportInput {
    /// The compressed bytes that are processed at a time: a few may become very many.
    private static let compressedPieceLength = 512

    /// Received bytes that wait until the receiver has handled earlier ones.
    private var backlog = ByteBuffer()
    private var messages: [WebSocketMessage] = []
    private var messageBytes = 0
    /// The bytes that the receiver was given and has not handled yet.
    private var deliveredBytes = 0
    /// The bytes that the receiver keeps beyond their batch.
    var keptBytes = 0
    /// True if the receiver has a batch and has not asked for more.
    private(set) var isPaused = false

    init() {}

    var hasBacklog: Bool { backlog.readableBytes > 0 }
    var heldBytes: Int { deliveredBytes + keptBytes }

    mutating func append(_ bytes: ByteBuffer) {
        var bytes = bytes
        if hasBacklog { backlog.writeBuffer(&bytes) } else { backlog = bytes }
    }

    /// Returns the next bytes for the connection; nil if none wait, or the batch of decompressed messages is full.
    ///
    /// - Parameter limit: The bytes of messages at which a batch ends.
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

    /// Notes the end of a read; reading pauses if it produced messages.
    mutating func endBatch() { isPaused = !messages.isEmpty }

    /// Hands the messages of the batch to the receiver; empty if there are none.
    mutating func takeBatch() -> [WebSocketMessage] {
        guard !messages.isEmpty else { return [] }
        defer { messages = [] }
        deliveredBytes = messageBytes
        messageBytes = 0
        return messages
    }

    /// Notes that the receiver has handled the last batch.
    mutating func resume() {
        isPaused = false
        deliveredBytes = 0
    }
}
