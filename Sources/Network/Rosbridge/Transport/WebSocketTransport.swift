package import NIOCore
import NIOPosix
package import WebSocket

/// An open WebSocket connection over TCP or TLS.
///
/// Sending returns when the last byte was handed to the system, so that a sender that awaits it keeps one message in
/// memory.
package struct WebSocketTransport: Sendable {
    /// The incoming messages in batches; call ``receiveMore()`` after each.
    ///
    /// Ends when we close the connection, and throws a ``RosbridgeError`` when it ends otherwise.
    package let batches: AsyncThrowingStream<[WebSocketMessage], any Error>
    private let opened: EventLoopFuture<DeflateParameters?>

    private let channel: any Channel
    private let ended: EventLoopFuture<RosbridgeError>
    private let server: String

    /// Adds the connection to a channel during its setup; call it on the channel's event loop.
    ///
    /// - Parameters:
    ///   - isSecure: true for a client whose TLS handshake comes first.
    ///   - meter: called on the event loop with the number of received bytes that are held.
    package init(
        _ connection: consuming Connection,
        in channel: any Channel,
        server: String,
        options: TransportOptions,
        isSecure: Bool = false,
        meter: ((Int) -> Void)? = nil
    ) throws {
        let (stream, continuation) = AsyncThrowingStream<[WebSocketMessage], any Error>.makeStream()
        let promise = channel.eventLoop.makePromise(of: DeflateParameters?.self)
        batches = stream
        self.channel = channel
        opened = promise.futureResult
        let endPromise = channel.eventLoop.makePromise(of: RosbridgeError.self)
        ended = endPromise.futureResult
        self.server = server
        let receiver = TransportReceiver(
            opened: promise,
            ended: endPromise,
            batches: continuation,
            server: server
        )
        let state = TransportState(connection, server: server, options: options)
        let handler = WebSocketHandler(state, receiver: receiver, isSecure: isSecure, meter: meter)
        try channel.pipeline.syncOperations.addHandler(handler)
    }

    /// Waits for the handshake, and returns the compression that it has agreed on.
    @discardableResult
    package func waitUntilOpen() async throws -> DeflateParameters? { try await opened.get() }

    /// Sends a message and returns when the system has accepted all of it; text must be UTF-8.
    package func send(_ message: WebSocketMessage) async throws {
        try await perform(.send(message))
    }

    /// Sends messages one after the other, with as few writes as they take.
    package func send(_ messages: [OutgoingMessage]) async throws {
        guard !messages.isEmpty else { return }
        try await perform(.sendAll(messages))
    }

    private func perform(_ command: TransportCommand) async throws {
        // `get()` of a future would go through another thread; a continuation resumes where the caller runs.
        let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
            channel.writeAndFlush(command).whenComplete { continuation.resume(returning: $0) }
        }
        guard case .failure(let error) = result else { return }
        // NIO reports only a closed channel; the handler knows the cause.
        throw error is RosbridgeError ? error : try await ended.get()
    }

    package func send(text: [UInt8]) async throws { try await send(WebSocketMessage(.text, text)) }

    /// Sends a ping and waits for its pong; throws when the connection ends before.
    package func ping() async throws {
        let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
            channel.writeAndFlush(TransportCommand.ping).whenComplete { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    /// Resumes receiving after a batch was handled.
    package func receiveMore() { channel.read() }

    /// Reports how many received bytes are kept beyond their batch.
    func keep(_ byteCount: Int) {
        channel.writeAndFlush(TransportCommand.keep(byteCount), promise: nil)
    }

    /// Closes with a closing handshake, and waits for its end, or for the close timeout.
    package func close(_ code: CloseCode = .normal, reason: String = "") async {
        channel.writeAndFlush(TransportCommand.close(code, reason: reason), promise: nil)
        channel.read()
        try? await channel.closeFuture.get()
    }

    /// Ends the connection at once.
    package func abort() { channel.close(promise: nil) }

    /// Connects to a server and waits for the handshake; throws a ``RosbridgeError`` with the stage that failed.
    package static func connect(
        to url: RosbridgeURL,
        options: TransportOptions,
        on eventLoop: any EventLoop
    ) async throws -> WebSocketTransport {
        let server = url.description
        let request = url.request(fields: options.fields)
        do {
            try request.validate()
        } catch {
            throw RosbridgeError(server, .handshake, "\(error)", status: 400)
        }
        let tls = try url.isSecure ? TLSClient(url, trust: options.trust, identity: options.identity) : nil
        let transport = try await cancellable(on: eventLoop) {
            let setUp: @Sendable (any Channel) -> EventLoopFuture<WebSocketTransport> = { channel in
                channel.eventLoop.makeCompletedFuture {
                    try tls?.addHandlers(to: channel)
                    let connection = try Connection(
                        request: request,
                        limits: options.limits,
                        compression: options.compression
                    )
                    return try WebSocketTransport(
                        connection,
                        in: channel,
                        server: server,
                        options: options,
                        isSecure: url.isSecure
                    )
                }
            }
            do {
                return try await bootstrap(options, eventLoop)
                    .connect(host: url.host, port: url.port, channelInitializer: setUp)
            } catch {
                throw RosbridgeError(server, connecting: error)
            }
        }
        do {
            _ = try await withTaskCancellationHandler {
                try await transport.waitUntilOpen()
            } onCancel: {
                transport.abort()
            }
        } catch {
            try Task.checkCancellation()
            throw error
        }
        return transport
    }

    /// Waits for a connection; if the task is cancelled meanwhile, the connection is closed as soon as it is made.
    private static func cancellable(
        on eventLoop: any EventLoop,
        connect: @escaping @Sendable () async throws -> WebSocketTransport
    ) async throws -> WebSocketTransport {
        let promise = eventLoop.makePromise(of: WebSocketTransport.self)
        Task {
            do {
                let transport = try await connect()
                promise.succeed(transport)
                promise.futureResult.whenFailure { _ in transport.abort() }
            } catch {
                promise.fail(error)
            }
        }
        return try await withTaskCancellationHandler {
            try await promise.futureResult.get()
        } onCancel: {
            promise.fail(CancellationError())
        }
    }

    /// Connects on an event loop of the process-wide group.
    package static func connect(
        to url: RosbridgeURL,
        options: TransportOptions
    ) async throws -> WebSocketTransport {
        try await connect(to: url, options: options, on: MultiThreadedEventLoopGroup.singleton.next())
    }

    /// Connects again after a loss, and tries for a time; throws the last error once that is over or `isWanted` is false.
    package static func connect(
        to url: RosbridgeURL,
        options: TransportOptions,
        tryingFor patience: Duration,
        every pause: Duration,
        while isWanted: () async -> Bool
    ) async throws -> WebSocketTransport {
        let deadline = ContinuousClock.now + patience
        var problem: any Error = CancellationError()
        while .now < deadline, await isWanted(), !Task.isCancelled {
            try? await Task.sleep(for: pause)
            do { return try await connect(to: url, options: options) } catch { problem = error }
        }
        throw problem
    }

    private static func bootstrap(_ options: TransportOptions, _ eventLoop: any EventLoop) -> ClientBootstrap {
        ClientBootstrap(group: eventLoop)
            .connectTimeout(TimeAmount(options.connectTimeout))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.autoRead, value: false)
            .channelOption(.writeBufferWaterMark, value: TransportBuffering.waterMark)
    }
}

/// The write buffer limits of a channel.
enum TransportBuffering {
    /// Writing pauses when more than one piece waits for the socket.
    static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(
        low: TransportState.pieceLength / 2,
        high: TransportState.pieceLength * 3 / 2
    )
}
