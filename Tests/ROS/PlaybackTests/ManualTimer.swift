import Playback
import Synchronization

/// A clock that stands still until somebody sleeps on it.
final class ManualTimer: PlaybackTimer {
    private let state = Mutex((now: Int64(5_000_000_000), sleeps: [Int64]()))

    func now() -> Int64 { state.withLock { $0.now } }

    /// How long each sleep was, in milliseconds.
    var sleeps: [Int64] { state.withLock { $0.sleeps.map { $0 / 1_000_000 } } }

    func sleep(until nanoseconds: Int64) async throws {
        try Task.checkCancellation()
        state.withLock {
            $0.sleeps.append(nanoseconds - $0.now)
            $0.now = max($0.now, nanoseconds)
        }
    }

    func advance(milliseconds: Int64) { state.withLock { $0.now += milliseconds * 1_000_000 } }
}
