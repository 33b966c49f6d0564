/// What a WebSocket server answers to a browser that asks for a page (RFC 9110, 9.3.1).
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
