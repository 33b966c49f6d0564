import Glibc
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// The lines of frames.jsonl after a crash, and after worse.
@Suite struct DamagedLineTests {
    @Test(arguments: [false, true])
    func lastLineCutInTheMiddle(hasNewline: Bool) throws {
        var builder = try SessionBuilder()
        let line = Array(builder.lines.removeLast().text.utf8)
        builder.tail = line[..<(line.count / 2)] + (hasNewline ? [0x0A] : [])
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 1, 2])
        #expect(read.kinds[.cutLastLine] == 1)
        let problem = try #require(read.only(.cutLastLine))
        #expect(problem.place == "frames.jsonl:4")
        #expect(problem.expected.contains("byte \(line.count / 2)"), "\(problem)")
    }

    @Test(arguments: [1, 10, 100, 200, 300])
    func lastLineCutAnywhere(count: Int) throws {
        var builder = try SessionBuilder(frameCount: 2)
        let line = Array(builder.lines.removeLast().text.utf8)
        builder.tail = Array(line[..<count])
        builder.metadata = nil
        let read = try ReadSession(builder)
        #expect(read.indices == [0])
        #expect(read.kinds[.cutLastLine] == 1 && read.kinds[.unreadableLine] == nil)
    }

    @Test func completeLastLineNeedsNoNewline() throws {
        var builder = try SessionBuilder()
        builder.tail = Array(builder.lines.removeLast().text.utf8)
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 1, 2, 3] && read.diagnostics.isEmpty)
    }

    @Test(arguments: [1, 4096, 5 << 20], [false, true])
    func tailOfZeros(count: Int, cutsLine: Bool) throws {
        var builder = try SessionBuilder()
        let last = Array(builder.lines.removeLast().text.utf8)
        builder.tail = (cutsLine ? last[..<80] : last[...]) + [UInt8](repeating: 0, count: count)
        let read = try ReadSession(builder)
        #expect(read.indices == (cutsLine ? [0, 1, 2] : [0, 1, 2, 3]))
        #expect(read.kinds[.cutLastLine] == (cutsLine ? 1 : nil))
        #expect(read.diagnostics.entries.allSatisfy { $0.kind == .cutLastLine })
    }

    /// Zeros in the middle of a line do not make one line of its two parts.
    @Test func zerosDoNotJoinWhatStandsAroundThem() throws {
        var builder = try SessionBuilder()
        let halves = Array(builder.lines[1].text.utf8).split(separator: UInt8(ascii: ","), maxSplits: 1)
        let line = halves[0] + [UInt8](repeating: 0, count: 3 << 20) + [UInt8(ascii: ",")] + halves[1]
        builder.files["frames.jsonl"] = Self.replacingLine(1, of: builder, with: Array(line))
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 2, 3] && read.kinds == [.unreadableLine: 1])
    }

    @Test func blankLinesAreAbsentButCounted() throws {
        var builder = try SessionBuilder()
        let texts = builder.lines.map(\.text)
        builder.files["frames.jsonl"] = Array("\n\(texts[0])\r\n  \n\n\(texts[1])\n\n\n\0\0".utf8)
        builder.metadata = nil
        let read = try ReadSession(builder)
        #expect(read.frames.map(\.line) == [2, 5])
        #expect(read.diagnostics.isEmpty)
        #expect(read.summary.lineCount == 2)
    }

    /// What a line of zeros between others stands for was a line.
    @Test func linesOfZerosAreCounted() throws {
        var builder = try SessionBuilder()
        let texts = builder.lines.map(\.text)
        builder.files["frames.jsonl"] = Array("\(texts[0])\n\0\0\0\n\(texts[1])\n\0\0\(texts[2])\n".utf8)
        builder.metadata = nil
        let read = try ReadSession(builder)
        #expect(read.frames.map(\.line) == [1, 3, 4])
        #expect(read.kinds == [.unreadableLine: 1])
    }

    @Test(
        arguments: [
            "{\"frame_index\":1,\"timestamp\":1000.2", "nonsense", "[1,2,3]", "null", "{}}", "{\"a\":tru}",
            "{\"frame_index\" 1}", "\u{FEFF}{}", "{\"frame_index\":01}",
        ]
    )
    func brokenInnerLineIsSkipped(text: String) throws {
        var builder = try SessionBuilder()
        builder.files["frames.jsonl"] = Self.replacingLine(1, of: builder, with: Array(text.utf8))
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 2, 3])
        let problem = try #require(read.only(.unreadableLine))
        #expect(problem.place == "frames.jsonl:2")
        #expect(!problem.expected.isEmpty && !problem.found.isEmpty)
        #expect(read.kinds[.cutLastLine] == nil)
    }

    @Test func textThatIsNoUTF8IsSkipped() throws {
        let builder = try SessionBuilder()
        var damaged = builder
        let line = builder.lines[1].text.utf8.map { $0 == UInt8(ascii: "m") ? 0xFF : $0 }
        damaged.files["frames.jsonl"] = Self.replacingLine(1, of: builder, with: line)
        let read = try ReadSession(damaged)
        #expect(read.indices == [0, 2, 3])
        #expect(try #require(read.only(.unreadableLine)).place == "frames.jsonl:2")
    }

    @Test(arguments: [1, 3])
    func lineOfFiveMegabytes(place: Int) throws {
        var builder = try SessionBuilder()
        builder.lines[place]["camera_transform"] = "[" + String(repeating: "1.25,", count: 1 << 20) + "1]"
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 1, 2, 3].filter { $0 != place })
        // As the last line it may be anything that a crash left.
        let problem = try #require(read.only(place == 3 ? .cutLastLine : .unreadableLine))
        #expect(problem.place == "frames.jsonl:\(place + 1)")
        #expect(problem.expected.contains("\(1 << 20) bytes"))
        #expect(problem.found.hasPrefix("52"), "\(problem.found)")
    }

    /// More without a line than any text has is the end of a file, whatever it claims to hold.
    @Test(arguments: [0, UInt8(ascii: "x")])
    func manyMegabytesWithoutALine(filling: UInt8) throws {
        let builder = try SessionBuilder()
        var damaged = builder
        let junk = [UInt8](repeating: filling, count: 17 << 20)
        damaged.files["frames.jsonl"] = Self.replacingLine(1, of: builder, with: junk)
        let read = try ReadSession(damaged)
        #expect(read.indices == [0])
        let problem = try #require(read.only(.cutLastLine))
        #expect(problem.found.hasSuffix("what follows is not read"), "\(problem)")
    }

    /// What a small archive claims to hold may be hundreds of millions of such lines.
    @Test(arguments: ["{}\n", "\n"], ["frames.jsonl", "imu.jsonl"])
    func linesThatDoNotReadAreReadToALimit(line: String, file: String) throws {
        var builder = try SessionBuilder()
        let last = builder.lines.removeLast()
        let many = [[UInt8]](repeating: Array(line.utf8), count: 100_010).flatMap(\.self)
        if file == "frames.jsonl" { builder.tail = many + Array(last.text.utf8) } else { builder.files[file] = many }
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 1, 2])
        let problems = read.diagnostics.entries.filter { $0.kind == .cutLastLine }.flatMap(\.examples)
        #expect(Set(problems.map(\.found)) == ["more; what follows is not read"], "\(read.diagnostics.entries)")
        #expect(Set(problems.map(\.file)) == [file])
    }

    @Test func aCancelledTaskEndsTheReadingOfAList() async throws {
        let builder = try SessionBuilder(frameCount: 2)
        let directory = try TemporaryDirectory()
        let path = try builder.write(into: directory.path).string
        let opening = Task {
            while !Task.isCancelled { await Task.yield() }
            return try SessionFormats.open(path: path)
        }
        opening.cancel()
        await #expect(throws: CancellationError.self) { try await opening.value }
        #expect(throws: Never.self) { try SessionFormats.open(path: path) }
    }

    /// Gigabytes of zeros that are stored nowhere are not read to their end.
    @Test func sparseFilesEndAtOnce() throws {
        let builder = try SessionBuilder()
        let directory = try TemporaryDirectory()
        let root = try builder.write(into: directory.path)
        for name in ["frames.jsonl", "imu.jsonl", "gps.jsonl"] {
            let file = root.appending(name)
            if name != "frames.jsonl" { try SessionBuilder.write([], to: file) }
            try #require(truncate(file.string, 8 << 30) == 0)
        }
        let read = try ReadSession(directory, path: root)
        #expect(read.indices == [0, 1, 2, 3])
        #expect(try #require(read.diagnostics.entries.first { $0.kind == .cutLastLine }).count >= 3)
    }

    @Test func nestingWithoutEndIsSkipped() throws {
        let builder = try SessionBuilder()
        var damaged = builder
        let deep = "{\"a\":" + String(repeating: "[", count: 200_000)
        damaged.files["frames.jsonl"] = Self.replacingLine(1, of: builder, with: Array(deep.utf8))
        let read = try ReadSession(damaged)
        #expect(read.indices == [0, 2, 3] && read.kinds[.unreadableLine] == 1)
    }

    @Test func unknownFieldsAndDuplicateKeysAreNoDamage() throws {
        var builder = try SessionBuilder()
        builder.lines[1]["from_the_future"] = "{\"a\":[1,{\"b\":null}],\"timestamp\":5}"
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 1, 2, 3] && read.diagnostics.isEmpty)
        #expect(read.frames[1].time.nanoseconds == 1_000_200_000_000)
    }

    @Test func repeatedIndexKeepsTheLastLine() throws {
        var builder = try SessionBuilder(frameCount: 6)
        builder.lines[1]["frame_index"] = "3"
        builder.lines[1]["exposure_duration"] = "0.5"
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 2, 3, 4, 5])
        #expect(read.frames[2].line == 4 && read.frames[2].exposureSeconds != 0.5)
        let problem = try #require(read.only(.duplicateFrame))
        #expect(problem.place == "frames.jsonl:2:frame_index")
        #expect(problem.expected.contains("3") && problem.found.contains("line 4"))
        #expect(read.summary.frameCount == 5)
    }

    @Test func gapInTheIndicesIsReported() throws {
        var builder = try SessionBuilder(frameCount: 5)
        builder.lines.remove(at: 2)
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 1, 3, 4])
        let problem = try #require(read.only(.indexNotConsecutive))
        #expect(problem.place == "frames.jsonl:3:frame_index")
        #expect(problem.expected.contains("2") && problem.found.contains("3"))
        #expect(problem.kind.severity == .notice)
    }

    /// A line that was dropped for its own damage explains the gap.
    @Test func gapAfterABrokenLineIsNotReportedAgain() throws {
        var builder = try SessionBuilder(frameCount: 5)
        builder.lines[2]["camera_intrinsics"] = nil
        #expect(try ReadSession(builder).kinds == [.missingField: 1])
    }

    static func replacingLine(_ place: Int, of builder: SessionBuilder, with bytes: [UInt8]) -> [UInt8] {
        var lines = builder.lines.map { Array($0.text.utf8) }
        lines[place] = bytes
        return lines.flatMap { $0 + [0x0A] }
    }
}
