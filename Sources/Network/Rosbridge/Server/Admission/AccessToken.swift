import Messages
package import WebSocket

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
