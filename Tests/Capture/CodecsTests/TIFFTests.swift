import Codecs
import Foundation
import Recording
import TestSupport
import Testing

@Suite struct TIFFTests {
    /// A file of one directory: tag, type and value of each entry, in either byte order.
    private func file(_ entries: [(Int, Int, Int)], isLittleEndian: Bool = true, tail: Int = 16) -> [UInt8] {
        func bytes(_ value: Int, _ count: Int) -> [UInt8] {
            let little = (0..<count).map { UInt8(value >> (8 * $0) & 255) }
            return isLittleEndian ? little : little.reversed()
        }
        var file = Array((isLittleEndian ? "II" : "MM").utf8) + bytes(42, 2) + bytes(8, 4) + bytes(entries.count, 2)
        for (tag, type, value) in entries {
            // A SHORT stands in the first two of the four bytes.
            let field = type == 3 ? bytes(value, 2) + [0, 0] : bytes(value, 4)
            file += bytes(tag, 2) + bytes(type, 2) + bytes(1, 4) + field
        }
        return file + bytes(0, 4) + [UInt8](repeating: 9, count: tail)
    }

    private static let sound = [(256, 3, 4), (257, 4, 1), (273, 4, 8), (279, 3, 16)]

    @Test(arguments: [true, false])
    func sizesOfEitherByteOrder(isLittleEndian: Bool) throws {
        #expect(try TIFF.inspect(file(Self.sound, isLittleEndian: isLittleEndian)) == GridSize(width: 4, height: 1))
    }

    @Test(
        arguments: [
            [(256, 3, 0), (257, 4, 1), (273, 4, 8), (279, 3, 16)],
            [(256, 3, 4), (273, 4, 8), (279, 3, 16)],
            [(256, 3, 4), (257, 4, 1), (273, 4, 8)],
            [(256, 3, 4), (257, 4, 1), (273, 4, 8), (279, 4, 0xFFFF_FFFF)],
            [(256, 3, 4), (257, 4, 1), (273, 4, 0xFFFF_FFFF), (279, 3, 16)],
            [(256, 7, 4), (257, 4, 1), (273, 4, 8), (279, 3, 16)],
            [],
        ] as [[(Int, Int, Int)]]
    )
    func whatIsNoWholeImageIsRefused(entries: [(Int, Int, Int)]) {
        #expect(throws: CodecError.self) { try TIFF.inspect(file(entries)) }
    }

    @Test func cutFilesAreRefused() {
        let whole = file(Self.sound, tail: 0)
        #expect((try? TIFF.inspect(whole)) != nil)
        for length in 0..<whole.count - 4 {
            #expect(throws: CodecError.self) { try TIFF.inspect(Array(whole.prefix(length))) }
        }
    }

    @Test(
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        arguments: ["raw", "tiff_lzw", "tiff_adobe_deflate"]
    )
    func filesOfPillowHaveTheirSize(compression: String) throws {
        let script = """
            import base64, io, sys
            from PIL import Image
            out = io.BytesIO()
            Image.new("F", (200, 130), 500.0).save(out, "TIFF", compression=sys.argv[1])
            print(base64.b64encode(out.getvalue()).decode())
            """
        let text = try PeerPython.output(of: script, [compression])
        #expect(try TIFF.inspect(try [UInt8](#require(Data(base64Encoded: text)))) == GridSize(width: 200, height: 130))
    }
}
