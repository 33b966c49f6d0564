import NIOCore
import NIOPosix
import WebSocket

/// A listening socket and the connections that come in.
struct Listener: Sendable {
    struct Incoming: Sendable {
        var transport: WebSocketTransport
        var address: String
    }

    /// Ends with ``close()``.
    let connections: AsyncStream<Incoming>
    let port: Int
    private let channel: any Channel

    init(_ options: ServerOptions) async throws {
        let (stream, continuation) = AsyncStream<Incoming>.makeStream()
        let limits = ConnectionLimits(
            maximumFrameLength: options.maximumMessageSize,
            maximumMessageLength: options.maximumMessageSize
        )
        let transportOptions = TransportOptions(
            handshakeTimeout: options.handshakeTimeout,
            closeTimeout: options.closeTimeout,
            pingInterval: nil,
            limits: limits,
            compression: options.compression
        )
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.writeBufferWaterMark, value: TransportBuffering.waterMark)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let address = channel.remoteAddress.map(Listener.text) ?? "unknown"
                    let transport = try WebSocketTransport(
                        Connection(limits: limits, compression: transportOptions.compression),
                        in: channel,
                        server: address,
                        options: transportOptions
                    )
                    let incoming = Incoming(transport: transport, address: address)
                    if case .terminated = continuation.yield(incoming) { transport.abort() }
                }
            }
        do {
            channel = try await bootstrap.bind(host: options.address, port: options.port).get()
        } catch {
            let place = "\(options.address):\(options.port)"
            throw RosbridgeError(place, .listen, "expected a free address and port, found: \(error)")
        }
        connections = stream
        port = channel.localAddress?.port ?? options.port
        channel.closeFuture.whenComplete { _ in continuation.finish() }
    }

    func close() {
        channel.close(promise: nil)
    }

    private static func text(_ address: SocketAddress) -> String {
        "\(address.ipAddress ?? "unknown"):\(address.port ?? 0)"
    }
}
