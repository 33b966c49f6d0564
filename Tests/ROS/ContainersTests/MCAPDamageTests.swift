import Bags
import TestSupport
import Testing

@Suite("Damaged MCAP files")
struct MCAPDamageTests {
    /// 16 messages in four chunks, then one without; all texts compress.
    private static func small(_ compression: MCAPCompression) throws -> [UInt8] {
        var messages = SampleMCAP.messages(count: 16)
        for index in messages.indices { messages[index].data = SampleMCAP.string(String(repeating: "ab", count: 20)) }
        return try SampleMCAP.file(messages, MCAPWriterOptions(chunkBytes: 320, compression: compression))
    }

    @Test("a file that is cut anywhere gives the messages before the cut", arguments: MCAPCompression.allCases)
    func cut(compression: MCAPCompression) throws {
        let bytes = try Self.small(compression)
        let whole = try SampleMCAP.read(MCAPFile(MCAPMemorySource(bytes))).messages
        #expect(whole.count == 16)
        var previous = 0
        for count in bytes.indices {
            let source = MCAPMemorySource(Array(bytes[..<count]))
            guard count >= MCAPFormat.magic.count else {
                #expect(throws: MCAPProblem.self) { try MCAPFile(source) }
                continue
            }
            let file = try MCAPFile(source)
            let read = try SampleMCAP.read(file)
            let problems = file.problems.list + read.problems
            #expect(!problems.isEmpty, "cut at \(count)")
            #expect(problems.allSatisfy { $0.place.offset <= count }, "cut at \(count): \(problems)")
            #expect(read.messages == Array(whole.prefix(read.messages.count)), "cut at \(count)")
            #expect(read.messages.count >= previous, "cut at \(count)")
            previous = read.messages.count
            try Self.walk(source)
        }
        #expect(previous == 16)
    }

    @Test("a chunk that is cut gives the messages that are whole")
    func cutChunk() throws {
        let messages = SampleMCAP.messages(count: 16)
        let bytes = try SampleMCAP.file(messages, MCAPWriterOptions())
        // The end of the tenth message is that of its data, which are in the file as they are.
        let tail = messages[9].data
        let end = try #require(bytes.indices.first { bytes[$0...].starts(with: tail) }) + tail.count
        for (cut, count) in [(end, 10), (end - 1, 9), (end + 1, 10), (end + 30, 10)] {
            let file = try MCAPFile(MCAPMemorySource(Array(bytes[..<cut])))
            #expect(try SampleMCAP.read(file).messages == Array(messages[..<count]))
            #expect(file.channels.map(\.topic) == SampleMCAP.topics)
        }
    }

    @Test("a flipped byte anywhere is survived, and found where a CRC covers it", arguments: MCAPCompression.allCases)
    func flip(compression: MCAPCompression) throws {
        let bytes = try Self.small(compression)
        let whole = try SampleMCAP.read(MCAPFile(MCAPMemorySource(bytes))).messages
        for (index, mask) in bytes.indices.flatMap({ index in [UInt8(0xFF), 0x01].map { (index, $0) } }) {
            var damaged = bytes
            damaged[index] ^= mask
            let source = MCAPMemorySource(damaged)
            let file = try MCAPFile(source)
            let read = try SampleMCAP.read(file)
            var problems = file.problems.list + read.problems
            if let problem = try file.dataSectionProblem() { problems.append(problem) }
            #expect(!problems.isEmpty, "byte \(index) with \(mask)")
            if index < MCAPFormat.magic.count { #expect(read.messages == whole && !file.dataProblems.isEmpty) }
            // A Channel whose opcode is flipped looks like a Message.
            #expect(read.messages.count <= whole.count + 2, "byte \(index) with \(mask)")
            // One flipped byte costs at most the four messages of one chunk, wherever the summary is sound.
            if file.hasSummary { #expect(read.messages.count >= whole.count - 5, "byte \(index) with \(mask)") }
            try Self.walk(source)
        }
        #expect(throws: MCAPProblem.self) { try MCAPFile(MCAPMemorySource([0, 0, 0] + bytes.dropFirst(3))) }
    }

    @Test("random bytes in random places are survived", arguments: MCAPCompression.allCases)
    func noise(compression: MCAPCompression) throws {
        let bytes = try Self.small(compression)
        var generator = SeededRandomNumbers(seed: 3)
        for _ in 0..<1000 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let index = Int.random(in: MCAPFormat.magic.count..<damaged.count, using: &generator)
                damaged[index] =
                    [0, 1, 0x7F, 0x80, 0xFF, .random(in: 0...255, using: &generator)]
                    .randomElement(using: &generator) ?? 0
            }
            let source = MCAPMemorySource(damaged)
            let read = try SampleMCAP.read(MCAPFile(source))
            #expect(read.messages.count <= 1000)
            try Self.walk(source)
        }
    }

    /// Every record and all data, which must neither crash nor go on for ever.
    private static func walk(_ source: MCAPMemorySource) throws {
        var walk = try MCAPWalk(source)
        var count = 0
        while let item = try walk.next() {
            count += 1
            if case .message(let message)? = item.record { _ = try walk.data(of: message) }
        }
        #expect(count <= source.size)
    }
}
