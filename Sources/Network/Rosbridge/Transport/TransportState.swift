package import NIOCore
package import WebSocket

/// A ``Connection`` with time limits and back-pressure, as a state machine.
///
/// Bytes, commands and the time go in, actions and bytes come out.
///
/// After each call the channel's handler performs ``takeActions()``, writes the output of ``writeOutput(into:now:)``
/// while the socket accepts it, and reads if ``takesRead()`` returns true. The type does not depend on a channel.
///
/// After a batch with messages nothing is read until the receiver asks for more, so that a slow receiver makes the
/// sender wait.
package struct TransportState: ~Copyable {
    /// The bytes that are masked and written at a time: few enough to stay in the cache until the system copies them,
    /// and enough to need few system calls.
    static let pieceLength = 128 << 10
    /// The unsent answer bytes of a server above which it stops reading from the client.
    private static let maximumAnswerBytes = 256 << 10
    /// The decompressed bytes at which a batch ends.
    private static let maximumBatchBytes = 1 << 20

    private var connection: Connection
    private let server: String
    private let options: TransportOptions
    private var input = TransportInput()
    private var output = TransportOutput()
    private var pings = OutstandingPings()
    private var watchdog: TransportWatchdog
    private var actions: [TransportAction] = []
    private var isStarted = false
    private var isReadDue = false
    private var isCloseAwaited = false
    private var isClosedByUs = false
    private var wasOpened = false
    private var isEnded = false
    /// The first error, which causes the later ones.
    private var error: RosbridgeError?

    /// - Parameter server: the name of the peer for errors.
    package init(_ connection: consuming Connection, server: String, options: TransportOptions) {
        self.connection = connection
        self.server = server
        self.options = options
        watchdog = TransportWatchdog(options: options, now: .uptimeNanoseconds(0))
    }

    /// Notes that the stream is connected, and starts the time limit for the handshake.
    ///
    /// Only the first call counts.
    package mutating func start(now: NIODeadline) {
        guard !isStarted else { return }
        isStarted = true
        watchdog = TransportWatchdog(options: options, now: now)
        isReadDue = true
        actions.append(.tick(after: watchdog.tickInterval))
    }

    package mutating func takeActions() -> [TransportAction] {
        defer { actions.removeAll() }
        return actions
    }

    private mutating func note(_ error: RosbridgeError) {
        if self.error == nil { self.error = error }
    }

    private var lost: RosbridgeError {
        error ?? RosbridgeError(server, .lost, "expected an open connection, found it closed")
    }

    // MARK: - Input

    package mutating func receive(_ bytes: ByteBuffer, now: NIODeadline) {
        watchdog.noteReceived()
        input.append(bytes)
        takeInput(atMost: Self.maximumBatchBytes, now: now)
    }

    /// Notes the end of a read, after the calls of ``receive(_:now:)``.
    package mutating func endBatch() {
        input.endBatch()
        deliver()
        isReadDue = !input.isPaused
    }

    package mutating func resume(now: NIODeadline) {
        input.resume()
        isReadDue = true
        guard input.hasBacklog else { return }
        takeInput(atMost: Self.maximumBatchBytes, now: now)
        endBatch()
    }

    /// True if to read now; ask after writing, since unsent answers of a server suspend reading.
    package mutating func takesRead() -> Bool {
        guard isReadDue, connection.role == .client || connection.outputByteCount <= Self.maximumAnswerBytes else {
            return false
        }
        isReadDue = false
        return true
    }

    /// Notes the end of the stream.
    package mutating func receiveEOF(now: NIODeadline) {
        takeInput(atMost: 8 * Self.maximumBatchBytes, now: now)
        connection.receiveEOF()
        takeEvents(now: now)
        deliver()
        end()
    }

    /// Notes a failure of the channel.
    package mutating func fail(_ failure: any Error) {
        if !isClosedByUs { note(RosbridgeError(server, caught: failure, isOpen: wasOpened)) }
        actions.append(.close)
    }

    /// Processes input; compressed input in small pieces, because a few bytes may become very many.
    private mutating func takeInput(atMost limit: Int, now: NIODeadline) {
        // Keeps a batch well below the limit of all clients together, which depends on the message size.
        let limit = min(limit / 4, options.limits.maximumMessageLength) * 4
        while let piece = input.nextPiece(isCompressed: connection.compressionParameters != nil, limit: limit) {
            connection.receive(piece.readableBytesSpan)
            takeEvents(now: now)
        }
    }

    private mutating func deliver() {
        let batch = input.takeBatch()
        if !batch.isEmpty { actions.append(.deliver(batch)) }
        actions.append(.held(connection.unfinishedByteCount + input.heldBytes))
    }

    private mutating func takeEvents(now: NIODeadline) {
        for event in connection.takeEvents() {
            switch event {
            case .opened, .accepted:
                wasOpened = true
                watchdog.noteOpened(now: now)
                actions.append(.open(connection.compressionParameters))
            case .message(let message): input.add(message)
            case .ping:
                continue
            case .pong(let payload):
                actions += pings.receive(payload).map { .finish($0, nil) }
            case .closed(let frame, initiator: .peer):
                note(.closed(server, code: frame.code?.rawValue, reason: frame.reason))
                guard options.endsWithCloseFrame else { continue }
                deliver()
                actions.append(.end(error))
            case .closed(let frame, initiator: .local):
                // Another code is an error of the server.
                guard let code = frame.code, code != .normal, code != .goingAway else { continue }
                note(.closed(server, code: code.rawValue, reason: frame.reason))
            case .failed(let failure):
                if !isClosedByUs { note(RosbridgeError(server, failure)) }
            }
        }
        awaitClose()
    }

    // MARK: - Output

    /// Executes a command.
    ///
    /// - Parameter number: larger than those before; returned in ``TransportAction/finish(_:_:)``. `nil` if nobody
    ///   waits.
    package mutating func take(_ command: TransportCommand, number: UInt64?) {
        var isTaken = false
        switch command {
        case .send(let message): isTaken = connection.send(message)
        case .sendAll(let messages):
            isTaken = connection.isOpen
            for message in messages { connection.send(message) }
        case .ping:
            guard connection.isOpen, let number else { break }
            connection.ping(pings.add(number))
            return
        case .keep(let count):
            input.keptBytes = count
            isTaken = true
        case .close(let code, let reason):
            isTaken = connection.isOpen
            isClosedByUs = isClosedByUs || isTaken
            connection.close(code, reason: reason)
            awaitClose()
        }
        guard let number else { return }
        guard isTaken else { return actions.append(.finish(number, lost)) }
        output.add(number, waitingBytes: connection.outputByteCount)
    }

    /// The length of the next piece of output; 0 if none waits, and after the end.
    package mutating func nextPieceLength(now: NIODeadline) -> Int {
        guard !isEnded, connection.outputByteCount > 0 else { return 0 }
        watchdog.noteOutput(now: now)
        return min(connection.outputByteCount, Self.pieceLength)
    }

    package mutating func writeOutput(into destination: UnsafeMutableRawBufferPointer) -> Int {
        let count = connection.writeOutput(into: destination)
        output.noteWritten(count)
        return count
    }

    /// Notes that the socket has accepted so many bytes.
    package mutating func noteFlushed(_ count: Int, now: NIODeadline) {
        output.noteFlushed(count)
        watchdog.noteFlushed(isWaiting: !output.isFlushed || connection.outputByteCount > 0, now: now)
        while let number = output.takeDone() { actions.append(.finish(number, nil)) }
    }

    /// True if to end the stream: all output was sent.
    package var mustClose: Bool {
        !isEnded && connection.mustClose && connection.outputByteCount == 0 && output.isFlushed
    }

    // MARK: - Time and the end

    /// Handles the timer of ``TransportAction/tick(after:)``.
    package mutating func tick(now: NIODeadline) {
        // While reading is paused, silence says nothing about the peer.
        if input.isPaused || isReadDue { watchdog.noteNotReading() }
        switch watchdog.check(now: now) {
        case .nothing: break
        case .ping: connection.ping()
        case .fail(let stage, let problem):
            note(RosbridgeError(server, stage, problem))
            return actions.append(.close)
        }
        actions.append(.tick(after: watchdog.tickInterval))
    }

    /// Notes that others wait for a place: a client that has said nothing since its handshake has to answer a ping soon.
    package mutating func placeWanted(now: NIODeadline) {
        if watchdog.asksForSign(now: now) { connection.ping() }
    }

    private mutating func awaitClose() {
        guard connection.expectsClose, !isCloseAwaited else { return }
        isCloseAwaited = true
        actions.append(.closeAfter(TimeAmount(options.closeTimeout)))
    }

    /// Notes that the channel is closed; incomplete commands fail.
    package mutating func end() {
        guard !isEnded else { return }
        isEnded = true
        actions.append(.end(error))
        let lost = lost
        actions += (output.takeAll() + pings.takeAll()).map { .finish($0, lost) }
    }
}
