import Testing
import WebSocket

@Suite("Frames")
struct FramingTests {
    @Test(
        "a client's message goes out masked, with the shortest length",
        arguments: [
            (0, [0x81, 0x80]), (125, [0x81, 0xFD]), (126, [0x81, 0xFE, 0x00, 0x7E]),
            (65_535, [0x81, 0xFE, 0xFF, 0xFF]),
            (65_536, [0x81, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] as [(Int, [UInt8])]
    )
    func clientFrames(length: Int, header: [UInt8]) throws {
        var client = try openClient(masks: [0x0403_0201])
        client.send(WebSocketMessage(.text, [UInt8](repeating: 0x20, count: length)))
        let masked = (0..<length).map { 0x20 ^ UInt8($0 % 4 + 1) }
        #expect(client.takeOutput() == header + [1, 2, 3, 4] + masked)
    }

    @Test("every frame has its own key")
    func freshKeys() throws {
        var client = try openClient(masks: [0x01, 0x02])
        client.send(.binary([0]))
        client.send(.binary([0]))
        #expect(client.takeOutput() == [0x82, 0x81, 1, 0, 0, 0, 1, 0x82, 0x81, 2, 0, 0, 0, 2])
    }

    @Test("a message in two parts is the same frame as in one", arguments: [0, 1, 13, 200, 70_000])
    func parts(length: Int) throws {
        let (head, body) = ([UInt8](0..<13), (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        for isServer in [true, false] {
            func end() throws -> Connection { try isServer ? openServer() : openClient(masks: [0x0403_0201]) }
            var whole = try end()
            var parts = try end()
            whole.send(.binary(head + body))
            parts.send(OutgoingMessage(.binary, head: head, body))
            let (expected, found) = (whole.takeOutput(), parts.takeOutput())
            #expect(found == expected)
        }
    }

    @Test("output can be taken in pieces of any size")
    func outputInPieces() throws {
        func sender() throws -> Connection {
            var sender = try openClient(masks: [0x99AA_BBCC, 0x1234_5678])
            sender.send(.binary((0..<1000).map { UInt8(truncatingIfNeeded: $0) }))
            sender.ping([1, 2, 3])
            return sender
        }
        var whole = try sender()
        let expected = whole.takeOutput()
        for pieceLength in [1, 2, 3, 7, 64, 1001] {
            var pieces = try sender()
            var bytes: [UInt8] = []
            while pieces.outputByteCount > 0 {
                var buffer = [UInt8](repeating: 0, count: pieceLength)
                let count = buffer.withUnsafeMutableBytes { pieces.writeOutput(into: $0) }
                bytes += buffer[..<count]
            }
            #expect(bytes == expected)
        }
    }

    @Test(
        "messages of every length form arrive, however they are cut",
        arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_001]
    )
    func serverFrames(length: Int) throws {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var server = openServer()
        server.send(.binary(payload))
        for outcome in try feedInEveryWay(server.takeOutput(), to: openClient()) {
            #expect(outcome.events == [.message(.binary(payload))])
            #expect(outcome.output.isEmpty && !outcome.expectsClose)
        }
    }

    @Test("a server unmasks what a client sends", arguments: [0, 1, 125, 126, 65_535, 65_536])
    func clientToServer(length: Int) throws {
        var client = try openClient(masks: [0xDEAD_BEEF])
        client.send(.text(String(repeating: "x", count: length)))
        for outcome in feedInEveryWay(client.takeOutput(), to: openServer()) {
            #expect(outcome.events == [.text(String(repeating: "x", count: length))])
        }
    }

    @Test("nothing is sent before the handshake or after the close")
    func refusesToSend() throws {
        var early = try Connection(request: HandshakeRequest(host: "example"))
        _ = early.takeOutput()
        #expect(early.send(.text("x")) == false)
        #expect(early.ping() == false)
        #expect(early.takeOutput() == [])
        var late = try openClient()
        late.close()
        _ = late.takeOutput()
        #expect(late.send(.text("x")) == false)
        #expect(late.ping() == false)
        #expect(late.takeOutput() == [])
    }

    struct Violation: Sendable, CustomTestStringConvertible {
        var bytes: [UInt8]
        var violation: ProtocolViolation
        var code: UInt16 = 1002
        var testDescription: String { "\(violation)" }
    }

    @Test(
        "what RFC 6455 forbids fails the connection with a close frame",
        arguments: [
            Violation(bytes: [0xC1], violation: .reservedBits(0x40)),
            Violation(bytes: [0xA1], violation: .reservedBits(0x20)),
            Violation(bytes: [0x91], violation: .reservedBits(0x10)),
            Violation(bytes: [0x83], violation: .reservedOpcode(3)),
            Violation(bytes: [0x87], violation: .reservedOpcode(7)),
            Violation(bytes: [0x8B], violation: .reservedOpcode(11)),
            Violation(bytes: [0x8F], violation: .reservedOpcode(15)),
            Violation(bytes: [0x09], violation: .fragmentedControlFrame),
            Violation(bytes: [0x08], violation: .fragmentedControlFrame),
            Violation(bytes: [0x89, 126], violation: .controlFrameTooLong),
            Violation(bytes: [0x88, 127], violation: .controlFrameTooLong),
            Violation(bytes: [0x81, 0x80], violation: .maskedFrame),
            Violation(bytes: [0x82, 126, 0, 125], violation: .nonMinimalLength),
            Violation(bytes: [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], violation: .nonMinimalLength),
            Violation(bytes: [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], violation: .invalidLength),
            Violation(bytes: [0x80, 0], violation: .unexpectedContinuation),
            Violation(bytes: [0x01, 0, 0x81, 0], violation: .messageInsideMessage),
            Violation(bytes: [0x01, 1, 0x61, 0x82, 0], violation: .messageInsideMessage),
            Violation(bytes: [0x88, 1, 3], violation: .truncatedClosePayload),
            Violation(bytes: [0x88, 2, 0x03, 0xEC], violation: .invalidCloseCode(1004)),
            Violation(bytes: [0x88, 2, 0x03, 0xED], violation: .invalidCloseCode(1005)),
            Violation(bytes: [0x88, 2, 0, 0], violation: .invalidCloseCode(0)),
            Violation(bytes: [0x88, 2, 0x0B, 0xB7], violation: .invalidCloseCode(2999)),
            Violation(bytes: [0x88, 2, 0x13, 0x88], violation: .invalidCloseCode(5000)),
            Violation(bytes: [0x88, 3, 0x03, 0xE8, 0xFF], violation: .invalidUTF8, code: 1007),
            Violation(bytes: [0x81, 1, 0x80], violation: .invalidUTF8, code: 1007),
            Violation(bytes: [0x82, 126, 0x03, 0xE9], violation: .frameTooLong(length: 1001, limit: 1000), code: 1009),
            Violation(
                bytes: [0x82, 127, 0x7F, 255, 255, 255, 255, 255, 255, 255],
                violation: .frameTooLong(length: .max, limit: 1000),
                code: 1009
            ),
        ]
    )
    func violations(_ violation: Violation) throws {
        let limits = ConnectionLimits {
            $0.maximumFrameLength = 1000
            $0.maximumMessageLength = 1500
        }
        // Whatever follows is ignored.
        for outcome in try feedInEveryWay(violation.bytes + [0x81, 0x01, 0x61], to: openClient(limits: limits)) {
            #expect(outcome.events == [.failed(.violation(violation.violation))])
            #expect(outcome.expectsClose)
            #expect(outcome.output.first == 0x88)
            let code = UInt16(outcome.output[6]) << 8 | UInt16(outcome.output[7])
            #expect(code == violation.code)
            #expect(outcome.output.count - 6 <= 125)
        }
    }

    @Test("a server refuses an unmasked frame")
    func unmaskedFrame() {
        for outcome in feedInEveryWay([0x81, 0x01, 0x61], to: openServer()) {
            #expect(outcome.events == [.failed(.violation(.unmaskedFrame))])
            #expect(outcome.output.starts(with: [0x88]))
        }
    }

    @Test("fragments together are held to the limit before their payload is awaited")
    func messageLimit() throws {
        let limits = ConnectionLimits {
            $0.maximumFrameLength = 1000
            $0.maximumMessageLength = 1500
        }
        let first = [0x02, 126, 0x03, 0xE8] + [UInt8](repeating: 0, count: 1000)
        for outcome in try feedInEveryWay(first + [0x80, 126, 0x01, 0xF5], to: openClient(limits: limits)) {
            #expect(outcome.events == [.failed(.violation(.messageTooLong(limit: 1500)))])
        }
        let last = [0x80, 126, 0x01, 0xF4] + [UInt8](repeating: 0, count: 500)
        for outcome in try feedInEveryWay(first + last, to: openClient(limits: limits)) {
            #expect(outcome.events == [.message(.binary([UInt8](repeating: 0, count: 1500)))])
        }
    }
}
