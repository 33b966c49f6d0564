import Bags
import TestSupport
import Testing

/// What the opening of a file takes from its summary, and what it reads record by record.
@Suite("Opening MCAP files")
struct MCAPIndexingTests {
    private static let messages = SampleMCAP.messages(count: 48)

    // MARK: With a summary

    /// Six chunks of eight messages, with a summary that has no CRC, and where the field of a ChunkIndex is.
    private static func indexed() throws -> (bytes: [UInt8], lengths: [Int], file: MCAPFile) {
        var (writer, channels) = try SampleMCAP.writer(MCAPWriterOptions())
        for (index, message) in messages.enumerated() {
            try SampleMCAP.write(message, &writer, channels)
            if index % 8 == 7 { try writer.flushChunk() }
        }
        var bytes = writer.takeOutput() + writer.ending()
        bytes.replaceSubrange(bytes.count - 12..<bytes.count - 8, with: [0, 0, 0, 0])
        let file = try MCAPFile(MCAPMemorySource(bytes))
        let summary = bytes
        let lengths = try file.chunkIndexes.map { index in
            // A ChunkIndex: two times, place and length of the chunk, the offsets of each channel (10 bytes), and then this.
            let head = [index.messageStartTime, index.messageEndTime, index.chunkStartOffset].flatMap { le($0, 8) }
            let start = try #require((0..<summary.count - 24).last { Array(summary[$0..<$0 + 24]) == head })
            return start + 32 + 4 + 10 * index.messageIndexOffsets.count
        }
        return (bytes, lengths, file)
    }

    @Test("message indexes that a wrong length makes longer than they are hide no chunk")
    func lengthsOfMessageIndexes() throws {
        let (sound, lengths, file) = try Self.indexed()
        #expect(try SampleMCAP.read(file).messages == Self.messages && lengths.count == 6)
        let behind = UInt64(try #require(file.dataEnd).place.offset)
        for (number, (place, index)) in zip(lengths, file.chunkIndexes).enumerated() {
            #expect(Array(sound[place..<place + 8]) == le(index.messageIndexLength, 8))
            let next = number < 5 ? file.chunkIndexes[number + 1].chunkStartOffset : behind
            #expect(index.chunkStartOffset + index.chunkLength + index.messageIndexLength == next)
            // Into the next chunk, over it, over the end of the data, beyond the file, and more than any number.
            let rest = UInt64(sound.count) - next
            let longer: [UInt64] = [10, 100, rest / 2, rest, (1 << 63) - 1 - index.messageIndexLength, (1 << 63) + 9]
            for more in longer {
                var bytes = sound
                bytes.replaceSubrange(place..<place + 8, with: le(index.messageIndexLength + more, 8))
                let read = try SampleMCAP.read(MCAPFile(MCAPMemorySource(bytes)))
                #expect(read.messages == Self.messages, "\(number) and \(more): \(read.messages.count)")
            }
        }
    }

    @Test("chunks that the summary describes are not read, though a channel has no schema")
    func describedChunks() throws {
        var (writer, channels) = try SampleMCAP.writer(MCAPWriterOptions())
        channels["/bare"] = try writer.addChannel(topic: "/bare", schema: 0, messageEncoding: "cdr")
        for index in 0..<4 {
            for topic in ["/bare", "/one"] {
                let data = [UInt8](repeating: UInt8(index), count: 200_000)
                let time = UInt64(index)
                let message = SampleMessage(topic: topic, sequence: 0, logTime: time, publishTime: time, data: data)
                try SampleMCAP.write(message, &writer, channels)
            }
            try writer.flushChunk()
        }
        let source = CountingSource(writer.takeOutput() + writer.ending())
        let file = try MCAPFile(source)
        #expect(file.problems.list.isEmpty && file.messageCounts?.values.reduce(0, +) == 8)
        #expect(source.readBytes < 400_000, "\(source.readBytes)")
    }

    @Test("what is wrong with a file that has no Footer is damage of its data")
    func noFooter() throws {
        let (bytes, _, whole) = try Self.indexed()
        let end = try #require(whole.dataEnd).place.offset
        for count in [end, whole.chunkIndexes.map { Int($0.chunkStartOffset) }[3]] {
            let file = try MCAPFile(MCAPMemorySource(Array(bytes[..<count])))
            #expect(!file.hasSummary && file.footer == nil)
            #expect(Array(file.dataProblems) == file.problems.list && file.problems.count == 2, "\(file.problems.list)")
        }
    }

    @Test("a DataEnd among the chunks that the summary lists ends nothing, whatever stands behind it")
    func dataEndAmongChunks() throws {
        let (sound, _, file) = try Self.indexed()
        let index = file.chunkIndexes[2]
        let place = Int(index.chunkStartOffset + index.chunkLength)
        let count = Int(index.messageIndexLength) - 13
        for other in [record(0x80, [UInt8](repeating: 0, count: count - 9)), Self.schema] {
            // In place of the chunk's message indexes; what is left of them is a record that no reader knows.
            let rest = count - other.count
            let filler = rest > 0 ? record(0x81, [UInt8](repeating: 0, count: rest - 9)) : []
            var bytes = sound
            bytes.replaceSubrange(place..<place + 13 + count, with: record(0x0F, le(0, 4)) + other + filler)
            try #require(bytes.count == sound.count)
            let read = try SampleMCAP.read(MCAPFile(MCAPMemorySource(bytes)))
            #expect(read.messages == Self.messages, "\(read.messages.count)")
            let damaged = try MCAPFile(MCAPMemorySource(bytes))
            #expect(damaged.problems.list.filter { $0.what == "DataEnd" }.map(\.place.offset) == [place])
            #expect(damaged.dataEnd?.place.offset == file.dataEnd?.place.offset)
        }
    }

    @Test("the bytes behind a file are counted")
    func bytesBehind() throws {
        let (bytes, _, whole) = try Self.indexed()
        let file = try MCAPFile(MCAPMemorySource(bytes + bytes))
        // The data end where those of the first file do.
        #expect(file.dataEnd?.place.offset == whole.dataEnd?.place.offset && file.dataProblems.count == 1)
        let found = file.dataProblems.filter { $0.what == "Footer" }
        // As far as the last Footer: a Footer has 29 bytes, and the magic number is behind it.
        #expect(found.map(\.found) == ["\(bytes.count - 29) bytes behind it, such as those of another file"])
        #expect(found.map(\.place.offset) == [bytes.count - 37])
    }

    // MARK: Without chunks

    private static let start = MCAPFormat.magic + record(0x01, text("ros2") + text("by hand"))
    private static let schema = record(
        0x03,
        le(1, 2) + text("std_msgs/msg/String") + text("ros2msg") + text("string data")
    )
    private static let ending = record(0x0F, le(0, 4)) + record(0x02, le(0, 20)) + MCAPFormat.magic

    private static func channel(_ number: UInt64, _ topic: String) -> [UInt8] {
        record(0x04, le(number, 2) + le(1, 2) + text(topic) + text("cdr") + le(0, 4))
    }

    private static func message(_ channel: UInt64, at time: UInt64) -> [UInt8] {
        record(0x05, le(channel, 2) + le(time, 4) + le(time, 8) + le(time, 8) + SampleMCAP.string("\(time)"))
    }

    private static func attachment(_ data: [UInt8], length: Int? = nil, sum: [UInt8] = le(0, 4)) -> [UInt8] {
        let head = le(5, 8) + le(6, 8) + text("name") + text("text/plain")
        return record(0x09, head + le(UInt64(length ?? data.count), 8) + data + sum)
    }

    private static func metadata(longer: Int = 0) -> [UInt8] {
        let body = text("name") + le(0, 4)
        return record(0x0C, length: UInt64(body.count + longer), body)
    }

    /// The times of the messages, and all problems.
    private static func read(_ records: [UInt8]...) throws -> (times: [UInt64], problems: [MCAPProblem], file: MCAPFile)
    {
        let file = try MCAPFile(MCAPMemorySource(start + schema + records.joined() + ending))
        let read = try SampleMCAP.read(file)
        return (read.messages.map(\.logTime), file.problems.list + read.problems, file)
    }

    @Test("records of all kinds stand among messages without a chunk")
    func messagesOutsideOfChunks() throws {
        let unknown = record(0x80, [1, 2, 3])
        let (times, problems, file) = try Self.read(
            Self.channel(1, "/a"),
            Self.message(1, at: 1),
            Self.attachment([1, 2, 3, 4]),
            Self.message(1, at: 2),
            Self.metadata(),
            Self.channel(2, "/b"),
            unknown,
            Self.message(2, at: 3),
            Self.message(1, at: 4)
        )
        #expect(times == [1, 2, 3, 4] && problems.isEmpty, "\(problems)")
        #expect(file.channels.map(\.topic) == ["/a", "/b"])
        #expect(file.attachments.count == 1 && file.metadata.count == 1)
        #expect(file.messageCounts == [1: 3, 2: 1])
    }

    @Test("damage among messages without a chunk costs nothing else, and is told once")
    func damageOutsideOfChunks() throws {
        let (channel, first, second) = (Self.channel(1, "/a"), Self.message(1, at: 1), Self.message(1, at: 2))
        // The length of a topic that is longer than its record.
        var longTopic = Self.channel(2, "/b")
        longTopic[9 + 4] = 200
        var cases: [(name: String, records: [UInt8])] = [
            ("metadata with a length of five more", Self.metadata(longer: 5)),
            ("metadata with a length of one more", Self.metadata(longer: 1)),
            ("a channel whose topic is too long", longTopic),
            ("zeros", [UInt8](repeating: 0, count: 60)),
        ]
        longTopic[1] += 40
        cases.append(("a channel whose topic and length are too long", longTopic))
        for (name, records) in cases {
            let (times, problems, _) = try Self.read(channel, first, records, second)
            #expect(times == [1, 2], "\(name): \(problems)")
            #expect(problems.count == 1, "\(name): \(problems)")
        }
    }

    @Test("the length of an attachment that its record has no room for is told")
    func lengthsOfAttachments() throws {
        let (channel, first, second) = (Self.channel(1, "/a"), Self.message(1, at: 1), Self.message(1, at: 2))
        for (attachment, most, length) in [
            (Self.attachment([1, 2, 3, 4], length: 5), 4, 5), (Self.attachment([1, 2, 3, 4], length: 1000), 4, 1000),
            (Self.attachment([], length: 1, sum: [0]), 0, 1),
        ] {
            let (times, problems, file) = try Self.read(channel, first, attachment, second)
            #expect(times == [1, 2] && file.attachments.isEmpty)
            let told = problems.filter { $0.what == "Attachment.data" }
            #expect(told.map(\.expected) == ["a length of at most \(most)"] && told.map(\.found) == ["\(length)"])
        }
    }
}

/// A number in little-endian order.
private func le(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) : 0 }
}
