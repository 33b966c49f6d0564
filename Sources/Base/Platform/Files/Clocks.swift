package import Glibc

/// Nanoseconds since some point in the past, never going back.
package enum MonotonicClock {
    package static func nowNanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.nanoseconds
    }
}

/// Nanoseconds since 1970, within what 64 bits hold: until 2262.
package enum WallClock {
    package static func nowNanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return time.nanoseconds
    }
}

extension timespec {
    /// All of it in nanoseconds; what 64 bits do not hold becomes the nearest that they do.
    package var nanoseconds: Int64 {
        let (product, overflow) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowOfSum) = product.addingReportingOverflow(Int64(tv_nsec))
        return overflow || overflowOfSum ? (tv_sec < 0 ? .min : .max) : sum
    }
}

extension Duration {
    /// The duration in seconds for messages, such as `30 s`.
    package var text: String {
        let seconds = self / .seconds(1)
        return Int64(exactly: seconds).map { "\($0) s" } ?? "\(seconds) s"
    }

    /// Whole nanoseconds, within what 64 bits hold.
    package var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? (seconds < 0 ? .min : .max) : product &+ attoseconds / 1_000_000_000
    }
}
