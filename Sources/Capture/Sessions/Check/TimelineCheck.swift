import Recording

/// Checks the times of a session's records for gaps, jumps, and streams of another time.
struct TimelineCheck {
    /// A gap is this many median intervals, and never less than ``shortestGapSeconds``.
    private static let gapIntervals = 5.0
    private static let shortestGapSeconds = 0.25
    /// The median of fewer intervals says nothing.
    private static let fewestIntervals = 8
    /// A fix may be some seconds old when it is delivered.
    private static let clockToleranceNanoseconds: Int64 = 5_000_000_000

    private(set) var diagnostics = Diagnostics()
    /// The first fix, and then one a minute: where a replay would publish tiles.
    private(set) var minutelyFixes: [LocationSample] = []

    private let summary: SessionSummary
    private let frameGapSeconds: Double?
    private let motionGapSeconds: Double?
    private var lastFrame: FrameReference?
    private var frameCount = 0
    private var lastMotion: Timestamp?
    private var lastOffsetNanoseconds: Int64?

    init(summary: SessionSummary, motionIntervals: IntervalHistogram) {
        self.summary = summary
        frameGapSeconds = Self.gap(summary.medianIntervalSeconds, count: summary.frameCount - 1)
        motionGapSeconds = Self.gap(motionIntervals.median, count: Int(motionIntervals.count))
    }

    private static func gap(_ median: Double?, count: Int) -> Double? {
        guard let median, count >= fewestIntervals else { return nil }
        return max(gapIntervals * median, shortestGapSeconds)
    }

    mutating func add(_ record: Record) {
        switch record {
        case .frame(let frame): add(frame)
        case .motion(let sample):
            if let lastMotion { checkMotionGap(from: lastMotion, to: sample.time) }
            lastMotion = sample.time
        case .location(let fix): add(fix)
        case .heading, .radio, .indoor: break
        }
    }

    private mutating func add(_ frame: FrameReference) {
        defer { lastFrame = frame }
        if let lastFrame, lastFrame.time == frame.time { addRepeated(frame, lastFrame) }
        guard let lastFrame, let limit = frameGapSeconds else { return }
        let seconds = frame.time.seconds(since: lastFrame.time)
        guard seconds > limit else { return }
        diagnostics.record(
            summary.frameNames.problem(
                .frameGap,
                frame,
                \.time,
                expected: "at most \(rounded(limit)) s after \(summary.frameNames.text(lastFrame))",
                found: "\(rounded(seconds)) s"
            )
        )
    }

    private mutating func addRepeated(_ frame: FrameReference, _ last: FrameReference) {
        diagnostics.record(
            summary.frameNames.problem(
                .repeatedTime,
                frame,
                \.time,
                expected: "a time after \(summary.frameNames.text(last))",
                found: "the same, \(frame.time.seconds)"
            )
        )
    }

    private mutating func checkMotionGap(from last: Timestamp, to time: Timestamp) {
        guard let limit = motionGapSeconds else { return }
        let seconds = time.seconds(since: last)
        guard seconds > limit else { return }
        diagnostics.record(
            Problem(
                .motionGap,
                file: summary.motionSource.rawValue,
                expected: "a sample at most \(rounded(limit)) s after the one at \(last.seconds)",
                found: "\(rounded(seconds)) s"
            )
        )
    }

    private mutating func add(_ fix: LocationSample) {
        if minutelyFixes.last.map({ fix.time.seconds(since: $0.time) >= 60 }) ?? true, minutelyFixes.count < 10_000 {
            minutelyFixes.append(fix)
        }
        guard let unix = fix.unixNanoseconds else { return }
        let offset = unix &- fix.time.nanoseconds
        defer { lastOffsetNanoseconds = offset }
        guard let last = lastOffsetNanoseconds else { return }
        let (jump, overflow) = offset.subtractingReportingOverflow(last)
        guard overflow || jump.magnitude > Self.clockToleranceNanoseconds.magnitude else { return }
        diagnostics.record(
            Problem(
                .clockJump,
                file: summary.location.file,
                field: summary.location.unixTime,
                expected: "a clock that runs with the session's, at \(fix.time.seconds)",
                found: "a jump of \(rounded(Double(jump) / 1e9)) s"
            )
        )
    }

    private func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }
}

/// Checks that the sources of wall-clock time in a session tell the same time.
enum ClockCheck {
    /// How far two clocks of one phone may be apart: a fix may be some seconds old when it is delivered.
    private static let toleranceSeconds: Int64 = 60
    /// Zones lie from 12 hours behind UTC to 14 ahead, and the name is written some time around the start.
    private static let nameSeconds: ClosedRange<Int64> = (-12 * 3600 - 900)...(14 * 3600 + 900)

    /// The first contradiction, the better source being the one that is expected.
    static func problem(_ summary: SessionSummary) -> Problem? {
        let clock = summary.wallClock
        if let location = clock.locationOffsetNanoseconds, let metadata = clock.metadataOffsetNanoseconds {
            let seconds = seconds(from: location, to: metadata)
            if abs(seconds) > toleranceSeconds {
                return Problem(
                    .clocksDisagree,
                    file: clock.metadata.file,
                    field: clock.metadata.field,
                    expected: "the time of \(summary.location.file), within \(toleranceSeconds) s",
                    found: "\(seconds) s \(seconds < 0 ? "before" : "after") it"
                )
            }
        }
        guard let (date, at) = clock.nameDate,
            let offset = clock.locationOffsetNanoseconds ?? clock.metadataOffsetNanoseconds
        else { return nil }
        let unix = offset.addingReportingOverflow(at.nanoseconds).partialValue / 1_000_000_000
        // The name has no zone, so that only what no zone explains is wrong.
        let seconds = date.secondsAsUTC - unix
        guard !nameSeconds.contains(seconds) else { return nil }
        return Problem(
            .clocksDisagree,
            file: clock.nameSource.file,
            field: clock.nameSource.field,
            expected: "a date within a day of Unix time \(unix)",
            found: "one that is \(abs(seconds) / 3600) hours \(seconds < 0 ? "before" : "after")"
        )
    }

    private static func seconds(from first: Int64, to second: Int64) -> Int64 {
        let (difference, overflow) = second.subtractingReportingOverflow(first)
        return overflow ? (second < first ? .min : .max) / 1_000_000_000 : difference / 1_000_000_000
    }
}
