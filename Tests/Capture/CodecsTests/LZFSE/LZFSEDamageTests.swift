import Codecs
import TestSupport
import Testing

@Suite struct LZFSEDamageTests {
    private static func refuse(_ stream: [UInt8], _ byteCount: Int, _ reason: String) {
        let error = #expect(throws: CodecError.self, "\(reason)") {
            try LZFSE.decode(stream, byteCount: byteCount)
        }
        #expect(error?.reason.contains(reason) == true, "\(error.map(String.init(describing:)) ?? "")")
    }

    @Test func hostileBlocksAreRefused() {
        let (end, long) = (HandmadeLZFSE.end, HandmadeLZFSE.long)
        Self.refuse([], 0, "the end of the stream")
        Self.refuse(Array("bvx?".utf8), 0, "expected a block")
        Self.refuse(end, 1, "expected 1 bytes in the stream, found 0")
        Self.refuse(HandmadeLZFSE.stored([1, 2]) + end, 1, "expected 1 bytes in the stream")
        Self.refuse(HandmadeLZFSE.stored([1, 2]), 2, "the end of the stream")
        Self.refuse(Array("bvx-".utf8) + long(0xFFFF_FFFF), 100, "the end of the stream")
        Self.refuse(Array("bvxn".utf8) + long(0xFFFF_FFFF) + long(8) + HandmadeLZFSE.lzvnEnd, 100, "expected 100 bytes")
        Self.refuse(Array("bvxn".utf8) + long(1) + long(0xFFFF_FFFF), 1, "the end of the stream")
        Self.refuse(Array("bvx2".utf8) + [UInt8](repeating: 0xFF, count: 60), 9, "does not fit")
        Self.refuse(Array("bvx1".utf8) + [UInt8](repeating: 0xFF, count: 900), 9, "no block has")
        #expect(throws: CodecError.self) { try LZFSE.decode(end, byteCount: -1) }
    }

    @Test func hostileInstructionsAreRefused() {
        func refuse(_ instructions: [UInt8], _ count: Int, _ reason: String) {
            Self.refuse(HandmadeLZFSE.lzvn(instructions, holds: count) + HandmadeLZFSE.end, count, reason)
        }
        let end = HandmadeLZFSE.lzvnEnd
        for code: UInt8 in [0x1E, 0x26, 0x2E, 0x36, 0x3E, 0x70, 0x7F, 0xD0, 0xDF] {
            refuse([code] + end, 0, "unknown instruction \(code)")
        }
        refuse([0xE2, 1, 2, 0xF1] + end, 3, "found 0")
        refuse([0xE2, 1, 2, 0x00, 3] + end, 5, "a distance up to 2, found 3")
        refuse([0xE2, 1, 2, 0x00, 0] + end, 5, "a distance up to 2, found 0")
        refuse([0xE2, 1, 2, 0x07, 0xFF, 0xFF] + end, 5, "found 65535")
        refuse([0xE3, 1, 2] + end, 2, "more bytes than the block holds")
        refuse([0xE9, 1, 2], 9, "more bytes than the block holds")
        refuse([0xE2, 1, 2], 2, "ends inside an instruction")
        refuse([0xE2, 1, 2] + end + [0], 2, "1 bytes that are left")
        refuse([0xE2, 1, 2] + end.dropLast() + [1], 2, "another byte")
        refuse([0xE2, 1, 2] + end, 3, "expected 3 bytes in the block, found 2")
    }

    @Test func mutatedStreamsAreRefusedOrWhole() throws {
        var generator = SeededRandomNumbers(seed: 17)
        var original = HandmadeLZFSE.stored(Array(0..<40))
        let made = HandmadeLZFSE.randomLZVN(after: Array(0..<40), count: 60, using: &generator)
        original += HandmadeLZFSE.lzvn(made.instructions, holds: made.plain.count) + HandmadeLZFSE.end
        var taken = 0
        for _ in 0..<20_000 {
            let stream = mutated(original, words: ["bvx-", "bvx1", "bvx2", "\u{6}\0\0\0\0\0\0\0"], using: &generator)
            guard let output = try? LZFSE.decode(stream, byteCount: 40 + made.plain.count) else { continue }
            taken += 1
            #expect(output.count == 40 + made.plain.count)
        }
        #expect((100..<20_000).contains(taken))
    }
}
