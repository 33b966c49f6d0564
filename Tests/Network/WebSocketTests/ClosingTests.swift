import Testing
import WebSocket

@Suite("Closing")
struct ClosingTests {
    @Test("the peer's close is answered with its code, and what follows is ignored")
    func peerCloses() throws {
        let bytes: [UInt8] = [0x88, 5, 0x03, 0xE9, 0x62, 0x79, 0x65] + [0x81, 1, 0x61] + [0xFF, 0xFF]
        for outcome in try feedInEveryWay(bytes, to: openClient()) {
            #expect(outcome.events == [.closed(CloseFrame(code: .goingAway, reason: "bye"), initiator: .peer)])
            #expect(outcome.output == [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE9])
            #expect(outcome.expectsClose)
        }
    }

    @Test("a close without a code is answered without a code")
    func emptyClose() throws {
        for outcome in try feedInEveryWay([0x88, 0], to: openClient()) {
            #expect(outcome.events == [.closed(CloseFrame(), initiator: .peer)])
            #expect(outcome.output == [0x88, 0x80, 0, 0, 0, 0])
        }
    }

    @Test("a close inside a fragmented message is a close, not an error")
    func closeInsideMessage() throws {
        for outcome in try feedInEveryWay([0x01, 1, 0x61, 0x88, 2, 0x03, 0xE8], to: openClient()) {
            #expect(outcome.events == [.closed(CloseFrame(code: .normal), initiator: .peer)])
            #expect(outcome.output == [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8])
        }
    }

    private func closingClient() throws -> Connection {
        var client = try openClient()
        client.close()
        _ = client.takeOutput()
        return client
    }

    @Test("our close: data is ignored until the answer comes")
    func weClose() throws {
        var client = try openClient()
        #expect(client.expectsClose == false)
        client.close(.normal, reason: "done")
        #expect(client.takeOutput() == [0x88, 0x86, 0, 0, 0, 0, 0x03, 0xE8, 0x64, 0x6F, 0x6E, 0x65])
        #expect(client.expectsClose == true)
        client.close()
        #expect(client.takeOutput() == [])
        // A message, a fragment, a ping; then the answer.
        for outcome in try feedInEveryWay([0x81, 1, 0xFF, 0x00, 0, 0x89, 0, 0x88, 2, 0x03, 0xE8], to: closingClient()) {
            #expect(outcome.events == [.ping([]), .closed(CloseFrame(code: .normal), initiator: .local)])
            #expect(outcome.output.isEmpty)
        }
    }

    @Test("a server ends TCP after the close, a client waits for it")
    func whoEndsTheStream() throws {
        var client = try openClient()
        var server = openServer()
        client.close()
        server.receive(client.takeOutput())
        #expect(server.takeEvents() == [.closed(CloseFrame(code: .normal), initiator: .peer)])
        #expect(server.mustClose == true)
        client.receive(server.takeOutput())
        #expect(client.takeEvents() == [.closed(CloseFrame(code: .normal), initiator: .local)])
        #expect(client.expectsClose == true)
        #expect(client.mustClose == false)
        client.receiveEOF()
        #expect(client.takeEvents() == [])
    }

    @Test("every code that may be sent is taken", arguments: [1000, 1003, 1007, 1014, 3000, 4999] as [UInt16])
    func codes(code: UInt16) throws {
        let bytes = [0x88, 2, UInt8(code >> 8), UInt8(code & 0xFF)]
        for outcome in try feedInEveryWay(bytes, to: openClient()) {
            #expect(outcome.events == [.closed(CloseFrame(code: CloseCode(rawValue: code)), initiator: .peer)])
        }
    }

    @Test("a long reason is cut at a character")
    func longReason() throws {
        var client = try openClient()
        client.close(.normal, reason: String(repeating: "é", count: 100))
        let output = client.takeOutput()
        #expect(output[1] == 0x80 | 124 && output.count == 6 + 124)
        var other = try openClient()
        other.close(.normal, reason: String(repeating: "e", count: 200))
        #expect(other.takeOutput().count == 6 + 125)
    }

    /// RFC 6455, 7.4.1.
    @Test("codes have the numbers of the RFC")
    func numbers() {
        let codes: [CloseCode] = [
            .normal, .goingAway, .protocolError, .invalidPayload, .messageTooBig, .internalError,
        ]
        #expect(codes.map(\.rawValue) == [1000, 1001, 1002, 1007, 1009, 1011])
        for code in [999, 1004, 1005, 1006, 1015, 1016, 2999, 5000] as [UInt16] {
            #expect(!CloseCode(rawValue: code).isAllowedOnWire)
        }
    }

    @Test(
        "a stream that ends without a close is a failure",
        arguments: [
            ([], false), ([0x81], true), ([0x81, 5, 0x61], true), ([0x81, 2, 0x61], true), ([0x01, 1, 0x61], false),
        ] as [([UInt8], Bool)]
    )
    func unexpectedEnd(bytes: [UInt8], insideFrame: Bool) throws {
        var client = try openClient()
        client.receive(bytes)
        client.receiveEOF()
        #expect(client.takeEvents() == [.failed(.ended(insideFrame: insideFrame))])
        #expect(client.expectsClose == true)
        client.receiveEOF()
        #expect(client.takeEvents() == [])
    }
}
