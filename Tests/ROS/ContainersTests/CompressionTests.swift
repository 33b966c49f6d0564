import Bags
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("Compression")
struct CompressionTests {
    private static let inputs: [[UInt8]] = {
        var generator = SeededRandomNumbers(seed: 1)
        let random = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        return [
            [], [7], Array("the same ".utf8) + Array("the same ".utf8), [UInt8](repeating: 0, count: 300_000), random,
        ]
    }()

    private static func compress(_ bytes: [UInt8], _ format: MCAPCompression) throws -> [UInt8] {
        try bytes.withUnsafeBytes { format == .lz4 ? try LZ4Frame.compress($0) : try Zstandard.compress($0) }
    }

    private static func decompressed(_ bytes: [UInt8], _ format: MCAPCompression, limit: Int) -> Decompressed {
        bytes.withUnsafeBytes {
            format == .lz4 ? LZ4Frame.decompressed($0, limit: limit) : Zstandard.decompressed($0, limit: limit)
        }
    }

    @Test(
        "mutated frames stay within the limit, and what is read of them comes back",
        arguments: [MCAPCompression.lz4, .zstd]
    )
    func mutatedFrames(format: MCAPCompression) throws {
        let limit = 100_000
        var generator = SeededRandomNumbers(seed: 41)
        var whole = 0
        for round in 0..<1_500 {
            let input = round % 2 == 0 ? Self.inputs[2] : Array(Self.inputs[4].prefix(2_000))
            let bytes = mutated(try Self.compress(input, format), using: &generator)
            let output = Self.decompressed(bytes, format, limit: limit)
            #expect(output.bytes.count <= limit)
            guard output.problem == nil else { continue }
            whole += 1
            let again = try Self.compress(output.bytes, format)
            #expect(try Self.decompressed(again, format, limit: limit).whole() == output.bytes)
        }
        #expect(whole > 10)
    }

    @Test("what is compressed comes back", arguments: [MCAPCompression.lz4, .zstd], 0..<5)
    func roundTrip(format: MCAPCompression, number: Int) throws {
        let input = Self.inputs[number]
        let compressed = try Self.compress(input, format)
        #expect(try Self.decompressed(compressed, format, limit: input.count).whole() == input)
        // Two frames are one content.
        #expect(try Self.decompressed(compressed + compressed, format, limit: 2 * input.count).whole() == input + input)
        #expect(try Self.compress(input, format) == compressed)
    }

    @Test("more than the limit is refused, and so is a cut frame", arguments: [MCAPCompression.lz4, .zstd])
    func refusals(format: MCAPCompression) throws {
        for input in Self.inputs where !input.isEmpty {
            let compressed = try Self.compress(input, format)
            let limited = Self.decompressed(compressed, format, limit: input.count - 1)
            #expect(limited.problem?.found == "more")
            #expect(limited.bytes.count <= input.count - 1)
            for count in [0, 1, compressed.count / 2, compressed.count - 1] {
                let cut = Self.decompressed(Array(compressed[..<count]), format, limit: input.count)
                #expect(cut.problem != nil)
                #expect(input.starts(with: cut.bytes))
            }
            let followed = Self.decompressed(compressed + [1, 2, 3, 4, 5, 6, 7, 8], format, limit: input.count)
            #expect(followed.problem != nil)
            #expect(followed.bytes == input)
        }
    }

    @Test("Python's frames are read", .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
    func peers() throws {
        let code = """
            import io, sys, lz4.frame, zstandard
            data = bytes(i * i >> 3 & 255 for i in range(200000))
            stream = zstandard.ZstdCompressor(level=3).compressobj()
            frames = [
                lz4.frame.compress(data), lz4.frame.compress(data, store_size=False, content_checksum=True),
                zstandard.ZstdCompressor(level=19, write_checksum=True).compress(data),
                stream.compress(data) + stream.flush()]
            print(" ".join(f.hex() for f in frames))
            """
        let expected = (0..<200_000).map { UInt8(truncatingIfNeeded: ($0 * $0) >> 3) }
        let frames = try PeerPython.output(of: code).split(separator: " ").map(Self.bytes)
        try #require(frames.count == 4)
        for (frame, format) in zip(frames, [MCAPCompression.lz4, .lz4, .zstd, .zstd]) {
            let result = try Self.decompressed(frame, format, limit: 1 << 20).whole()
            #expect(CRC32.checksum(result) == CRC32.checksum(expected))
        }
        #expect(frames[2].withUnsafeBytes { Zstandard.claimedSize($0) } == 200_000)
        #expect(frames[3].withUnsafeBytes { Zstandard.claimedSize($0) } == nil)
    }

    private static func bytes(hexadecimal text: Substring) -> [UInt8] {
        let digits = Array(text.utf8).map { $0 < 58 ? $0 - 48 : $0 - 87 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    @Test("files are compressed to files and back", arguments: 0..<5)
    func files(number: Int) throws {
        let directory = try TemporaryDirectory()
        let input = Self.inputs[number]
        let plain = try SampleMCAP.save(input, as: "plain", in: directory)
        let (compressed, back) = (directory.appending("compressed"), directory.appending("back"))
        try ZstandardFile.compress(plain, to: compressed)
        let frame = try Self.content(compressed)
        #expect(frame.withUnsafeBytes { Zstandard.claimedSize($0) } == input.count)
        try ZstandardFile.decompress(compressed, to: back, limit: input.count)
        #expect(try Self.content(back) == input)
    }

    @Test("a file that is cut or too large is refused, and nothing is left of it")
    func damagedFiles() throws {
        let directory = try TemporaryDirectory()
        let frame = try Self.compress(Self.inputs[4], .zstd)
        let cut = try SampleMCAP.save(Array(frame.dropLast(9)), as: "cut", in: directory)
        let target = directory.appending("target")
        #expect(throws: CompressionError.self) { try ZstandardFile.decompress(cut, to: target, limit: 1 << 20) }
        #expect(throws: (any Error).self) { try Self.content(target) }
        #expect(throws: CompressionError.self) {
            try ZstandardFile.decompress(cut, to: target, limit: 1 << 20, keepsPart: true)
        }
        let part = try Self.content(target)
        #expect(!part.isEmpty && Self.inputs[4].starts(with: part))
        let whole = try SampleMCAP.save(frame, as: "whole", in: directory)
        let limit = Self.inputs[4].count - 1
        #expect(throws: CompressionError.self) { try ZstandardFile.decompress(whole, to: target, limit: limit) }
        let missing = directory.appending("missing")
        #expect(throws: FileError.self) { try ZstandardFile.decompress(missing, to: target, limit: limit) }
    }

    private static func content(_ path: FilePath) throws -> [UInt8] {
        let source = try MCAPFileSource(opening: path)
        return try source.read(at: 0, count: source.size)
    }

    @Test("checksums of pieces combine to that of the whole")
    func checksums() {
        // The check value of CRC-32/ISO-HDLC.
        #expect(CRC32.checksum(Array("123456789".utf8)) == 0xCBF4_3926)
        let input = Self.inputs[4]
        for cut in [0, 1, 50_000, input.count] {
            let (first, second) = (Array(input[..<cut]), Array(input[cut...]))
            let combined = CRC32.combine(
                CRC32.checksum(first),
                CRC32.checksum(second),
                secondByteCount: second.count
            )
            #expect(combined == CRC32.checksum(input))
            #expect(CRC32.checksum(second, continuing: CRC32.checksum(first)) == combined)
        }
    }
}
