/// The reason why an opening handshake failed (RFC 6455, 4).
package enum HandshakeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A request field with an invalid name or value, or one that the handshake sets itself.
    case invalidField(String)
    /// The first bytes are not those of an HTTP message.
    case notHTTP(String)
    case headTooLong(limit: Int)
    case malformedHead(String)
    /// A status other than 101.
    case refused(HandshakeRefusal)
    case wrongUpgrade(String?)
    case wrongConnection(String?)
    case wrongAccept(expected: String, found: String?)
    /// A Sec-WebSocket-Extensions field that does not parse.
    case malformedExtensions(String)
    case unrequestedExtension(String)
    /// A compression answer that contradicts the offer.
    case wrongExtensionParameters(offered: String, found: String)
    case unrequestedSubprotocol(String)
    /// An invalid request: the status to answer with, and what is wrong.
    case badRequest(status: Int, String)
    /// A valid request that the server refuses.
    case denied(HandshakeRefusal)
    /// A request of plain HTTP that a server answers with a page.
    case page(HTTPPage)
    /// The stream ended during the handshake.
    case ended

    package var description: String {
        switch self {
        case .invalidField(let name): "header \"\(name)\": expected a name and value that may be set, found others"
        case .notHTTP(let start): "answer: expected HTTP/1.1, found \(start.debugDescription)"
        case .headTooLong(let limit): "header: expected at most \(limit) bytes, found more"
        case .malformedHead(let line): "header: expected \"name: value\", found \(line.debugDescription)"
        case .refused(let refusal): "\(refusal)"
        case .wrongUpgrade(let found): "Upgrade: expected websocket, found \(found ?? "nothing")"
        case .wrongConnection(let found): "Connection: expected Upgrade, found \(found ?? "nothing")"
        case .wrongAccept(let expected, let found):
            "Sec-WebSocket-Accept: expected \(expected), found \(found ?? "nothing")"
        case .malformedExtensions(let value):
            "Sec-WebSocket-Extensions: expected names and parameters, found \(value.debugDescription)"
        case .unrequestedExtension(let name):
            "Sec-WebSocket-Extensions: expected nothing but what was offered, found \(name)"
        case .wrongExtensionParameters(let offered, let found):
            "Sec-WebSocket-Extensions: expected an answer to \"\(offered)\", found \"\(found)\""
        case .unrequestedSubprotocol(let name): "Sec-WebSocket-Protocol: expected one that was asked for, found \(name)"
        case .badRequest(_, let problem): "request: \(problem)"
        case .denied(let refusal):
            "request: expected one that is admitted, refused with \(refusal.status) \(refusal.reason)"
        case .page: "request: expected an upgrade to websocket, found one for a page"
        case .ended: "answer: expected 101 Switching Protocols, found the end of the stream"
        }
    }
}

/// A status other than 101, with the fields that tell the client how to proceed.
package struct HandshakeRefusal: Equatable, Sendable, CustomStringConvertible {
    package var status: Int
    /// The reason phrase; empty if there is none.
    package var reason: String
    /// The target of a redirection (RFC 9110, 10.2.2).
    package var location: String?
    /// When to try again: seconds, or a date (RFC 9110, 10.2.3).
    package var retryAfter: String?
    /// The requested authentication, such as `Basic realm="robot"` (RFC 9110, 11.6.1 and 11.7.1).
    package var challenge: String?
    /// The protocol versions that the server supports (RFC 6455, 4.4).
    package var supportedVersions: String?

    package init(
        status: Int,
        reason: String = "",
        location: String? = nil,
        retryAfter: String? = nil,
        challenge: String? = nil,
        supportedVersions: String? = nil
    ) {
        self.status = status
        self.reason = reason
        self.location = location
        self.retryAfter = retryAfter
        self.challenge = challenge
        self.supportedVersions = supportedVersions
    }

    init(status: Int, reason: String, _ head: HTTPHead) {
        self.init(
            status: status,
            reason: reason,
            location: head.values("Location").first,
            retryAfter: head.values("Retry-After").first,
            challenge: head.values(status == 407 ? "Proxy-Authenticate" : "WWW-Authenticate").first,
            supportedVersions: head.values("Sec-WebSocket-Version").first
        )
    }

    /// The time to wait, if the server gave it in seconds.
    package var retryAfterSeconds: Int? {
        retryAfter.flatMap { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int($0) : nil }
    }

    /// The maximum length of server text in an error message.
    private static let longestText = 200

    package var description: String {
        var text = "answer: expected 101 Switching Protocols, found \(status)"
        if !reason.isEmpty { text += " \(shortened(reason))" }
        if let location { text += ", which points to \(shortened(location))" }
        if let challenge { text += ", which asks for \(shortened(challenge))" }
        if let retryAfter { text += ", which says to come back after \(shortened(retryAfter))" }
        if let retryAfterSeconds { text += retryAfterSeconds == 1 ? " second" : " seconds" }
        if let supportedVersions { text += ", which speaks version \(shortened(supportedVersions))" }
        return text
    }

    private func shortened(_ text: String) -> String {
        text.count <= Self.longestText ? text : "\(text.prefix(Self.longestText))…"
    }
}
