/// The opening handshake request of a client (RFC 6455, 4.1).
package struct HandshakeRequest: Equatable, Sendable {
    /// The Host field: the host, with the port unless it is the scheme's own.
    package var host: String
    /// The path and query, starting with a slash.
    package var target: String
    package var subprotocols: [String]
    /// Additional fields, such as Authorization or Origin; the fields of the handshake itself are refused.
    package var fields: [HTTPField]

    package init(host: String, target: String = "/", subprotocols: [String] = [], fields: [HTTPField] = []) {
        self.host = host
        self.target = target
        self.subprotocols = subprotocols
        self.fields = fields
    }

    /// The field that carries a user name and password (RFC 7617).
    package static func basicAuthorization(user: String, password: String) -> HTTPField {
        HTTPField("Authorization", "Basic " + Base64.encode(Array("\(user):\(password)".utf8)))
    }

    private static let ownFields: Set<String> = [
        "host", "upgrade", "connection", "sec-websocket-key", "sec-websocket-version", "sec-websocket-protocol",
        "sec-websocket-extensions", "content-length", "transfer-encoding",
    ]

    /// Throws if a field or the path is invalid.
    package func validate() throws(HandshakeError) { _ = try encoded(key: "") }

    /// The bytes to send.
    func encoded(key: String, extensions: [String] = []) throws(HandshakeError) -> [UInt8] {
        var all = [
            HTTPField("Host", host), HTTPField("Upgrade", "websocket"), HTTPField("Connection", "Upgrade"),
            HTTPField("Sec-WebSocket-Key", key), HTTPField("Sec-WebSocket-Version", "13"),
        ]
        if !subprotocols.isEmpty {
            all.append(HTTPField("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", ")))
        }
        if !extensions.isEmpty { all.append(HTTPField("Sec-WebSocket-Extensions", extensions.joined(separator: ", "))) }
        for field in fields {
            guard !HandshakeRequest.ownFields.contains(field.name.lowercased()) else { throw .invalidField(field.name) }
            all.append(field)
        }
        guard target.utf8.first == UInt8(ascii: "/"), target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .invalidField("path")
        }
        for field in all where !field.isValid { throw .invalidField(field.name) }
        let lines = ["GET \(target) HTTP/1.1"] + all.map { "\($0.name): \($0.value)" }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
    }
}
