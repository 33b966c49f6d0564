import Files

/// The clock that a player goes by.
package protocol PlaybackTimer: Sendable {
    /// Nanoseconds since some point in the past, never going back.
    func now() -> Int64

    /// Suspends until that time; throws when the task is cancelled.
    func sleep(until nanoseconds: Int64) async throws
}

/// The machine's own clock.
package struct SystemTimer: PlaybackTimer {
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant

    package init() { start = clock.now }

    package func now() -> Int64 {
        let (seconds, attoseconds) = start.duration(to: clock.now).components
        return seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    }

    package func sleep(until nanoseconds: Int64) async throws {
        try await clock.sleep(until: start.advanced(by: .nanoseconds(nanoseconds)), tolerance: .zero)
    }
}
