/// Which pages may connect without being named, told by the `Origin` that a browser sends (RFC 6454).
enum OriginRule {
    /// The applications on the web; those on a desktop load their windows from a file.
    static func isOfApplication(_ origin: String) -> Bool {
        ["https://app.foxglove.dev", "https://lichtblick-suite.github.io", "file://"].contains(origin)
    }

    static func isOfThisMachine(_ origin: String) -> Bool {
        guard let host = host(of: origin) else { return false }
        return ["localhost", "127.0.0.1", "[::1]"].contains(host)
    }

    /// Whether it is the page of this very server, reached by an address or by a name of the local network.
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
