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

/// Rows that go back in time, and rows that are there twice.
final class RowOrderCheck: MessageCheck {
    private var lastTimes = PerTopic<Int64?>()
    private var rows = RepeatedRows<Int>()

    func examine(_ message: ExaminedMessage, _ context: CheckContext) {
        let time = message.timeNanoseconds
        // A copy that comes late is one finding, not two.
        if rows.isRepeated(topic: message.topic.index, timeNanoseconds: time, bytes: message.bytes) {
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
