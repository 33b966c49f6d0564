import Recording
import Sessions
import TestSupport
import Testing

@Suite struct DamagedTimeTests {
    @Test func slightlyLateFramesAreputBackInOrder() throws {
        var builder = try SessionBuilder(frameCount: 6)
        builder.lines.swapAt(2, 3)
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 1, 2, 3, 4, 5])
        #expect(!read.summary.isTimeOrdered)
        let problem = try #require(read.only(.timeStepsBack))
        #expect(problem.place == "frames.jsonl:4:timestamp")
        #expect(problem.expected.contains("1000.6") && problem.found.contains("1000.4"))
        #expect(problem.kind.severity == .notice)
    }

    @Test func equalTimesKeepTheOrderOfTheFile() throws {
        var builder = try SessionBuilder(frameCount: 5)
        for place in 1...3 { builder.lines[place]["timestamp"] = "1000.2" }
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 1, 2, 3, 4])
        #expect(read.kinds[.timeStepsBack] == nil && read.kinds[.frameTooLate] == nil)
    }

    /// One absurd time must not move the session's beginning or end, nor cost more than its frame.
    @Test(arguments: ["0", "1000.1", "3.5e8", "9.1e9"], [0, 3, 5])
    func wildTimeCostsItsFrame(time: String, place: Int) throws {
        var builder = try SessionBuilder(frameCount: 6)
        for line in 0..<6 { builder.lines[line]["timestamp"] = "\(200_000 + line).25" }
        builder.metadata?["startTimestamp"] = "200000"
        builder.metadata?["endTimestamp"] = "200007"
        builder.lines[place]["timestamp"] = time
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 1, 2, 3, 4, 5].filter { $0 != place })
        let good = read.frames.map(\.time.nanoseconds)
        #expect(read.summary.firstTime.nanoseconds == good.min())
        #expect(read.summary.lastTime.nanoseconds == good.max())
        #expect(read.summary.largestGapSeconds < 2.5)
        let problem = try #require(read.only(.timeOutOfSession), "\(read.kinds)")
        #expect(problem.place == "frames.jsonl:\(place + 1):timestamp")
        #expect(problem.kind.severity == .lost)
        #expect(read.kinds[.metadataOfAnotherSession] == nil)
        #expect(read.summary.deviceModel != nil)
    }

    /// More than the window holds: late frames are counted, never handed out in the wrong order.
    @Test func framesTooLateForTheWindowAreCounted() throws {
        var builder = try SessionBuilder(frameCount: 200)
        var moved = builder.lines.remove(at: 0)
        moved["imu_timestamp"] = nil
        builder.lines.append(moved)
        let read = try ReadSession(builder)
        #expect(read.indices == Array(1..<200))
        let problem = try #require(read.only(.frameTooLate))
        #expect(problem.place == "frames.jsonl:200:timestamp")
        #expect(read.kinds[.timeStepsBack] == 1)
    }

    @Test func longGapsAreKeptAndKnown() throws {
        var builder = try SessionBuilder(frameCount: 4)
        builder.lines[2]["timestamp"] = "1020.0"
        builder.lines[3]["timestamp"] = "1020.2"
        builder.metadata?["endTimestamp"] = "1021"
        let read = try ReadSession(builder)
        #expect(read.indices == [0, 1, 2, 3] && read.diagnostics.isEmpty)
        #expect(abs(read.summary.largestGapSeconds - 19.8) < 1e-9)
        #expect(read.summary.largestGapStart?.nanoseconds == 1_000_200_000_000)
    }
}
