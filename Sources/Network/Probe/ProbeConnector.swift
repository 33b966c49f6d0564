import Files
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Rosbridge
import WebSocket

/// Connects step by step, and measures each step on the event loop.
struct ProbeConnector: Sendable {
    let url: RosbridgeURL
    let options: TransportOptions
    let eventLoop: any EventLoop

    /// The duration of each step, in nanoseconds.
    struct Steps: Sendable {
        var connect: Int64 = 0
        /// `nil` for ws.
        var tls: Int64?
        var handshake: Int64 = 0
    }

    /// Connects to the first address that accepts; throws a ``RosbridgeError`` with the stage that failed.
    func connect(toFirstOf addresses: [SocketAddress]) async throws -> (WebSocketTransport, Steps, SocketAddress) {
        var problem: RosbridgeError?
        for address in addresses {
            do {
                let (transport, steps) = try await connect(to: address)
                return (transport, steps, address)
            } catch let error as RosbridgeError where error.stage == .connect {
                problem = problem ?? error
            }
        }
        throw problem ?? RosbridgeError(url.description, .resolve, "expected an address for the name, found none")
    }

    func connect(to address: SocketAddress) async throws -> (WebSocketTransport, Steps) {
        let result = eventLoop.makePromise(of: (WebSocketTransport, Steps).self)
        let tls = try url.isSecure ? TLSClient(url, trust: options.trust, identity: options.identity) : nil
        let request = url.request(fields: options.fields)
        do {
            try request.validate()
        } catch {
            throw RosbridgeError(url.description, .handshake, "\(error)", status: 400)
        }
        let made = steps(to: address, request, tls)
        made.whenComplete { outcome in
            result.completeWith(outcome)
        }
        return try await withTaskCancellationHandler {
            try await result.futureResult.get()
        } onCancel: {
            result.fail(CancellationError())
            made.whenSuccess { $0.0.abort() }
        }
    }

    /// All steps run on the event loop without suspension, so that the end of the stream cannot be missed.
    private func steps(
        to address: SocketAddress,
        _ request: HandshakeRequest,
        _ tls: TLSClient?
    ) -> EventLoopFuture<(WebSocketTransport, Steps)> {
        let start = MonotonicClock.nowNanoseconds()
        let connected = WebSocketTransport.bootstrap(options, eventLoop).connect(to: address)
            .flatMapErrorThrowing { error in throw RosbridgeError(url.description, connecting: error) }
        let secured = connected.flatMap { channel -> EventLoopFuture<(any Channel, Steps)> in
            let steps = Steps(connect: MonotonicClock.nowNanoseconds() - start)
            guard let tls else { return eventLoop.makeSucceededFuture((channel, steps)) }
            return secure(channel, tls, steps)
        }
        return secured.flatMap { channel, steps in upgrade(channel, request, steps) }
            .flatMapErrorThrowing { error in throw RosbridgeError(url.description, caught: error, isOpen: false) }
    }

    private func upgrade(
        _ channel: any Channel,
        _ request: HandshakeRequest,
        _ steps: Steps
    ) -> EventLoopFuture<(WebSocketTransport, Steps)> {
        let start = MonotonicClock.nowNanoseconds()
        do {
            let connection = try Connection(
                request: request,
                limits: options.limits,
                compression: options.compression
            )
            let transport = try WebSocketTransport(connection, in: channel, server: url.description, options: options)
            return transport.opened.map { _ in
                var steps = steps
                steps.handshake = MonotonicClock.nowNanoseconds() - start
                return (transport, steps)
            }
        } catch {
            return eventLoop.makeFailedFuture(error)
        }
    }

    private func secure(
        _ channel: any Channel,
        _ tls: TLSClient,
        _ steps: Steps
    ) -> EventLoopFuture<(any Channel, Steps)> {
        let start = MonotonicClock.nowNanoseconds()
        let secured = eventLoop.makePromise(of: Void.self)
        do {
            try tls.addHandlers(to: channel)
            let watch = TLSWatch(secured, timeout: options.handshakeTimeout, server: url.description)
            try channel.pipeline.syncOperations.addHandler(watch)
            channel.read()
        } catch {
            secured.fail(error)
        }
        return secured.futureResult.map {
            var steps = steps
            steps.tls = MonotonicClock.nowNanoseconds() - start
            return (channel, steps)
        }
    }
}

/// Reports when TLS is established, or why it failed.
private final class TLSWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let secured: EventLoopPromise<Void>
    private let timeout: Duration
    private let server: String
    private var timer: Scheduled<Void>?

    init(_ secured: EventLoopPromise<Void>, timeout: Duration, server: String) {
        self.secured = secured
        self.timeout = timeout
        self.server = server
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let error = RosbridgeError(server, .timeout, "expected the TLS handshake within \(timeout)")
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(timeout)) {
            self.secured.fail(error)
            context.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        secured.fail(RosbridgeError(server, .tls, "expected the TLS handshake, found the end of the stream"))
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            timer?.cancel()
            secured.succeed()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        timer?.cancel()
        secured.fail(error)
        // Once the connection is open, its own handler treats the error.
        if context.channel.isActive { context.fireErrorCaught(error) }
    }
}
