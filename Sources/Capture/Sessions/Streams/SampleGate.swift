import Recording

/// Decides which samples of a stream are used, by their time alone, and counts the others.
///
/// What comes after a later one, and what lies more than ``SessionSummary/sampleMarginSeconds`` before the first frame or
/// after the last, is left out. A sample that has the time of the one before it repeats it (the phone stores the newest
/// with each frame), and is passed over.
struct SampleGate {
    enum Verdict {
        case kept, outside, late, repeated
    }

    private let span: ClosedRange<Timestamp>
    private let file: String
    private let field: String
    private let keepsEqualTimes: Bool
    private var last: Timestamp?
    private var keptCount = 0
    private var outsideCount = 0
    private var problems = Diagnostics()

    /// - Parameter keepsEqualTimes: whether samples of one time are several, rather than one that was written again.
    init(span: ClosedRange<Timestamp>, file: String, field: String, keepsEqualTimes: Bool = false) {
        self.span = span
        self.keepsEqualTimes = keepsEqualTimes
        self.file = file
        self.field = field
    }

    /// What was left out so far; that nothing was kept is said too.
    var diagnostics: Diagnostics {
        guard keptCount == 0, outsideCount > 0 else { return problems }
        var all = problems
        let expected = "times from \(span.lowerBound.seconds) to \(span.upperBound.seconds)"
        let found = "none in \(outsideCount) samples"
        all.record(Problem(.streamOutsideSession, file: file, field: field, expected: expected, found: found))
        return all
    }

    mutating func judge(_ time: Timestamp, line: Int) -> Verdict {
        guard span.contains(time) else {
            outsideCount += 1
            problems.record(outside(time, line: line))
            return .outside
        }
        if let last, time < last || time == last && !keepsEqualTimes {
            guard time < last else { return .repeated }
            problems.record(late(time, after: last, line: line))
            return .late
        }
        last = time
        keptCount += 1
        return .kept
    }

    private func outside(_ time: Timestamp, line: Int) -> Problem {
        let isBefore = time < span.lowerBound
        let beyond = isBefore ? span.lowerBound.seconds(since: time) : time.seconds(since: span.upperBound)
        let distance = Self.text(beyond + SessionSummary.sampleMarginSeconds)
        let expected = "a time from \(span.lowerBound.seconds) to \(span.upperBound.seconds)"
        let found = "\(time.seconds), \(distance) \(isBefore ? "before the first frame" : "after the last frame")"
        return Problem(.sampleOutsideSession, file: file, line: line, field: field, expected: expected, found: found)
    }

    private func late(_ time: Timestamp, after last: Timestamp, line: Int) -> Problem {
        let expected = "a time not before \(last.seconds), which was already handed out"
        let found = "\(time.seconds)"
        return Problem(.sampleTooLate, file: file, line: line, field: field, expected: expected, found: found)
    }

    /// A time in the unit in which it is easily read.
    private static func text(_ seconds: Double) -> String {
        let (value, unit) =
            seconds < 600 ? (seconds, "s") : seconds < 86_400 ? (seconds / 3600, "hours") : (seconds / 86_400, "days")
        return "\((value * 10).rounded() / 10) \(unit)"
    }
}
