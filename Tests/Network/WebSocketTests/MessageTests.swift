import Testing
import WebSocket

@Suite("Messages")
struct MessageTests {
    @Test("fragments are joined, with control frames between them")
    func fragments() throws {
        let bytes: [UInt8] =
            [0x01, 2, 0x48, 0x65] + [0x89, 2, 0x70, 0x71] + [0x00, 2, 0x6C, 0x6C] + [0x8A, 0] + [0x00, 0]
            + [0x80, 1, 0x6F]
        for outcome in try feedInEveryWay(bytes, to: openClient()) {
            #expect(outcome.events == [.ping([0x70, 0x71]), .pong([]), .text("Hello")])
            #expect(outcome.output == [0x8A, 0x82, 0, 0, 0, 0, 0x70, 0x71])
        }
    }

    @Test("thousands of tiny fragments make one message")
    func manyFragments() throws {
        var bytes: [UInt8] = [0x02, 1, 0xAB]
        for _ in 0..<5000 { bytes += [0x00, 1, 0xAB] }
        bytes += [0x80, 0]
        for outcome in try feedInEveryWay(bytes, to: openClient()) {
            #expect(outcome.events == [.message(.binary([UInt8](repeating: 0xAB, count: 5001)))])
        }
    }

    @Test("a ping is answered with its own payload, a pong with nothing", arguments: [0, 1, 125])
    func ping(length: Int) throws {
        let payload = (0..<length).map { UInt8($0) }
        for outcome in try feedInEveryWay([0x89, UInt8(length)] + payload, to: openClient()) {
            #expect(outcome.events == [.ping(payload)])
            #expect(outcome.output == [0x8A, 0x80 | UInt8(length), 0, 0, 0, 0] + payload)
        }
        for outcome in try feedInEveryWay([0x8A, UInt8(length)] + payload, to: openClient()) {
            #expect(outcome.events == [.pong(payload)] && outcome.output.isEmpty)
        }
    }

    @Test("pongs that are not taken do not pile up; once they are, pings are answered again")
    func pingFlood() throws {
        var client = try openClient()
        let ping: [UInt8] = [0x89, 2, 1, 2]
        for _ in 0..<100_000 { client.receive(ping) }
        #expect(client.outputByteCount > 0 && client.outputByteCount < 10_000)
        _ = client.takeOutput()
        client.receive(ping)
        #expect(client.takeOutput() == [0x8A, 0x82, 0, 0, 0, 0, 1, 2])
    }

    @Test("our ping")
    func ownPing() throws {
        var client = try openClient(masks: [0x01])
        #expect(client.ping([0xFF]) == true)
        #expect(client.takeOutput() == [0x89, 0x81, 1, 0, 0, 0, 0xFE])
        #expect(client.ping([UInt8](repeating: 0, count: 126)) == false)
    }

    /// Valid text, among it the first and last code point of each length (RFC 3629, 3).
    static let validTexts = [
        "", "κόσμε", "\u{80}", "\u{7FF}", "\u{800}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}", "\u{D7FF}\u{E000}",
        "ascii then ünïcödé then ascii again, long enough for the words", "😀😀",
    ]

    @Test("text is accepted wherever it is cut, between bytes and between fragments", arguments: validTexts)
    func validText(text: String) throws {
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            let frames = [0x01, UInt8(cut)] + bytes[..<cut] + [0x80, UInt8(bytes.count - cut)] + bytes[cut...]
            for outcome in try feedInEveryWay(frames, to: openClient()) {
                #expect(outcome.events == [.text(text)])
            }
        }
    }

    /// Sequences that are wrong, and how many bytes it takes to know (Unicode, table 3-7).
    static let invalidTexts: [([UInt8], Int)] = [
        ([0x80], 1), ([0xBF], 1), ([0xC0, 0x80], 1), ([0xC1, 0xBF], 1), ([0xF5, 0x80], 1), ([0xFE], 1), ([0xFF], 1),
        ([0xE0, 0x9F, 0xBF], 2), ([0xED, 0xA0, 0x80], 2), ([0xF0, 0x8F, 0xBF, 0xBF], 2), ([0xF4, 0x90, 0x80, 0x80], 2),
        ([0xE2, 0x28, 0xA1], 2), ([0xC3, 0x28], 2), ([0xF0, 0x9F, 0x98, 0x41], 4), ([0xE2, 0x82, 0xC3], 3),
    ]

    @Test("wrong text fails at its first impossible byte", arguments: invalidTexts, [0, 3, 8, 16])
    func invalidText(wrong: ([UInt8], Int), asciiCount: Int) throws {
        let bytes = [UInt8](repeating: 0x61, count: asciiCount) + wrong.0
        var client = try openClient()
        client.receive([0x81, 100] + bytes[..<(asciiCount + wrong.1 - 1)])
        #expect(client.takeEvents() == [])
        client.receive([bytes[asciiCount + wrong.1 - 1]])
        #expect(client.takeEvents() == [.failed(.violation(.invalidUTF8))])
        #expect(client.takeOutput()[6...7] == [0x03, 0xEF])
    }

    @Test(
        "text that ends inside a character fails",
        arguments: [[0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98]] as [[UInt8]]
    )
    func incompleteText(bytes: [UInt8]) throws {
        for outcome in try feedInEveryWay([0x81, UInt8(bytes.count)] + bytes, to: openClient()) {
            #expect(outcome.events == [.failed(.violation(.invalidUTF8))])
        }
    }

    @Test("binary data need not be UTF-8")
    func binary() throws {
        for outcome in try feedInEveryWay([0x82, 2, 0xFF, 0xC0], to: openClient()) {
            #expect(outcome.events == [.message(.binary([0xFF, 0xC0]))])
        }
    }
}
