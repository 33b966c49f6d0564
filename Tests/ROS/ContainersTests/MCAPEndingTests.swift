import Bags
import SystemPackage
import TestSupport
import Testing

@Suite("MCAP endings")
struct MCAPEndingTests {
    @Test("a file is whole after each ending, and goes on over it", arguments: MCAPCompression.allCases)
    func endings(compression: MCAPCompression) throws {
        let messages = SampleMCAP.messages(count: 30)
        let options = MCAPWriterOptions(chunkBytes: 400, compression: compression)
        var (writer, channels) = try SampleMCAP.writer(options)
        var (undisturbed, _) = try SampleMCAP.writer(options)
        var written: [UInt8] = []
        for (index, message) in messages.enumerated() {
            try SampleMCAP.write(message, &writer, channels)
            try SampleMCAP.write(message, &undisturbed, channels)
            guard index % 7 == 3 else { continue }
            // What is in the open chunk is no part of the ending.
            let early = try MCAPFile(MCAPMemorySource(written + writer.takeOutputCopy() + writer.ending()))
            #expect(early.problems.list.isEmpty)
            try writer.flushChunk()
            try undisturbed.flushChunk()
            written += writer.takeOutput()
            #expect(written.count == writer.flushedFileBytes)
            let file = try MCAPFile(MCAPMemorySource(written + writer.ending()))
            #expect(file.problems.list.isEmpty)
            #expect(try file.dataSectionProblem() == nil)
            #expect(file.statistics?.messageCount == UInt64(index + 1))
            #expect(try SampleMCAP.read(file).messages == Array(messages[...index]))
        }
        try writer.flushChunk()
        try undisturbed.flushChunk()
        written += writer.takeOutput() + writer.ending()
        #expect(written == undisturbed.takeOutput() + undisturbed.ending())
    }

    @Test("the projected size is not exceeded, and not far off", arguments: [1, 400, 1 << 20])
    func projectedSize(chunkBytes: Int) throws {
        var (writer, channels) = try SampleMCAP.writer(MCAPWriterOptions(chunkBytes: chunkBytes))
        for message in SampleMCAP.messages(count: 30) {
            let projected = writer.projectedFileBytes(adding: message.data.count)
            try SampleMCAP.write(message, &writer, channels)
            var ended = writer
            try ended.flushChunk()
            let actual = ended.flushedFileBytes + ended.ending().count
            #expect(projected >= actual)
            // Channels that no message needed yet are counted.
            #expect(projected <= actual + 1000)
        }
    }

    /// What may be needed once every channel has had a message, by the sizes of the format's fields.
    ///
    /// The offsets of two groups of the summary that stay empty (26 bytes each), a channel in the statistics (10), and
    /// what is left of two bounds: the statistics (59, of which 55 are used) and a chunk's index (81, of which 73 are
    /// used without compression). In a chunk that has the channel already, its place in the chunk's index (10) and the
    /// head of its message index (15), too.
    @Test("the projected size is exact but for what may be needed", arguments: [(1, 74), (1 << 20, 99)])
    func exactSize(chunkBytes: Int, spare: Int) throws {
        var (writer, channels) = try SampleMCAP.writer(MCAPWriterOptions(chunkBytes: chunkBytes))
        for message in SampleMCAP.messages(count: 30) { try SampleMCAP.write(message, &writer, channels) }
        for message in SampleMCAP.messages(count: 30) {
            let projected = writer.projectedFileBytes(adding: message.data.count)
            try SampleMCAP.write(message, &writer, channels)
            var ended = writer
            try ended.flushChunk()
            #expect(projected - ended.flushedFileBytes - ended.ending().count == spare)
        }
    }

    @Test(
        "channels without messages are in the file when asked for",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func unusedChannels() throws {
        var (writer, channels) = try SampleMCAP.writer(MCAPWriterOptions())
        let first = try #require(SampleMCAP.messages(count: 1).first)
        try SampleMCAP.write(first, &writer, channels)
        var plain = writer
        try plain.flushChunk()
        let without = try MCAPFile(MCAPMemorySource(plain.takeOutput() + plain.ending()))
        #expect(without.channels.map(\.topic) == ["/one"])
        try writer.writeUnusedChannels()
        writer.addAttachment(name: "a", mediaType: "text/plain", logTime: 1, createTime: 2, data: Array("text".utf8))
        let directory = try TemporaryDirectory()
        let path = try SampleMCAP.save(writer.takeOutput() + writer.ending(), in: directory)
        let file = try MCAPFile(opening: path)
        #expect(file.problems.list.isEmpty)
        #expect(file.channels.map(\.topic) == SampleMCAP.topics)
        #expect(try SampleMCAP.read(file).messages == [first])
        let checker = Checkout.path("tools/peers/check_mcap.py").string
        let outcome = try PeerPython.run([checker, path.string, "--need-index", "--need-crc"])
        #expect(outcome.status == 0, "\(outcome.everything)")
    }

    @Test("what the writer is asked wrongly is refused")
    func refusals() throws {
        var (writer, channels) = try SampleMCAP.writer(MCAPWriterOptions())
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        for channel in [0, UInt16(channels.count + 1), .max] as [UInt16] {
            #expect(throws: MCAPProblem.self) {
                try writer.write(channel: channel, sequence: 0, logTime: 0, publishTime: 0, data: empty)
            }
        }
        #expect(throws: MCAPProblem.self) { try writer.addChannel(topic: "/x", schema: 9, messageEncoding: "cdr") }
        for index in channels.count..<65535 {
            _ = try writer.addChannel(topic: "/\(index)", schema: 0, messageEncoding: "cdr")
        }
        #expect(throws: MCAPProblem.self) { try writer.addChannel(topic: "/x", schema: 0, messageEncoding: "cdr") }
    }
}

extension MCAPWriter {
    /// The output that is waiting, without taking it.
    fileprivate func takeOutputCopy() -> [UInt8] {
        var copy = self
        return copy.takeOutput()
    }
}
