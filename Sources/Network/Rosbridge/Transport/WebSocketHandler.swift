import NIOCore
import NIOSSL
import NIOTLS

/// Performs the actions of ``TransportState`` in a NIO channel: delivers input, writes, reads and runs the timers.
///
/// Output is masked piece by piece, only as fast as the socket accepts it, so that memory does not grow with a peer
/// that stops reading.
final class WebSocketHandler: ChannelInboundHandler, ChannelOutboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = TransportCommand
    typealias OutboundOut = ByteBuffer

    private var state: TransportState
    private let receiver: TransportReceiver
    private let meter: ((Int) -> Void)?
    private let isSecure: Bool
    private var isSecured = false
    /// The promises of incomplete commands, by command number.
    private var promises: [UInt64: EventLoopPromise<Void>] = [:]
    private var lastNumber: UInt64 = 0
    private var isWriting = false
    /// The buffer for the next piece, reused once the socket has accepted it.
    private var piece = ByteBuffer()
    private var timer: Scheduled<Void>?
    private var closeTimer: Scheduled<Void>?

    /// - Parameter isSecure: true for a client whose TLS handshake comes first.
    init(
        _ state: consuming TransportState,
        receiver: TransportReceiver,
        isSecure: Bool = false,
        meter: ((Int) -> Void)? = nil
    ) {
        self.state = state
        self.receiver = receiver
        self.isSecure = isSecure
        self.meter = meter
    }

    /// Performs pending actions, then writes, then reads, which may depend on the writes.
    private func run(_ context: ChannelHandlerContext) {
        for action in state.takeActions() { perform(action, context) }
        guard context.channel.isActive, !isWriting else { return }
        isWriting = true
        defer { isWriting = false }
        while true {
            let length = state.nextPieceLength(now: .now())
            guard length > 0, context.channel.isWritable else { break }
            writePiece(length, context)
        }
        if state.mustClose { context.close(promise: nil) }
        if state.takesRead() { context.read() }
    }

    private func perform(_ action: TransportAction, _ context: ChannelHandlerContext) {
        switch action {
        case .open(let compression):
            receiver.opened.succeed(compression)
        case .deliver(let batch): receiver.receive(batch)
        case .held(let count): meter?(count)
        case .finish(let number, nil): promises.removeValue(forKey: number)?.succeed()
        case .finish(let number, let error?): promises.removeValue(forKey: number)?.fail(error)
        case .end(var error):
            if !isSecured, isSecure, error?.stage == .timeout {
                error?.problem.replace("the answer to the handshake", with: "the TLS handshake")
            }
            receiver.end(error)
        case .tick(let delay):
            timer = context.eventLoop.assumeIsolated().scheduleTask(in: delay) {
                self.state.tick(now: .now())
                self.run(context)
            }
        case .closeAfter(let delay):
            closeTimer = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { context.close(promise: nil) }
        case .close: context.close(promise: nil)
        }
    }

    private func writePiece(_ length: Int, _ context: ChannelHandlerContext) {
        // Allocates new memory if the socket still holds the last piece.
        piece.clear(minimumCapacity: length)
        piece.writeWithUnsafeMutableBytes(minimumWritableBytes: length) { destination in
            state.writeOutput(into: UnsafeMutableRawBufferPointer(rebasing: destination[..<length]))
        }
        let count = piece.readableBytes
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenSuccess {
            self.state.noteFlushed(count, now: .now())
            self.run(context)
        }
        context.writeAndFlush(wrapOutboundOut(piece), promise: promise)
    }

    private func start(_ context: ChannelHandlerContext) {
        state.start(now: .now())
        run(context)
    }

    private func end(_ context: ChannelHandlerContext) {
        timer?.cancel()
        closeTimer?.cancel()
        state.end()
        run(context)
    }

    // MARK: - What the channel says

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { start(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        state.receive(unwrapInboundIn(data), now: .now())
        run(context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        state.endBatch()
        run(context)
        context.fireChannelReadComplete()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        run(context)
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        state.receiveEOF(now: .now())
        end(context)
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent { isSecured = true }
        if event is PlaceWanted {
            state.placeWanted(now: .now())
            run(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Many servers end TLS without close_notify; the closing handshake or the end of the stream tells the same.
        if case NIOSSLError.uncleanShutdown = error { return }
        state.fail(error)
        run(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(context) }

    // MARK: - What the transport asks

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        lastNumber += 1
        promises[lastNumber] = promise
        state.take(unwrapOutboundIn(data), number: promise == nil ? nil : lastNumber)
        run(context)
    }

    /// Commands are written as soon as the socket accepts them, so flush has nothing to do.
    func flush(context: ChannelHandlerContext) { context.flush() }

    func read(context: ChannelHandlerContext) {
        state.resume(now: .now())
        run(context)
    }
}
