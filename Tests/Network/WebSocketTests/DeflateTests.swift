import Testing
import WebSocket

@Suite("permessage-deflate")
struct DeflateTests {
    /// The examples of RFC 7692, 7.2.3: frames and the text they carry.
    static let written: [(name: String, frames: [UInt8], texts: [String])] = [
        ("7.2.3.1", [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], ["Hello"]),
        ("7.2.3.1, fragments", [0x41, 0x03, 0xF2, 0x48, 0xCD, 0x80, 0x04, 0xC9, 0xC9, 0x07, 0x00], ["Hello"]),
        (
            "7.2.3.2",
            [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00],
            ["Hello", "Hello"]
        ),
        (
            "7.2.3.3",
            [0xC1, 0x0B, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00], ["Hello"]
        ),
        ("7.2.3.4", [0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], ["Hello"]),
        (
            "7.2.3.4, with a message that refers to it",
            [0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00, 0xC1, 0x05, 0xF2, 0x00, 0x11, 0x00, 0x00],
            ["Hello", "Hello"]
        ),
        (
            "7.2.3.5",
            [0xC1, 0x0D, 0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00], ["Hello"]
        ),
        ("7.2.3.6", [0xC1, 0x01, 0x00], [""]),
        ("uncompressed between", [0x81, 1, 0x61, 0xC1, 0x01, 0x00, 0x81, 1, 0x62], ["a", "", "b"]),
        (
            "an empty fragment at each place",
            [0x41, 0, 0x00, 3, 0xF2, 0x48, 0xCD, 0x00, 0, 0x00, 4, 0xC9, 0xC9, 0x07, 0x00, 0x80, 0], ["Hello"]
        ),
    ]

    @Test("the examples of RFC 7692 are read, however they are cut", arguments: written.indices)
    func examples(index: Int) throws {
        let example = Self.written[index]
        for outcome in try feedInEveryWay(example.frames, to: compressingClient()) {
            #expect(outcome.events == example.texts.map { .text($0) }, "\(example.name)")
        }
    }

    @Test("a control frame between compressed fragments is what it is")
    func controlBetween() throws {
        let bytes: [UInt8] = [0x41, 3, 0xF2, 0x48, 0xCD, 0x89, 2, 1, 2, 0x80, 4, 0xC9, 0xC9, 0x07, 0x00]
        for outcome in try feedInEveryWay(bytes, to: compressingClient()) {
            #expect(outcome.events == [.ping([1, 2]), .text("Hello")])
            #expect(outcome.output == [0x8A, 0x82, 0, 0, 0, 0, 1, 2])
        }
    }

    @Test("we compress as RFC 7692 shows it, referring to the message before")
    func ours() throws {
        var client = try compressingClient()
        client.send(.text("Hello Hello Hello"))
        client.send(.text("Hello Hello Hello"))
        client.send(.text(""))
        let output = client.takeOutput()
        #expect(output[0] == 0xC1)
        let first = Int(output[1] & 0x7F)
        let second = output.dropFirst(6 + first)
        #expect(second.first == 0xC1)
        // The second one is a reference to the first.
        #expect(Int(second.dropFirst().first ?? 0) & 0x7F < first)
        #expect(output.suffix(7) == [0xC1, 0x81, 0, 0, 0, 0, 0x00])
        var server = compressingServer()
        server.receive(output)
        #expect(server.takeEvents() == [.text("Hello Hello Hello"), .text("Hello Hello Hello"), .text("")])
    }

    @Test("control frames are never compressed")
    func controlFrames() throws {
        var client = try compressingClient()
        client.ping([UInt8](repeating: 0x61, count: 125))
        client.close(.normal, reason: String(repeating: "a", count: 100))
        let output = client.takeOutput()
        #expect(output[0] == 0x89)
        #expect(output[6 + 125] == 0x88)
    }

    static let windows = Array(8...15)

    @Test(
        "both ends understand each other with every window, with and without context",
        arguments: windows,
        [true, false]
    )
    func everyWindow(bits: Int, keepsContext: Bool) throws {
        let options = DeflateOptions.everything.with {
            $0.windowBits = bits
            $0.peerWindowBits = bits
            $0.keepsContext = keepsContext
            $0.peerKeepsContext = keepsContext
        }
        var client = try Connection(request: HandshakeRequest(host: "h"), compression: options)
        var server = Connection(compression: options)
        server.receive(client.takeOutput())
        client.receive(server.takeOutput())
        _ = (client.takeEvents(), server.takeEvents())
        let agreed = server.compressionParameters
        #expect(agreed != nil && agreed == client.compressionParameters)
        #expect(agreed?.serverNoContextTakeover == !keepsContext)
        #expect(agreed?.serverMaxWindowBits == (bits < 15 ? bits : nil))
        var random = SeededRandomness(seed: UInt64(bits))
        for length in [0, 1, 200, 255, 256, 257, 5000, 70_000] {
            let message = WebSocketMessage.binary((0..<length).map { _ in UInt8.random(in: 0...3, using: &random) })
            client.send(message)
            server.receive(client.takeOutput())
            #expect(server.takeEvents() == [.message(message)])
            server.send(message)
            client.receive(server.takeOutput())
            #expect(client.takeEvents() == [.message(message)])
        }
    }

    @Test("without context takeover, equal messages are equal frames")
    func noContext() throws {
        for parameter in ["client_no_context_takeover", ""] {
            var client = try compressingClient("permessage-deflate" + (parameter.isEmpty ? "" : "; \(parameter)"))
            let text = String(repeating: "the same again ", count: 20)
            client.send(.text(text))
            let first = client.takeOutput()
            client.send(.text(text))
            #expect((client.takeOutput() == first) == !parameter.isEmpty)
        }
    }

    @Test("what compression does not make shorter is sent as it is, and the other end can read on")
    func incompressible() throws {
        var client = try compressingClient()
        var server = compressingServer()
        var random = SeededRandomness(seed: 5)
        let noise = WebSocketMessage.binary((0..<3000).map { _ in UInt8.random(in: .min ... .max, using: &random) })
        let text = WebSocketMessage.text(String(repeating: "abc", count: 500))
        for message in [text, noise, text, noise, noise, text] {
            client.send(message)
            let output = client.takeOutput()
            #expect(output[0] == (message == noise ? 0x82 : 0xC1))
            server.receive(output)
            #expect(server.takeEvents() == [.message(message)])
        }
    }

    @Test("short messages are left alone unless one asks for them")
    func minimumLength() throws {
        var client = try compressingClient("permessage-deflate", .zlib())
        client.send(.text(String(repeating: "a", count: 63)))
        #expect(client.takeOutput()[0] == 0x81)
        client.send(.text(String(repeating: "a", count: 64)))
        #expect(client.takeOutput()[0] == 0xC1)
    }

    @Test("levels go from 1 to 9, and 1 is the usual one")
    func levels() {
        #expect(DeflateOptions.zlib().level == 1)
        for (given, taken) in [(-5, 1), (0, 1), (1, 1), (2, 2), (9, 9), (10, 9), (100, 9)] {
            #expect(DeflateOptions.zlib(level: given).level == taken)
        }
    }

    /// Noise that comes again after 600 bytes: who may look back no farther than 512 or 256 has to send it twice.
    @Test(
        "what is sent looks back no farther than the window",
        arguments: [(8, true), (9, true), (10, false), (15, false)]
    )
    func lookBack(bits: Int, isSentTwice: Bool) throws {
        var state: UInt64 = 1
        let noise = (0..<600).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 40)
        }
        let deflater = try #require(ZlibDeflater(level: 9, windowBits: bits))
        let sent = try #require((noise + noise).withUnsafeBytes { deflater.deflate($0) })
        #expect(isSentTwice ? sent.count > 1190 : sent.count < 700, "\(sent.count)")
    }
}
