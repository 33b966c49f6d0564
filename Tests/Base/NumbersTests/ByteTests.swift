import Platform
import Testing

@Suite("Numbers in bytes")
struct ByteTests {
    private static let bytes: [UInt8] = [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0xFF]

    private func read<Result>(_ order: ByteOrder, _ body: (inout ByteReader) -> Result) -> Result {
        Self.bytes.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes, order)
            return body(&reader)
        }
    }

    @Test("The order of the bytes decides")
    func order() {
        #expect(read(.little) { $0.uint16(at: 0) } == 0x0201)
        #expect(read(.big) { $0.uint16(at: 0) } == 0x0102)
        #expect(read(.little) { $0.uint32(at: 1) } == 0x0504_0302)
        #expect(read(.big) { $0.uint32(at: 1) } == 0x0203_0405)
        #expect(read(.little) { $0.uint64(at: 0) } == 0x0807_0605_0403_0201)
        #expect(read(.big) { $0.integer(at: 7, as: Int16.self) } == 0x08FF)
        #expect(read(.big) { $0.integer(at: 8, as: Int8.self) } == -1)
    }

    @Test("A read that is not wholly within the bytes gives nil", arguments: [-1, 8, 9, .max, .min])
    func bounds(_ offset: Int) {
        #expect(read(.little) { $0.uint16(at: offset) } == nil)
        #expect(read(.big) { $0.uint64(at: offset) } == nil)
    }

    @Test("Numbers one after the other, until one does not fit; what did not fit is not skipped")
    func cursor() {
        read(.little) { reader in
            #expect(reader.next(UInt32.self) == 0x0403_0201)
            #expect(reader.take(3).map(Array.init) == [5, 6, 7])
            #expect(reader.next(UInt32.self) == nil)
            #expect(reader.take(3) == nil)
            #expect(reader.take(-1) == nil)
            #expect((reader.position, reader.remaining) == (7, 2))
            #expect(reader.next(UInt16.self) == 0xFF08)
            #expect(reader.take(0)?.count == 0)
            #expect(reader.next(UInt8.self) == nil)
        }
    }

    @Test("What is appended is what is read")
    func writing() {
        var bytes: [UInt8] = [9]
        bytes.appendInteger(UInt16(0x0102))
        bytes.appendInteger(Int32(-2), .big)
        #expect(bytes == [9, 2, 1, 0xFF, 0xFF, 0xFF, 0xFE])
        bytes.replaceInteger(at: 3, with: UInt16(0x0304), .big)
        #expect(bytes == [9, 2, 1, 3, 4, 0xFF, 0xFE])
        bytes.replaceInteger(at: 6, with: UInt16(0x0506))
        #expect(bytes == [9, 2, 1, 3, 4, 0xFF, 6])
        #expect([UInt8].integer(UInt64(1), .big) == [0, 0, 0, 0, 0, 0, 0, 1])
    }
}
