import Messages
package import WebSocket

// The rule of all servers for what a request says: its page and its token.
extension ServerOptions {
    /// The reason to refuse a request; `nil` where there is none.
    func refusal(target: String, fields: [HTTPField]) -> HandshakeRefusal? {
        if refusedOrigin(fields) != nil { return HandshakeRefusal(status: 403, reason: "Forbidden origin") }
        guard let token, !token.isShown(target: target, fields: fields) else { return nil }
        return HandshakeRefusal(status: 401, reason: "Unauthorized", challenge: AccessToken.challenge)
    }

    /// The page that may not connect: any that a browser has open could use a server on the same machine.
    ///
    /// Programs that are no browsers name no origin.
    package func refusedOrigin(_ fields: [HTTPField]) -> String? {
        let hosts = fields.filter { $0.name.lowercased() == "host" }.map(\.value)
        return fields.filter { $0.name.lowercased() == "origin" }.map(\.value).first { origin in
            !OriginRule.isOfApplication(origin) && !OriginRule.isOfThisMachine(origin) && !origins.contains(origin)
                && !(hosts.count == 1 && OriginRule.isOfServer(origin, host: hosts[0], isSecure: tls != nil))
        }
    }
}

/// The pages that may connect without being named, told by the `Origin` that a browser sends (RFC 6454).
enum OriginRule {
    /// The applications on the web; those on a desktop load their windows from a file.
    static func isOfApplication(_ origin: String) -> Bool {
        ["https://app.foxglove.dev", "https://lichtblick-suite.github.io", "file://"].contains(origin)
    }

    static func isOfThisMachine(_ origin: String) -> Bool {
        guard let host = host(of: origin) else { return false }
        return ["localhost", "127.0.0.1", "[::1]"].contains(host)
    }

    /// True for the page of this very server, reached by an address or by a name of the local network.
    ///
    /// Names that anyone can register do not count without TLS: they can be made to lead here after their page was
    /// loaded from elsewhere (DNS rebinding).
    static func isOfServer(_ origin: String, host: String, isSecure: Bool) -> Bool {
        guard origin == (isSecure ? "https://" : "http://") + host, let name = self.host(of: origin) else {
            return false
        }
        return isSecure || name.hasPrefix("[") || isAddress(name) || !name.contains(".") || name.hasSuffix(".local")
    }

    private static func isAddress(_ name: Substring) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The host of an origin, without its port; IPv6 addresses in brackets.
    private static func host(of origin: String) -> Substring? {
        guard let start = origin.firstRange(of: "://")?.upperBound else { return nil }
        let place = origin[start...]
        if place.hasPrefix("["), let end = place.firstIndex(of: "]") { return place[...end] }
        return place.split(separator: ":", omittingEmptySubsequences: false).first
    }
}

/// A bearer token that clients have to send in the handshake.
package struct AccessToken: Sendable {
    /// The authentication challenge for a client with no token or a wrong one (RFC 6750, 3).
    static let challenge = "Bearer realm=\"mapeverything\""

    private let secret: [UInt8]

    /// Returns `nil` unless the text consists of one or more of the characters of RFC 6750, 2.1.
    package init?(_ text: String) {
        let isAllowed = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ",") }
        guard !text.isEmpty, isAllowed else { return nil }
        secret = Array(text.utf8)
    }

    /// True if the fields of a request carry the token: as `Bearer TOKEN`, or as the password of `Basic`.
    ///
    /// The second form comes from the user information of a URL, for clients that cannot set headers.
    package func isShown(in fields: [HTTPField]) -> Bool {
        let values = fields.filter { $0.name.lowercased() == "authorization" }.map(\.value)
        guard values.count == 1, let value = values.first else { return false }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return false }
        let credentials = Array(parts[1].utf8)
        switch parts[0].lowercased() {
        case "bearer": return matches(credentials)
        case "basic":
            let pair = credentials.withUnsafeBytes { Messages.Base64.decode($0) } ?? []
            guard let colon = pair.firstIndex(of: UInt8(ascii: ":")) else { return false }
            let password = Array(pair[(colon + 1)...])
            return matches(password.isEmpty ? Array(pair[..<colon]) : password)
        default: return false
        }
    }

    /// True if a request carries the token: in its fields, or as `?token=` for browsers, which cannot set fields.
    package func isShown(target: String, fields: [HTTPField]) -> Bool {
        if isShown(in: fields) { return true }
        guard let mark = target.firstIndex(of: "?") else { return false }
        let query = target[target.index(after: mark)...]
        let values = query.split(separator: "&").filter { $0.hasPrefix("token=") }
        return values.count == 1 && matches(percentDecoded(values[0].dropFirst(6)).bytes)
    }

    /// Compares in constant time, so that timing tells nothing about the token.
    private func matches(_ candidate: [UInt8]) -> Bool {
        var difference = candidate.count ^ secret.count
        for (index, byte) in secret.enumerated() {
            difference |= Int(byte ^ (index < candidate.count ? candidate[index] : ~byte))
        }
        return difference == 0
    }
}

/// The reason why an operation of a client was refused.
package struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
    package var topic: String?
    /// The expected input, and the input that was found.
    package var problem: String

    /// Shortens both texts and replaces control characters, as they come from a client.
    package init(topic: String? = nil, _ problem: String) {
        self.topic = topic.map { Refusal.printable($0, maximumLength: 200) }
        self.problem = Refusal.printable(problem, maximumLength: 1_000)
    }

    package var description: String { topic.map { "\($0): \(problem)" } ?? problem }

    /// A client's text, cut to a length, with question marks for control characters.
    package static func printable(_ text: String, maximumLength: Int) -> String {
        let isLong = text.utf8.count > maximumLength
        let start = isLong ? text.unicodeScalars.prefix(maximumLength) : text.unicodeScalars[...]
        let isPlain = start.allSatisfy { !isControl($0) }
        guard isLong || !isPlain else { return text }
        var shown = String.UnicodeScalarView()
        shown.append(contentsOf: start.map { isControl($0) ? "?" : $0 })
        return String(shown) + (isLong ? "…" : "")
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value)
    }
}
