import Messages
import Playback
import Testing

@Suite("Player", .timeLimit(.minutes(1)))
struct PlayerTests {
    private let timer = ManualTimer()

    @concurrent
    private func play(
        _ milliseconds: [Int64],
        frameEvery: Int = 1,
        rate: Double? = 1,
        sink: ListSink,
        control: PlaybackControl? = nil,
        _ change: @Sendable (inout PlaybackOptions) -> Void = { _ in }
    ) async -> PlaybackReport {
        var options = PlaybackOptions()
        options.rate = rate
        change(&options)
        let source = ScriptedSource(milliseconds, frameEvery: frameEvery)
        return await Player(source, options: options, sinks: [sink], control: control, timer: timer).run()
    }

    @Test("the recording's own times are kept, at any rate", arguments: [1, 0.5, 10])
    func pacing(rate: Double) async {
        let sink = ListSink()
        let report = await play([0, 200, 250, 1250], rate: rate, sink: sink)
        #expect(await sink.texts == ["0", "200", "250", "1250"])
        #expect(timer.sleeps == [200, 50, 1000].map { Int64($0 / rate) })
        #expect(report.lateness.worstNanoseconds == 0 && report.playedSeconds == 1.25)
        #expect(await sink.finishCount == 1)
    }

    @Test("without a rate nothing waits")
    func unpaced() async {
        let sink = ListSink()
        _ = await play([0, 5000, 10_000], rate: nil, sink: sink)
        #expect(timer.sleeps.isEmpty)
        #expect(await sink.texts.count == 3)
    }

    @Test("what is late goes out at once, lag does not add up, and is known")
    func lag() async {
        let timer = timer
        let sink = ListSink { entry in
            if entry.text == "0" && entry.name == "/text" { timer.advance(milliseconds: 750) }
        }
        let report = await play([0, 500, 1000], sink: sink)
        #expect(timer.sleeps == [250])
        #expect(report.lateness.worstNanoseconds == 250_000_000)
    }

    @Test("gaps that are too long are not waited for, shorter ones are")
    func gaps() async {
        let sink = ListSink()
        _ = await play([0, 1000, 9000, 9500, 20_000], sink: sink) { $0.skipGaps = .seconds(2) }
        #expect(timer.sleeps == [1000, 500])
        #expect(await sink.stamps == [0, 1000, 9000, 9500, 20_000])
    }

    @Test("loops go on in time, and do not repeat what is latched")
    func loops() async {
        let sink = ListSink()
        let report = await play([0, 400, 1000], sink: sink) { $0.loops = 3 }
        #expect(await sink.stamps == [0, 400, 1000, 1100, 1500, 2100, 2200, 2600, 3200])
        #expect(await sink.entries.filter { $0.name == "/about" }.count == 1)
        #expect(timer.sleeps == [400, 600, 100, 400, 600, 100, 400, 600])
        #expect(report.playedSeconds == 3)
    }

    @Test("a clock ticks between messages, in the time of what is played")
    func clock() async {
        let sink = ListSink()
        let topic = Topic(name: "/clock", type: ClockMessage.self)
        _ = await play([0, 100, 1000], sink: sink) {
            $0.clock = (topic, 4)
            $0.loops = 2
        }
        let ticks = await sink.entries.filter { $0.name == "/clock" }.map(\.stamp)
        #expect(ticks == [0, 250, 500, 750, 1000, 1250, 1500, 1750, 2000])
        let stamps = await sink.entries.map(\.stamp)
        #expect(stamps == stamps.sorted())
    }

    @Test("stamps of the time of publishing")
    func stampsNow() async {
        let sink = ListSink()
        let start = ScriptedSource.start
        _ = await play([0, 300], sink: sink) {
            $0.stampsNow = true
            $0.nowNanoseconds = { start + 77_000_000 }
        }
        #expect(await sink.stamps == [77, 77])
    }

    @Test("a seek begins with what is latched, and goes on from there; the way back is filed in time")
    func seek() async {
        let control = PlaybackControl(rate: 1)
        let sink = ListSink { entry in
            guard entry.name == "/text" else { return }
            if entry.text == "300", entry.stamp == 300 { await control.apply(.seek(.seconds(0.1))) }
        }
        _ = await play([0, 100, 200, 300, 400], sink: sink, control: control)
        #expect(await sink.texts == ["0", "100", "200", "300", "100", "200", "300", "400"])
        let entries = await sink.entries
        #expect(entries[5].name == "/about" && entries[6] == .init(name: "/text", text: "100", stamp: 400))
        #expect(await sink.stamps == [0, 100, 200, 300, 400, 500, 600, 700])
    }

    @Test("those who look are taken back in time, and held at the end until they go elsewhere")
    func looking() async {
        let control = PlaybackControl(rate: nil)
        let (once, claim) = AsyncStream<Void>.makeStream()
        claim.yield()
        claim.finish()
        let sink = ListSink { entry in
            guard entry.text == "200" else { return }
            for await _ in once { await control.apply(.seek(.seconds(0.1))) }
        }
        let run = Task {
            await play([0, 100, 200, 300], rate: nil, sink: sink, control: control) {
                $0.subscribed = SubscribedTopics()
            }
        }
        var conditions = await control.conditions().makeAsyncIterator()
        while await !control.condition.isEnded { _ = await conditions.next(isolation: nil) }
        #expect(await control.apply(.resume) == nil)
        #expect(await control.condition.isEnded)
        let shown = await sink.stamps
        #expect(shown.first == 0 && shown.last == 300 && shown.filter { $0 == 100 }.count == 2)
        await control.apply(.seek(.seconds(0.2)))
        while await sink.stamps.count == shown.count { await Task.yield() }
        await control.apply(.quit)
        let report = await run.value
        #expect(await sink.stamps[shown.count] == 200)
        #expect(report.failure == nil && report.playedSeconds >= 0)
    }

    @Test("a pause before a place that was sought is reached shows the place all the same")
    func pauseOnTheWay() async {
        let control = PlaybackControl(rate: 1)
        let sink = ListSink { entry in
            guard entry.text == "100", entry.name == "/text" else { return }
            await control.apply(.seek(.seconds(0.3)))
            await control.apply(.pause)
        }
        let run = Task { await play([0, 100, 200, 300, 400], sink: sink, control: control) }
        while await !sink.texts.contains("300") { await Task.yield() }
        await control.apply(.quit)
        _ = await run.value
        #expect(await sink.texts == ["0", "100", "300"])
    }

    @Test("a seek forward keeps the recording's times")
    func seekForward() async {
        let control = PlaybackControl(rate: nil)
        let sink = ListSink { entry in
            if entry.text == "100", entry.name == "/text" { await control.apply(.seek(.seconds(90))) }
        }
        _ = await play([0, 100, 200, 300, 400], rate: nil, sink: sink, control: control)
        #expect(await sink.texts == ["0", "100", "400"])
        #expect(await sink.stamps == [0, 100, 400])
    }

    @Test("steps play a frame and what comes before it, back and forth")
    func steps() async throws {
        let control = PlaybackControl(startsPaused: true, rate: 1)
        let (notes, continuation) = AsyncStream<String>.makeStream()
        let sink = ListSink { entry in if entry.name == "/text" { continuation.yield(entry.text) } }
        let run = Task { await play([0, 10, 100, 110, 200, 210, 300], frameEvery: 2, sink: sink, control: control) }
        var iterator = notes.makeAsyncIterator()
        func expectNext(_ texts: [String]) async {
            for text in texts {
                let found = await iterator.next(isolation: nil)
                #expect(found == text)
            }
        }
        await control.apply(.step(1))
        await expectNext(["0"])
        await control.apply(.step(2))
        await expectNext(["10", "100", "110", "200"])
        await control.apply(.stepBack)
        await expectNext(["100"])
        await control.apply(.stepBack)
        await expectNext(["0"])
        await control.apply(.seek(.seconds(0.2)))
        await expectNext(["200"])
        #expect(await control.isPaused)
        await control.apply(.resume)
        await expectNext(["210", "300"])
        _ = await run.value
        #expect(!timer.sleeps.isEmpty && timer.sleeps.allSatisfy { $0 <= 100 })
    }

    @Test("a pause holds, and what was waited for before it is not waited for again")
    func pause() async throws {
        let control = PlaybackControl(rate: 1)
        let timer = timer
        let sink = ListSink { entry in
            guard entry.name == "/text", entry.text == "100" else { return }
            await control.apply(.pause)
            Task {
                timer.advance(milliseconds: 60_000)
                await control.apply(.resume)
            }
        }
        let report = await play([0, 100, 400], sink: sink, control: control)
        #expect(await sink.texts == ["0", "100", "400"])
        #expect(timer.sleeps.reduce(0, +) <= 400)
        #expect(report.lateness.worstNanoseconds <= 60_000_000_000)
    }

    @Test("the rate changes from where it is; quitting ends in order")
    func rateAndQuit() async {
        let control = PlaybackControl(rate: 1)
        let sink = ListSink { entry in
            guard entry.name == "/text" else { return }
            if entry.text == "100" { await control.apply(.rate(10)) }
            if entry.text == "1100" { await control.apply(.quit) }
        }
        let report = await play([0, 100, 1100, 1200], sink: sink, control: control)
        #expect(await sink.texts == ["0", "100", "1100"])
        #expect(timer.sleeps.reduce(0, +) == 200)
        #expect(!report.wasInterrupted && report.failure == nil)
        #expect(await sink.finishCount == 1)
    }

    @Test("commands that make no sense are refused")
    func refusals() async {
        let paced = PlaybackControl(rate: 1)
        #expect(await paced.apply(.rate(-1)) != nil)
        #expect(await paced.apply(.step(0)) != nil)
        #expect(await paced.rate == 1)
        let unpaced = PlaybackControl(rate: nil)
        #expect(await unpaced.apply(.rate(2)) != nil)
        for _ in 0..<1000 { await paced.apply(.changeRate(by: 1.1)) }
        #expect(await paced.rate == PlaybackCommand.rates.upperBound)
    }

    @Test("a seek to a place that is not there is refused, and what plays goes on")
    func seekToNowhere() async {
        let control = PlaybackControl(rate: 1) { place in
            guard place == .frame(1) else { throw PlanFailure() }
            return .seconds(0.3)
        }
        let sink = ListSink { entry in
            guard entry.name == "/text" else { return }
            if entry.text == "100" { #expect(await control.apply(.seek(.frame(99_999))) != nil) }
            if entry.text == "200" { #expect(await control.apply(.seek(.frame(1))) == nil) }
        }
        let report = await play([0, 100, 200, 300, 400], sink: sink, control: control)
        #expect(await sink.texts == ["0", "100", "200", "300", "400"])
        #expect(report.failure == nil)
    }

    @Test("a sink that fails ends the run; the report has what came before")
    func failure() async {
        let sink = ListSink { entry in if entry.text == "100" { throw PlanFailure() } }
        let report = await play([0, 100, 200], rate: nil, sink: sink)
        #expect(report.failure is PlanFailure)
        #expect(report.sinks.first?.topics.first?.written == 3)
        #expect(await sink.finishCount == 1)
    }

    private struct PlanFailure: Error {}
}
