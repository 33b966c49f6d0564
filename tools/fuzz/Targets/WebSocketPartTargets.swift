import WebSocket

/// One parser at a time, with nothing around it that costs time: for runs of ten million inputs and more.
///
/// ``webSocketClient`` and the others check in addition that nothing depends on how the bytes are cut.
extension FuzzTarget {
    /// Frames of a client to a server, whose handshake is over.
    static let webSocketFrames = FuzzTarget(
        name: "websocket-frames",
        seeds: {
            [
                [0x81, 0x85, 1, 2, 3, 4, 0x69, 0x67, 0x6F, 0x68, 0x6E], [0x82, 0xFE, 0, 200, 0, 0, 0, 0],
                [0x01, 0x81, 0, 0, 0, 0, 0x61, 0x89, 0x80, 0, 0, 0, 0, 0x80, 0x81, 0, 0, 0, 0, 0x62],
                [0x88, 0x82, 0, 0, 0, 0, 3, 0xE8], [0x82, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
                [0x8A, 0x80, 0, 0, 0, 0],
            ]
        },
        dictionary: ["\u{0}\u{0}\u{0}\u{0}", "ü", "😀"],
        run: { input in
            var connection = Connection(limits: limits)
            connection.receive(request)
            connection.receive(Array(input))
            connection.receiveEOF()
            var size = 0
            for case .message(let message) in connection.takeEvents() { size += message.payload.count }
            require(size <= input.count, "messages that are longer than their frames")
        }
    )

    /// The head of a request at a server, and of an answer at a client: the first byte says which.
    static let webSocketHandshake = FuzzTarget(
        name: "websocket-handshake",
        seeds: { [[0] + request, [1] + answer, [1] + Array("HTTP/1.1 503 Busy\r\nRetry-After: 3\r\n\r\n".utf8)] },
        dictionary: [
            "HTTP/1.1 101 Switching Protocols\r\n", "GET / HTTP/1.1\r\n", "Upgrade: websocket\r\n", "\r\n\r\n",
            "Connection: Upgrade\r\n", "Sec-WebSocket-Version: 13\r\n", "Location: ", "WWW-Authenticate: ",
        ],
        run: { input in
            guard let first = input.first else { return }
            let bytes = Array(input.dropFirst())
            if first & 1 == 0 {
                feed(bytes, Connection(limits: limits))
            } else if let client = try? Connection(request: handshake, limits: limits, randomness: Zeros()) {
                feed(bytes, client)
            }
        }
    )

    /// What a client takes for compressed text: the frame around it is right.
    static let webSocketInflate = FuzzTarget(
        name: "websocket-inflate",
        seeds: {
            [
                [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
                [0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
                [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00], [0xF2, 0x00, 0x11, 0x00, 0x00],
            ]
        },
        dictionary: [],
        run: { input in
            guard
                var connection = try? Connection(
                    request: handshake,
                    limits: limits,
                    compression: .zlib(),
                    randomness: Zeros()
                )
            else { return }
            connection.receive(compressedAnswer)
            let count = min(input.count, 4096)
            connection.receive([0xC2, 126, UInt8(count >> 8), UInt8(count & 255)] + input.prefix(count))
            for case .message(let message) in connection.takeEvents() {
                require(message.payload.count <= limits.maximumMessageLength, "more than the limit")
            }
        }
    )

    private static let limits = ConnectionLimits {
        $0.maximumFrameLength = 4096
        $0.maximumMessageLength = 8192
    }
    private static let handshake = HandshakeRequest(host: "example")
    /// The key of sixteen zero bytes, and the answer to it.
    private static let request = Array(
        ("GET / HTTP/1.1\r\nHost: example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n").utf8
    )
    private static let answer = Array(answerText(extensions: "").utf8)
    private static let compressedAnswer = Array(
        answerText(extensions: "Sec-WebSocket-Extensions: permessage-deflate\r\n").utf8
    )

    private static func answerText(extensions: String) -> String {
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n\(extensions)\r\n"
    }

    private struct Zeros: RandomNumberGenerator, Sendable {
        mutating func next() -> UInt64 { 0 }
    }

    private static func feed(_ bytes: [UInt8], _ connection: consuming Connection) {
        connection.receive(bytes)
        connection.receiveEOF()
        _ = connection.takeEvents()
    }
}
