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

/// The offer of a client; a response may accept nothing else.
struct HandshakeExpectation: Sendable {
    var key: String
    var subprotocols: [String]
    var compression: DeflateOptions?
}

/// A server's successful handshake response (RFC 6455, 4.1 and 4.2.2).
package struct HandshakeResponse: Equatable, Sendable {
    package var subprotocol: String?
    package var fields: [HTTPField]
    let compression: DeflateAgreement?

    /// Checks a response against its request.
    init(_ head: HTTPHead, _ expectation: HandshakeExpectation) throws(HandshakeError) {
        let (status, reason) = try HandshakeResponse.status(of: head.startLine)
        guard status == 101 else { throw .refused(HandshakeRefusal(status: status, reason: reason, head)) }
        guard head.hasToken("websocket", in: "Upgrade") else { throw .wrongUpgrade(head.values("Upgrade").first) }
        guard head.hasToken("upgrade", in: "Connection") else {
            throw .wrongConnection(head.values("Connection").first)
        }
        let expected = HandshakeKey.accept(for: expectation.key)
        guard head.values("Sec-WebSocket-Accept") == [expected] else {
            throw .wrongAccept(expected: expected, found: head.values("Sec-WebSocket-Accept").first)
        }
        compression = try HandshakeResponse.agreement(in: head, expectation.compression)
        let chosen = head.tokens("Sec-WebSocket-Protocol")
        for name in chosen where chosen.count > 1 || !expectation.subprotocols.contains(name) {
            throw .unrequestedSubprotocol(name)
        }
        subprotocol = chosen.first
        fields = head.fields
    }

    /// RFC 6455, 9.1 and RFC 7692, 5: an extension that was not offered fails the connection.
    private static func agreement(
        in head: HTTPHead,
        _ options: DeflateOptions?
    ) throws(HandshakeError) -> DeflateAgreement? {
        let elements = try ExtensionList.parse(head.values("Sec-WebSocket-Extensions"))
        guard let element = elements.first else { return nil }
        guard let options, element.name == DeflateParameters.extensionName else {
            throw .unrequestedExtension(element.name)
        }
        guard elements.count == 1 else { throw .unrequestedExtension(elements[1].name) }
        guard let answer = DeflateParameters(element.parameters), let agreement = options.agreement(answer: answer)
        else {
            let found = head.values("Sec-WebSocket-Extensions").joined(separator: ", ")
            throw .wrongExtensionParameters(offered: options.offer.headerValue, found: found)
        }
        return agreement
    }

    /// True if this is an interim response, which is followed by another one.
    static func isInterim(_ head: HTTPHead) throws(HandshakeError) -> Bool {
        let status = try status(of: head.startLine).0
        return (100...199).contains(status) && status != 101
    }

    /// The status code and the reason phrase of the first line.
    private static func status(of line: String) throws(HandshakeError) -> (Int, String) {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0", parts[1].utf8.count == 3,
            parts[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let status = Int(parts[1])
        else { throw .malformedHead(line) }
        return (status, parts.count > 2 ? String(parts[2]) : "")
    }
}
