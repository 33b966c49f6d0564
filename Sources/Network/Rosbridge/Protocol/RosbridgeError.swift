import Glibc
import NIOCore
import NIOPosix
import NIOSSL
import WebSocket

/// The reason why a rosbridge connection could not be made or was lost.
package struct RosbridgeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The stage that the connection had reached.
    package enum Stage: String, Sendable {
        /// The name has no address.
        case resolve
        case connect
        case tls = "TLS"
        /// The WebSocket handshake: an HTTP status other than 101, or no WebSocket server at all.
        case handshake
        /// The other end sent a close frame.
        case closed
        /// The connection was lost, or the other end violated the protocol.
        case lost
        /// Nothing could be sent for too long.
        case stalled
        /// No answer in time.
        case timeout
        /// Listening on an address and port.
        case listen
        /// A message that cannot be sent.
        case message
    }

    /// The server, without credentials.
    package var server: String
    package var stage: Stage
    package var problem: String
    /// Advice for the user, in one line.
    package var advice: String?
    package var closeCode: UInt16?
    /// The HTTP status of a refused handshake.
    package var status: Int?
    /// When to try again, if a server that refused the handshake said so.
    package var retryAfterSeconds: Int?

    package init(
        _ server: String,
        _ stage: Stage,
        _ problem: String,
        advice: String? = nil,
        closeCode: UInt16? = nil,
        status: Int? = nil
    ) {
        self.server = server
        self.stage = stage
        self.problem = problem
        self.advice = advice
        self.closeCode = closeCode
        self.status = status
    }

    package var description: String { "\(server): \(stage.rawValue): \(problem)" }

    /// Why a connection ended, in few words, such as `reset by peer`: what was found, without what was expected.
    package var cause: String {
        let found = problem.firstRange(of: ", found").map { problem[$0.upperBound...] } ?? problem[...]
        let words = found.drop { $0 == ":" || $0 == " " }
        return String(words.hasPrefix("connection ") ? words.dropFirst("connection ".count) : words)
    }

    /// True if trying again may help: not for a message or request that the server refuses.
    package var isTransient: Bool {
        switch stage {
        case .message, .listen, .tls: false
        case .handshake: status.map { $0 >= 500 || $0 == 408 || $0 == 429 } ?? true
        case .closed: ![1002, 1003, 1007, 1008, 1009, 1010].contains(closeCode ?? 0)
        default: true
        }
    }

    /// True if the other end closed the connection properly.
    package var isProperEnd: Bool {
        stage == .closed && (closeCode == nil || closeCode == 1000 || closeCode == 1001)
    }

    /// The error for a close frame of the other end; after a 1009 it says which limit to raise.
    static func closed(_ server: String, code: UInt16?, reason: String) -> RosbridgeError {
        var problem = "expected an open connection, found it closed"
        if let code { problem += " with \(code)" }
        if !reason.isEmpty { problem += " (\(reason))" }
        var advice: String?
        if code == 1009 {
            advice =
                "raise the server's max_message_size, or lower --max-message-size so that messages go out in fragments"
        }
        return RosbridgeError(server, .closed, problem, advice: advice, closeCode: code)
    }

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
            case .denied(let refusal): status = refusal.status
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
        let place = "\(LocalAddresses.bracketed(address)):\(port)"
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
        case SocketAddressError.unknown, is SocketAddressError.UnknownHost: "no such name or address"
        case is SocketAddressError: "an address that cannot be used"
        default: "\(error)"
        }
    }
}

extension SocketAddress {
    /// Address and port, as in a URL.
    fileprivate var place: String {
        guard let ipAddress, let port else { return "\(self)" }
        return "\(LocalAddresses.bracketed(ipAddress)):\(port)"
    }
}

extension IOError {
    /// The system's text for an error.
    fileprivate var localizedReason: String { String(cString: strerror(errnoCode)) }
}

extension RosbridgeError {
    /// The error for a failure in BoringSSL or NIOSSL.
    init(_ server: String, tls error: any Error) {
        let text = "\(error)"
        self.init(server, .tls, text)
        guard let known = RosbridgeError.known.first(where: { text.contains($0.part) }) else { return }
        problem = known.problem
        advice = known.advice
    }

    /// Parts of BoringSSL's error texts, with their meaning and our advice.
    private static let known: [(part: String, problem: String, advice: String?)] = [
        (
            "CERTIFICATE_VERIFY_FAILED", "expected a certificate that can be verified, found another",
            "--ca FILE names a private authority; --insecure trusts anyone"
        ),
        (
            "WRONG_VERSION_NUMBER", "expected TLS, found something else",
            "is this a ws server rather than a wss server?"
        ),
        ("HTTP_REQUEST", "expected TLS, found an HTTP request", "is the other end told ws rather than wss?"),
        (
            "ALERT_CERTIFICATE_REQUIRED", "the server asks for a client certificate, and was given none",
            "--cert FILE and --key FILE name one"
        ),
        ("PEER_DID_NOT_RETURN_A_CERTIFICATE", "expected a client certificate, found none", nil),
        (
            "ALERT_UNKNOWN_CA", "the other end does not trust the certificate that it was shown",
            "the certificate has to be one of an authority that the other end trusts"
        ),
        (
            "ALERT_BAD_CERTIFICATE", "the other end does not take the certificate that it was shown",
            "the certificate has to be one of an authority that the other end trusts"
        ),
        (
            "ALERT_CERTIFICATE_EXPIRED", "the other end finds the certificate that it was shown expired",
            "renew it, and look at the clocks of both machines"
        ),
        ("ALERT_CERTIFICATE_UNKNOWN", "the other end does not take the certificate that it was shown", nil),
        ("ALERT_DECRYPT_ERROR", "the other end cannot verify the certificate that it was shown", nil),
        (
            "ALERT_HANDSHAKE_FAILURE", "the server refuses the handshake",
            "it may ask for a client certificate: --cert FILE and --key FILE name one"
        ),
        ("ALERT_PROTOCOL_VERSION", "expected TLS 1.2 or 1.3, found another version", nil),
        ("UNSUPPORTED_PROTOCOL", "expected TLS 1.2 or 1.3, found another version", nil),
        ("EOF during handshake", "expected a TLS handshake, found the end of the stream", nil),
    ]
}
