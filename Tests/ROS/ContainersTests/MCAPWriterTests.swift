import Bags
import SystemPackage
import TestSupport
import Testing

@Suite("MCAP writer")
struct MCAPWriterTests {
    private static let checker = Checkout.path("tools/peers/check_mcap.py").string

    @Test(
        "the judge finds no fault",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        arguments: MCAPCompression.allCases,
        [300, 1 << 20]
    )
    func judged(compression: MCAPCompression, chunkBytes: Int) throws {
        let directory = try TemporaryDirectory()
        let options = MCAPWriterOptions(chunkBytes: chunkBytes, compression: compression)
        let path = try SampleMCAP.save(SampleMCAP.file(SampleMCAP.messages(count: 50), options), in: directory)
        let outcome = try PeerPython.run([
            Self.checker, path.string, "--need-index", "--need-crc", "--expect", "/one=17", "--expect", "/three=16",
        ])
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome.output.contains("50 passed, 0 failed"), "\(outcome.everything)")
    }

    @Test("by itself a chunk ends with the message that makes it a MiB")
    func usualChunks() throws {
        let messages = SampleMCAP.messages(count: 6).map { message in
            var message = message
            message.data = [UInt8](repeating: 1, count: 349_000)
            return message
        }
        let file = try MCAPFile(MCAPMemorySource(SampleMCAP.file(messages, MCAPWriterOptions())))
        // Three messages are 1,047,000 bytes, 93 for their heads, and a few hundred for a schema and three channels.
        #expect(file.chunkIndexes.map { $0.uncompressedSize > 1_300_000 } == [true, false])
        var lone = messages
        for index in lone.indices { lone[index].data = [UInt8](repeating: 1, count: 349_600) }
        let other = try MCAPFile(MCAPMemorySource(SampleMCAP.file(lone, MCAPWriterOptions())))
        #expect(other.chunkIndexes.map { $0.uncompressedSize < 1_100_000 } == [true, true])
    }

    @Test("what is written is read", arguments: MCAPCompression.allCases, [1, 300, 1 << 20])
    func roundTrip(compression: MCAPCompression, chunkBytes: Int) throws {
        let messages = SampleMCAP.messages(count: 40)
        let bytes = try SampleMCAP.file(messages, MCAPWriterOptions(chunkBytes: chunkBytes, compression: compression))
        let file = try MCAPFile(MCAPMemorySource(bytes))
        #expect(file.problems.list.isEmpty)
        #expect(file.header?.profile == "ros2")
        #expect(file.header?.library == SampleMCAP.library)
        #expect(file.hasSummary)
        #expect(file.statistics?.messageCount == 40)
        #expect(file.channels.map(\.topic) == SampleMCAP.topics)
        #expect(file.metadata.map(\.record.name) == ["rosbag2"])
        #expect(try file.dataSectionProblem() == nil)
        let read = try SampleMCAP.read(file)
        #expect(read.messages == messages)
        #expect(read.problems.isEmpty)
    }
}
