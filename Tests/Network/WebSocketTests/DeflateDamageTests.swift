import Testing
import WebSocket

@Suite("permessage-deflate: damage and limits")
struct DeflateDamageTests {
    struct Violation: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var violation: ProtocolViolation
        var code: UInt16
        var testDescription: String { name }
    }

    static let cases = [
        Violation(
            name: "RSV1 on a continuation",
            bytes: [0x41, 3, 0xF2, 0x48, 0xCD, 0xC0],
            violation: .reservedBits(0x40),
            code: 1002
        ),
        Violation(name: "RSV1 on a ping", bytes: [0xC9], violation: .reservedBits(0x40), code: 1002),
        Violation(name: "RSV1 on a close", bytes: [0xC8], violation: .reservedBits(0x40), code: 1002),
        Violation(name: "RSV2", bytes: [0xA1], violation: .reservedBits(0x20), code: 1002),
        Violation(name: "RSV1 and RSV3", bytes: [0xD1], violation: .reservedBits(0x10), code: 1002),
        Violation(
            name: "a block of the reserved type",
            bytes: [0xC1, 1, 0x07],
            violation: .damagedCompression,
            code: 1007
        ),
        Violation(
            name: "lengths of a stored block that disagree",
            bytes: [0xC1, 5, 0x00, 0x05, 0x00, 0xFB, 0xFF],
            violation: .damagedCompression,
            code: 1007
        ),
        Violation(
            name: "a message that is cut",
            bytes: [0xC1, 3, 0xF2, 0x48, 0xCD],
            violation: .damagedCompression,
            code: 1007
        ),
        Violation(
            name: "a stored block that is cut",
            bytes: [0xC2, 7, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65],
            violation: .damagedCompression,
            code: 1007
        ),
        Violation(name: "no byte at all", bytes: [0xC1, 0], violation: .damagedCompression, code: 1007),
        Violation(
            name: "a reference to what was never sent",
            bytes: [0xC1, 5, 0xF2, 0x00, 0x11, 0x00, 0x00],
            violation: .damagedCompression,
            code: 1007
        ),
        // A stored block of FF.
        Violation(
            name: "text that is not UTF-8",
            bytes: [0xC1, 8, 0x00, 0x02, 0x00, 0xFD, 0xFF, 0x61, 0xFF, 0x00],
            violation: .invalidUTF8,
            code: 1007
        ),
        // A stored block of E2 82.
        Violation(
            name: "text that ends in a character",
            bytes: [0xC1, 8, 0x00, 0x02, 0x00, 0xFD, 0xFF, 0xE2, 0x82, 0x00],
            violation: .invalidUTF8,
            code: 1007
        ),
    ]

    @Test("what may not be fails the connection, however it is cut", arguments: cases)
    func violations(_ violation: Violation) throws {
        for outcome in try feedInEveryWay(violation.bytes + [0x81, 1, 0x61], to: compressingClient()) {
            #expect(outcome.events == [.failed(.violation(violation.violation))])
            #expect(outcome.output.first == 0x88 && outcome.expectsClose)
            #expect(UInt16(outcome.output[6]) << 8 | UInt16(outcome.output[7]) == violation.code)
        }
    }

    @Test("without agreement RSV1 is an error")
    func withoutAgreement() throws {
        for outcome in try feedInEveryWay([0xC1, 1, 0], to: openClient()) {
            #expect(outcome.events == [.failed(.violation(.reservedBits(0x40)))])
        }
        var server = compressingServer("permessage-deflate", nil)
        server.receive([0xC1, 0x81, 0, 0, 0, 0, 0])
        #expect(server.takeEvents() == [.failed(.violation(.reservedBits(0x40)))])
    }

    @Test("text fails as soon as its first wrong byte has arrived")
    func failsEarly() throws {
        var client = try compressingClient()
        // A stored block of 100 bytes, of which the second one is wrong.
        client.receive([0xC1, 106, 0x00, 100, 0x00, 155, 0xFF, 0x61])
        #expect(client.takeEvents() == [])
        client.receive([0xFF])
        #expect(client.takeEvents() == [.failed(.violation(.invalidUTF8))])
    }

    /// What `count` bytes become when zlib compresses them, as the frames of a server.
    private func frame(_ payload: [UInt8]) -> [UInt8] {
        var server = compressingServer()
        server.send(.binary(payload))
        return server.takeOutput()
    }

    @Test(
        "a message may be as long as the limit when it is decompressed, and no byte longer",
        arguments: [1, 1000, 40_000]
    )
    func limit(length: Int) throws {
        let limits = ConnectionLimits {
            $0.maximumFrameLength = length + 100
            $0.maximumMessageLength = length
        }
        let good = [UInt8](repeating: 0x61, count: length)
        for outcome in try feedInEveryWay(frame(good), to: compressingClient(limits: limits)) {
            #expect(outcome.events == [.message(.binary(good))])
        }
        for outcome in try feedInEveryWay(frame(good + [0x61]), to: compressingClient(limits: limits)) {
            #expect(outcome.events == [.failed(.violation(.messageTooLong(limit: length)))])
            #expect(outcome.output[6...7] == [0x03, 0xF1])
        }
    }

    @Test("a bomb is refused before it is unpacked")
    func bomb() throws {
        // A megabyte in a kilobyte, 256 times.
        let part = frame([UInt8](repeating: 0, count: 1 << 20)).dropFirst(4) + [0x00, 0x00, 0xFF, 0xFF]
        #expect(part.count < 1100)
        let payload = Array(repeatElement(part, count: 256).joined())
        let head = FrameHeader(opcode: .binary, payloadLength: payload.count, reservedBits: FrameHeader.compressedBit)
        var bomb: [UInt8] = []
        head.append(to: &bomb)
        bomb += payload
        let limits = ConnectionLimits(bytes: 1 << 20)
        var client = try compressingClient(limits: limits)
        let before = try ResidentMemory.resetPeak()
        client.receive(bomb)
        #expect(client.takeEvents() == [.failed(.violation(.messageTooLong(limit: 1 << 20)))])
        #expect(try ResidentMemory.peakKilobytes() - before < 16 << 10)
    }

    @Test("endless blocks that hold nothing keep nothing")
    func emptyBlocks() throws {
        var client = try compressingClient(limits: ConnectionLimits { $0.maximumMessageLength = 10 })
        let block: [UInt8] = [0x00, 0x00, 0x00, 0xFF, 0xFF]
        let fragment: [UInt8] = [0x41, 100] + Array(repeatElement(block, count: 20).joined())
        client.receive(fragment)
        for _ in 0..<1000 { client.receive([0x00, 100] + fragment.dropFirst(2)) }
        client.receive([0x80, 1, 0x00])
        #expect(client.takeEvents() == [.text("")])
    }

    @Test("mutated streams never crash, and end the same way however they are cut", arguments: 0..<40)
    func mutations(seed: Int) throws {
        var random = SeededRandomness(seed: UInt64(seed) + 991)
        let limits = ConnectionLimits {
            $0.maximumFrameLength = 5000
            $0.maximumMessageLength = 8000
        }
        for _ in 0..<15 {
            var server = compressingServer()
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                let length = [0, 1, 50, 1000, 7000].randomElement(using: &random) ?? 0
                if Bool.random(using: &random) {
                    server.send(.text(String(repeating: "aüb", count: length / 4)))
                } else {
                    server.send(.binary((0..<length).map { _ in UInt8.random(in: 0...2, using: &random) }))
                }
            }
            var bytes = server.takeOutput()
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            let outcomes = try feedInEveryWay(bytes, to: compressingClient(limits: limits))
            for outcome in outcomes { #expect(outcome == outcomes[0]) }
        }
    }
}
