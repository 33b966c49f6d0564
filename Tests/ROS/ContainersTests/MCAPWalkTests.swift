import Bags
import SystemPackage
import TestSupport
import Testing

@Suite("MCAP walk")
struct MCAPWalkTests {
    private static func items(_ source: any MCAPSource) throws -> (items: [MCAPItem], problems: [MCAPProblem]) {
        var walk = try MCAPWalk(source)
        var items: [MCAPItem] = []
        while let item = try walk.next() { items.append(item) }
        return (items, walk.problems.list)
    }

    @Test(
        "every record is told in the order of the file",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        arguments: ["chunked", "unchunked", "attachments", "bare"],
        ["none", "lz4", "zstd"]
    )
    func order(layout: String, compression: String) throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("python.mcap")
        try PythonMCAP.write(path, [compression, layout])
        let (items, problems) = try Self.items(MCAPFileSource(opening: path))
        #expect(problems.isEmpty)
        #expect(items.allSatisfy { $0.problems.isEmpty && $0.record != nil })
        let code = """
            import sys
            from mcap.stream_reader import StreamReader
            print(" ".join(type(x).__name__ for x in StreamReader(open(sys.argv[1], "rb"), emit_chunks=False).records))
            """
        // Python tells what is in a chunk instead of the chunk.
        let names = items.map { MCAPOpcode.name($0.opcode) }.filter { $0 != "Chunk" }
        #expect(names == (try PeerPython.output(of: code, [path.string])).split(separator: " ").map { String($0) })
        let expected = layout == "unchunked" ? 0 : 1
        #expect(min(1, items.count { $0.opcode == MCAPOpcode.chunk.rawValue }) == expected)
        for item in items {
            guard case .message? = item.record else { continue }
            #expect((item.place.innerOffset == nil) == (layout == "unchunked"))
        }
    }

    @Test("records follow one another without gaps, and say where they are")
    func places() throws {
        let bytes = try SampleMCAP.file(SampleMCAP.messages(count: 30), MCAPWriterOptions(chunkBytes: 500))
        let (items, _) = try Self.items(MCAPMemorySource(bytes))
        var position = MCAPFormat.magic.count
        for item in items where item.place.innerOffset == nil {
            #expect(item.place.offset == position)
            #expect(bytes[position] == item.opcode)
            position += Int(item.byteCount)
        }
        #expect(position == bytes.count - MCAPFormat.magic.count)
        // The indexes point to what the walk tells.
        let chunks = items.filter { $0.opcode == MCAPOpcode.chunk.rawValue }
        for item in items {
            switch item.record {
            case .chunkIndex(let index):
                let chunk = try #require(chunks.first { $0.place.offset == Int(index.chunkStartOffset) })
                #expect(chunk.byteCount == index.chunkLength)
            case .metadataIndex(let index):
                let metadata = try #require(items.first { $0.place.offset == Int(index.offset) })
                #expect(metadata.byteCount == index.length && metadata.opcode == MCAPOpcode.metadata.rawValue)
            default: break
            }
        }
        #expect(chunks.count > 3)
    }

    @Test("the data of messages are given, in chunks and outside of them", arguments: ["unchunked", "chunked"])
    func data(layout: String) throws {
        let messages = SampleMCAP.messages(count: 10)
        var bytes = try SampleMCAP.file(messages, MCAPWriterOptions(compression: .zstd))
        if layout == "unchunked" {
            let content = try SampleMCAP.file(messages, MCAPWriterOptions())
            let (items, _) = try Self.items(MCAPMemorySource(content))
            let chunk = try #require(items.first { $0.opcode == MCAPOpcode.chunk.rawValue })
            guard case .chunk(let fields)? = chunk.record else { return }
            // The records of the chunk in place of it.
            bytes = Array(content[..<chunk.place.offset])
            bytes += content[fields.recordsOffset..<chunk.place.offset + Int(chunk.byteCount)]
        }
        var walk = try MCAPWalk(MCAPMemorySource(bytes))
        var found: [[UInt8]] = []
        while let item = try walk.next() {
            if case .message(let message)? = item.record { found.append(try walk.data(of: message)) }
        }
        #expect(found == messages.map(\.data))
    }

    @Test("damage is named at its record")
    func damage() throws {
        var (writer, channels) = try SampleMCAP.writer(MCAPWriterOptions(chunkBytes: 300))
        for message in SampleMCAP.messages(count: 20) { try SampleMCAP.write(message, &writer, channels) }
        try writer.flushChunk()
        writer.addAttachment(
            name: "a",
            mediaType: "b",
            logTime: 1,
            createTime: 2,
            data: [UInt8](repeating: 9, count: 99)
        )
        let bytes = writer.takeOutput() + writer.ending()
        let (items, _) = try Self.items(MCAPMemorySource(bytes))
        let chunk = try #require(items.first { $0.opcode == MCAPOpcode.chunk.rawValue })
        let attachment = try #require(items.first { $0.opcode == MCAPOpcode.attachment.rawValue })
        for (place, offset, what) in [
            (chunk.place, Int(chunk.byteCount) - 3, "Chunk.uncompressed_crc"),
            (attachment.place, 60, "Attachment.crc"),
        ] {
            var damaged = bytes
            damaged[place.offset + offset] ^= 1
            let source = MCAPMemorySource(damaged)
            let problems = try Self.items(source).items.flatMap(\.problems)
            #expect(problems.map(\.what) == [what])
            #expect(problems.first?.place == place)
            #expect(try MCAPFile(source).dataSectionProblem()?.what == "DataEnd.data_section_crc")
        }
    }
}
