import Codecs
import TestSupport
import Testing

@Suite struct EXRDamageTests {
    private static func image(_ width: Int, _ height: Int) throws -> [UInt8] {
        try EXREncoder.encode(
            width: width,
            height: height,
            values: (0..<width * height).map { 1 + Float($0 / 7) * 0.1 }
        )
    }

    @Test func everyCutIsNoticed() throws {
        let bytes = try Self.image(20, 40)
        for count in 0..<bytes.count {
            #expect(throws: CodecError.self, "\(count)") { try EXRImage(decoding: Array(bytes.prefix(count))) }
        }
    }

    /// A wrong byte is an error or an image of the same size: only zlib's checksum guards what is packed.
    @Test func everyFlippedByteIsAnErrorOrAnImage() throws {
        let bytes = try Self.image(20, 40)
        var taken = 0
        for place in bytes.indices {
            for mask: UInt8 in [1, 0x80, 0xFF] {
                var wrong = bytes
                wrong[place] ^= mask
                guard let image = try? EXRImage(decoding: wrong) else { continue }
                taken += 1
                #expect(image.values.count == image.width * image.height && image.values.count <= 820)
            }
        }
        // Of names, the display window and what else is passed over.
        #expect((50..<600).contains(taken), "\(taken)")
    }

    @Test func hostileHeadersAreRefused() throws {
        let bytes = try Self.image(20, 40)
        func place(of text: String) throws -> Int {
            let text = Array(text.utf8)
            return try #require(bytes.indices.first { bytes[$0...].starts(with: text) }) + text.count
        }
        func refused(at place: Int, _ content: [UInt8], _ reason: String) {
            var wrong = bytes
            wrong.replaceSubrange(place..<place + content.count, with: content)
            let error = #expect(throws: CodecError.self, "\(reason)") { try EXRImage(decoding: wrong) }
            #expect(error?.reason.contains(reason) == true, "\(error.map(String.init(describing:)) ?? "")")
        }
        let window = try place(of: "dataWindow\0box2i\0")
        refused(at: 0, [0], "signature")
        refused(at: 4, [1], "version 2")
        refused(at: 5, [2], "tiles")
        refused(at: 5, [8], "deep data")
        refused(at: 5, [16], "several parts")
        refused(at: 5, [0x80], "unknown flags")
        refused(at: window, [255, 255, 255, 255], "the end of the file")
        refused(at: window + 12, [255, 255, 255, 127], "columns and rows")
        refused(at: window + 4, [0, 0, 0, 128], "columns and rows")
        refused(at: window + 12, [0xFF, 0x0F], "found")
        refused(at: try place(of: "compression\0compression\0") + 4, [99], "number 99")
        refused(at: try place(of: "lineOrder\0lineOrder\0") + 4, [1], "another order")
        let channels = try place(of: "channels\0chlist\0") + 4
        refused(at: channels + 2, [7], "no known type")
        refused(at: channels + 2, [0], "found integers")
        refused(at: channels + 10, [2], "every pixel")
        refused(at: channels + 18, [65], "Acompression is of no known type")
        let table = try place(of: "screenWindowWidth\0float\0") + 9
        refused(at: table, [0, 0, 0, 0], "rows behind byte")
        refused(at: table, [255, 255, 255, 255, 255, 255, 255, 255], "rows behind byte")
        refused(at: table + 8, Array(bytes[table..<table + 8]), "expected row 16, found 0")
        refused(at: bytes.count - 6, [0, 0], "damaged")
    }

    @Test func mutatedFilesAreRefusedOrWhole() throws {
        var generator = SeededRandomNumbers(seed: 31)
        let original = try Self.image(9, 20)
        var taken = 0
        for _ in 0..<20_000 {
            let bytes = mutated(original, words: ["chlist", "dataWindow\0", "\0\0\0\u{1}"], using: &generator)
            guard let image = try? EXRImage(decoding: bytes) else { continue }
            taken += 1
            #expect(image.values.count == image.width * image.height)
        }
        #expect((500..<20_000).contains(taken), "\(taken)")
    }

    @Test func wrongSizesAreNotWritten() {
        #expect(throws: CodecError.self) { try EXREncoder.encode(width: 2, height: 2, values: [1]) }
        #expect(throws: CodecError.self) { try EXREncoder.encode(width: 0, height: 2, values: []) }
        #expect(throws: CodecError.self) { try EXREncoder.encode(width: 1, height: 1, values: [1], channel: "") }
    }
}
