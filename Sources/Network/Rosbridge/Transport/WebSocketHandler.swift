import NIOCore
import NIOSSL
import WebSocket

/// Runs a ``Connection`` inside a NIO channel: bytes in, events out, and output in pieces while the socket takes them.
///
/// Reading is asked for batch by batch: after a batch with messages nothing is read until the receiver says so, so that
/// a receiver that is slow makes the sender wait. Output is masked piece by piece, only as fast as the socket takes it,
/// so that memory does not grow with a peer that stops reading.
final class WebSocketHandler: ChannelInboundHandler, ChannelOutboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = TransportCommand
    typealias OutboundOut = ByteBuffer

    /// Bytes that are masked and handed on at a time: small enough to be in the cache still when the system copies them,
    /// large enough for few system calls.
    static let pieceLength = 128 << 10
    /// Answers of a server that may wait: a client that does not take them is not read any further.
    private static let maximumAnswerBytes = 256 << 10
    /// What compressed input may become before the receiver is asked.
    private static let maximumBatchBytes = 1 << 20

    private var connection: Connection
    private let receiver: TransportReceiver
    private let server: String
    private let options: TransportOptions
    private let meter: ((Int) -> Void)?
    private var input = TransportInput()
    private var output = TransportOutput()
    private var pings = OutstandingPings()
    private var isPumping = false
    /// What is masked next; used again as soon as the socket has taken it.
    private var piece = ByteBuffer()
    /// Whether reading waits for the client to take answers.
    private var isReadDue = false
    private var watchdog: TransportWatchdog
    private var timer: Scheduled<Void>?
    private var closeTimer: Scheduled<Void>?
    private var error: RosbridgeError?
    private var wasOpened = false
    private var isClosedByUs = false
    private var isEnded = false

    init(
        _ connection: consuming Connection,
        server: String,
        options: TransportOptions,
        receiver: TransportReceiver,
        meter: ((Int) -> Void)? = nil
    ) {
        self.connection = connection
        self.server = server
        self.options = options
        self.receiver = receiver
        self.meter = meter
        watchdog = TransportWatchdog(options: options, now: .now())
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { start(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(context)
    }

    private func start(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        watchdog = TransportWatchdog(options: options, now: .now())
        scheduleTick(context)
        pump(context)
        context.read()
    }
}

// MARK: - Input

extension WebSocketHandler {
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        watchdog.noteReceived(now: .now())
        input.append(unwrapInboundIn(data))
        takeInput(context, atMost: Self.maximumBatchBytes)
    }

    /// Works input off; a few compressed bytes may become very many, so that they are taken little by little.
    private func takeInput(_ context: ChannelHandlerContext, atMost limit: Int) {
        // A batch stays well below what all clients may hold together, which goes by the size of messages.
        let limit = min(limit / 4, options.limits.maximumMessageLength) * 4
        while let piece = input.nextPiece(isCompressed: connection.compressionParameters != nil, limit: limit) {
            connection.receive(piece.readableBytesSpan)
            takeEvents(context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        input.endBatch()
        deliver()
        pump(context)
        readOn(context)
        context.fireChannelReadComplete()
    }

    private func deliver() {
        let batch = input.takeBatch()
        if !batch.isEmpty { receiver.receive(batch) }
        meter?(connection.unfinishedByteCount + input.heldBytes)
    }

    /// The receiver is done with the last batch.
    func read(context: ChannelHandlerContext) {
        input.resume()
        guard input.hasBacklog else { return readOn(context) }
        takeInput(context, atMost: Self.maximumBatchBytes)
        channelReadComplete(context: context)
    }

    private func readOn(_ context: ChannelHandlerContext) {
        guard !input.isPaused else { return }
        isReadDue = connection.role == .server && connection.outputByteCount > Self.maximumAnswerBytes
        if !isReadDue { context.read() }
    }

    private func takeEvents(_ context: ChannelHandlerContext) {
        for event in connection.takeEvents() {
            switch event {
            case .opened, .accepted:
                wasOpened = true
                watchdog.noteOpened(now: .now())
                receiver.open(connection.compressionParameters)
            case .message(let message): input.add(message)
            case .ping:
                continue
            case .pong(let payload):
                pings.receive(payload)
            case .closed(let frame, initiator: .peer):
                note(.closed(server, code: frame.code?.rawValue, reason: frame.reason))
                guard options.endsWithCloseFrame else { continue }
                deliver()
                receiver.end(error, server: server)
            case .closed(let frame, initiator: .local):
                // A server that gives another code had something to say.
                guard let code = frame.code, code != .normal, code != .goingAway else { continue }
                note(.closed(server, code: code.rawValue, reason: frame.reason))
            case .failed(let failure):
                if !isClosedByUs { note(RosbridgeError(server, failure)) }
            }
        }
        scheduleClose(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        takeInput(context, atMost: 8 * Self.maximumBatchBytes)
        connection.receiveEOF()
        takeEvents(context)
        deliver()
        end(context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Many servers end TLS without saying so; the closing handshake has said it, or the end of the stream will.
        if case NIOSSLError.uncleanShutdown = error { return }
        if !isClosedByUs { note(RosbridgeError(server, caught: error, isOpen: wasOpened)) }
        context.close(promise: nil)
    }

    /// The first error is the cause of those that follow.
    private func note(_ error: RosbridgeError) {
        if self.error == nil { self.error = error }
    }
}

// MARK: - Output

extension WebSocketHandler {
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var isTaken = false
        switch unwrapOutboundIn(data) {
        case .send(let message): isTaken = connection.send(message)
        case .ping:
            guard connection.isOpen else { break }
            connection.ping(pings.add(promise))
            return pump(context)
        case .keep(let count):
            input.keptBytes = count
            isTaken = true
        case .close(let code, let reason):
            isTaken = connection.isOpen
            isClosedByUs = isClosedByUs || isTaken
            connection.close(code, reason: reason)
            scheduleClose(context)
        }
        guard isTaken else {
            promise?.fail(error ?? RosbridgeError(server, .lost, "expected an open connection, found it closed"))
            return
        }
        if let promise { output.add(promise, waitingBytes: connection.outputByteCount) }
        pump(context)
    }

    /// Commands are written as soon as the socket takes them; there is nothing else to flush.
    func flush(context: ChannelHandlerContext) {
        context.flush()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        pump(context)
        context.fireChannelWritabilityChanged()
    }

    private func pump(_ context: ChannelHandlerContext) {
        guard !isPumping, !isEnded, context.channel.isActive else { return }
        isPumping = true
        defer { isPumping = false }
        if connection.outputByteCount > 0 { watchdog.noteOutput(now: .now()) }
        while connection.outputByteCount > 0, context.channel.isWritable {
            let capacity = min(connection.outputByteCount, Self.pieceLength)
            // Takes other memory if the socket has not taken the last piece yet.
            piece.clear(minimumCapacity: capacity)
            piece.writeWithUnsafeMutableBytes(minimumWritableBytes: capacity) { destination in
                connection.writeOutput(into: UnsafeMutableRawBufferPointer(rebasing: destination[..<capacity]))
            }
            writePiece(context)
        }
        if connection.mustClose, connection.outputByteCount == 0, output.isFlushed {
            context.close(promise: nil)
        }
    }

    private func writePiece(_ context: ChannelHandlerContext) {
        let count = piece.readableBytes
        output.noteWritten(count)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess { self.noteFlushed(count, context) }
        context.writeAndFlush(wrapOutboundOut(piece), promise: promise)
    }

    private func noteFlushed(_ count: Int, _ context: ChannelHandlerContext) {
        output.noteFlushed(count)
        watchdog.noteFlushed(isWaiting: !output.isFlushed || connection.outputByteCount > 0, now: .now())
        while let promise = output.takeDone() { promise.succeed() }
        if !isPumping { pump(context) }
        if isReadDue { readOn(context) }
    }
}

// MARK: - Time and the end

extension WebSocketHandler {
    private func scheduleTick(_ context: ChannelHandlerContext) {
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: watchdog.tickInterval) { self.tick(context) }
    }

    private func tick(_ context: ChannelHandlerContext) {
        // While reading is paused, silence says nothing about the peer.
        if input.isPaused || isReadDue { watchdog.noteReceived(now: .now()) }
        switch watchdog.check(now: .now()) {
        case .nothing: break
        case .ping:
            connection.ping()
            pump(context)
        case .fail(let stage, let problem):
            note(RosbridgeError(server, stage, problem))
            context.close(promise: nil)
            return
        }
        scheduleTick(context)
    }

    private func scheduleClose(_ context: ChannelHandlerContext) {
        guard connection.expectsClose, closeTimer == nil else { return }
        let delay = TimeAmount(options.closeTimeout)
        closeTimer = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { context.close(promise: nil) }
    }

    private func end(_ context: ChannelHandlerContext) {
        timer?.cancel()
        closeTimer?.cancel()
        isEnded = true
        let lost = error ?? RosbridgeError(server, .lost, "expected an open connection, found it closed")
        receiver.end(error, server: server)
        output.fail(lost)
        pings.fail(lost)
    }
}
