import Platform
import Testing
import Text

/// What is said of progress, at times that the test decides.
@Suite struct ProgressMeterTests {
    /// A meter that expectations can ask, which may not change a value.
    private final class Watch {
        private var meter: ProgressMeter

        init(at start: Double) { meter = ProgressMeter(at: start) }

        func note(_ work: WorkProgress, mayGoBack: Bool = false) { meter.note(work, mayGoBack: mayGoBack) }

        func measure(at now: Double) -> ProgressMeter.Reading? { meter.measure(at: now) }

        func last(isComplete: Bool, at now: Double) -> ProgressMeter.Reading? {
            meter.last(isComplete: isComplete, at: now)
        }
    }

    private func meter(_ done: Double, of total: Double?, unit: WorkProgress.Unit = .frames) -> Watch {
        let meter = Watch(at: 10)
        meter.note(WorkProgress("checking", done, of: total, unit))
        return meter
    }

    /// A reading of work that has just begun.
    private func reading(_ work: WorkProgress) throws -> ProgressMeter.Reading {
        let meter = Watch(at: 0)
        meter.note(work)
        var reading = try #require(meter.last(isComplete: false, at: 0))
        reading.state = .running
        return reading
    }

    @Test("nothing is said before anything is known, and no time is left before there is a rate")
    func beginning() throws {
        let empty = Watch(at: 0)
        #expect(empty.measure(at: 1) == nil && empty.last(isComplete: true, at: 1) == nil)
        let meter = self.meter(0, of: 100)
        let first = try #require(meter.measure(at: 10))
        #expect(first.rate == nil && first.secondsLeft == nil && first.elapsedSeconds == 0 && first.share == 0)
        let second = try #require(meter.measure(at: 11))
        #expect(second.rate == 0 && second.secondsLeft == nil)
        #expect(second.text == "checking  0 of 100 frames  0 %")
    }

    @Test("an even rate is what it is from the first second on")
    func even() throws {
        let meter = Watch(at: 0)
        for second in 1...20 {
            meter.note(WorkProgress("checking", second * 5, of: 1000, .frames))
            let reading = try #require(meter.measure(at: Double(second)))
            #expect(abs((reading.rate ?? 0) - 5) < 1e-9)
            #expect(abs((reading.secondsLeft ?? 0) - Double(200 - second)) < 1e-6)
        }
    }

    @Test("a leap changes the rate a little, a lasting change in the end wholly")
    func smoothed() throws {
        let meter = Watch(at: 0)
        var done = 0.0
        func step(_ second: Int, _ amount: Double) throws -> Double {
            done += amount
            meter.note(WorkProgress("checking", done, of: 1e6, .frames))
            return try #require(meter.measure(at: Double(second))?.rate)
        }
        for second in 1...30 { _ = try step(second, 10) }
        let leap = try step(31, 110)
        #expect(leap > 15 && leap < 40)
        var rate = leap
        for second in 32...90 { rate = try step(second, 20) }
        #expect(abs(rate - 20) < 0.1)
    }

    @Test("a stage begins anew; what comes late within one is ignored; a player may go back")
    func stages() throws {
        let meter = self.meter(50, of: 100)
        _ = meter.measure(at: 11)
        meter.note(WorkProgress("checking", 40, of: 100, .frames))
        #expect(meter.measure(at: 12)?.work.done == 50)
        meter.note(WorkProgress("writing", 0, of: 8, .files))
        let next = try #require(meter.measure(at: 12))
        #expect(next.work.done == 0 && next.rate == nil && next.elapsedSeconds == 2)
        let player = self.meter(3, of: 4, unit: .seconds)
        _ = player.measure(at: 11)
        player.note(WorkProgress("checking", 1, of: 4, .seconds), mayGoBack: true)
        #expect(player.measure(at: 11)?.work.done == 1 && player.measure(at: 12)?.rate == 0)
    }

    @Test("the last word is of all that was to be done, or of how far it came")
    func last() throws {
        let meter = self.meter(60, of: 100)
        let done = try #require(meter.last(isComplete: true, at: 14))
        #expect(done.state == .done && done.work.done == 100 && done.work.total == 100)
        #expect(done.secondsLeft == 0 && done.rate == 25 && done.share == 1)
        let ended = try #require(meter.last(isComplete: false, at: 14))
        #expect(ended.state == .ended && ended.work.done == 60 && ended.secondsLeft == nil && ended.rate == 15)
        let unknown = try #require(self.meter(7, of: nil).last(isComplete: true, at: 10))
        #expect(unknown.work.total == 7 && unknown.rate == nil)
    }

    @Test("a total that was exceeded is no total")
    func exceeded() throws {
        let meter = self.meter(101, of: 100)
        let reading = try #require(meter.measure(at: 12))
        #expect(reading.work.total == nil && reading.share == nil && reading.secondsLeft == nil)
    }

    @Test("texts name amounts, shares, rates and the time left")
    func texts() throws {
        func text(_ work: WorkProgress, rate: Double? = nil, left: Double? = nil) throws -> String {
            var reading = try reading(work)
            (reading.rate, reading.secondsLeft) = (rate, left)
            return reading.text
        }
        #expect(
            try text(WorkProgress("checking", 120, of: 1800, .frames), rate: 45.2, left: 37.2)
                == "checking  120 of 1800 frames  7 %  45 frames/s  38 s left"
        )
        #expect(
            try text(WorkProgress("playing", 12.34, of: 60, .seconds), rate: 4.06, left: 11.74)
                == "playing  12.3 of 60.0 s  21 %  4.1x  12 s left"
        )
        #expect(
            try text(WorkProgress("recording", 12, of: nil, .messages), rate: 0.5)
                == "recording  12 messages  0.5 messages/s"
        )
        #expect(try text(WorkProgress("meshing", 0, of: 1, .steps), rate: 0.3) == "meshing")
        #expect(try text(WorkProgress("pinging", 1, of: 5, .steps), rate: 0.3) == "pinging  1 of 5 steps  20 %")
        #expect(try text(WorkProgress("checking", 0, of: 0, .frames)) == "checking  0 of 0 frames  100 %")
    }

    @Test(
        "times have two units at most",
        arguments: [
            (0, "0 s"), (0.2, "1 s"), (59, "59 s"), (59.5, "1 min 00 s"), (3599, "59 min 59 s"), (3661, "1 h 01 min"),
            (359_999, "99 h 59 min"), (360_000, "more than 99 h"), (Double.infinity, "more than 99 h"),
            (-3, "0 s"), (Double.nan, "more than 99 h"),
        ]
    )
    func durations(seconds: Double, text: String) {
        #expect(ProgressMeter.Reading.duration(seconds) == text)
    }

    @Test("a line leaves the last column free", arguments: [0, 1, 2, 10, 11, 12, 80])
    func widths(columns: Int) {
        let fitted = ProgressMeter.Reading.fitted("0123456789", columns: columns)
        #expect(fitted == String("0123456789".prefix(max(0, columns - 1))))
    }

    @Test("members are the same for all, and null where something is not known")
    func members() throws {
        let reading = try reading(WorkProgress("recording", 2, of: nil, .messages))
        #expect(
            JSONValue.object(reading.members(command: "record")).text()
                == #"{"command":"record","stage":"recording","state":"running","done":2,"total":null,"#
                + #""unit":"messages","per_second":null,"elapsed_s":0.0,"left_s":null}"#
        )
    }
}
