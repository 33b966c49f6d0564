import Testing
import WebSocket

@Suite("Opening handshake")
struct HandshakeTests {
    @Test("the request has what RFC 6455 asks for, and what we add")
    func request() throws {
        var request = HandshakeRequest(host: "robot:9090", target: "/bridge?token=1", subprotocols: ["a", "b"])
        request.fields = [
            .init("X-Trace", "7"), HandshakeRequest.basicAuthorization(user: "Aladdin", password: "open sesame"),
        ]
        var client = try Connection(request: request, randomness: FixedRandomness(numbers: [0, 0]))
        let expected = """
            GET /bridge?token=1 HTTP/1.1\r
            Host: robot:9090\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: \(zeroKey)\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Protocol: a, b\r
            X-Trace: 7\r
            Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r
            \r

            """
        #expect(String(decoding: client.takeOutput(), as: UTF8.self) == expected)
    }

    @Test(
        "fields that would break the request are refused",
        arguments: [
            HTTPField("X-A", "1\r\nX-B: 2"), HTTPField("X A", "1"), HTTPField("", "1"), HTTPField("Upgrade", "h2c"),
            HTTPField("sec-websocket-key", "x"), HTTPField("X-A", "\u{0}"),
        ]
    )
    func invalidField(field: HTTPField) {
        #expect(throws: HandshakeError.invalidField(field.name)) {
            _ = try Connection(request: HandshakeRequest(host: "h", fields: [field]))
        }
    }

    @Test("a path that would break the request is refused", arguments: ["", "x", "/a b", "/\r\n"])
    func invalidPath(path: String) {
        #expect(throws: HandshakeError.invalidField("path")) {
            _ = try Connection(request: HandshakeRequest(host: "h", target: path))
        }
    }

    private func client(subprotocols: [String] = []) throws -> Connection {
        var client = try Connection(
            request: HandshakeRequest(host: "example", subprotocols: subprotocols),
            limits: ConnectionLimits { $0.maximumHeadLength = 1000 },
            randomness: FixedRandomness(numbers: [0, 0])
        )
        _ = client.takeOutput()
        return client
    }

    @Test("the right answer opens the connection, and bytes behind it are frames")
    func opens() throws {
        for outcome in try feedInEveryWay(Array(acceptingAnswer.utf8) + [0x81, 1, 0x61], to: client()) {
            guard case .opened(let response) = outcome.events.first else {
                Issue.record("expected the connection to open, found \(outcome.events)")
                continue
            }
            #expect(response.subprotocol == nil && response.fields.count == 3)
            #expect(outcome.events.dropFirst() == [.text("a")])
        }
    }

    @Test("names and tokens are compared without regard to case, and lists are searched")
    func tolerance() throws {
        let answer =
            "HTTP/1.1 101 \r\nupgrade:WebSocket\r\nCONNECTION: keep-alive , UPGRADE\r\nsec-websocket-accept:\t"
            + "\(zeroKeyAccept) \r\nsec-websocket-protocol: b\r\nServer: x:y\r\n\r\n"
        for outcome in try feedInEveryWay(Array(answer.utf8), to: client(subprotocols: ["a", "b"])) {
            guard case .opened(let response) = outcome.events.first else {
                Issue.record("expected the connection to open, found \(outcome.events)")
                continue
            }
            #expect(response.subprotocol == "b")
        }
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var answer: String
        var error: HandshakeError
        var testDescription: String { "\(error)" }
    }

    static let good = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: \(zeroKeyAccept)"]

    static func answer(_ status: String, _ fields: [String]) -> String {
        ([status] + fields + ["", ""]).joined(separator: "\r\n")
    }

    static let refusals = [
        Refusal(
            answer: answer("HTTP/1.1 404 Not Found", []),
            error: .refused(HandshakeRefusal(status: 404, reason: "Not Found"))
        ),
        Refusal(
            answer: answer("HTTP/1.1 401 Unauthorized", good),
            error: .refused(HandshakeRefusal(status: 401, reason: "Unauthorized"))
        ),
        Refusal(
            answer: answer("HTTP/1.1 302 Found", ["Location: ws://other/"]),
            error: .refused(HandshakeRefusal(status: 302, reason: "Found", location: "ws://other/"))
        ),
        Refusal(
            answer: answer("HTTP/1.1 401 Unauthorized", ["WWW-Authenticate: Basic realm=\"robot\""]),
            error: .refused(HandshakeRefusal(status: 401, reason: "Unauthorized", challenge: "Basic realm=\"robot\""))
        ),
        Refusal(
            answer: answer("HTTP/1.1 407 Needed", ["WWW-Authenticate: x", "Proxy-Authenticate: Negotiate"]),
            error: .refused(HandshakeRefusal(status: 407, reason: "Needed", challenge: "Negotiate"))
        ),
        Refusal(
            answer: answer("HTTP/1.1 403 Forbidden", ["Content-Length: 3"]) + "no!",
            error: .refused(HandshakeRefusal(status: 403, reason: "Forbidden"))
        ),
        Refusal(
            answer: answer("HTTP/1.1 426 Upgrade Required", ["Sec-WebSocket-Version: 8, 7"]),
            error: .refused(HandshakeRefusal(status: 426, reason: "Upgrade Required", supportedVersions: "8, 7"))
        ),
        Refusal(
            answer: answer("HTTP/1.1 503 Service Unavailable", ["Retry-After: 120"]),
            error: .refused(HandshakeRefusal(status: 503, reason: "Service Unavailable", retryAfter: "120"))
        ),
        Refusal(
            answer: answer("HTTP/1.1 100 Continue", []) + answer("HTTP/1.1 404 Not Found", []),
            error: .refused(HandshakeRefusal(status: 404, reason: "Not Found"))
        ),
        Refusal(
            answer: String(repeating: answer("HTTP/1.1 100 Continue", []), count: 50),
            error: .headTooLong(limit: 1000)
        ),
        Refusal(answer: answer("HTTP/1.1 404 \u{1B}[2J", []), error: .malformedHead("HTTP/1.1 404 \u{1B}[2J")),
        Refusal(answer: answer("HTTP/1.0 200", good), error: .refused(HandshakeRefusal(status: 200, reason: ""))),
        Refusal(answer: answer("HTTP/1.1 101", [good[1], good[2]]), error: .wrongUpgrade(nil)),
        Refusal(answer: answer("HTTP/1.1 101", ["Upgrade: h2", good[1], good[2]]), error: .wrongUpgrade("h2")),
        Refusal(answer: answer("HTTP/1.1 101", [good[0], good[2]]), error: .wrongConnection(nil)),
        Refusal(
            answer: answer("HTTP/1.1 101", [good[0], "Connection: close", good[2]]),
            error: .wrongConnection("close")
        ),
        Refusal(
            answer: answer("HTTP/1.1 101", [good[0], good[1]]),
            error: .wrongAccept(expected: zeroKeyAccept, found: nil)
        ),
        Refusal(
            answer: answer("HTTP/1.1 101", [good[0], good[1], "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="]),
            error: .wrongAccept(expected: zeroKeyAccept, found: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        ),
        Refusal(
            answer: answer("HTTP/1.1 101", good + ["Sec-WebSocket-Extensions: permessage-deflate"]),
            error: .unrequestedExtension("permessage-deflate")
        ),
        Refusal(
            answer: answer("HTTP/1.1 101", good + ["Sec-WebSocket-Protocol: c"]),
            error: .unrequestedSubprotocol("c")
        ),
        Refusal(answer: answer("HTTP/1.1 banana", good), error: .malformedHead("HTTP/1.1 banana")),
        Refusal(answer: answer("HTTP/1.1 101", ["no colon"]), error: .malformedHead("no colon")),
        Refusal(answer: answer("HTTP/1.1 101", ["Folded: a", " b: c"]), error: .malformedHead(" b: c")),
        Refusal(answer: "SSH-2.0-OpenSSH_9.2\r\n", error: .notHTTP("S")),
        Refusal(answer: "HTTP/2 200", error: .notHTTP("HTTP/2")),
        Refusal(
            answer: "HTTP/1.1 101 X\r\nA: \(String(repeating: "x", count: 1000))",
            error: .headTooLong(limit: 1000)
        ),
    ]

    @Test("every other answer is an error that says what came", arguments: refusals)
    func refused(_ refusal: Refusal) throws {
        for outcome in try feedInEveryWay(Array(refusal.answer.utf8), to: client()) {
            #expect(outcome.events == [.failed(.handshake(refusal.error))])
            #expect(outcome.output.isEmpty && outcome.expectsClose)
        }
    }

    @Test("answers that announce another one are passed over")
    func interim() throws {
        let announced =
            Self.answer("HTTP/1.1 100 Continue", []) + Self.answer("HTTP/1.1 103 Early Hints", ["Link: </x>"])
        for outcome in try feedInEveryWay(Array((announced + acceptingAnswer).utf8), to: client()) {
            guard case .opened = outcome.events.first else {
                Issue.record("expected the connection to open, found \(outcome.events)")
                continue
            }
        }
    }

    @Test(
        "a refusal says what the server said about a way on",
        arguments: [
            (HandshakeRefusal(status: 404, reason: "Not Found"), "404 Not Found"),
            (HandshakeRefusal(status: 404), "404"),
            (HandshakeRefusal(status: 307, reason: "R", location: "wss://b/"), "307 R, which points to wss://b/"),
            (HandshakeRefusal(status: 401, reason: "U", challenge: "Bearer"), "401 U, which asks for Bearer"),
            (
                HandshakeRefusal(status: 503, reason: "S", retryAfter: "30"),
                "503 S, which says to come back after 30 seconds"
            ),
            (
                HandshakeRefusal(status: 503, reason: "S", retryAfter: "Fri, 31 Dec 1999 23:59:59 GMT"),
                "503 S, which says to come back after Fri, 31 Dec 1999 23:59:59 GMT"
            ),
            (HandshakeRefusal(status: 426, reason: "U", supportedVersions: "8"), "426 U, which speaks version 8"),
        ]
    )
    func refusalText(refusal: HandshakeRefusal, text: String) {
        #expect("\(refusal)" == "answer: expected 101 Switching Protocols, found \(text)")
    }

    @Test("what a server says at length is shortened")
    func longRefusal() {
        let refusal = HandshakeRefusal(status: 404, reason: String(repeating: "x", count: 10_000))
        #expect("\(refusal)".count < 300)
        #expect(refusal.retryAfterSeconds == nil)
        #expect(HandshakeRefusal(status: 503, retryAfter: "7").retryAfterSeconds == 7)
        #expect(HandshakeRefusal(status: 503, retryAfter: "99999999999999999999").retryAfterSeconds == nil)
    }

    @Test("a stream that ends inside the answer is an error", arguments: [0, 1, 50])
    func endsEarly(length: Int) throws {
        var client = try client()
        client.receive(Array(acceptingAnswer.utf8.prefix(length)))
        client.receiveEOF()
        #expect(client.takeEvents() == [.failed(.handshake(.ended))])
        #expect(client.mustClose == true)
    }
}
