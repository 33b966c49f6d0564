/// Maps recorded time to the player's clock: due = anchor.clock + (recorded - anchor.recorded) / rate.
///
/// Late messages go out at once; lag is never made up by skipping.
package struct PlaybackTimeline: Sendable {
    /// Recorded time against the wall's; `nil` waits for nothing.
    package private(set) var rate: Double?
    /// A time of the player's clock, and the recorded time that was due then; set anew by a pause, seek or change of rate.
    private var anchor: (clock: Int64, recorded: Int64)?
    private var last: Int64?
    private let skipGapsNanoseconds: Int64?

    /// - Parameter skipGapsNanoseconds: gaps of recorded time that are longer are not waited for.
    package init(rate: Double?, skipGapsNanoseconds: Int64? = nil) {
        self.rate = rate
        self.skipGapsNanoseconds = skipGapsNanoseconds
    }

    /// When a recorded time is due, on the player's clock; `nil` at once.
    ///
    /// The first time that is asked for starts the clock.
    package mutating func due(_ recorded: Int64, now: Int64) -> Int64? {
        guard let rate else { return nil }
        if let last, let skipGapsNanoseconds, recorded &- last > skipGapsNanoseconds { anchor = nil }
        guard let anchor else {
            anchor = (now, recorded)
            return nil
        }
        let elapsed = Double(recorded &- anchor.recorded) / rate
        return anchor.clock &+ Int64(max(-4e18, min(elapsed, 4e18)))
    }

    /// Notes what was presented last: gaps are counted from there.
    package mutating func notePresented(_ recorded: Int64) { last = recorded }

    /// Goes on from what was presented last at another rate.
    package mutating func setRate(_ rate: Double, now: Int64) {
        if let last, let old = self.rate, let anchor {
            // The part of the way to the next moment that is already waited for is kept.
            let elapsed = Double(now &- anchor.clock) * old
            let reached = anchor.recorded &+ Int64(max(-4e18, min(elapsed, 4e18)))
            self.anchor = (now, max(last, reached))
        }
        self.rate = rate
    }

    /// Forgets the clock: the next moment is due when it comes.
    package mutating func restart() {
        anchor = nil
        last = nil
    }

    /// Notes what is presented out of turn: what follows is due from here on.
    package mutating func restart(at recorded: Int64, now: Int64) {
        anchor = (now, recorded)
        last = recorded
    }

    /// The clock stood still for a while: what is due comes later by that.
    package mutating func shift(byNanoseconds duration: Int64) {
        if let anchor { self.anchor = (anchor.clock &+ duration, anchor.recorded) }
    }
}

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
