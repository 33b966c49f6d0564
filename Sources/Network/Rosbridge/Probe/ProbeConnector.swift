import NIOCore

/// Connects to the addresses of a host, one after the other, and measures each step.
struct ProbeConnector: Sendable {
    let url: RosbridgeURL
    let options: TransportOptions
    let eventLoop: any EventLoop

    /// The duration of each step, in nanoseconds.
    struct Steps: Sendable {
        var connect: Int64
        /// `nil` for ws.
        var tls: Int64?
        var handshake: Int64
    }

    /// Connects to the first address that accepts; throws a ``RosbridgeError`` with the stage that failed.
    func connect(
        toFirstOf addresses: [SocketAddress]
    ) async throws -> (WebSocketTransport, TransportOpening, Steps, SocketAddress) {
        var problem: RosbridgeError?
        for address in addresses {
            do {
                let start = NIODeadline.now()
                let transport = try await WebSocketTransport.connect(
                    to: url,
                    at: address,
                    options: options,
                    on: eventLoop
                )
                let opening = try await transport.waitUntilOpen()
                let steps = Steps(
                    connect: (opening.connected - start).nanoseconds,
                    tls: opening.secured.map { ($0 - opening.connected).nanoseconds },
                    handshake: (opening.opened - (opening.secured ?? opening.connected)).nanoseconds
                )
                return (transport, opening, steps, address)
            } catch let error as RosbridgeError where error.stage == .connect {
                problem = problem ?? error
            }
        }
        throw problem ?? RosbridgeError(url.description, .resolve, "expected an address for the name, found none")
    }
}
