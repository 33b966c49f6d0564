import WebSocket

/// A client that has agreed on compression with a server, as the answer says; its events and output are empty.
func compressingClient(
    _ answer: String = "permessage-deflate",
    _ options: DeflateOptions = .everything,
    limits: ConnectionLimits = ConnectionLimits()
) throws -> Connection {
    var client = try Connection(
        request: HandshakeRequest(host: "example"),
        limits: limits,
        compression: options,
        randomness: FixedRandomness()
    )
    _ = client.takeOutput()
    let head = acceptingAnswer.dropLast(1) + "Sec-WebSocket-Extensions: \(answer)\r\n\r\n"
    client.receive(Array(head.utf8))
    _ = client.takeEvents()
    return client
}

/// A server that was offered compression; its events and output are empty.
func compressingServer(
    _ offer: String = "permessage-deflate",
    _ options: DeflateOptions? = .everything,
    limits: ConnectionLimits = ConnectionLimits()
) -> Connection {
    var server = Connection(limits: limits, compression: options)
    server.receive(deflateRequest(offer))
    _ = server.takeOutput()
    _ = server.takeEvents()
    return server
}

func deflateRequest(_ offer: String) -> [UInt8] {
    let text = """
        GET / HTTP/1.1\r\nHost: example\r\nUpgrade: websocket\r\nConnection: Upgrade\r
        Sec-WebSocket-Key: \(zeroKey)\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Extensions: \(offer)\r\n\r\n
        """
    return Array(text.utf8)
}

extension DeflateOptions {
    /// Compresses even the shortest message.
    static var everything: DeflateOptions {
        var options = DeflateOptions.zlib(level: 6)
        options.minimumLength = 0
        return options
    }

    func with(_ change: (inout DeflateOptions) -> Void) -> DeflateOptions {
        var options = self
        change(&options)
        return options
    }
}

/// The payload of the one frame that a server sends, which has to be short.
func shortPayload(_ frame: [UInt8]) -> [UInt8] { Array(frame.dropFirst(2)) }
