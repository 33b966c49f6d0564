package import Messages

/// What was played.
package struct PlaybackReport: Sendable {
    /// By topic name, sorted.
    package var topics: [TopicStatistics] = []
    /// One for each sink, in the order in which they were given.
    package var sinks: [SinkReport] = []
    package var wasInterrupted = false
    /// Recorded time that was played, loops counted each.
    package var playedSeconds: Double = 0
    /// How long after it was due each moment was handed on.
    package var lateness = LatenessHistogram()
    /// What ended the run before its time.
    package var failure: (any Error)?

    package init() {}
}

/// How far a player is, for a line of progress.
package actor PlaybackProgress {
    package struct Snapshot: Sendable {
        package var playedSeconds: Double = 0
        package var totalSeconds: Double = 0
        package var messages = 0
        package var bytes = 0
        package var isPaused = false
        /// Recorded time against the wall's; `nil` for as fast as possible.
        package var rate: Double?
    }

    private var state = Snapshot()

    package init() {}

    package var snapshot: Snapshot { state }

    func begin(totalSeconds: Double, rate: Double?) {
        state.totalSeconds = totalSeconds
        state.rate = rate
    }

    func advance(playedSeconds: Double, messages: Int, bytes: Int) {
        state.playedSeconds = playedSeconds
        state.messages += messages
        state.bytes += bytes
    }

    func note(isPaused: Bool, rate: Double?) {
        state.isPaused = isPaused
        state.rate = rate
    }
}
