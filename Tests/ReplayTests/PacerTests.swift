import Replay
import Synchronization
import Testing

/// A clock that stands still until somebody sleeps on it.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let state = Mutex((now: Duration.seconds(50), sleeps: [Duration]()))

    var now: Instant { Instant(offset: state.withLock { $0.now }) }
    var minimumResolution: Duration { .nanoseconds(1) }
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        state.withLock {
            $0.sleeps.append(deadline.offset - $0.now)
            $0.now = max($0.now, deadline.offset)
        }
    }

    func advance(by duration: Duration) { state.withLock { $0.now += duration } }
}

@Suite struct PacerTests {
    @Test func keepsTheCapturesOwnTimes() async throws {
        let clock = ManualClock()
        var pacer = Pacer(rate: 1, clock: clock)
        for milliseconds in [0, 200, 250, 1250] as [Int64] {
            try await pacer.wait(until: 1_700_000_000_000_000_000 + milliseconds * 1_000_000)
        }
        #expect(clock.sleeps == [.milliseconds(200), .milliseconds(50), .milliseconds(1000)])
        #expect(pacer.worstLateness == .zero)
    }

    @Test(arguments: [(0.5, 400), (2, 100), (10, 20)])
    func rateStretchesTime(rate: Double, milliseconds: Int) async throws {
        let clock = ManualClock()
        var pacer = Pacer(rate: rate, clock: clock)
        try await pacer.wait(until: 5)
        try await pacer.wait(until: 200_000_005)
        #expect(clock.sleeps == [.milliseconds(milliseconds)])
    }

    @Test func withoutARateNothingWaits() async throws {
        let clock = ManualClock()
        var pacer = Pacer(rate: nil, clock: clock)
        for second in 0..<5 { try await pacer.wait(until: Int64(second) * 1_000_000_000) }
        #expect(clock.sleeps.isEmpty && pacer.worstLateness == .zero)
    }

    /// Late items go out at once; those after them keep their own times, so that lag does not add up.
    @Test func lagIsCaughtUpAndKnown() async throws {
        let clock = ManualClock()
        var pacer = Pacer(rate: 1, clock: clock)
        try await pacer.wait(until: 0)
        clock.advance(by: .milliseconds(750))
        try await pacer.wait(until: 500_000_000)
        #expect(clock.sleeps.isEmpty)
        #expect(pacer.worstLateness == .milliseconds(250))
        try await pacer.wait(until: 1_000_000_000)
        #expect(clock.sleeps == [.milliseconds(250)])
        #expect(pacer.worstLateness == .milliseconds(250))
    }

    @Test func earlierItemsDoNotWait() async throws {
        let clock = ManualClock()
        var pacer = Pacer(rate: 1, clock: clock)
        try await pacer.wait(until: 1_000_000_000)
        try await pacer.wait(until: 900_000_000)
        #expect(clock.sleeps.isEmpty)
    }
}
