import Foundation
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

@Suite struct CursorTests {
    private func everything() throws -> SessionBuilder {
        var builder = try SessionBuilder(frameCount: 10)
        let motion = (0..<200).map {
            "{\"timestamp\":1000.\(SessionBuilder.number($0 * 10_000 % 1_000_000)),\"user_acceleration\":[0,0,0],"
                + "\"rotation_rate\":[0,0,0],\"gravity\":[0,0,-1]}\n"
        }
        builder.files["imu.jsonl"] = Array(motion.prefix(100).joined().utf8)
        let fixes = [0, 1, 2].map { "{\"timestamp\":\(1000 + $0 / 2).\($0 % 2 * 5),\"latitude\":1,\"longitude\":2}\n" }
        builder.files["gps.jsonl"] = Array(fixes.joined().utf8)
        return builder
    }

    @Test func streamsAreMergedByTime() throws {
        let read = try ReadSession(everything())
        #expect(read.diagnostics.isEmpty)
        #expect(read.frames.count == 10 && read.motion.count == 100 && read.locations.count == 3)
        let times = read.records.map(\.time)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        // At equal times the frame comes first: its transform is what the others are seen against.
        guard case .frame = read.records[0] else { throw Problem(.badField, file: "", expected: "a frame", found: "") }
    }

    @Test func requestsAreKept() throws {
        let directory = try TemporaryDirectory()
        let path = try everything().write(into: directory.path)
        func read(_ request: RecordRequest) throws -> ReadSession {
            try ReadSession(directory, path: path, request: request)
        }
        let bare = try read(RecordRequest(streams: [.frames]))
        #expect(bare.frames.count == 10 && bare.motion.isEmpty && bare.locations.isEmpty)
        let span = Timestamp(nanoseconds: 1_000_200_000_000)...Timestamp(nanoseconds: 1_000_600_000_000)
        let part = try read(RecordRequest(span: span))
        #expect(part.indices == [1, 2, 3])
        #expect(part.motion.count == 41 && part.locations.count == 1)
        #expect(part.records.allSatisfy { span.contains($0.time) })
    }

    /// What is before a span may be left unread only where that changes nothing.
    @Test(arguments: [false, true])
    func jumpsFindWhatReadingFromTheBeginningFinds(isShuffled: Bool) throws {
        var random = SeededRandomNumbers(seed: 5)
        var builder = try SessionBuilder(frameCount: 800)
        var motion = (0..<16_000).map { number in
            "{\"timestamp\":\(1000 + number / 100).\(number % 100 / 10)\(number % 10),\"user_acceleration\":[0,0,0],"
                + "\"rotation_rate\":[0,0,0],\"gravity\":[0,0,-1]}\n"
        }
        if isShuffled {
            // As far as is put in order again, and with lines that do not read.
            for place in stride(from: 0, to: motion.count - 20, by: 20) {
                motion[place..<(place + 20)].shuffle(using: &random)
            }
            for _ in 0..<200 { motion[Int.random(in: 0..<motion.count, using: &random)] = "{\"timestamp\":\n" }
        }
        builder.files["imu.jsonl"] = Array(motion.joined().utf8)
        let directory = try TemporaryDirectory()
        let session = try SessionFormats.open(path: builder.write(into: directory.path).string)
        func read(_ span: ClosedRange<Timestamp>, jumps: Bool) throws -> [String] {
            let cursor = try session.records(RecordRequest(span: span, streams: [.frames, .motion], jumps: jumps))
            var found: [String] = []
            while let record = try cursor.next() {
                if case .frame(let frame) = record { found.append("frame \(frame.index) line \(frame.line)") }
                found.append("\(record.time.nanoseconds)")
            }
            return found
        }
        for _ in 0..<30 {
            let start = 1_000_000_000_000 + Int64.random(in: -1...165_000_000_000, using: &random)
            let end = start + Int64.random(in: 0...9_000_000_000, using: &random)
            let span = Timestamp(nanoseconds: start)...Timestamp(nanoseconds: end)
            let expected = try read(span, jumps: false)
            #expect(try read(span, jumps: true) == expected, "\(span)")
        }
    }

    @Test func framesThatAreNotWantedAreNotRead() throws {
        var builder = try SessionBuilder(frameCount: 10)
        builder.files["rgb/000003.jpg"] = nil
        builder.files["rgb/000004.jpg"] = nil
        let read = try ReadSession(builder)
        let cursor = try read.session.records(RecordRequest(streams: [.frames, .location]))
        var asked: [Int64] = []
        var indices: [Int] = []
        while let record = try cursor.next(isFrameWanted: { time in
            asked.append(time.nanoseconds)
            return (time.nanoseconds - 1_000_000_000_000) / 200_000_000 % 2 == 0
        }) {
            if case .frame(let frame) = record { indices.append(frame.index) }
        }
        #expect(indices == [0, 2, 4, 6, 8] && asked.count == 10)
        // Of what was passed over nothing was looked up.
        #expect(cursor.diagnostics.count(of: .missingImage) == 1)
    }

    /// Random disorder within the window comes out sorted and whole.
    @Test(arguments: 0..<5)
    func disorderWithinTheWindowIsUndone(seed: UInt64) throws {
        var numbers = SeededRandomNumbers(seed: seed)
        var builder = try SessionBuilder(frameCount: 300)
        for start in stride(from: 0, to: 300, by: 30) { builder.lines[start..<start + 30].shuffle(using: &numbers) }
        for path in builder.files.keys { builder.files[path] = nil }
        let read = try ReadSession(builder)
        #expect(read.indices == Array(0..<300) && read.motion.count == 300)
        #expect(read.kinds[.frameTooLate] == nil && read.kinds[.sampleTooLate] == nil)
        #expect(read.summary.firstTime.nanoseconds == 1_000_000_000_000)
        #expect(read.summary.lastTime.nanoseconds == 1_059_800_000_000)
    }

    /// A long session is a long file, not a lot of memory.
    @Test func memoryDoesNotGrowWithTheSession() throws {
        let directory = try TemporaryDirectory()
        var builder = try SessionBuilder(frameCount: 1)
        let root = try builder.write(into: directory.path)
        let padding = "\"" + String(repeating: "x", count: 2000) + "\""
        builder.lines[0]["comment"] = padding
        var text = ""
        for index in 0..<20_000 {
            builder.lines[0]["frame_index"] = "\(index)"
            builder.lines[0]["timestamp"] = "\(1000 + index / 100).\(SessionBuilder.number(index % 100 * 10_000))"
            text += builder.lines[0].text + "\n"
        }
        let bytes = Data(text.utf8)
        text = ""
        #expect(bytes.count > 48 << 20)
        try bytes.write(to: URL(fileURLWithPath: root.appending("frames.jsonl").string))
        let session = try SessionFormats.open(path: root.string)
        let cursor = try session.records(RecordRequest(streams: [.frames, .location]))
        var count = 0
        let before = try residentBytes()
        var largest = before
        while try cursor.next() != nil {
            count += 1
            if count % 2000 == 0 { largest = max(largest, try residentBytes()) }
        }
        #expect(count == 20_000)
        // Other tests run beside this one, so the bound is generous; the file would not fit into it.
        #expect(largest - before < 40 << 20, "\((largest - before) >> 20) MiB")
    }

    private func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return (Int(text.split(separator: " ")[1]) ?? 0) * 4096
    }
}
