/// An instant on the session's own clock: nanoseconds since the device booted.
///
/// The phone has no wall clock in its recordings; `Replay` adds one integer offset to get Unix time. All arithmetic is in
/// integers, so that products of one frame share bit-identical stamps.
package struct Timestamp: Hashable, Comparable, Sendable, BitwiseCopyable {
    package var nanoseconds: Int64

    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Seconds as a floating-point number, for display and for differences; not exact for large values.
    package var seconds: Double { Double(nanoseconds) / 1e9 }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The time from `earlier` to this instant, in seconds.
    package func seconds(since earlier: Timestamp) -> Double {
        Double(nanoseconds &- earlier.nanoseconds) / 1e9
    }

    /// This instant moved by a number of nanoseconds, saturating instead of trapping.
    package func advanced(byNanoseconds offset: Int64) -> Timestamp {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(offset)
        return Timestamp(nanoseconds: overflow ? (offset < 0 ? .min : .max) : sum)
    }
}
