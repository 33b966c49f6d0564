import WebSocket

extension FuzzTarget {
    /// Frames between two ends that have agreed on compression, in pieces whose length the first byte gives.
    static let webSocketDeflate = FuzzTarget(
        name: "websocket-deflate",
        seeds: { deflateSeeds() },
        dictionary: ["\u{0}\u{0}\u{0}\u{0}", "ü"],
        run: { input in
            guard let first = input.first else { return }
            let bytes = Array(input.dropFirst())
            let whole = outcome(bytes, pieceLength: max(1, bytes.count))
            let pieces = outcome(bytes, pieceLength: Int(first) + 1)
            require(whole.events == pieces.events, "other events when the bytes come in pieces")
            require(whole.output == pieces.output, "other answers when the bytes come in pieces")
            for case .message(let message) in whole.events { checkRoundTrip(message) }
        }
    )

    /// The value of Sec-WebSocket-Extensions, at either end; the first byte says what the ends want.
    static let webSocketExtensions = FuzzTarget(
        name: "websocket-extensions",
        seeds: { extensionTexts.flatMap { text in [[0] + Array(text.utf8), [0xFF] + Array(text.utf8)] } },
        dictionary: [
            "permessage-deflate", "server_no_context_takeover", "client_no_context_takeover",
            "server_max_window_bits=", "client_max_window_bits", "\"10\"", "; ", ", ",
        ],
        run: { input in
            guard let first = input.first else { return }
            let value = String(decoding: input.dropFirst(), as: UTF8.self)
            var server = Connection(limits: limits, compression: options(first))
            server.receive(Array(request(value).utf8))
            var client = client(options(first))
            client.receive(Array(answer(value).utf8))
            // What a server has answered with is what an end like it would have offered or more, and always reads.
            guard let agreed = server.compressionParameters else { return }
            require(agreed.serverMaxWindowBits ?? 15 <= options(first).windowBits, "a larger window than wanted")
        }
    )

    private static let extensionTexts = [
        "permessage-deflate", "permessage-deflate; client_max_window_bits",
        "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
        "permessage-deflate; server_max_window_bits=10; client_max_window_bits=\"9\", permessage-deflate",
        "x-other; a=\"\\b\", , permessage-deflate;unknown",
    ]

    private static let limits = ConnectionLimits {
        $0.maximumFrameLength = 4096
        $0.maximumMessageLength = 8192
    }

    private static func options(_ byte: UInt8) -> DeflateOptions {
        var options = DeflateOptions.zlib()
        options.minimumLength = 0
        options.windowBits = 8 + Int(byte & 7)
        options.keepsContext = byte & 8 == 0
        options.peerWindowBits = 8 + Int(byte >> 4 & 7)
        options.peerKeepsContext = byte & 128 == 0
        return options
    }

    private struct Zeros: RandomNumberGenerator, Sendable {
        mutating func next() -> UInt64 { 0 }
    }

    private static func client(_ options: DeflateOptions) -> Connection {
        let request = HandshakeRequest(host: "example")
        do {
            return try Connection(request: request, limits: limits, compression: options, randomness: Zeros())
        } catch {
            preconditionFailure("a request that cannot be made: \(error)")
        }
    }

    /// The key is that of sixteen zero bytes.
    private static func request(_ extensions: String) -> String {
        "GET / HTTP/1.1\r\nHost: example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Extensions: \(extensions)\r\n\r\n"
    }

    private static func answer(_ extensions: String) -> String {
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\nSec-WebSocket-Extensions: \(extensions)\r\n\r\n"
    }

    private static func openClient() -> Connection {
        var client = client(options(0x77))
        _ = client.takeOutput()
        client.receive(Array(answer("permessage-deflate").utf8))
        _ = client.takeEvents()
        return client
    }

    private static func openServer() -> Connection {
        var server = Connection(limits: limits, compression: options(0x77))
        server.receive(Array(request("permessage-deflate").utf8))
        _ = (server.takeOutput(), server.takeEvents())
        return server
    }

    private static func outcome(
        _ bytes: [UInt8],
        pieceLength: Int
    ) -> (events: [ConnectionEvent], output: [UInt8]) {
        var client = openClient()
        var events: [ConnectionEvent] = []
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: pieceLength) {
            client.receive(Array(bytes[start..<min(bytes.count, start + pieceLength)]))
            events += client.takeEvents()
            output += client.takeOutput()
        }
        client.receiveEOF()
        return (events + client.takeEvents(), output + client.takeOutput())
    }

    /// A message that was received can be sent, and arrives as it is.
    private static func checkRoundTrip(_ message: WebSocketMessage) {
        var server = openServer()
        var client = openClient()
        for _ in 0..<2 { server.send(message) }
        client.receive(server.takeOutput())
        require(client.takeEvents() == [.message(message), .message(message)], "a message that does not come back")
    }

    private static func deflateSeeds() -> [[UInt8]] {
        let messages: [WebSocketMessage] = [
            .text("Hello Hello Hello"), .text(""), .text("ü😀ü😀ü😀"), .binary([UInt8](repeating: 7, count: 5000)),
            .binary((0..<300).map { UInt8(truncatingIfNeeded: $0 &* 77) }),
        ]
        var together = openServer()
        for message in messages { together.send(message) }
        let frames =
            messages.map { message in
                var server = openServer()
                server.send(message)
                return server.takeOutput()
            }
            + [
                together.takeOutput(),
                // Fragments, a stored block, a stream that ends (RFC 7692, 7.2.3).
                [0x41, 0x03, 0xF2, 0x48, 0xCD, 0x80, 0x04, 0xC9, 0xC9, 0x07, 0x00],
                [0xC1, 0x0B, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
                [0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
            ]
        return frames.flatMap { [[0] + $0, [255] + $0] }
    }
}
