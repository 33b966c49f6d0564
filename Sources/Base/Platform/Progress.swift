import Glibc
package import Text

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

/// A reading for people: one line.
extension ProgressMeter.Reading {
    /// Such as `checking  120 of 1800 frames  7 %  45 frames/s  37 s left`.
    package var text: String {
        var parts = [work.stage, amount].filter { !$0.isEmpty }
        if let share, !amount.isEmpty { parts.append("\((share * 100).text(decimals: 0)) %") }
        if let rate, rate > 0, work.unit != .steps { parts.append(rateText(rate)) }
        if let secondsLeft { parts.append("\(Self.duration(secondsLeft)) left") }
        return parts.joined(separator: "  ")
    }

    /// One step has no amount that says anything.
    private var amount: String {
        if work.unit == .steps, work.total == 1 { return "" }
        let total = work.total.map { " of \(number($0))" } ?? ""
        return "\(number(work.done))\(total) \(work.unit == .seconds ? "s" : work.unit.rawValue)"
    }

    private func number(_ value: Double) -> String { value.text(decimals: work.unit == .seconds ? 1 : 0) }

    /// Seconds of the recording a second are how many times as fast as the recording it goes.
    private func rateText(_ rate: Double) -> String {
        let number = rate.text(decimals: rate < 9.95 ? 1 : 0)
        return work.unit == .seconds ? "\(number)x" : "\(number) \(work.unit.rawValue)/s"
    }

    /// In two units at most.
    package static func duration(_ seconds: Double) -> String {
        guard seconds < 360_000 else { return "more than 99 h" }
        let whole = Int(max(0, seconds).rounded(.up))
        if whole < 60 { return "\(whole) s" }
        func padded(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        if whole < 3600 { return "\(whole / 60) min \(padded(whole % 60)) s" }
        return "\(whole / 3600) h \(padded(whole / 60 % 60)) min"
    }

    /// A text that fits into a line of a terminal with so many columns, and leaves the last one free.
    package static func fitted(_ text: String, columns: Int) -> String {
        guard text.count >= columns else { return text }
        return String(text.prefix(max(0, columns - 1)))
    }
}

/// A reading for programs: the same members for every command.
extension ProgressMeter.Reading {
    package func members(command: String) -> [(String, JSONValue)] {
        [
            ("command", .string(command)), ("stage", .string(work.stage)), ("state", .string(state.rawValue)),
            ("done", value(work.done)), ("total", work.total.map(value) ?? .null),
            ("unit", .string(work.unit.rawValue)),
            ("per_second", .number(rate)), ("elapsed_s", .number(elapsedSeconds)), ("left_s", .number(secondsLeft)),
        ]
    }

    /// Returns an amount as JSON; an amount in a unit other than seconds is a whole number.
    private func value(_ amount: Double) -> JSONValue {
        guard work.unit != .seconds, let count = Int(exactly: amount) else { return .number(amount) }
        return .integer(count)
    }
}

/// How far a piece of work is.
package struct WorkProgress: Hashable, Sendable {
    /// The unit in which work is counted.
    package enum Unit: String, Sendable {
        /// Seconds of the recording, not of the wall clock.
        case seconds
        case messages, frames, images, files, steps
    }

    /// The current stage, for commands that do several things in turn: one word, such as `checking`.
    package var stage: String
    package var done: Double
    /// Nil where it is not known.
    package var total: Double?
    package var unit: Unit

    package init(_ stage: String, _ done: Double, of total: Double?, _ unit: Unit) {
        self.stage = stage
        self.done = done
        self.total = total
        self.unit = unit
    }

    package init(_ stage: String, _ done: Int, of total: Int?, _ unit: Unit) {
        self.init(stage, Double(done), of: total.map(Double.init), unit)
    }

    /// The same work under the name of another stage.
    package func renamed(_ stage: String) -> WorkProgress {
        var copy = self
        copy.stage = stage
        return copy
    }
}

/// Is told how far a piece of work is.
///
/// It neither waits nor throws, so that any code may call it, of any task; once for each batch is often enough. What it
/// is told of a stage may only grow.
package typealias ProgressHandler = @Sendable (WorkProgress) -> Void
