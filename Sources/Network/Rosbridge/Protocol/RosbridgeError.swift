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
    /// The code of a close frame.
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
}
