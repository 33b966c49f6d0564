import WebSocket

extension FuzzTarget {
    /// What a server may send to a client, in pieces whose length the first byte gives.
    static let webSocketClient = FuzzTarget(
        name: "websocket-client",
        seeds: { webSocketSeeds(isClient: true) },
        dictionary: webSocketWords,
        run: { input in checkPieces(input) { client() } }
    )

    /// What a client may send to a server.
    static let webSocketServer = FuzzTarget(
        name: "websocket-server",
        seeds: { webSocketSeeds(isClient: false) },
        dictionary: webSocketWords,
        run: { input in checkPieces(input) { Connection(limits: limits) } }
    )

    private static let limits = ConnectionLimits {
        $0.maximumFrameLength = 4096
        $0.maximumMessageLength = 8192
    }

    private static let webSocketWords = [
        "HTTP/1.1 101 Switching Protocols\r\n", "GET / HTTP/1.1\r\n", "Upgrade: websocket\r\n", "\r\n\r\n",
        "Connection: Upgrade\r\n", "Sec-WebSocket-Version: 13\r\n", "\u{0}\u{0}\u{0}\u{0}", "ü",
    ]

    /// The key of sixteen zero bytes, and the answer to it.
    private static let key = "AAAAAAAAAAAAAAAAAAAAAA=="
    private static let answer =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n\r\n"
    private static let request =
        "GET / HTTP/1.1\r\nHost: example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: 13\r\n\r\n"

    private struct Zeros: RandomNumberGenerator, Sendable {
        mutating func next() -> UInt64 { 0 }
    }

    private static func client() -> Connection {
        let request = HandshakeRequest(host: "example")
        guard let client = try? Connection(request: request, limits: limits, randomness: Zeros()) else {
            preconditionFailure("a request that cannot be made")
        }
        return client
    }

    /// However the bytes are cut, the same is said and sent.
    private static func checkPieces(_ input: UnsafeRawBufferPointer, _ connection: () -> Connection) {
        guard let length = input.first else { return }
        let bytes = Array(input.dropFirst())
        let whole = outcome(bytes, pieceLength: max(1, bytes.count), connection())
        let pieces = outcome(bytes, pieceLength: Int(length) + 1, connection())
        require(whole.events == pieces.events, "other events when the bytes come in pieces")
        require(whole.output == pieces.output, "other answers when the bytes come in pieces")
    }

    private static func outcome(
        _ bytes: [UInt8],
        pieceLength: Int,
        _ connection: consuming Connection
    ) -> (events: [ConnectionEvent], output: [UInt8]) {
        var events: [ConnectionEvent] = []
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: pieceLength) {
            connection.receive(Array(bytes[start..<min(bytes.count, start + pieceLength)]))
            events += connection.takeEvents()
            output += connection.takeOutput()
        }
        connection.receiveEOF()
        return (events + connection.takeEvents(), output + connection.takeOutput())
    }

    /// The handshake, and every kind of frame after it.
    private static func webSocketSeeds(isClient: Bool) -> [[UInt8]] {
        var sender = isClient ? Connection(limits: limits) : client()
        sender.receive(Array((isClient ? request : answer).utf8))
        let head = sender.takeOutput()
        _ = sender.takeEvents()
        var seeds: [[UInt8]] = [head]
        let messages: [WebSocketMessage] = [
            .text("hello"), .text("ü😀"), .binary([1, 2, 3]), .binary([UInt8](repeating: 7, count: 300)),
        ]
        for message in messages {
            sender.send(message)
            seeds.append(head + sender.takeOutput())
        }
        sender.ping([1, 2])
        seeds.append(head + sender.takeOutput())
        sender.close(.goingAway, reason: "bye")
        seeds.append(head + sender.takeOutput())
        return seeds.flatMap { [[0] + $0, [255] + $0] }
    }
}
