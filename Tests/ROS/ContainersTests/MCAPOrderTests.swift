import Bags
import Platform
import TestSupport
import Testing

@Suite("MCAP order and filters")
struct MCAPOrderTests {
    /// Messages with log times in every order, many of them equal.
    private static func shuffled(_ count: Int, seed: UInt64) -> [SampleMessage] {
        var generator = SeededRandomNumbers(seed: seed)
        return SampleMCAP.messages(count: count).map { message in
            var message = message
            message.logTime = .random(in: 0...40, using: &generator)
            return message
        }
    }

    /// By log time, and as they were written where that is equal.
    private static func sorted(_ messages: [SampleMessage]) -> [SampleMessage] {
        messages.sorted { ($0.logTime, $0.sequence) < ($1.logTime, $1.sequence) }
    }

    @Test(
        "chunks that overlap are merged as a sort would",
        arguments: [UInt64(1), 2, 3, 4, 5],
        [1, 300, 2000, 1 << 20]
    )
    func overlapping(seed: UInt64, chunkBytes: Int) throws {
        let messages = Self.shuffled(120, seed: seed)
        for compression in MCAPCompression.allCases {
            let options = MCAPWriterOptions(chunkBytes: chunkBytes, compression: compression)
            let file = try MCAPFile(MCAPMemorySource(SampleMCAP.file(messages, options)))
            let read = try SampleMCAP.read(file)
            #expect(read.messages == Self.sorted(messages))
            #expect(read.problems.isEmpty)
        }
    }

    @Test("large chunks that all overlap are merged within the limit of memory")
    func manyLargeChunks() throws {
        // 32 chunks of 1.2 MB, each over the whole time: more than may be open at once.
        let messages = (0..<64).map { index in
            SampleMessage(
                topic: "/one",
                sequence: UInt32(index),
                logTime: index.isMultiple(of: 2) ? UInt64(index) : 1000 + UInt64(index),
                publishTime: 0,
                data: [UInt8](repeating: UInt8(index), count: 600_000 + index)
            )
        }
        let options = MCAPWriterOptions(chunkBytes: 1_000_000, compression: .zstd, level: 1)
        let file = try MCAPFile(MCAPMemorySource(SampleMCAP.file(messages, options)))
        #expect(file.chunks.map(\.compression) == Array(repeating: "zstd", count: 32))
        let cursor = file.messages()
        for expected in Self.sorted(messages) {
            let message = try #require(try cursor.next())
            #expect(message.sequence == expected.sequence)
            #expect(message.byteCount == expected.data.count)
            #expect(try cursor.withData { CRC32.checksum($0) } == CRC32.checksum(expected.data))
        }
        #expect(try cursor.next() == nil)
    }

    @Test("a message that is larger than what is read at once is read whole")
    func largeMessage() throws {
        var messages = SampleMCAP.messages(count: 5)
        messages[2].data = [UInt8](repeating: 7, count: 9_000_000) + messages[1].data
        for compression in MCAPCompression.allCases {
            let options = MCAPWriterOptions(compression: compression, level: 1)
            let file = try MCAPFile(MCAPMemorySource(SampleMCAP.file(messages, options)))
            let read = try SampleMCAP.read(file)
            #expect(read.messages.map(\.sequence) == [0, 1, 2, 3, 4])
            #expect(read.messages.map { CRC32.checksum($0.data) } == messages.map { CRC32.checksum($0.data) })
            #expect(read.problems.isEmpty)
        }
    }

    @Test("filters give what a filter of everything gives", arguments: [300, 1 << 20])
    func filters(chunkBytes: Int) throws {
        let messages = Self.shuffled(90, seed: 9)
        let options = MCAPWriterOptions(chunkBytes: chunkBytes)
        let file = try MCAPFile(MCAPMemorySource(SampleMCAP.file(messages, options)))
        let ids = Dictionary(uniqueKeysWithValues: file.channels.map { ($0.topic, $0.id) })
        for topics in [["/one"], ["/one", "/three"], []] {
            for (start, end) in [(0, 40), (10, 20), (7, 7), (41, 50), (20, 10)] as [(UInt64, UInt64)] {
                let filter = MCAPMessageFilter(
                    channels: Set(topics.compactMap { ids[$0] }),
                    startTime: start,
                    endTime: end
                )
                let expected = messages.filter { topics.contains($0.topic) && $0.logTime >= start && $0.logTime <= end }
                #expect(try SampleMCAP.read(file, filter).messages == Self.sorted(expected))
            }
        }
    }

    @Test("chunks that a filter excludes are not read")
    func skippedChunks() throws {
        let options = MCAPWriterOptions(chunkBytes: 300)
        let bytes = try SampleMCAP.file(SampleMCAP.messages(count: 60), options)
        let source = CountingSource(bytes)
        let file = try MCAPFile(source)
        let before = source.readBytes
        let filter = MCAPMessageFilter(startTime: 1_030_000_000, endTime: 1_031_000_000)
        #expect(try SampleMCAP.read(file, filter).messages.map(\.sequence) == [30, 31])
        #expect(source.readBytes - before < 1000)
    }
}
