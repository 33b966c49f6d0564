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
