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
    package func validate() throws(HandshakeError) {
        _ = try encoded(key: "")
    }

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

/// The key of a handshake and the matching answer.
enum HandshakeKey {
    /// Sixteen random bytes in base64 (RFC 6455, 4.1).
    static func random(using generator: inout some RandomNumberGenerator) -> String {
        let halves: [UInt64] = [generator.next(), generator.next()]
        return Base64.encode(halves.flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (8 * $0)) } })
    }

    /// Whether a client's key is 16 bytes in base64: 22 characters, the last of which has two used bits, and padding.
    static func isValid(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        guard bytes.count == 24, bytes.suffix(2) == [0x3D, 0x3D], "AQgw".utf8.contains(bytes[21]) else { return false }
        return bytes.prefix(22).allSatisfy { Base64.isCharacter($0) }
    }

    /// The Sec-WebSocket-Accept that proves the server has seen the key (RFC 6455, 4.2.2).
    static func accept(for key: String) -> String {
        Base64.encode(SHA1.digest(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }
}
