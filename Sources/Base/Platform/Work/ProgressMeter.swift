import Glibc

/// Makes a rate and the time that is left of what a ``ProgressHandler`` is told.
///
///     var meter = ProgressMeter(at: 0)
///     meter.note(WorkProgress("checking", 12, of: 100, .frames))
///     meter.measure(at: 1).secondsLeft      // 7.3
///
/// Times are seconds of a clock that only goes forward.
package struct ProgressMeter: Sendable {
    /// The state of the work at a moment.
    package struct Reading: Hashable, Sendable {
        package enum State: String, Sendable {
            case running
            /// All that was to be done is done.
            case done
            /// It ended before that, by an error or an interrupt.
            case ended
        }

        package var state = State.running
        package var work: WorkProgress
        /// Units a second, smoothed; nil until there is one.
        package var rate: Double?
        package var elapsedSeconds: Double
        /// Nil where the total or the rate is not known.
        package var secondsLeft: Double?

        /// The part that is done, 0 to 1; nil where the total is not known.
        package var share: Double? {
            guard let total = work.total else { return nil }
            return total > 0 ? min(1, work.done / total) : 1
        }
    }

    /// In this time the weight of what was measured falls to a third.
    private static let smoothingSeconds = 5.0

    private let start: Double
    private var work: WorkProgress?
    private var stageStart: Double
    private var last: (time: Double, done: Double)
    private var weightedRate = 0.0
    private var weight = 0.0

    package init(at start: Double) {
        self.start = start
        stageStart = start
        last = (start, 0)
    }

    /// Takes what is told; a new stage, and a way back where that may be, begins the rate anew.
    ///
    /// - Parameter mayGoBack: True if a lower amount is correct, as in a player that seeks, and not merely late.
    package mutating func note(_ told: WorkProgress, mayGoBack: Bool = false) {
        var told = told
        if let total = told.total, told.done > total { told.total = nil }
        if let work, work.stage == told.stage {
            if told.done < work.done {
                guard mayGoBack else { return }
                beginRate(told.done, at: last.time)
            }
        } else if work != nil {
            stageStart = last.time
            beginRate(told.done, at: last.time)
        }
        work = told
    }

    private mutating func beginRate(_ done: Double, at time: Double) {
        last = (time, done)
        (weightedRate, weight) = (0, 0)
    }

    /// The state of things at a moment, whose rate counts from the last such moment on; nil before anything was told.
    package mutating func measure(at now: Double) -> Reading? {
        guard let work else {
            last.time = max(now, last.time)
            return nil
        }
        let seconds = now - last.time
        if seconds > 0 {
            let keep = exp(-seconds / Self.smoothingSeconds)
            weightedRate = weightedRate * keep + max(0, work.done - last.done) / seconds * (1 - keep)
            weight = weight * keep + 1 - keep
            last = (now, work.done)
        }
        var reading = Reading(work: work, elapsedSeconds: max(0, now - start))
        if weight > 0 { reading.rate = weightedRate / weight }
        // One step may take a thousand times as long as another.
        if work.unit != .steps, let rate = reading.rate, rate > 0, let total = work.total {
            reading.secondsLeft = max(0, total - work.done) / rate
        }
        return reading
    }

    /// The last reading: of all that was to be done, or of how far it came; its rate is that of the whole stage.
    package func last(isComplete: Bool, at now: Double) -> Reading? {
        guard var work else { return nil }
        if isComplete {
            work.done = max(work.done, work.total ?? work.done)
            work.total = work.done
        }
        var reading = Reading(
            state: isComplete ? .done : .ended,
            work: work,
            elapsedSeconds: max(0, now - start),
            secondsLeft: isComplete ? 0 : nil
        )
        let seconds = now - stageStart
        if seconds > 0 { reading.rate = work.done / seconds }
        return reading
    }
}
