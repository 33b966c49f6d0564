import Numbers
import Recording

/// The location fixes in the frames of 3D Scanner App, and what their Unix times say of the session's clock.
///
/// A fix is some tenths of a second older than the frame that it came with, so that of the differences between its Unix
/// time and the frame's time the largest is nearest to the truth. Fixes are rare, at most one a second: they are kept.
struct ScannerFixes {
    /// Fixes older than this when they came, against the median, do not tell the clock.
    private static let toleranceNanoseconds: Int64 = 2_000_000_000

    private var fixes: [LocationSample] = []

    /// - Parameter fix: at the time of its frame.
    mutating func add(_ fix: LocationSample) { fixes.append(fix) }

    /// Unix time minus the session's time; `nil` where no fix has a Unix time.
    var offsetNanoseconds: Int64? {
        let offsets = fixes.compactMap { fix in fix.unixNanoseconds.map { $0 &- fix.time.nanoseconds } }.sorted()
        guard let median = offsets.quantile(0.5) else { return nil }
        return offsets.last { $0.subtractingReportingOverflow(median).partialValue <= Self.toleranceNanoseconds }
    }

    /// The fixes at the times at which they were taken, in the order of time.
    var samples: [LocationSample] {
        guard let offset = offsetNanoseconds else { return fixes.sorted { $0.time < $1.time } }
        return fixes.map { fix in
            guard let unix = fix.unixNanoseconds else { return fix }
            let age = fix.time.nanoseconds &- (unix &- offset)
            // One that claims an impossible age keeps the time of its frame, and a check sees the clock jump.
            guard (0...10_000_000_000).contains(age) else { return fix }
            var moved = fix
            moved.time = Timestamp(nanoseconds: unix &- offset)
            return moved
        }.sorted { $0.time < $1.time }
    }
}
