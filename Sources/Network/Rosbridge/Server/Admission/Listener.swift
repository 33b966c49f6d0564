package import NIOCore
import NIOPosix
import WebSocket

/// A listening socket and its accepted connections.
///
/// All of them run on one event loop: reading and unmasking take little time, and the state needs no synchronisation.
package struct Listener: Sendable {
    package struct Incoming: Sendable {
        package var transport: WebSocketTransport
        package var address: String
    }

    /// Ends with ``close()``.
    package let connections: AsyncStream<Incoming>
    package let port: Int
    private let channel: any Channel
    private let gate: NIOLoopBound<ConnectionLimiter>

    /// - Parameter loop: where all connections are served; any by default.
    package init(
        _ options: ServerOptions,
        on loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    ) async throws {
        let gate = try await loop.submit { NIOLoopBound(ConnectionLimiter(options), eventLoop: loop) }.get()
        let (stream, continuation) = AsyncStream<Incoming>.makeStream()
        let bootstrap = ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.writeBufferWaterMark, value: TransportBuffering.waterMark)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let incoming = try Listener.welcome(channel, gate.value, options)
                    if case .terminated = continuation.yield(incoming) { incoming.transport.abort() }
                }
            }
        do {
            channel = try await bootstrap.bind(host: options.address, port: options.port).get()
        } catch {
            throw RosbridgeError(listeningOn: options.address, options.port, error)
        }
        connections = stream
        port = channel.localAddress?.port ?? options.port
        self.gate = gate
        channel.closeFuture.whenComplete { _ in continuation.finish() }
    }

    /// Takes no more connections, and ends those whose handshake is not complete.
    package func close() {
        channel.close(promise: nil)
        gate.eventLoop.execute { [gate] in gate.value.closeStrangers() }
    }

    /// Sets up an accepted connection on its event loop.
    private static func welcome(
        _ channel: any Channel,
        _ gate: ConnectionLimiter,
        _ options: ServerOptions
    ) throws -> Incoming {
        let address = channel.remoteAddress.map(text) ?? "unknown"
        gate.enter(channel, address: address)
        channel.closeFuture.assumeIsolated().whenComplete { _ in gate.leave(channel) }
        try options.tls?.addHandler(to: channel)
        let connection = Connection(
            accepting: options.subprotocols,
            limits: options.connectionLimits,
            compression: options.compression,
            admission: { gate.admit(channel, $0) },
            pages: options.page
        )
        let transport = try WebSocketTransport(
            connection,
            in: channel,
            server: address,
            options: options.transportOptions,
            meter: { gate.note(channel, heldBytes: $0) }
        )
        return Incoming(transport: transport, address: address)
    }

    private static func text(_ address: SocketAddress) -> String {
        "\(address.ipAddress ?? "unknown"):\(address.port ?? 0)"
    }
}
