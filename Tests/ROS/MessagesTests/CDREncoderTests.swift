import Messages
import TestSupport
import Testing

@Suite("Writing CDR")
struct CDREncoderTests {
    @Test("is appended after whatever is there, aligned from its own header")
    func appending() {
        let message = RandomFiller.message(of: CameraInfo.self, seed: 5)
        for prefix in 0..<9 {
            var bytes = [UInt8](repeating: 0xAA, count: prefix)
            message.appendCDR(to: &bytes)
            #expect(Array(bytes[..<prefix]) == [UInt8](repeating: 0xAA, count: prefix))
            #expect(Array(bytes[prefix...]) == message.encodedCDR())
        }
    }

    @Test("the size is known without encoding, for every type", arguments: [1, 2, 3] as [UInt64])
    func sizes(seed: UInt64) {
        func check<M: Message>(_ type: M.Type) {
            let message = RandomFiller.message(of: type, seed: seed)
            #expect(message.encodedCDRSize == message.encodedCDR().count)
            #expect(M().encodedCDRSize == M().encodedCDR().count)
        }
        for type in MessageTypes.all + testTypes { check(type) }
    }

    @Test("a message without fields is one byte, in sequences too")
    func emptyMessages() {
        #expect(EmptyMessage().encodedCDR() == [0, 1, 0, 0, 0])
        var message = WithEmpty()
        message.b = 7
        message.c = [Empty(), Empty(), Empty()]
        #expect(message.encodedCDR() == [UInt8](hexadecimal: "0001 0000 00 000000 07000000 03000000 000000"))
    }

    @Test("an array without elements needs no alignment for them")
    func emptySequence() {
        var message = Seqs()
        message.a = [1]
        // After a's one byte, b's count is aligned to 4 but its absent doubles are not.
        let text =
            "0001 0000 01000000 01 000000 00000000 00000000 00000000 0000 0000 0000 0000 01000000 00"
            + "000000 00000000 00000000 00000000"
        #expect(message.encodedCDR() == [UInt8](hexadecimal: text))
    }
}
