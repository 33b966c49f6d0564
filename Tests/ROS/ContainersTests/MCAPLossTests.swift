import Bags
import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

/// Damage that costs messages: as few as can be, and none without a word.
@Suite("Messages that damage costs")
struct MCAPLossTests {
    private static let messages = SampleMCAP.messages(count: 48)

    /// Three chunks of sixteen messages, behind a metadata record if wanted.
    private static func sample(_ compression: MCAPCompression, metadata: Bool = false) throws -> [UInt8] {
        var (writer, channels) = try SampleMCAP.writer(MCAPWriterOptions(compression: compression))
        if metadata { writer.addMetadata(name: "note", [("of", "something")]) }
        for (index, message) in messages.enumerated() {
            try SampleMCAP.write(message, &writer, channels)
            if index % 16 == 15 { try writer.flushChunk() }
        }
        return writer.takeOutput() + writer.ending()
    }

    /// Where the record of the second chunk begins.
    private static func secondChunk(of bytes: [UInt8]) throws -> Int {
        let indexes = try MCAPFile(MCAPMemorySource(bytes)).chunkIndexes
        try #require(indexes.count == 3)
        return Int(indexes[1].chunkStartOffset)
    }

    /// A sample whose second chunk has no checksum, and where the record of its sixth message begins.
    private static func unchecked() throws -> (bytes: [UInt8], sixth: Int) {
        var bytes = try sample(.none)
        put(0, count: 4, at: try secondChunk(of: bytes) + 9 + 24, in: &bytes)
        let data = messages[21].data
        return (bytes, try #require(bytes.indices.first { bytes[$0...].starts(with: data) }) - head)
    }

    /// What stands in front of a message's data.
    private static let head = 9 + 22

    private static func put(_ value: UInt64, count: Int = 8, at offset: Int, in bytes: inout [UInt8]) {
        for index in 0..<count { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    }

    @Test("a hole in a chunk without a checksum is found, and what is in it is counted")
    func hole() throws {
        var (bytes, start) = try Self.unchecked()
        for index in start..<start + 3 * (Self.head + Self.messages[21].data.count) { bytes[index] = 0 }
        let cursor = try MCAPFile(MCAPMemorySource(bytes)).messages(verifiesChecksums: true)
        var read = 0
        while try cursor.next() != nil { read += 1 }
        #expect(read == 45 && cursor.missingCount == 3)
        let problems = cursor.problems.list.map(\.description)
        #expect(problems.contains { $0.contains("0x00") }, "\(problems)")
        #expect(problems.contains { $0.contains("MessageIndex says") && $0.contains("found 4") }, "\(problems)")
        // Of one topic only its own are missing.
        let one = try MCAPFile(MCAPMemorySource(bytes)).messages(MCAPMessageFilter(channels: [1]))
        while try one.next() != nil {}
        #expect(one.missingCount == 1)
    }

    @Test("a chunk that is gone with its indexes is known by the summary, whose place has moved", arguments: [0, 1, 2])
    func goneChunk(number: Int) throws {
        var bytes = try Self.sample(.zstd)
        let index = try MCAPFile(MCAPMemorySource(bytes)).chunkIndexes[number]
        let start = Int(index.chunkStartOffset)
        bytes.removeSubrange(start..<start + Int(index.chunkLength) + Int(index.messageIndexLength))
        let file = try MCAPFile(MCAPMemorySource(bytes))
        #expect(!file.hasSummary && file.statistics?.messageCount == 48)
        // The channels stand in the first chunk, and in the summary.
        let cursor = file.messages(verifiesChecksums: true)
        var read = 0
        while try cursor.next() != nil { read += 1 }
        #expect(read == 32)
        // Who reads it as a bag is told, and takes it only with damage.
        let directory = try TemporaryDirectory()
        let path = directory.appending("cut.mcap")
        try OutputFile.write(bytes, to: path)
        let reader = try BagReader(opening: path, tolerating: .everything)
        #expect(
            reader.differences.contains { $0.contains("message_count is 48, there are 32") },
            "\(reader.differences)"
        )
    }

    @Test("a chunk that is gone while its MessageIndexes stay is told by them", arguments: [0, 1, 2])
    func goneChunkWithIndexes(number: Int) throws {
        var bytes = try Self.sample(.zstd)
        let sound = try MCAPFile(MCAPMemorySource(bytes))
        let index = sound.chunkIndexes[number]
        let start = Int(index.chunkStartOffset)
        // Of a file whose writer was killed no summary is left.
        let end = try #require(sound.dataEnd).place.offset
        bytes.removeSubrange(end...)
        #expect(try MCAPFile(MCAPMemorySource(bytes)).problems.list.allSatisfy { $0.what != "MessageIndex" })
        bytes.removeSubrange(start..<start + Int(index.chunkLength))
        let problems = try MCAPFile(MCAPMemorySource(bytes)).dataProblems.filter { $0.what == "MessageIndex" }
        let expected = problems.map(\.expected)
        #expect(problems.count == index.messageIndexOffsets.count, "\(expected)")
        #expect(expected.allSatisfy { $0.hasPrefix("the chunk of ") && $0.hasSuffix("before it") }, "\(expected)")
    }

    @Test(
        "a chunk whose length is wrong is read whole, with the summary and without it",
        arguments: MCAPCompression.allCases,
        [UInt64(0), 1 << 63, 7, .max]
    )
    func wrongLength(compression: MCAPCompression, length: UInt64) throws {
        var bytes = try Self.sample(compression)
        Self.put(length, at: try Self.secondChunk(of: bytes) + 1, in: &bytes)
        // A file whose writer was killed before the end of the data.
        let end = try #require(try MCAPFile(MCAPMemorySource(bytes)).dataEnd).place.offset
        for bytes in [bytes, Array(bytes[..<end])] {
            let file = try MCAPFile(MCAPMemorySource(bytes))
            #expect(file.dataProblems.contains { $0.what == "Chunk length" }, "\(file.problems.list)")
            #expect(try SampleMCAP.read(file).messages == Self.messages)
        }
    }

    @Test("a message index that damage made a message is read, as by any reader that goes from record to record")
    func indexBecomesMessage() throws {
        var bytes = try Self.sample(.none)
        let chunk = try Self.secondChunk(of: bytes)
        let index = try MCAPFile(MCAPMemorySource(bytes)).chunkIndexes[1]
        bytes[chunk + Int(index.chunkLength)] = 0x05
        let read = try SampleMCAP.read(MCAPFile(MCAPMemorySource(bytes))).messages
        #expect(read.count == Self.messages.count + 1)
        // One whose length is wrong hides nothing: the chunk's index says where the next record is.
        bytes[chunk + Int(index.chunkLength) + 1] ^= 1
        #expect(try SampleMCAP.read(MCAPFile(MCAPMemorySource(bytes))).messages == Self.messages)
    }

    @Test("a record that damage made a DataEnd ends nothing, with the summary and without it")
    func falseDataEnd() throws {
        let sound = try Self.sample(.none, metadata: true)
        let file = try MCAPFile(MCAPMemorySource(sound))
        let metadata = try #require(file.metadata.first).place.offset
        let messageIndex = Int(file.chunkIndexes[0].chunkStartOffset + file.chunkIndexes[0].chunkLength)
        for offset in [metadata, messageIndex] {
            var bytes = sound
            bytes[offset] = 0x0F
            var unsummed = bytes
            // The CRC of the summary.
            unsummed[unsummed.count - 9] ^= 1
            for bytes in [bytes, unsummed] {
                let file = try MCAPFile(MCAPMemorySource(bytes))
                #expect(try SampleMCAP.read(file).messages == Self.messages, "\(file.problems.list)")
                #expect(file.dataEnd?.place.offset == (try MCAPFile(MCAPMemorySource(sound)).dataEnd?.place.offset))
                // Between a chunk and the next one the index of the file says where to go on.
                #expect(!file.dataProblems.isEmpty || (offset == messageIndex && file.hasSummary))
            }
        }
    }

    @Test("a file behind another one is told, though each of them is sound")
    func twoFiles() throws {
        let bytes = try Self.sample(.none)
        let file = try MCAPFile(MCAPMemorySource(bytes + bytes))
        #expect(!file.dataProblems.isEmpty, "\(file.problems.list)")
    }

    @Test("a message in a chunk that damage made a record of another kind is missed, and nothing behind it")
    func foreignRecordInChunk() throws {
        for opcode: UInt8 in [0x06, 0x07, 0x0C, 0x0F] {
            var (bytes, start) = try Self.unchecked()
            bytes[start] = opcode
            let cursor = try MCAPFile(MCAPMemorySource(bytes)).messages(verifiesChecksums: true)
            var read = 0
            while try cursor.next() != nil { read += 1 }
            let problems = cursor.problems.list.map(\.description)
            #expect(read == 47 && cursor.missingCount == 1, "\(problems)")
            #expect(problems.contains { $0.contains("Schema, Channel or Message") }, "\(problems)")
        }
    }

    @Test("a chunk whose uncompressed size is wrong is read whole", arguments: MCAPCompression.allCases)
    func wrongSize(compression: MCAPCompression) throws {
        for size in [UInt64(1 << 40), 10, 0] {
            var bytes = try Self.sample(compression)
            Self.put(size, at: try Self.secondChunk(of: bytes) + 9 + 16, in: &bytes)
            let file = try MCAPFile(MCAPMemorySource(bytes))
            let read = try SampleMCAP.read(file)
            #expect(read.messages == Self.messages, "\(size)")
            let problems = file.dataProblems + read.problems
            #expect(problems.contains { $0.what == "Chunk.uncompressed_size" }, "\(size): \(problems)")
        }
    }

    @Test("what lies behind damage in a chunk is read, as much as a repair would save", arguments: [true, false])
    func behindDamage(hasSummary: Bool) throws {
        let sound = try Self.sample(.none)
        let chunk = try Self.secondChunk(of: sound)
        let end = try #require(try MCAPFile(MCAPMemorySource(sound)).dataEnd).place.offset
        let data = Self.messages[21].data
        let message = try #require(sound.indices.first { sound[$0...].starts(with: data) }) - 9 - 22
        var longMessage = sound
        Self.put(1 << 40, at: message + 1, in: &longMessage)
        // Both lengths of the chunk: that of its record and that of its content.
        var wrongChunk = sound
        Self.put(7, at: chunk + 1, in: &wrongChunk)
        Self.put(3, at: chunk + 9 + 32, in: &wrongChunk)
        for (bytes, count) in [(longMessage, 47), (wrongChunk, 48)] {
            let source = MCAPMemorySource(hasSummary ? bytes : Array(bytes[..<end]))
            let file = try MCAPFile(source)
            let read = try SampleMCAP.read(file)
            #expect(read.messages.count == count && Set(Self.messages).isSuperset(of: read.messages))
            let problems = file.dataProblems + read.problems
            #expect(!problems.isEmpty)
            var walk = try MCAPWalk(source)
            var saved = 0
            while let item = try walk.next() { if case .message? = item.record { saved += 1 } }
            #expect(saved == count)
        }
    }

    @Test("what is wrong with the summary alone is no damage of the messages")
    func summaryProblem() throws {
        var bytes = try Self.sample(.none)
        bytes[bytes.count - 8 - 4] ^= 1
        let file = try MCAPFile(MCAPMemorySource(bytes))
        #expect(!file.problems.list.isEmpty && file.dataProblems.isEmpty && !file.hasSummary)
        #expect(file.messageCounts?.values.reduce(0, +) == 48)
        let cut = try MCAPFile(MCAPMemorySource(Array(bytes.dropLast(9))))
        #expect(!cut.dataProblems.isEmpty)
    }

    @Test(
        "a summary need not repeat schemas: they are in the chunks",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func schemasInChunks() throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("bare.mcap")
        let script = """
            import sys
            from mcap.writer import Writer, CompressionType
            for repeats in (False, True):
                with open(sys.argv[1] + ("" if repeats else ".bare"), "wb") as stream:
                    writer = Writer(stream, repeat_schemas=repeats, compression=CompressionType.NONE, chunk_size=200)
                    writer.start("ros2", "x")
                    for number in range(3):
                        schema = writer.register_schema(f"std_msgs/msg/T{number}", "ros2msg", b"string data")
                        channel = writer.register_channel(f"/t{number}", "cdr", schema)
                        for time in range(10):
                            writer.add_message(channel, time, bytes(30), time)
                    writer.finish()
            """
        _ = try PeerPython.output(of: script, [path.string])
        for name in [path, FilePath(path.string + ".bare")] {
            let file = try MCAPFile(opening: name)
            #expect(file.problems.list.isEmpty && file.hasSummary, "\(file.problems.list)")
            let types = file.channels.map { file.schema(of: $0)?.name }
            #expect(types == ["std_msgs/msg/T0", "std_msgs/msg/T1", "std_msgs/msg/T2"])
            #expect(try SampleMCAP.read(file).messages.count == 30)
        }
    }

    @Test("a named pipe is not opened, whatever asks for it")
    func namedPipe() throws {
        let directory = try TemporaryDirectory()
        let pipe = directory.appending("x.mcap")
        try #require(mkfifo(pipe.string, 0o600) == 0)
        #expect { try MCAPFile(opening: pipe) } throws: { ($0 as? FileError)?.notRegular == .pipe }
        #expect { try ZstandardFile.claimedSize(pipe) } throws: { ($0 as? FileError)?.notRegular == .pipe }
        let target = directory.appending("y")
        #expect { try ZstandardFile.decompress(pipe, to: target, limit: 1) } throws: {
            ($0 as? FileError)?.notRegular == .pipe
        }
        #expect { try RegularFile.open(directory.path) } throws: { ($0 as? FileError)?.notRegular == .directory }
        #expect { try RegularFile.open("/dev/null") } throws: { ($0 as? FileError)?.notRegular == .device }
        #expect { try RegularFile.open(directory.appending("z")) } throws: {
            ($0 as? FileError)?.errno == .noSuchFileOrDirectory
        }
    }
}
