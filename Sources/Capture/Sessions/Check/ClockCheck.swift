import Recording

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
