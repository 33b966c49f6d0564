/// Why a rosbridge connection could not be made or did not last.
package struct RosbridgeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// How far the connection had come.
    package enum Stage: String, Sendable {
        /// The name has no address.
        case resolve
        case connect
        case tls = "TLS"
        /// The WebSocket handshake: another HTTP status than 101, or no WebSocket server at all.
        case handshake
        /// The other end sent a close frame.
        case closed
        /// The connection broke, or the other end broke the protocol.
        case lost
        /// Nothing could be sent for too long.
        case stalled
        /// No answer in time.
        case timeout
        /// A server's own address and port.
        case listen
        /// A message that cannot be sent as it is.
        case message
    }

    /// The server, without credentials.
    package var server: String
    package var stage: Stage
    package var problem: String
    /// What the user can do, in one line.
    package var advice: String?
    /// The code of a close frame.
    package var closeCode: UInt16?
    /// The HTTP status of a refused handshake.
    package var status: Int?
    /// When to come back, if a server that refused the handshake said so.
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

    /// Whether trying again may help: not with a message that the server does not take, or a request it refuses.
    package var isTransient: Bool {
        switch stage {
        case .message, .listen, .tls: false
        case .handshake: status.map { $0 >= 500 || $0 == 408 || $0 == 429 } ?? true
        case .closed: ![1002, 1003, 1007, 1008, 1009, 1010].contains(closeCode ?? 0)
        default: true
        }
    }

    /// The error for a close frame of the other end; it says which limit to raise after a 1009.
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
