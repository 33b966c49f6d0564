import Glibc
import NIOCore
import NIOPosix
import Platform

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

/// Resolves a host name with the system's resolver.
enum NameLookup {
    /// Returns the addresses in the order in which they should be tried (RFC 6724), and the duration of the lookup.
    ///
    /// Runs on a thread that may block. Throws a ``RosbridgeError`` if the name has no address.
    static func addresses(of url: RosbridgeURL) async throws -> (addresses: [SocketAddress], nanoseconds: Int64) {
        try await NIOThreadPool.singleton.runIfActive {
            let start = MonotonicClock.nowNanoseconds()
            let addresses = try lookUp(url)
            return (addresses, MonotonicClock.nowNanoseconds() - start)
        }
    }

    private static func lookUp(_ url: RosbridgeURL) throws -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(url.host, "\(url.port)", &hints, &first)
        defer { if let first { freeaddrinfo(first) } }
        var addresses: [SocketAddress] = []
        var next = first
        while let entry = next?.pointee {
            if let address = address(entry, host: url.host) { addresses.append(address) }
            next = entry.ai_next
        }
        guard status == 0, !addresses.isEmpty else {
            let cause = status == 0 ? "" : " (\(String(cString: gai_strerror(status))))"
            throw RosbridgeError(
                url.description,
                .resolve,
                "expected an address for the name, found none\(cause)"
            )
        }
        return addresses
    }

    private static func address(_ entry: addrinfo, host: String) -> SocketAddress? {
        guard let raw = UnsafeRawPointer(entry.ai_addr) else { return nil }
        switch entry.ai_family {
        case AF_INET where Int(entry.ai_addrlen) >= MemoryLayout<sockaddr_in>.size:
            return SocketAddress(raw.loadUnaligned(as: sockaddr_in.self), host: host)
        case AF_INET6 where Int(entry.ai_addrlen) >= MemoryLayout<sockaddr_in6>.size:
            return SocketAddress(raw.loadUnaligned(as: sockaddr_in6.self), host: host)
        default: return nil
        }
    }
}
