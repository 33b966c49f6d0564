import Testing
import WebSocket

@Suite("Opening handshake of a server")
struct ServerHandshakeTests {
    /// The example of RFC 6455, 1.3, key and answer.
    static let fields = [
        "Host: server.example.com", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: chat, superchat",
        "Sec-WebSocket-Version: 13",
    ]

    static func request(_ line: String, _ fields: [String]) -> [UInt8] {
        Array(([line] + fields + ["", ""]).joined(separator: "\r\n").utf8)
    }

    @Test("the example of RFC 6455, section 1.3")
    func example() {
        let request = Self.request("GET /chat?x=1 HTTP/1.1", Self.fields)
        for outcome in feedInEveryWay(request, to: Connection(accepting: ["superchat"])) {
            let expected = """
                HTTP/1.1 101 Switching Protocols\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
                Sec-WebSocket-Protocol: superchat\r
                \r

                """
            #expect(String(decoding: outcome.output, as: UTF8.self) == expected)
            guard case .accepted(let handshake, let subprotocol) = outcome.events.first else {
                Issue.record("expected the request to be taken, found \(outcome.events)")
                continue
            }
            #expect(handshake.target == "/chat?x=1" && subprotocol == "superchat")
        }
    }

    @Test(
        "a request that lacks something is answered with the right status",
        arguments: [
            ("POST / HTTP/1.1", -1, 400), ("GET / HTTP/1.0", -1, 400), ("GET / HTTP/1.1", 0, 400),
            ("GET / HTTP/1.1", 1, 426), ("GET / HTTP/1.1", 2, 426), ("GET / HTTP/1.1", 3, 400),
            ("GET / HTTP/1.1", 5, 426),
        ]
    )
    func refuses(line: String, missing: Int, status: Int) {
        let fields = Self.fields.enumerated().filter { $0.offset != missing }.map(\.element)
        for outcome in feedInEveryWay(Self.request(line, fields), to: Connection()) {
            #expect(String(decoding: outcome.output, as: UTF8.self).hasPrefix("HTTP/1.1 \(status) "))
            guard case .failed(.handshake) = outcome.events.first else {
                Issue.record("expected the request to be refused, found \(outcome.events)")
                continue
            }
        }
    }

    @Test("a request that is right can be refused, with a status and what is asked for")
    func admission() {
        func judge(_ handshake: ServerHandshake) -> HandshakeRefusal? {
            guard handshake.target != "/open" else { return nil }
            return HandshakeRefusal(
                status: 401,
                reason: "Unauthorized",
                retryAfter: "5",
                challenge: "Bearer realm=\"x\""
            )
        }
        let open = Self.request("GET /open HTTP/1.1", Self.fields)
        for outcome in feedInEveryWay(open, to: Connection(admission: judge)) {
            #expect(String(decoding: outcome.output, as: UTF8.self).hasPrefix("HTTP/1.1 101 "))
        }
        let closed = Self.request("GET /closed HTTP/1.1", Self.fields)
        for outcome in feedInEveryWay(closed, to: Connection(admission: judge)) {
            let lines = String(decoding: outcome.output, as: UTF8.self).split(separator: "\r\n")
            #expect(lines.first == "HTTP/1.1 401 Unauthorized")
            #expect(lines.contains("WWW-Authenticate: Bearer realm=\"x\"") && lines.contains("Retry-After: 5"))
            #expect(lines.contains("Connection: close") && !lines.contains { $0.hasPrefix("Sec-WebSocket-Accept") })
            guard case .failed(.handshake(.denied(let refusal))) = outcome.events.first, refusal.status == 401 else {
                Issue.record("expected the request to be refused, found \(outcome.events)")
                continue
            }
        }
    }

    @Test(
        "a key that is not sixteen bytes in base64 is refused",
        arguments: [
            "", "x", "AAAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAB==", "AAAAAAAAAAAAAAAAAAAA_A==",
            "AAAAAAAAAAAAAAAAAAAAA===", "AAAAAAAAAAAAAAAAAAAAAA=", "AAAAAAAAAAAAAAAAAAAA AA==",
        ]
    )
    func wrongKey(key: String) {
        var fields = Self.fields
        fields[3] = "Sec-WebSocket-Key: \(key)"
        for outcome in feedInEveryWay(Self.request("GET / HTTP/1.1", fields), to: Connection()) {
            #expect(String(decoding: outcome.output, as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
            #expect(outcome.expectsClose)
        }
    }

    @Test("a head that is too long, or no request at all, is refused at once")
    func noRequest() {
        let limits = ConnectionLimits { $0.maximumHeadLength = 500 }
        let long = Self.request("GET / HTTP/1.1", [String(repeating: "X: y\r\n", count: 100)])
        for outcome in feedInEveryWay(long, to: Connection(limits: limits)) {
            #expect(String(decoding: outcome.output, as: UTF8.self).hasPrefix("HTTP/1.1 431 "))
        }
        for outcome in feedInEveryWay([0x16, 0x03, 0x01, 0x02, 0x00], to: Connection()) {
            #expect(outcome.events == [.failed(.handshake(.notHTTP("\u{16}")))])
            #expect(outcome.expectsClose)
        }
    }

    @Test("a client and a server agree, and talk both ways")
    func talk() throws {
        var client = try Connection(request: HandshakeRequest(host: "h"), randomness: SeededRandomness(seed: 1))
        var server = Connection()
        server.receive(client.takeOutput())
        client.receive(server.takeOutput())
        #expect(client.isOpen == true)
        #expect(server.isOpen == true)
        _ = (client.takeEvents(), server.takeEvents())
        client.send(.text("to the server"))
        server.send(.binary([1, 2, 3]))
        server.receive(client.takeOutput())
        client.receive(server.takeOutput())
        #expect(server.takeEvents() == [.text("to the server")])
        #expect(client.takeEvents() == [.message(.binary([1, 2, 3]))])
    }
}
