import Capture

/// Holds deliveries back until their capture time comes round on a clock.
///
/// The first item starts the clock. What is late goes out at once and is counted; lag is never made up by skipping.
package struct Pacer<C: Clock>: Sendable where C.Duration == Duration {
    /// How often the capture's own clock goes against the wall's; `nil` does not wait at all.
    package let rate: Double?
    /// How late the latest item so far was.
    package private(set) var worstLateness = Duration.zero

    private let clock: C
    private var start: (instant: C.Instant, nanoseconds: Int64)?

    package init(rate: Double?, clock: C) {
        self.rate = rate
        self.clock = clock
    }

    /// Suspends until the item's time.
    ///
    /// - Parameter nanoseconds: on any clock that the items share.
    package mutating func wait(until nanoseconds: Int64) async throws {
        guard let rate else { return }
        guard let start else {
            self.start = (clock.now, nanoseconds)
            return
        }
        let elapsed = Double(nanoseconds &- start.nanoseconds) / rate
        let due = start.instant.advanced(by: .nanoseconds(Int64(min(elapsed, 9e18))))
        if clock.now < due {
            try await clock.sleep(until: due, tolerance: .zero)
        } else {
            worstLateness = max(worstLateness, due.duration(to: clock.now))
        }
    }
}
