package import NIOCore
import NIOPosix
package import WebSocket

/// A WebSocket server: listens, admits, and gives each client a task from its handshake to its end.
///
///     let server = try await Server(options)             // throws RosbridgeError if the port is taken
///     await server.run { client in ... }                 // returns once it is closed and the last client has left
///     await server.close(.goingAway)                     // from another task
///
/// Rosbridge, Foxglove and Arvos are served by it; each brings what it says to a client and what messages mean.
package actor Server {
    package struct Client: Sendable {
        package let transport: WebSocketTransport
        package let address: String
    }

    package nonisolated let port: Int
    private let listener: Listener
    private let connections: AsyncStream<Client>
    private var transports: [Int: WebSocketTransport] = [:]
    private var nextNumber = 0
    private var farewell: (code: CloseCode, reason: String)?

    /// - Parameter loop: the event loop that serves all connections; any by default.
    package init(
        _ options: ServerOptions,
        on loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    ) async throws {
        let (stream, continuation) = AsyncStream<Client>.makeStream()
        listener = try await Listener(options, on: loop, readsAlways: false) { channel, gate in
            let connection = Connection(
                accepting: options.subprotocols,
                limits: options.connectionLimits,
                compression: options.compression,
                admission: { gate.admit(channel, $0) },
                pages: options.page
            )
            let client = Client(
                transport: try WebSocketTransport(
                    connection,
                    in: channel,
                    server: channel.remoteAddress.text,
                    options: options.transportOptions,
                    meter: { gate.note(channel, heldBytes: $0) }
                ),
                address: channel.remoteAddress.text
            )
            if case .terminated = continuation.yield(client) { client.transport.abort() }
        }
        listener.channel.closeFuture.whenComplete { _ in continuation.finish() }
        connections = stream
        port = listener.port
    }

    /// Serves clients, each in a task of its own, until the server is closed and the last of them has left.
    ///
    /// - Parameters:
    ///   - refused: told of connections that were refused; those that ended by themselves before a request do not count, nor
    ///     those that were too many, of which ``ServerOptions/crowdNotice`` tells.
    ///   - serve: serves a client whose handshake is complete; its connection ends when this returns.
    package func run(
        refused: @escaping @Sendable (_ address: String, RosbridgeError) async -> Void = { _, _ in },
        serve: @escaping @Sendable (Client) async -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            for await client in connections {
                group.addTask {
                    do {
                        try await client.transport.waitUntilOpen()
                    } catch {
                        guard let error = error as? RosbridgeError, error.isRefusal else { return }
                        return await refused(client.address, error)
                    }
                    let number = await self.enter(client)
                    await serve(client)
                    client.transport.abort()
                    await self.leave(number)
                }
            }
        }
    }

    /// Takes no more connections; clients are left to who serves them.
    package nonisolated func stopListening() { listener.close() }

    /// Takes no more connections, and closes those of all clients; the first call counts.
    package func close(_ code: CloseCode, reason: String = "") {
        guard farewell == nil else { return }
        farewell = (code, reason)
        listener.close()
        for transport in transports.values { Task { await transport.close(code, reason: reason) } }
    }

    private func enter(_ client: Client) -> Int {
        nextNumber += 1
        transports[nextNumber] = client.transport
        // One whose handshake was complete just before.
        if let farewell { Task { await client.transport.close(farewell.code, reason: farewell.reason) } }
        return nextNumber
    }

    private func leave(_ number: Int) { transports[number] = nil }
}

extension RosbridgeError {
    /// True if a connection that never opened was refused by us, rather than ended by the other side.
    fileprivate var isRefusal: Bool {
        switch stage {
        case .tls, .timeout: true
        case .handshake: status != 503 && !problem.contains("end of the stream")
        default: false
        }
    }
}
