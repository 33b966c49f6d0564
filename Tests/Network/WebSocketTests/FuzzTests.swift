import Testing
import WebSocket

@Suite("Random input")
struct FuzzTests {
    @Test("mutated streams never crash, and end the same way however they are cut", arguments: 0..<40)
    func mutatedFrames(seed: Int) throws {
        var random = SeededRandomness(seed: UInt64(seed) + 1)
        let limits = ConnectionLimits {
            $0.maximumFrameLength = 5000
            $0.maximumMessageLength = 8000
        }
        for _ in 0..<25 {
            var bytes = validStream(&random)
            for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            let outcomes = try feedInEveryWay(bytes, to: openClient(limits: limits))
            for outcome in outcomes { #expect(outcome == outcomes[0]) }
        }
    }

    /// A few frames as a server would send them, of random kinds and lengths.
    private func validStream(_ random: inout SeededRandomness) -> [UInt8] {
        var server = openServer()
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let length = [0, 1, 125, 126, 300, 4000].randomElement(using: &random) ?? 0
            switch Int.random(in: 0...3, using: &random) {
            case 0: server.send(.text(String(repeating: "ü", count: length / 2)))
            case 1: server.send(.binary([UInt8](repeating: 0x81, count: length)))
            case 2: server.ping([UInt8](repeating: 7, count: min(length, 125)))
            default: if length == 0 { server.close(.goingAway, reason: "bye") }
            }
        }
        return server.takeOutput()
    }

    @Test("mutated answers to the handshake never crash", arguments: 0..<20)
    func mutatedAnswers(seed: Int) throws {
        var random = SeededRandomness(seed: UInt64(seed) + 77)
        for _ in 0..<25 {
            var bytes = Array(acceptingAnswer.utf8)
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            let outcomes = try feedInEveryWay(
                bytes,
                to: Connection(request: HandshakeRequest(host: "h"), randomness: FixedRandomness())
            )
            for outcome in outcomes { #expect(outcome.events == outcomes[0].events) }
        }
    }
}
