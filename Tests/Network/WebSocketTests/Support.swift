import WebSocket

/// Yields the given numbers, then zeros: every random choice of a connection is known.
struct FixedRandomness: RandomNumberGenerator, Sendable {
    var numbers: [UInt64] = []

    mutating func next() -> UInt64 { numbers.isEmpty ? 0 : numbers.removeFirst() }
}

/// A small linear congruential generator, so that random tests are the same in every run.
struct SeededRandomness: RandomNumberGenerator, Sendable {
    var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }
}

/// The answer to a key of sixteen zero bytes, computed with Python's hashlib.
let zeroKey = "AAAAAAAAAAAAAAAAAAAAAA=="
let zeroKeyAccept = "ICX+Yqv66kxgM0FcWaLWlFLwTAI="

let acceptingAnswer = """
    HTTP/1.1 101 Switching Protocols\r
    Upgrade: websocket\r
    Connection: Upgrade\r
    Sec-WebSocket-Accept: \(zeroKeyAccept)\r
    \r

    """

/// A client whose handshake is done and whose events and output are empty.
func openClient(limits: ConnectionLimits = ConnectionLimits(), masks: [UInt64] = []) throws -> Connection {
    var client = try Connection(
        request: HandshakeRequest(host: "example"),
        limits: limits,
        randomness: FixedRandomness(numbers: [0, 0] + masks)
    )
    _ = client.takeOutput()
    client.receive(Array(acceptingAnswer.utf8))
    _ = client.takeEvents()
    return client
}

/// A server whose handshake is done and whose events and output are empty.
func openServer(limits: ConnectionLimits = ConnectionLimits()) -> Connection {
    var server = Connection(limits: limits)
    let request = """
        GET / HTTP/1.1\r\nHost: example\r\nUpgrade: websocket\r\nConnection: Upgrade\r
        Sec-WebSocket-Key: \(zeroKey)\r\nSec-WebSocket-Version: 13\r\n\r\n
        """
    server.receive(Array(request.utf8))
    _ = server.takeOutput()
    _ = server.takeEvents()
    return server
}

/// What a connection said and sent.
struct Outcome: Equatable {
    var events: [ConnectionEvent]
    var output: [UInt8]
    var expectsClose: Bool
}

/// Gives the bytes whole, one by one, and in random pieces to one connection after the other.
func feedInEveryWay(_ bytes: [UInt8], to connection: @autoclosure () throws -> Connection) rethrows -> [Outcome] {
    var random = SeededRandomness(seed: UInt64(bytes.count))
    let pieceLengths: [() -> Int] = [
        { max(bytes.count, 1) }, { 1 }, { 2 }, { 3 },
        { Int.random(in: 1...7, using: &random) }, { Int.random(in: 1...4000, using: &random) },
    ]
    return try pieceLengths.map { nextLength in
        var receiver = try connection()
        var outcome = Outcome(events: [], output: [], expectsClose: false)
        var start = 0
        while start < bytes.count {
            let end = min(start + nextLength(), bytes.count)
            receiver.receive(Array(bytes[start..<end]))
            outcome.events += receiver.takeEvents()
            outcome.output += receiver.takeOutput()
            start = end
        }
        outcome.expectsClose = receiver.expectsClose
        return outcome
    }
}

extension ConnectionEvent {
    static func text(_ text: String) -> ConnectionEvent { .message(.text(text)) }
}
