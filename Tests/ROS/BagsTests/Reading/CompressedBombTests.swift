import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Compressed content that is damaged, or much larger than it looks.
struct CompressedBombTests {
    private let directory: TemporaryDirectory
    private var file: FilePath { directory.appending("bag_0.db3") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// 100 MiB of zeros in 3 KiB: more than any message of that size unpacks to.
    @Test func aMessageThatUnpacksToTooMuchIsRefused() async throws {
        let frame = try [UInt8](repeating: 0, count: 100 << 20).withUnsafeBytes { try Zstandard.compress($0) }
        #expect(frame.count < 16 << 10)
        try await write(frame)
        #expect { try RowJudge.found(BagReader(opening: file)) } throws: {
            "\($0)".contains("row 1") && "\($0)".contains("at most")
        }
        #expect(try BagReader(opening: file).summary().messageCount == 1)
    }

    @Test func aFrameThatClaimsMoreThanThereIsIsRefused() async throws {
        // Magic, single segment with a size of eight bytes: 2^62.
        try await write([0x28, 0xB5, 0x2F, 0xFD, 0xE0, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0, 0])
        #expect { try RowJudge.found(BagReader(opening: file)) } throws: { "\($0)".contains("row 1") }
    }

    @Test func aCutMessageIsRefusedWithItsPlace() async throws {
        let content: [UInt8] = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* $0) }
        let frame = try content.withUnsafeBytes { try Zstandard.compress($0) }
        try await write(Array(frame.dropLast(20)))
        #expect { try RowJudge.found(BagReader(opening: file)) } throws: {
            "\($0)".contains("row 1") && "\($0)".contains("byte")
        }
    }

    @Test func aCutFileIsReadOnlyWhenToldSo() async throws {
        let bag = directory.appending("bag")
        _ = try await BagSink(bag).record(SampleTraffic.messages(ticks: 60, points: 500))
        let packed = directory.appending("bag_0.db3.zstd")
        try ZstandardFile.compress(bag.appending("bag_0.db3"), to: packed)
        let rows = try RowJudge.found(BagReader(opening: packed))
        #expect(try rows == RowJudge.found(BagReader(opening: bag)))
        let bytes = try #require(FileManager.default.contents(atPath: packed.string))
        for part in [bytes.count / 2, bytes.count - 1, 100, 10] {
            try bytes.prefix(part).write(to: URL(fileURLWithPath: packed.string))
            #expect(throws: BagError.self) { try BagReader(opening: packed) }
            let lenient = try BagReader(opening: packed, tolerating: .everything)
            let found = try RowJudge.found(lenient)
            #expect(found == Array(rows.prefix(found.count)))
            #expect(try !lenient.summary().warnings.isEmpty)
        }
    }

    /// The unpacked sizes of a file whose end falls together with that of a piece that is read or written.
    @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 524_288, 1_048_576])
    func filesOfWholePiecesAreUnpacked(_ size: Int) throws {
        let plain = directory.appending("plain")
        let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 / 1000) })
        try content.write(to: URL(fileURLWithPath: plain.string))
        try ZstandardFile.compress(plain, to: directory.appending("packed"))
        try ZstandardFile.decompress(directory.appending("packed"), to: plain, limit: size)
        #expect(FileManager.default.contents(atPath: plain.string) == content)
    }

    /// A lone .db3 whose only message is this.
    private func write(_ blob: [UInt8]) async throws {
        let bag = directory.appending("written")
        let sink = BagSink(bag)
        try await sink.open()
        let topic = try await sink.add(BagTopic(SampleTraffic.note, serialization: .cdr))
        try await sink.write(BagRow(topic: topic, timeNanoseconds: 1, bytes: blob))
        _ = try await sink.finish()
        try FileManager.default.moveItem(atPath: bag.appending("written_0.db3").string, toPath: file.string)
    }
}
