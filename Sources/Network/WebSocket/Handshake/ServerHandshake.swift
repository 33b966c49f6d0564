/// A client's handshake request as a server parses it (RFC 6455, 4.2.1), and the responses to it.
package struct ServerHandshake: Equatable, Sendable {
    /// The path and query.
    package var target: String
    package var subprotocols: [String]
    package var fields: [HTTPField]
    let extensions: [ExtensionElement]
    let key: String

    init(_ head: HTTPHead) throws(HandshakeError) {
        let parts = head.startLine.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "GET", parts[2] == "HTTP/1.1" else {
            throw .badRequest(status: 400, "expected GET and HTTP/1.1, found \(head.startLine.debugDescription)")
        }
        guard head.values("Host").count == 1 else { throw .badRequest(status: 400, "expected one Host") }
        guard head.hasToken("websocket", in: "Upgrade"), head.hasToken("upgrade", in: "Connection") else {
            throw .badRequest(status: 426, "expected an upgrade to websocket")
        }
        guard head.values("Sec-WebSocket-Version") == ["13"] else {
            throw .badRequest(status: 426, "expected Sec-WebSocket-Version 13")
        }
        let keys = head.values("Sec-WebSocket-Key")
        guard keys.count == 1, let key = keys.first, HandshakeKey.isValid(key) else {
            throw .badRequest(status: 400, "expected one Sec-WebSocket-Key of 16 bytes")
        }
        extensions = try ExtensionList.parse(head.values("Sec-WebSocket-Extensions"))
        self.key = key
        target = String(parts[1])
        subprotocols = head.tokens("Sec-WebSocket-Protocol")
        fields = head.fields
    }

    func response(subprotocol: String?, compression: DeflateParameters?) -> [UInt8] {
        var lines = [
            "HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Accept: \(HandshakeKey.accept(for: key))",
        ]
        if let subprotocol { lines.append("Sec-WebSocket-Protocol: \(subprotocol)") }
        if let compression { lines.append("Sec-WebSocket-Extensions: \(compression.headerValue)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }

    /// The response to a request that is invalid or refused.
    static func refusal(of error: HandshakeError) -> [UInt8] {
        if case .page(let page) = error { return page.response }
        var status = 400
        if case .badRequest(let given, _) = error { status = given }
        if case .headTooLong = error { status = 431 }
        let reasons = [400: "Bad Request", 426: "Upgrade Required", 431: "Request Header Fields Too Large"]
        var lines: [String] = []
        if case .denied(let refusal) = error {
            lines = head(of: refusal)
        } else {
            lines = ["HTTP/1.1 \(status) \(reasons[status, default: "Bad Request"])"]
        }
        if status == 426 { lines += ["Upgrade: websocket", "Sec-WebSocket-Version: 13"] }
        let body = "\(error)\n"
        lines += ["Connection: close", "Content-Type: text/plain", "Content-Length: \(body.utf8.count)", "", body]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    private static func head(of refusal: HandshakeRefusal) -> [String] {
        let name = refusal.status == 407 ? "Proxy-Authenticate" : "WWW-Authenticate"
        let fields = [
            ("Location", refusal.location), (name, refusal.challenge), ("Retry-After", refusal.retryAfter),
            ("Sec-WebSocket-Version", refusal.supportedVersions),
        ]
        return ["HTTP/1.1 \(refusal.status) \(refusal.reason)"]
            + fields.compactMap { name, value in value.map { "\(name): \($0)" } }
    }
}

/// The answer of a WebSocket server to a browser that asks for a page (RFC 9110, 9.3.1).
package struct HTTPPage: Equatable, Sendable {
    package var contentType: String
    package var bytes: [UInt8]
    /// Header fields besides those that every page has.
    package var fields: [HTTPField]

    package init(contentType: String, bytes: [UInt8], fields: [HTTPField] = []) {
        self.contentType = contentType
        self.bytes = bytes
        self.fields = fields
    }

    /// The path and query of a request for a page; `nil` for one that asks for an upgrade, or for anything else.
    static func target(of head: HTTPHead) -> String? {
        let parts = head.startLine.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "GET", parts[2].hasPrefix("HTTP/1."), head.values("Upgrade").isEmpty else {
            return nil
        }
        return String(parts[1])
    }

    /// The whole answer: the connection ends with it.
    var response: [UInt8] {
        let lines =
            [
                "HTTP/1.1 200 OK", "Content-Type: \(contentType)", "Content-Length: \(bytes.count)",
                "Cache-Control: no-store", "X-Content-Type-Options: nosniff", "Connection: close",
            ] + fields.map { "\($0.name): \($0.value)" } + ["", ""]
        return Array(lines.joined(separator: "\r\n").utf8) + bytes
    }
}
