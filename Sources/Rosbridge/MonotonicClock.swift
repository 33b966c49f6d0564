import Glibc

/// Nanoseconds since some point in the past, never going back.
enum MonotonicClock {
    static func nowNanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
