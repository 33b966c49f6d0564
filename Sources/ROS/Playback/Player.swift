package import Messages
import Platform

/// Plays a source into sinks: paces it, stamps it, repeats it, and obeys a control meanwhile.
///
///     let player = Player(source, options: options, sinks: [publisher, bag], control: control)
///     let report = await player.run()      // report.failure says what ended it before its time
///
/// A cancelled task ends in order: what was prepared is dropped, every sink is finished.
package final class Player: MessagePresenter {
    private let source: any PlaybackSource
    private let options: PlaybackOptions
    private let sinks: [any MessageSink]
    private let control: PlaybackControl?
    private let progress: PlaybackProgress?
    private let timer: any PlaybackTimer
    private var timeline: PlaybackTimeline
    private var report = PlaybackReport()
    private var statistics: [String: TopicStatistics] = [:]
    /// The shift of recorded times with which a loop goes on where the last one ended.
    private var shift: Int64 = 0
    /// Added to bag timestamps, never to `header.stamp`, so that bag timestamps keep increasing after a backward seek.
    private var bagTimeShift: Int64 = 0
    private var nextClockTick: Int64?
    private var pass = PlaybackPass.first
    /// Recorded times of the pass under way.
    private var firstTime: Int64?
    private var lastTime: Int64?
    private var lastTimeOfPass: Int64?
    /// True if the moment at hand is shown in a pause.
    private var isStepping = false
    /// True if it is the first of a place that was sought.
    private var isArriving = false
    private var lastFrameTime: Int64?

    package init(
        _ source: any PlaybackSource,
        options: PlaybackOptions,
        sinks: [any MessageSink],
        control: PlaybackControl? = nil,
        progress: PlaybackProgress? = nil,
        timer: any PlaybackTimer = SystemTimer()
    ) {
        self.source = source
        self.options = options
        self.sinks = sinks
        self.control = control
        self.progress = progress
        self.timer = timer
        timeline = PlaybackTimeline(rate: options.rate, skipGapsNanoseconds: options.skipGaps?.nanoseconds)
    }

    /// True if live viewers are served, who subscribe to topics; false if everything is published.
    private var servesSubscribers: Bool { options.subscribed != nil }

    /// Every topic that the sinks are told of.
    private var topics: [Topic] { source.topics + (options.clock.map { [$0.topic] } ?? []) }

    /// Plays everything, finishes the sinks, and says what was done.
    package func run() async -> PlaybackReport {
        for topic in topics { statistics[topic.name] = TopicStatistics(name: topic.name, typeName: topic.typeName) }
        await progress?.begin(
            totalSeconds: Double(source.span.upperBound &- source.span.lowerBound) / 1e9,
            rate: options.rate
        )
        do {
            for sink in sinks { try await sink.open(topics) }
            try await playAll()
            try SystemFault.check()
        } catch is CancellationError {
            report.wasInterrupted = true
        } catch {
            report.failure = error
        }
        if report.failure != nil {
            for sink in sinks { await sink.giveUp() }
        }
        await finishSinks()
        report.topics = statistics.values.sorted { $0.name < $1.name }
        return report
    }

    // MARK: - Passes

    private func playAll() async throws {
        var loop = 0
        var start = source.span.lowerBound
        while true {
            let isComplete = try await playPass(from: start)
            if isComplete {
                loop += 1
                // Without this check a loop without messages would spin.
                if await repeats(after: loop), lastTime != nil {
                    pass = .loop
                    start = source.span.lowerBound
                    if servesSubscribers { await tellOfSeek(to: start) }
                    continue
                }
                guard servesSubscribers, let control else { return }
                await control.holdAtEnd(on: timer)
                try Task.checkCancellation()
                if await control.state.destination == nil, await !control.state.isQuitting {
                    loop = 0
                    pass = .loop
                    start = source.span.lowerBound
                    await tellOfSeek(to: start)
                    continue
                }
            }
            guard let destination = await control?.takeDestination() else { return }
            start = min(max(try time(of: destination), source.span.lowerBound), source.span.upperBound)
            pass = .seek
            await tellOfSeek(to: start)
        }
    }

    private func repeats(after loop: Int) async -> Bool {
        if let asked = await control?.state.loops { return asked }
        return options.loops.map { loop < $0 } ?? true
    }

    private func tellOfSeek(to time: Int64) async {
        for sink in sinks { await sink.seek(to: time) }
    }

    /// Plays from a time on; returns false where a command ended it.
    private func playPass(from start: Int64) async throws -> Bool {
        (firstTime, lastTimeOfPass) = (nil, nil)
        defer {
            if let firstTime, let lastTimeOfPass {
                report.playedSeconds += Double(lastTimeOfPass &- firstTime) / 1e9
            }
        }
        do {
            try await source.play(from: start, as: pass, to: self)
            return true
        } catch is PassEnded {
            return false
        }
    }

    private func time(of destination: PlaybackControl.Destination) throws -> Int64 {
        switch destination {
        case .place(let place): try source.time(of: place)
        case .frameBefore:
            try (lastFrameTime ?? lastTime).flatMap { try source.timeOfFrame(before: $0) } ?? source.span.lowerBound
        }
    }

    /// Sets the clocks for the first moment of a pass.
    private func beginPass(at time: Int64) {
        switch pass {
        case .first: break
        case .loop:
            if let lastTime, !servesSubscribers { shift = lastTime &+ shift &+ source.intervalNanoseconds &- time }
        case .seek:
            if let lastTime, time <= lastTime, !servesSubscribers {
                bagTimeShift = bagTimeShift &+ lastTime &+ source.intervalNanoseconds &- time
            }
            timeline.restart()
            nextClockTick = nil
        }
        if pass == .loop, servesSubscribers {
            timeline.restart()
            nextClockTick = nil
        }
        firstTime = time
    }

    // MARK: - Moments

    package func present(
        at time: Int64,
        isFrame: Bool,
        messages: (PlaybackStamps) throws -> [StampedMessage]
    ) async throws {
        if firstTime == nil { beginPass(at: time) }
        try await tickClock(until: time &+ shift)
        try await waitForTurn(of: time &+ shift)
        (lastTime, lastTimeOfPass) = (time, time)
        if isFrame { lastFrameTime = time }
        let stamps = PlaybackStamps(
            shiftNanoseconds: shift,
            nowNanoseconds: options.stampsNow ? options.nowNanoseconds() : nil
        )
        let batch = try messages(stamps)
        let bytes = try await write(batch)
        if isFrame, isStepping || isArriving { await control?.noteStep() }
        await progress?.advance(
            playedSeconds: Double(time &- source.span.lowerBound) / 1e9,
            messages: batch.count,
            bytes: bytes
        )
    }

    package func status() async -> PlaybackStatus {
        var status = PlaybackStatus(topics: statistics.values.filter { $0.count > 0 }.sorted { $0.name < $1.name })
        for sink in sinks { if let one = await sink.status() { status.sinks.append(one) } }
        return status
    }

    /// Waits until a time of what is played is due; throws ``PassEnded`` where a command ends the pass first.
    private func waitForTurn(of time: Int64) async throws {
        guard let control else {
            try Task.checkCancellation()
            guard let due = timeline.due(time, now: timer.now()) else { return timeline.notePresented(time) }
            if timer.now() < due { try await timer.sleep(until: due) }
            return noteTurn(of: time, due: due)
        }
        while true {
            try Task.checkCancellation()
            let state = await control.state
            await progress?.note(isPaused: state.isPaused, rate: state.rate)
            guard !state.isQuitting, state.destination == nil else { throw PassEnded() }
            (isStepping, isArriving) = (false, state.isArriving)
            if let rate = state.rate, rate != timeline.rate { timeline.setRate(rate, now: timer.now()) }
            if state.isPaused {
                isStepping = state.framesLeft > 0
                if isStepping { return timeline.restart(at: time, now: timer.now()) }
                let before = timer.now()
                await control.wait(until: nil, since: state.version, on: timer)
                timeline.shift(byNanoseconds: timer.now() &- before)
                continue
            }
            guard let due = timeline.due(time, now: timer.now()) else { return timeline.notePresented(time) }
            if timer.now() >= due { return noteTurn(of: time, due: due) }
            await control.wait(until: due, since: state.version, on: timer)
        }
    }

    private func noteTurn(of time: Int64, due: Int64) {
        report.lateness.add(nanoseconds: timer.now() &- due)
        timeline.notePresented(time)
    }

    private func tickClock(until time: Int64) async throws {
        guard let (topic, hertz) = options.clock, hertz > 0 else { return }
        let period = Int64(1e9 / hertz)
        var tick = nextClockTick ?? time
        while tick <= time {
            try await waitForTurn(of: tick)
            var message = ClockMessage()
            message.clock = Time(nanosecondsSinceEpoch: tick)
            _ = try await write([StampedMessage(topic: topic, timeNanoseconds: tick, message: message)])
            // Over a gap of the recording the clock does not tick for hours at once.
            tick = time &- tick > 10_000_000_000 ? time : tick &+ period
            nextClockTick = tick
        }
    }

    // MARK: - Sinks

    /// Counts the messages and hands them on; returns their size as CDR.
    private func write(_ batch: [StampedMessage]) async throws -> Int {
        var sum = 0
        for var message in batch {
            message.timeNanoseconds &+= bagTimeShift
            let bytes = message.message.encodedCDRSize
            sum += bytes
            statistics[message.topic.name]?.add(timeNanoseconds: message.timeNanoseconds, bytes: bytes)
            for sink in sinks { try await sink.write(message) }
        }
        return sum
    }

    /// Ends every sink, also after a failure, and never cut short by a cancelled task, which makes connections hurry.
    private func finishSinks() async {
        let sinks = sinks
        let finishing = Task {
            var reports: [SinkReport] = []
            var failure: (any Error)?
            for sink in sinks {
                do {
                    reports.append(try await sink.finish())
                } catch {
                    failure = failure ?? error
                    reports.append(await sink.report())
                }
            }
            return (reports, failure)
        }
        let (reports, ending) = await withTaskCancellationHandler {
            await finishing.value
        } onCancel: {
            for sink in sinks { Task { await sink.hurry() } }
        }
        let wasHurried = ending is CancellationError
        if wasHurried { report.wasInterrupted = true }
        let failure = wasHurried ? nil : ending
        report.sinks = reports
        report.failure = report.failure ?? failure
    }
}
