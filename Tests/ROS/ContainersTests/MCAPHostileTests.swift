import Bags
import TestSupport
import Testing

@Suite("Hostile MCAP files")
struct MCAPHostileTests {
    private static let huge: UInt64 = 1 << 63

    private static let header = MCAPFormat.magic + record(1, text("ros2") + text("x"))
    private static let channel = record(
        4,
        integer(UInt16(1)) + integer(UInt16(0)) + text("/a") + text("cdr") + text("")
    )
    private static func message(_ time: UInt64, _ data: [UInt8] = [1, 2, 3]) -> [UInt8] {
        record(5, integer(UInt16(1)) + integer(UInt32(0)) + integer(time) + integer(time) + data)
    }

    private static func chunk(
        _ records: [UInt8],
        compression: String = "",
        uncompressed: UInt64? = nil,
        stored: UInt64? = nil,
        times: (UInt64, UInt64) = (1, 2)
    ) -> [UInt8] {
        let size = uncompressed ?? UInt64(records.count)
        let start = integer(times.0) + integer(times.1) + integer(size) + integer(UInt32(0)) + text(compression)
        return record(6, start + integer(stored ?? UInt64(records.count)) + records)
    }

    private static func compressed(_ records: [UInt8]) throws -> [UInt8] {
        try records.withUnsafeBytes { try Zstandard.compress($0) }
    }

    /// Each with what the problem must speak of, and how many messages are still read.
    private static func files() throws -> [(name: String, data: [UInt8], what: String, messages: Int)] {
        let good = channel + message(1) + message(2)
        let bomb = try compressed([UInt8](repeating: 0, count: 1 << 22))
        let largeBomb = try compressed([UInt8](repeating: 0, count: 200 << 20))
        return [
            ("record length", good + record(5, length: huge, [0, 1]), "Message length", 2),
            ("record length of all ones", good + record(6, length: .max, [0, 1]), "Chunk length", 2),
            (
                "chunk size", good + chunk(try compressed(message(1)), compression: "zstd", uncompressed: huge),
                "Chunk.uncompressed_size", 3
            ),
            (
                "chunk size, LZ4", good + chunk([1, 2, 3], compression: "lz4", uncompressed: .max),
                "Chunk.uncompressed_size", 2
            ),
            ("chunk size, uncompressed", good + chunk(message(1), uncompressed: huge), "Chunk.uncompressed_size", 3),
            ("records length", good + chunk(message(1), stored: huge), "Chunk.records", 3),
            (
                "large bomb",
                good + chunk(largeBomb, compression: "zstd", uncompressed: 200 << 20), "at most 67108864", 2
            ),
            ("bomb", good + chunk(bomb, compression: "zstd", uncompressed: 10), "Chunk.records", 2),
            (
                "a size that is too small",
                good + chunk(try compressed(message(1)), compression: "zstd", uncompressed: 10),
                "Chunk.uncompressed_size", 3
            ),
            ("compression", good + chunk(message(1), compression: "brotli"), "Chunk.compression", 2),
            ("a string", record(4, integer(UInt32(0x10001)) + integer(UInt32.max) + [65]) + good, "Channel.topic", 2),
            (
                "a map",
                record(4, integer(UInt16(7)) + integer(UInt16(0)) + text("/b") + text("") + integer(UInt32.max))
                    + good, "Channel.metadata", 2
            ),
            ("bytes that are no UTF-8", record(12, integer(UInt32(1)) + [0xFF] + text("")) + good, "Metadata.name", 2),
            (
                "schema data", record(3, integer(UInt16(1)) + text("a") + text("b") + integer(UInt32.max)) + good,
                "Schema.data", 2
            ),
            ("schema 0", record(3, integer(UInt16(0)) + text("a") + text("b") + text("")) + good, "Schema.id", 2),
            (
                "attachment",
                good
                    + record(
                        9,
                        integer(UInt64(0)) + integer(UInt64(0)) + text("a") + text("b")
                            + integer(UInt64.max - 3) + [0, 0, 0, 0]
                    ), "Attachment.data", 2
            ),
            ("a short message", good + record(5, [1, 0, 0]), "Message", 2),
            (
                "a second channel of the same id",
                good
                    + record(
                        4,
                        integer(UInt16(1)) + integer(UInt16(0)) + text("/b")
                            + text("cdr") + text("")
                    ), "Channel.id", 2
            ),
            ("a message of no channel", message(1), "Message.channel_id", 0),
            ("a chunk in a chunk", good + chunk(chunk(message(1))), "record", 3),
            (
                "a schema that is not there",
                record(
                    4,
                    integer(UInt16(2)) + integer(UInt16(9)) + text("/b") + text("cdr")
                        + text("")
                ) + good, "Channel.schema_id", 2
            ),
        ]
    }

    @Test("what a file claims is refused before it is believed")
    func claims() throws {
        for (name, data, what, count) in try Self.files() {
            // As part of a file without end, which is a problem of its own, and of one that ends well.
            let end =
                record(15, integer(UInt32(0)))
                + record(2, [UInt8](repeating: 0, count: 20)) + MCAPFormat.magic
            for tail in [[], end] {
                let source = MCAPMemorySource(Self.header + data + tail)
                let file = try MCAPFile(source)
                let read = try SampleMCAP.read(file)
                let problems = file.problems.list + read.problems
                #expect(read.messages.count == count, "\(name): \(problems)")
                guard what != "DataEnd" || tail.isEmpty else { continue }
                let isNamed = problems.contains { $0.description.contains(what) }
                #expect(isNamed, "\(name): \(problems)")
                #expect(problems.allSatisfy { $0.place.offset <= source.size }, "\(name): \(problems)")
            }
        }
    }

    /// A file of five chunks whose summary has no CRC, and what is in it.
    private static func indexed() throws -> (bytes: [UInt8], items: [MCAPItem]) {
        var bytes = try SampleMCAP.file(SampleMCAP.messages(count: 16), MCAPWriterOptions(chunkBytes: 320))
        let crc = bytes.count - MCAPFormat.magic.count - 4
        bytes.replaceSubrange(crc..<crc + 4, with: [0, 0, 0, 0])
        var walk = try MCAPWalk(MCAPMemorySource(bytes))
        var items: [MCAPItem] = []
        while let item = try walk.next() { items.append(item) }
        return (bytes, items)
    }

    @Test("indexes that lead elsewhere are named, and the chunks found without them")
    func wrongIndexes() throws {
        let (bytes, items) = try Self.indexed()
        let indexes = items.filter { $0.opcode == MCAPOpcode.chunkIndex.rawValue }.map(\.place.offset)
        #expect(indexes.count == 5)
        let chunk = try #require(items.first { $0.opcode == MCAPOpcode.chunk.rawValue }).place.offset
        let metadata = try #require(items.first { $0.opcode == MCAPOpcode.metadata.rawValue }).place.offset
        // The fields that follow the two times, of the second index.
        let field = indexes[1] + MCAPFormat.recordHeaderBytes + 16
        let numbers: [UInt64] = [0, 8, UInt64(chunk), UInt64(chunk + 1), UInt64(metadata), UInt64(indexes[1]), 1 << 62]
        for value in numbers + [Self.huge, .max] {
            for offset in [field, field + 8, field - 8] {
                var damaged = bytes
                damaged.replaceSubrange(offset..<offset + 8, with: integer(value))
                let file = try MCAPFile(MCAPMemorySource(damaged))
                let problems = file.problems.list
                #expect(problems.contains { $0.what == "ChunkIndex.chunk_start_offset" }, "\(value) at \(offset)")
                let read = try SampleMCAP.read(file)
                #expect(read.messages.count == 16, "\(value) at \(offset): \(problems)")
            }
        }
    }

    @Test("offsets and sizes of the summary may be anything")
    func wrongSummary() throws {
        let (bytes, items) = try Self.indexed()
        let footer = bytes.count - MCAPFormat.magic.count - MCAPFormat.footerBytes
        let summary = try #require(items.first { $0.opcode == MCAPOpcode.dataEnd.rawValue }).place.offset + 13
        for value in [1, 7, UInt64(footer + 1), UInt64(bytes.count), Self.huge, .max, 20, UInt64(summary - 13)] {
            var damaged = bytes
            damaged.replaceSubrange(footer + 9..<footer + 17, with: integer(value))
            let file = try MCAPFile(MCAPMemorySource(damaged))
            #expect(!file.problems.list.isEmpty, "\(value)")
            #expect(try SampleMCAP.read(file).messages.count == 16, "\(value)")
        }
        // Every eight bytes of the summary in turn, as a length, an offset or a part of them.
        for offset in summary..<footer - 8 {
            for value in [Self.huge - 1, .max] {
                var damaged = bytes
                damaged.replaceSubrange(offset..<offset + 8, with: integer(value))
                let file = try MCAPFile(MCAPMemorySource(damaged))
                #expect(try SampleMCAP.read(file).messages.count <= 16, "\(value) at \(offset)")
            }
        }
    }
}
