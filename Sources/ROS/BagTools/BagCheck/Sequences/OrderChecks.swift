import Bags

/// Pauses of a topic that are much longer than its usual period.
final class GapCheck: MessageCheck {
    private struct Gap {
        var nanoseconds: Int64
        var spot: Spot
    }

    private struct State {
        let topic: CheckedTopic
        var lastTime: Int64?
        var periods = EvenSample()
        /// The longest, longest first.
        var longest: [Gap] = []
    }

    /// A gap is told from this many usual periods on.
    private static let factor: Int64 = 10
    private static let keptGaps = 16
    /// With fewer periods there is no usual one.
    private static let fewestPeriods = 20

    private var states = PerTopic<State>()

    func examine(_ message: ExaminedMessage, _ context: CheckContext) {
        guard !message.topic.isLatched else { return }
        states.update(message.topic, initial: State(topic: message.topic)) { state in
            defer { state.lastTime = message.timeNanoseconds }
            guard let last = state.lastTime else { return }
            let (period, overflow) = message.timeNanoseconds.subtractingReportingOverflow(last)
            guard !overflow, period > 0 else { return }
            state.periods.add(period)
            guard state.longest.count < Self.keptGaps || period > state.longest[Self.keptGaps - 1].nanoseconds else {
                return
            }
            let place = state.longest.firstIndex { $0.nanoseconds < period } ?? state.longest.count
            state.longest.insert(Gap(nanoseconds: period, spot: message.spot), at: place)
            if state.longest.count > Self.keptGaps { state.longest.removeLast() }
        }
    }

    func finish(_ context: CheckContext) {
        for (_, state) in states.all {
            guard state.periods.count >= Self.fewestPeriods, let median = state.periods.median else { continue }
            let gaps = state.longest.filter { $0.nanoseconds / Self.factor > median }
            context.findings.add(
                .note,
                .gap,
                topic: state.topic.name,
                count: gaps.count,
                places: gaps.map {
                    ($0.spot, "a message every \(Milliseconds(median))", "none for \(Milliseconds($0.nanoseconds))")
                }
            )
        }
    }
}

/// A length of time as people read it.
struct Milliseconds: CustomStringConvertible {
    private let nanoseconds: Int64

    init(_ nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    var description: String {
        // Days are not read in milliseconds.
        let seconds = nanoseconds.magnitude / 1_000_000_000
        let sign = nanoseconds < 0 ? "-" : ""
        if seconds >= 2 * 86_400 { return "\(sign)\(seconds / 86_400) days \(seconds % 86_400 / 3_600) h" }
        if seconds >= 2 * 60 { return "\(sign)\(seconds) s" }
        if nanoseconds != 0, nanoseconds.magnitude < 1_000 { return "\(nanoseconds) ns" }
        let microseconds = nanoseconds / 1_000
        let magnitude = microseconds.magnitude
        let digits = String(magnitude % 1_000)
        let fraction = String(repeating: "0", count: 3 - digits.count) + digits
        return "\(sign)\(magnitude / 1_000).\(fraction) ms"
    }
}

/// Files that begin before the one in front of them ends: players read one after the other.
final class ChunkOverlapCheck: MessageCheck {
    private struct Extent {
        var first: Int64
        var last: Int64
    }

    private var current: Extent?
    private var previous: (name: String, last: Int64)?

    func examine(_ message: ExaminedMessage, _ context: CheckContext) {
        let time = message.timeNanoseconds
        current = Extent(first: min(current?.first ?? time, time), last: max(current?.last ?? time, time))
    }

    func finishFile(_ file: Int, _ name: String, _ context: CheckContext) {
        guard let extent = current else { return }
        if let previous, extent.first < previous.last {
            let expected = "no time before the end of \(previous.name), \(previous.last) ns"
            context.at(Spot(file: name, timeNanoseconds: extent.first))
                .add(foreign: .warning, .bagChunkOverlap, expected, "\(extent.first) ns")
        }
        previous = (name, max(previous?.last ?? extent.last, extent.last))
        current = nil
    }
}

/// A few messages more than a year from all others, as of a clock that was not set yet: spans that count from the first
/// message, and players, wait for decades.
final class FarTimesCheck: MessageCheck {
    private struct Day {
        var count: Int
        let first: (topic: String, spot: Spot, time: Int64)
    }

    private var days: [Int64: Day] = [:]
    /// The day of the message before, and its messages that ``days`` has not.
    private var current: (day: Int64, count: Int)?
    private static let dayNanoseconds: Int64 = 86_400_000_000_000
    /// A bag of more days is none of one recording.
    private static let keptDays = 4096
    private static let farDays: Int64 = 365
    /// Farther from the next a message is of a clock that was not set.
    static let farNanoseconds = farDays * dayNanoseconds

    func examine(_ message: ExaminedMessage, _ context: CheckContext) {
        let day = message.timeNanoseconds / Self.dayNanoseconds
        if day == current?.day {
            current?.count += 1
            return
        }
        countCurrent()
        current = (day, 1)
        if days[day] == nil, days.count < Self.keptDays {
            days[day] = Day(count: 0, first: (message.topic.name, message.spot, message.timeNanoseconds))
        }
    }

    private func countCurrent() {
        if let current { days[current.day]?.count += current.count }
        current = nil
    }

    func finish(_ context: CheckContext) {
        countCurrent()
        let sorted = days.sorted { $0.key < $1.key }
        guard let gap = (1..<max(1, sorted.count)).max(by: { length($0, sorted) < length($1, sorted) }),
            length(gap, sorted) > Self.farDays
        else { return }
        let (early, late) = (sorted[..<gap], sorted[gap...])
        let counts = (early.reduce(0) { $0 + $1.value.count }, late.reduce(0) { $0 + $1.value.count })
        let isEarly = counts.0 < counts.1
        let few = min(counts.0, counts.1)
        // Two halves are two recordings.
        guard 10 * few <= max(counts.0, counts.1), let far = (isEarly ? early : late).first?.value.first else { return }
        let expected = "a time near those of the other \(max(counts.0, counts.1)) messages"
        let found = "\(far.time) ns, \(length(gap, sorted)) days from them"
        context.findings.add(
            .warning,
            .messageFarTime,
            topic: far.topic,
            count: few,
            places: [(far.spot, expected, found)]
        )
    }

    private func length(_ gap: Int, _ days: [(key: Int64, value: Day)]) -> Int64 { days[gap].key - days[gap - 1].key }
}

/// Rows that go back in time, and rows that are there twice.
final class RowOrderCheck: MessageCheck {
    private var lastTimes = PerTopic<Int64?>()
    private var rows = RepeatedRows<Int>()

    func examine(_ message: ExaminedMessage, _ context: CheckContext) {
        let time = message.timeNanoseconds
        // A copy that comes late is one finding, not two.
        let isRepeated = rows.isRepeated(topic: message.topic.index, timeNanoseconds: time, bytes: message.bytes) {
            message.topic.isLatched ? nil : message.stampNanoseconds
        }
        if isRepeated {
            // Each file of a bag begins with what is latched.
            if message.topic.isLatched { return }
            context.at(message).add(.note, .messageRepeated, "one message of \(time) ns", "the same bytes again")
            return
        }
        let last = lastTimes.update(message.topic, initial: nil) { last in
            defer { last = time }
            return last
        }
        if let last, time < last {
            let severity = severity(message, context)
            context.at(message).add(severity, .messageOrder, "a time of \(last) ns or later", "\(time) ns")
        }
    }

    /// Readers of .mcap take the order from the indexes, so that there it only costs time.
    private func severity(_ message: ExaminedMessage, _ context: CheckContext) -> BagFinding.Severity {
        if case .row = message.spot.position { return context.findings.severity(foreign: .warning) }
        return context.findings.severity(foreign: .note)
    }
}
