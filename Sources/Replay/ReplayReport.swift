package import ROS
package import Sessions

/// What a replay did.
package struct ReplayReport: Sendable {
    /// By topic name, sorted.
    package var topics: [TopicStatistics] = []
    /// Everything wrong with the session that was met.
    package var diagnostics = Diagnostics()
    package var counts = ReplayCounts()
    /// One for each sink, in the order in which they were given.
    package var sinks: [SinkReport] = []
    package var wasInterrupted = false
    package var capturedSeconds: Double = 0
    package var worstLatenessSeconds: Double = 0

    package init() {}

    /// Whether something of the recording did not reach the output.
    package var lostAnything: Bool { diagnostics.lostCount > 0 || !counts.refusedCalibrations.isEmpty }
}

/// How far a replay is, for a progress line.
package actor ReplayProgress {
    package struct Snapshot: Sendable {
        package var capturedSeconds: Double = 0
        package var totalSeconds: Double = 0
        package var messages = 0
        package var bytes = 0
    }

    private var state = Snapshot()

    package init() {}

    package var snapshot: Snapshot { state }

    func begin(totalSeconds: Double) { state.totalSeconds = totalSeconds }

    func advance(capturedSeconds: Double, messages: Int, bytes: Int) {
        state.capturedSeconds = capturedSeconds
        state.messages += messages
        state.bytes += bytes
    }
}
