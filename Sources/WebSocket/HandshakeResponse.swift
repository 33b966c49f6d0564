/// A server's agreement to speak WebSocket (RFC 6455, 4.1 and 4.2.2).
package struct HandshakeResponse: Equatable, Sendable {
    package var subprotocol: String?
    package var fields: [HTTPField]

    /// Checks an answer against the request that it answers.
    init(_ head: HTTPHead, key: String, subprotocols: [String]) throws(HandshakeError) {
        let (status, reason) = try HandshakeResponse.status(of: head.startLine)
        guard status == 101 else {
            throw .refused(status: status, reason: reason, location: head.values("Location").first)
        }
        guard head.hasToken("websocket", in: "Upgrade") else { throw .wrongUpgrade(head.values("Upgrade").first) }
        guard head.hasToken("upgrade", in: "Connection") else {
            throw .wrongConnection(head.values("Connection").first)
        }
        let expected = HandshakeKey.accept(for: key)
        guard head.values("Sec-WebSocket-Accept") == [expected] else {
            throw .wrongAccept(expected: expected, found: head.values("Sec-WebSocket-Accept").first)
        }
        if let name = head.tokens("Sec-WebSocket-Extensions").first { throw .unrequestedExtension(name) }
        let chosen = head.tokens("Sec-WebSocket-Protocol")
        for name in chosen where chosen.count > 1 || !subprotocols.contains(name) {
            throw .unrequestedSubprotocol(name)
        }
        subprotocol = chosen.first
        fields = head.fields
    }

    private static func status(of line: String) throws(HandshakeError) -> (Int, String) {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0", parts[1].utf8.count == 3,
            parts[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let status = Int(parts[1])
        else { throw .malformedHead(line) }
        return (status, parts.count > 2 ? String(parts[2]) : "")
    }
}
