/// A status other than 101, with the fields that tell the client how to proceed.
package struct HandshakeRefusal: Equatable, Sendable {
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
}

extension HandshakeRefusal: CustomStringConvertible {
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
