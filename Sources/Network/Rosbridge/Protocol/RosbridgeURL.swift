package import WebSocket

/// The address of a rosbridge server: `10.0.0.5`, `robot:9091`, `wss://user:password@[::1]:443/bridge?robot=2`.
///
/// The default scheme is ws; the default port is 9090, for wss too. The description never contains the user, the
/// password or the query, which may hold a token.
package struct RosbridgeURL: Hashable, Sendable, CustomStringConvertible {
    package static let defaultPort = 9090

    package var isSecure: Bool
    /// A name or an address; an IPv6 address without its brackets.
    package var host: String
    package var port: Int
    package var user: String?
    package var password: String?
    /// Path and query as given, starting with a slash.
    package var target: String

    /// Parses the text that a user gave.
    package init(_ text: String) throws(RosbridgeURLError) {
        var rest = Substring(text)
        isSecure = try RosbridgeURL.takeScheme(from: &rest)
        guard !rest.contains("#") else { throw RosbridgeURLError("fragment", "none", "one after #") }
        let authorityEnd = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        var authority = rest[..<authorityEnd]
        let target = String(rest[authorityEnd...])
        self.target = target.hasPrefix("/") ? target : "/" + target
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw RosbridgeURLError("path", "percent-encoded characters", "others")
        }
        (user, password) = try RosbridgeURL.takeCredentials(from: &authority)
        (host, port) = try RosbridgeURL.hostAndPort(authority)
    }

    /// The URL without credentials and query.
    package var description: String {
        let path = target.prefix { $0 != "?" }
        let query = target.contains("?") ? "?…" : ""
        return
            "\(isSecure ? "wss" : "ws")://\(bracketedHost):\(port)\(path == "/" && query.isEmpty ? "" : path)\(query)"
    }

    /// The value of the Host field: with the port unless it is the scheme's default (RFC 6455, 4.1).
    package var hostField: String {
        port == (isSecure ? 443 : 80) ? bracketedHost : "\(bracketedHost):\(port)"
    }

    /// The request that opens a connection to this server.
    package func request(fields: [HTTPField] = []) -> HandshakeRequest {
        var all = fields
        if let user, !fields.contains(where: { $0.name.lowercased() == "authorization" }) {
            all.append(HandshakeRequest.basicAuthorization(user: user, password: password ?? ""))
        }
        return HandshakeRequest(host: hostField, target: target, fields: all)
    }

    /// True if the host is an address rather than a name.
    package var isAddress: Bool {
        host.contains(":") || host.split(separator: ".").allSatisfy { $0.allSatisfy(\.isWholeNumber) }
    }

    private var bracketedHost: String { LocalAddresses.bracketed(host) }

    private static func takeScheme(from rest: inout Substring) throws(RosbridgeURLError) -> Bool {
        guard let separator = rest.firstRange(of: "://") else { return false }
        let scheme = rest[..<separator.lowerBound].lowercased()
        // A separator after that belongs to the query.
        guard !scheme.contains(where: { "/?@".contains($0) }) else { return false }
        rest = rest[separator.upperBound...]
        switch scheme {
        case "ws": return false
        case "wss": return true
        default: throw RosbridgeURLError("scheme", "ws or wss", scheme.isEmpty ? "none" : "\"\(scheme)\"")
        }
    }

    private static func takeCredentials(
        from authority: inout Substring
    ) throws(RosbridgeURLError) -> (String?, String?) {
        guard let at = authority.lastIndex(of: "@") else { return (nil, nil) }
        let parts = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        authority = authority[authority.index(after: at)...]
        return (try decoded(parts[0]), parts.count > 1 ? try decoded(parts[1]) : nil)
    }

    private static func decoded(_ text: Substring) throws(RosbridgeURLError) -> String {
        let (bytes, isSound) = percentDecoded(text)
        guard isSound else { throw RosbridgeURLError("user information", "%XX", "another %") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw RosbridgeURLError("user information", "UTF-8", "other bytes")
        }
        return text
    }

    private static func hostAndPort(_ authority: Substring) throws(RosbridgeURLError) -> (String, Int) {
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else {
                throw RosbridgeURLError("host", "a closing ]", "none")
            }
            let host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            let isAddress =
                host.contains(":")
                && host.allSatisfy { $0.isASCII && ($0.isHexDigit || ".:%".contains($0) || $0.isLetter) }
            guard isAddress else { throw RosbridgeURLError("host", "an IPv6 address in [ ]", "\"\(host)\"") }
            guard rest.isEmpty || rest.first == ":" else {
                throw RosbridgeURLError("port", "after a colon", "\"\(rest)\"")
            }
            return (String(host.replacing("%25", with: "%")), try port(rest.isEmpty ? nil : rest.dropFirst()))
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2 else { throw RosbridgeURLError("host", "brackets around an IPv6 address", "none") }
        guard let host = parts.first, !host.isEmpty else {
            throw RosbridgeURLError("host", "a name or address", "none")
        }
        guard host.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"\"<>\\^`{|}%[]".utf8.contains($0) }) else {
            throw RosbridgeURLError("host", "a name or address", "\"\(host)\"")
        }
        return (String(host), try port(parts.count > 1 ? parts[1] : nil))
    }

    private static func port(_ text: Substring?) throws(RosbridgeURLError) -> Int {
        guard let text else { return defaultPort }
        guard text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let port = Int(text), (1...65_535).contains(port)
        else {
            throw RosbridgeURLError("port", "1 to 65535", "\"\(text)\"")
        }
        return port
    }
}

/// The bytes of a percent-encoded text (RFC 3986, 2.1), and false if a % begins no escape; such a one stays.
func percentDecoded(_ text: Substring) -> (bytes: [UInt8], isSound: Bool) {
    var bytes: [UInt8] = []
    var isSound = true
    var rest = text.utf8
    while let byte = rest.popFirst() {
        let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        if byte == UInt8(ascii: "%"), digits.count == 2 {
            bytes.append(UInt8(digits[0] * 16 + digits[1]))
            rest = rest.dropFirst(2)
        } else {
            isSound = isSound && byte != UInt8(ascii: "%")
            bytes.append(byte)
        }
    }
    return (bytes, isSound)
}

/// An invalid URL; the error names the part only, because the whole may contain a password.
package struct RosbridgeURLError: Error, Equatable, Sendable, CustomStringConvertible {
    package var part: String
    package var expected: String
    package var found: String

    init(_ part: String, _ expected: String, _ found: String) {
        self.part = part
        self.expected = expected
        self.found = found
    }

    package var description: String { "URL: \(part): expected \(expected), found \(found)" }
}
