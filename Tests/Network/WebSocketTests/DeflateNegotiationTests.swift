import Testing
import WebSocket

@Suite("Negotiation of permessage-deflate")
struct DeflateNegotiationTests {
    private func request(_ options: DeflateOptions?) throws -> String {
        var client = try Connection(request: HandshakeRequest(host: "h"), compression: options)
        return String(decoding: client.takeOutput(), as: UTF8.self)
    }

    @Test("a client that is not asked to compress offers nothing")
    func noOffer() throws {
        #expect(try !request(nil).contains("Extensions"))
    }

    static let offers: [(DeflateOptions, String)] = [
        (.zlib(), "permessage-deflate; client_max_window_bits"),
        (
            .zlib().with { $0.windowBits = 9 },
            "permessage-deflate; client_max_window_bits=9"
        ),
        (
            .zlib().with {
                $0.peerKeepsContext = false
                $0.keepsContext = false
                $0.peerWindowBits = 10
            },
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=10; "
                + "client_max_window_bits"
        ),
    ]

    @Test("a client offers what it wants", arguments: 0..<offers.count)
    func offer(index: Int) throws {
        let (options, offer) = Self.offers[index]
        #expect(try request(options).contains("\r\nSec-WebSocket-Extensions: \(offer)\r\n"))
    }

    struct Answer: Sendable, CustomTestStringConvertible {
        var offer = DeflateOptions.zlib()
        var answer: String
        var agreed: DeflateParameters?
        var testDescription: String { answer }
    }

    private func events(_ answer: Answer) throws -> ([ConnectionEvent], DeflateParameters?) {
        var client = try Connection(
            request: HandshakeRequest(host: "h"),
            compression: answer.offer,
            randomness: FixedRandomness()
        )
        client.receive(Array((acceptingAnswer.dropLast(1) + answer.answer + "\r\n\r\n").utf8))
        return (client.takeEvents(), client.compressionParameters)
    }

    static let name = "Sec-WebSocket-Extensions: permessage-deflate"
    static let goodAnswers = [
        Answer(answer: "X: y", agreed: nil),
        Answer(answer: "Sec-WebSocket-Extensions: ", agreed: nil),
        Answer(answer: name, agreed: .init()),
        Answer(answer: "sec-websocket-extensions:\t, permessage-deflate ,,", agreed: .init()),
        Answer(answer: "\(name);server_no_context_takeover", agreed: .init(serverNoContextTakeover: true)),
        Answer(answer: "\(name) ; client_no_context_takeover", agreed: .init(clientNoContextTakeover: true)),
        Answer(answer: "\(name); server_max_window_bits=8", agreed: .init(serverMaxWindowBits: 8)),
        Answer(answer: "\(name); client_max_window_bits=15", agreed: .init(clientMaxWindowBits: .bits(15))),
        Answer(answer: "\(name); client_max_window_bits=\"10\"", agreed: .init(clientMaxWindowBits: .bits(10))),
        Answer(answer: "\(name); client_max_window_bits=\"1\\0\"", agreed: .init(clientMaxWindowBits: .bits(10))),
        Answer(
            offer: .zlib().with { $0.peerWindowBits = 12 },
            answer: "\(name); server_max_window_bits=11",
            agreed: .init(serverMaxWindowBits: 11)
        ),
        Answer(offer: .zlib().with { $0.windowBits = 12 }, answer: name, agreed: .init()),
    ]

    @Test("a client takes what RFC 7692 lets a server answer", arguments: goodAnswers)
    func goodAnswer(_ answer: Answer) throws {
        let (events, agreed) = try events(answer)
        guard case .opened = events.first else {
            Issue.record("expected the connection to open, found \(events)")
            return
        }
        #expect(agreed == answer.agreed)
    }

    static let badAnswers = [
        Answer(answer: "\(name); server_no_context_takeover=1"),
        Answer(answer: "\(name); server_no_context_takeover; server_no_context_takeover"),
        Answer(answer: "\(name); client_max_window_bits"),
        Answer(answer: "\(name); client_max_window_bits=7"),
        Answer(answer: "\(name); client_max_window_bits=16"),
        Answer(answer: "\(name); client_max_window_bits=010"),
        Answer(answer: "\(name); client_max_window_bits=+9"),
        Answer(answer: "\(name); server_max_window_bits"),
        Answer(answer: "\(name); server_max_window_bits=9; server_max_window_bits=9"),
        Answer(answer: "\(name); Server_No_Context_Takeover"),
        Answer(answer: "\(name); unknown"),
        Answer(offer: .zlib().with { $0.windowBits = 10 }, answer: "\(name); client_max_window_bits=11"),
        Answer(offer: .zlib().with { $0.peerWindowBits = 10 }, answer: "\(name)"),
        Answer(offer: .zlib().with { $0.peerWindowBits = 10 }, answer: "\(name); server_max_window_bits=11"),
        Answer(offer: .zlib().with { $0.peerKeepsContext = false }, answer: "\(name)"),
    ]

    @Test("a client fails when the answer does not agree with its offer", arguments: badAnswers)
    func badAnswer(_ answer: Answer) throws {
        guard case .failed(.handshake(.wrongExtensionParameters)) = try events(answer).0.first else {
            Issue.record("expected wrong parameters, found \(try events(answer))")
            return
        }
    }

    @Test("a client fails when the server agrees to something else, or twice")
    func otherExtensions() throws {
        let twice = "\(Self.name), permessage-deflate"
        #expect(
            try events(Answer(answer: twice)).0
                == [.failed(.handshake(.unrequestedExtension("permessage-deflate")))]
        )
        let other = "Sec-WebSocket-Extensions: x-webkit-deflate-frame"
        #expect(
            try events(Answer(answer: other)).0
                == [.failed(.handshake(.unrequestedExtension("x-webkit-deflate-frame")))]
        )
    }

    static let malformedValues = [
        ";", "a;", "a;;b", "a=b", "a; b=", "a; b=\"", "a; b=\"\"", "a; b=\"c d\"", "a b", "a; b c", "\"a\"",
        "a; b=\"c\\",
        "(", "a; b=c; =d",
    ]

    @Test("what the grammar does not allow fails the connection of either end", arguments: malformedValues)
    func malformed(value: String) throws {
        let answer = Answer(answer: "Sec-WebSocket-Extensions: \(value)")
        #expect(try events(answer).0 == [.failed(.handshake(.malformedExtensions(value)))])
        var server = Connection()
        server.receive(deflateRequest(value))
        #expect(server.takeEvents() == [.failed(.handshake(.malformedExtensions(value)))])
        #expect(String(decoding: server.takeOutput(), as: UTF8.self).hasPrefix("HTTP/1.1 400 "))
    }

    struct Offer: Sendable, CustomTestStringConvertible {
        var options = DeflateOptions.zlib()
        var offer: String
        var answer: String?
        var testDescription: String { offer }
    }

    static let serverOffers = [
        Offer(offer: "permessage-deflate", answer: "permessage-deflate"),
        Offer(offer: "permessage-deflate; client_max_window_bits", answer: "permessage-deflate"),
        Offer(
            offer: "permessage-deflate; client_max_window_bits=10",
            answer: "permessage-deflate; client_max_window_bits=10"
        ),
        Offer(
            offer: "permessage-deflate; server_max_window_bits=10; server_no_context_takeover",
            answer: "permessage-deflate; server_no_context_takeover; server_max_window_bits=10"
        ),
        Offer(
            offer: "permessage-deflate; client_no_context_takeover",
            answer: "permessage-deflate; client_no_context_takeover"
        ),
        // What cannot be taken is declined, and the next one looked at (RFC 7692, 5.1 and 7.1).
        Offer(offer: "permessage-deflate; unknown", answer: nil),
        Offer(offer: "permessage-deflate; server_max_window_bits", answer: nil),
        Offer(offer: "permessage-deflate; server_max_window_bits=16", answer: nil),
        Offer(offer: "permessage-deflate; client_max_window_bits=7", answer: nil),
        Offer(offer: "permessage-deflate; client_no_context_takeover=x", answer: nil),
        Offer(offer: "permessage-deflate; client_no_context_takeover; client_no_context_takeover", answer: nil),
        Offer(offer: "x-webkit-deflate-frame", answer: nil),
        Offer(
            offer: "x-other; a=\"b\", permessage-deflate; unknown, permessage-deflate; server_max_window_bits=9",
            answer: "permessage-deflate; server_max_window_bits=9"
        ),
        Offer(
            offer: "permessage-deflate; server_max_window_bits=8, permessage-deflate",
            answer: "permessage-deflate; server_max_window_bits=8"
        ),
        // What the server wants itself.
        Offer(
            options: .zlib().with {
                $0.windowBits = 11
                $0.peerWindowBits = 10
                $0.keepsContext = false
                $0.peerKeepsContext = false
            },
            offer: "permessage-deflate; client_max_window_bits",
            answer: "permessage-deflate; server_no_context_takeover; client_no_context_takeover; "
                + "server_max_window_bits=11; client_max_window_bits=10"
        ),
        Offer(
            options: .zlib().with {
                $0.windowBits = 11
                $0.peerWindowBits = 10
            },
            offer: "permessage-deflate; server_max_window_bits=9; client_max_window_bits=9",
            answer: "permessage-deflate; server_max_window_bits=9; client_max_window_bits=9"
        ),
        Offer(
            options: .zlib().with { $0.peerWindowBits = 10 },
            offer: "permessage-deflate",
            answer: "permessage-deflate"
        ),
    ]

    @Test("a server answers the first offer that it can take", arguments: serverOffers)
    func serverAnswer(_ offer: Offer) {
        for outcome in feedInEveryWay(deflateRequest(offer.offer), to: Connection(compression: offer.options)) {
            let answer = String(decoding: outcome.output, as: UTF8.self)
            let lines = answer.split(separator: "\r\n").filter { $0.hasPrefix("Sec-WebSocket-Extensions") }
            #expect(lines == (offer.answer.map { ["Sec-WebSocket-Extensions: \($0)"] } ?? []))
            #expect(answer.hasPrefix("HTTP/1.1 101 "))
        }
    }

    private static let wishes: [DeflateOptions] = [8, 11, 15].flatMap { own in
        [8, 10, 15].flatMap { peer in
            [(true, true), (true, false), (false, true), (false, false)].map { keepsOwn, keepsPeer in
                DeflateOptions.zlib().with {
                    ($0.windowBits, $0.peerWindowBits) = (own, peer)
                    ($0.keepsContext, $0.peerKeepsContext) = (keepsOwn, keepsPeer)
                }
            }
        }
    }

    @Test("whatever two ends of ours want, they agree, and neither gets less than it asked for")
    func everyWish() throws {
        for clientWish in Self.wishes {
            for serverWish in Self.wishes {
                var client = try Connection(request: HandshakeRequest(host: "h"), compression: clientWish)
                var server = Connection(compression: serverWish)
                server.receive(client.takeOutput())
                client.receive(server.takeOutput())
                let parameters = client.compressionParameters
                let agreed = try #require(parameters)
                #expect(server.compressionParameters == agreed)
                #expect(agreed.serverNoContextTakeover == !(serverWish.keepsContext && clientWish.peerKeepsContext))
                #expect(agreed.clientNoContextTakeover == !(clientWish.keepsContext && serverWish.peerKeepsContext))
                #expect(agreed.serverMaxWindowBits ?? 15 == min(serverWish.windowBits, clientWish.peerWindowBits))
                guard case .bits(let bits) = agreed.clientMaxWindowBits ?? .bits(15) else {
                    Issue.record("expected a number of bits in an answer")
                    continue
                }
                #expect(bits == min(clientWish.windowBits, serverWish.peerWindowBits))
            }
        }
    }

    @Test("a server that does not compress ignores every offer")
    func unwilling() {
        var server = Connection()
        server.receive(deflateRequest("permessage-deflate"))
        #expect(!String(decoding: server.takeOutput(), as: UTF8.self).contains("Extensions"))
        #expect(server.isOpen == true)
        #expect(server.compressionParameters == nil)
    }
}
