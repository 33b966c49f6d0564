import Messages
import Testing

/// What a decoder takes of hostile input before it believes it.
@Suite("CDR limits")
struct CDRLimitTests {
    struct List<Element: Message>: Message {
        static var typeName: String { "t/msg/List" }
        var items: [Element] = []

        mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
            try visitor.field("items", &items)
        }
    }

    /// The fewest bytes of each type by hand: fields without gaps, four for a sequence or a text, one for nothing at all.
    @Test(
        "a count is believed as far as there is room for the smallest elements",
        arguments: [
            (Align.self, 26), (Seqs.self, 38), (Inner.self, 9), (Nest.self, 36), (Empty.self, 1), (WithEmpty.self, 9),
            (Floats.self, 24), (Bytes.self, 12),
        ] as [(any Message.Type, Int)]
    )
    func counts(type: any Message.Type, minimum: Int) throws {
        func expected<Element: Message>(_ type: Element.Type, room: Int, count: UInt8) -> String {
            let bytes = [0, 1, 0, 0, count, 0, 0, 0] + [UInt8](repeating: 0, count: room)
            do throws(CDRError) {
                _ = try List<Element>.decoding(cdr: bytes)
                return "nothing"
            } catch {
                return error.path == "items[0]" ? error.expected : ""
            }
        }
        #expect(expected(type, room: 5 * minimum, count: 6) == "a count of at most 5 elements")
        #expect(expected(type, room: 5 * minimum, count: 5) != "a count of at most 5 elements")
        #expect(expected(type, room: 5 * minimum - 1, count: 5) == "a count of at most 4 elements")
    }

    @Test("what is left is told, and nothing is aligned for no elements")
    func steps() throws {
        let bytes: [UInt8] = [0, 1, 0, 0] + (1...12).map { UInt8($0) }
        try bytes.withUnsafeBytes { memory in
            var decoder = try CDRDecoder(memory)
            #expect(decoder.remainingBytes == 12)
            #expect(try decoder.take(1, elementSize: 2).elementsEqual([1, 2]))
            #expect(decoder.remainingBytes == 10)
            #expect(try decoder.take(0, elementSize: 8).isEmpty)
            #expect(decoder.remainingBytes == 10)
            #expect(try decoder.take(1, elementSize: 4).elementsEqual([5, 6, 7, 8]))
            let error = #expect(throws: CDRError.self) { try decoder.take(1, elementSize: 8) }
            #expect(error?.expected == "8 bytes from byte 12")
            #expect(try decoder.take(4, elementSize: 1).elementsEqual([9, 10, 11, 12]))
            #expect(decoder.remainingBytes == 0)
            let end = #expect(throws: CDRError.self) { try decoder.take(3, elementSize: 2) }
            #expect(end?.description == "CDR: byte 16: expected 6 bytes from byte 16, found the end")
            // A header alone is one; three bytes are none.
            #expect(try CDRDecoder(UnsafeRawBufferPointer(rebasing: memory[..<4])).remainingBytes == 0)
            let short = #expect(throws: CDRError.self) {
                try CDRDecoder(UnsafeRawBufferPointer(rebasing: memory[..<3]))
            }
            #expect(short?.expected == "a header of 4 bytes" && short?.offset == 3)
        }
    }
}
