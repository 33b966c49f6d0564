package import NIOCore
import NIOPosix

/// A listening socket with its admission: it binds, accepts, counts connections in and out, and adds TLS.
///
/// All connections run on one event loop: reading and unmasking take little time, and the state needs no
/// synchronisation. What a connection speaks is set up by the caller: ``Server`` for WebSocket, others for themselves.
package struct Listener: Sendable {
    package let port: Int
    let channel: any Channel
    private let gate: NIOLoopBound<ConnectionLimiter>

    /// - Parameters:
    ///   - loop: the event loop that serves all connections; any by default.
    ///   - readsAlways: false for handlers that ask for each read.
    ///   - setUp: adds the handlers of a connection, on the event loop.
    package init(
        _ options: ServerOptions,
        on loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next(),
        readsAlways: Bool = true,
        setUp: @escaping @Sendable (any Channel, ConnectionLimiter) throws -> Void
    ) async throws {
        let options = options.withinDescriptors
        let gate = try await loop.submit { NIOLoopBound(ConnectionLimiter(options), eventLoop: loop) }.get()
        self.gate = gate
        let bootstrap = ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
            .childChannelOption(.autoRead, value: readsAlways)
            .childChannelOption(.writeBufferWaterMark, value: TransportBuffering.waterMark)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let gate = gate.value
                    gate.enter(channel, from: channel.remoteAddress)
                    channel.closeFuture.assumeIsolated().whenComplete { _ in gate.leave(channel) }
                    try options.tls?.addHandler(to: channel)
                    try setUp(channel, gate)
                }
            }
        do {
            channel = try await bootstrap.bind(host: options.address, port: options.port).get()
        } catch {
            throw RosbridgeError(listeningOn: options.address, options.port, error)
        }
        port = channel.localAddress?.port ?? options.port
    }

    /// Takes no more connections, and ends those whose handshake is not complete.
    package func close() {
        channel.close(promise: nil)
        gate.eventLoop.execute { [gate] in gate.value.closeStrangers() }
    }

    package func waitUntilClosed() async { try? await channel.closeFuture.get() }
}

extension ServerOptions {
    /// These options, with no more connections than the process may have descriptors for.
    fileprivate var withinDescriptors: ServerOptions {
        var options = self
        let descriptors = DescriptorLimit.raised(for: limits.clients + limits.strangers)
        options.limits = limits.within(connections: descriptors.connections)
        if options.limits.clients < limits.clients {
            crowdNotice("\(options.limits.clients) clients at a time, as ulimit -n is \(descriptors.limit)")
        }
        return options
    }
}

extension SocketAddress? {
    /// Address and port, for people.
    var text: String { self.map { "\($0.ipAddress ?? "unknown"):\($0.port ?? 0)" } ?? "unknown" }
}

/// The addresses under which others on the network can reach this machine.
package enum LocalAddresses {
    /// Devices of virtual networks, which no phone is in.
    private static let virtual = ["lo", "docker", "br-", "veth", "virbr"]

    /// IPv4, as text, in the order of the devices.
    package static var all: [String] {
        var found: [String] = []
        for device in (try? System.enumerateDevices()) ?? [] {
            guard let address = device.address, case .v4 = address, let text = address.ipAddress else { continue }
            let isReachable = !virtual.contains { device.name.hasPrefix($0) } && !text.hasPrefix("169.254.")
            if isReachable, !found.contains(text) { found.append(text) }
        }
        return found
    }

    package static func isLoopback(_ address: String) -> Bool {
        address == "localhost" || address == "::1" || address.hasPrefix("127.")
    }

    /// An address as it stands in URLs (RFC 3986, section 3.2.2).
    package static func bracketed(_ address: String) -> String { address.contains(":") ? "[\(address)]" : address }

    /// True if an address stands for all that this machine has.
    package static func isAny(_ address: String) -> Bool { address == "0.0.0.0" || address == "::" }
}
