import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import WebSocket

extension RosbridgeError {
    /// The error for a connection that ended without a closing handshake.
    init(_ server: String, _ failure: ConnectionFailure) {
        switch failure {
        case .handshake(let error):
            self.init(server, .handshake, "\(error)")
            switch error {
            case .refused(let refusal):
                status = refusal.status
                retryAfterSeconds = refusal.retryAfterSeconds
                advice = RosbridgeError.advice(forStatus: refusal.status)
            case .notHTTP, .ended:
                advice = "is this the port of a rosbridge server, and is it ws or wss?"
            default: break
            }
        case .violation(let violation): self.init(server, .lost, "\(violation)")
        case .ended: self.init(server, .lost, "\(failure)")
        }
    }

    private static func advice(forStatus status: Int) -> String? {
        switch status {
        case 300...399: "use the address that it points to"
        case 401, 403, 407: "give user:password@ in the URL, or a --header such as 'Authorization: Bearer TOKEN'"
        case 404, 410: "give the server's path in the URL"
        case 400: "the server does not take the handshake: is this a WebSocket server, and are the headers right?"
        case 426: "the server wants another protocol: is this a WebSocket server?"
        case 429, 503: "the server is busy: try again later, or give --reconnect more time"
        case 502, 504: "what stands before the server does not reach it: is the server running?"
        case 200...299: "this is a web server: give the port and path of a rosbridge server"
        default: nil
        }
    }

    /// The error for an error that NIO reports on a connection.
    package init(_ server: String, caught error: any Error, isOpen: Bool) {
        switch error {
        case let error as RosbridgeError: self = error
        case is BoringSSLError, is NIOSSLError, is NIOSSLExtraError: self.init(server, tls: error)
        case let error as IOError:
            let name = error.localizedReason.lowercased()
            self.init(server, isOpen ? .lost : .handshake, "expected an open connection, found: \(name)")
            // The server's alert about a certificate may not have arrived.
            if !isOpen, server.hasPrefix("wss:") {
                advice = "does the server ask for a client certificate (--cert, --key)?"
            }
        default: self.init(server, isOpen ? .lost : .handshake, "\(error)")
        }
    }

    /// The error for a connection that could not be made.
    package init(_ server: String, connecting error: any Error) {
        switch error {
        case let error as RosbridgeError: self = error
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            let cause = error.dnsAError ?? error.dnsAAAAError
            let reason = cause.map { " (\(RosbridgeError.reason(of: $0)))" } ?? ""
            self.init(server, .resolve, "expected an address for the name, found none\(reason)")
        case let error as NIOConnectionError:
            let causes = error.connectionErrors.map { "\($0.target.place): \(RosbridgeError.reason(of: $0.error))" }
            self.init(server, .connect, "expected a connection, found: \(causes.joined(separator: "; "))")
            advice = "is the server running, and is a firewall in the way?"
        default:
            self.init(server, .connect, "expected a connection, found: \(RosbridgeError.reason(of: error))")
        }
    }

    /// The error for a place where nothing can listen.
    package init(listeningOn address: String, _ port: Int, _ error: any Error) {
        let place = address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
        let reason = RosbridgeError.reason(of: error)
        self.init(place, .listen, "expected a free address and port, found: \(reason)")
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE: advice = "another program listens there: end it, or name another port (0: any free one)"
        case EADDRNOTAVAIL: advice = "this machine has no such address; 0.0.0.0 stands for all that it has"
        case EACCES: advice = "ports below 1024 are for the administrator: name another one"
        default: break
        }
    }

    /// Returns the reason of an error, in words of the system and not of a library.
    private static func reason(of error: any Error) -> String {
        switch error {
        case let error as IOError: error.localizedReason
        case ChannelError.connectTimeout: "no answer in time"
        case SocketAddressError.unknown: "no such name"
        case is SocketAddressError: "an address that cannot be used"
        default: "\(error)"
        }
    }
}

extension SocketAddress {
    /// Address and port, as in a URL.
    fileprivate var place: String {
        guard let ipAddress, let port else { return "\(self)" }
        return ipAddress.contains(":") ? "[\(ipAddress)]:\(port)" : "\(ipAddress):\(port)"
    }
}

extension IOError {
    /// The system's text for an error.
    fileprivate var localizedReason: String { String(cString: strerror(errnoCode)) }
}
