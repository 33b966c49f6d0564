package import NIOCore
package import WebSocket

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

/// Tracks how much of the output the socket has accepted, and which commands are complete.
struct TransportOutput {
    /// A command's number, and the output position at which it ends.
    private var completions: CircularBuffer<(number: UInt64, position: Int)> = []
    /// The total bytes handed to the channel, and those of them that the socket has accepted.
    private var writtenBytes = 0
    private var flushedBytes = 0

    /// True if the socket has accepted everything handed to the channel.
    var isFlushed: Bool { flushedBytes == writtenBytes }

    /// Adds a command that completes when all currently queued output is accepted.
    mutating func add(_ number: UInt64, waitingBytes: Int) {
        completions.append((number, writtenBytes + waitingBytes))
    }

    mutating func noteWritten(_ count: Int) { writtenBytes += count }

    mutating func noteFlushed(_ count: Int) { flushedBytes += count }

    /// Removes and returns the next complete command.
    mutating func takeDone() -> UInt64? {
        guard let first = completions.first, first.position <= flushedBytes else { return nil }
        return completions.removeFirst().number
    }

    /// Removes and returns all incomplete commands, at the end of the connection.
    mutating func takeAll() -> [UInt64] {
        defer { completions.removeAll() }
        return completions.map(\.number)
    }
}

/// Pings that wait for their pong; the payload is the command's number, which the pong returns (RFC 6455, 5.5.3).
struct OutstandingPings {
    private var numbers: [UInt64] = []
    private var lastNumber: UInt64 = 0

    /// Returns the payload of a ping; `number` must be larger than those before.
    mutating func add(_ number: UInt64) -> [UInt8] {
        lastNumber = number
        numbers.append(number)
        return withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// Returns the pings that a pong answers; none if it is unsolicited.
    ///
    /// A pong also answers all earlier pings (RFC 6455, 5.5.3).
    mutating func receive(_ payload: [UInt8]) -> [UInt64] {
        guard payload.count == 8 else { return [] }
        let number = payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard number <= lastNumber else { return [] }
        defer { numbers.removeAll { $0 <= number } }
        return numbers.filter { $0 <= number }
    }

    /// Removes and returns all waiting pings, at the end of the connection.
    mutating func takeAll() -> [UInt64] {
        defer { numbers = [] }
        return numbers
    }
}
