package import Playback
package import Sessions

/// The results of a replay of a session.
package struct ReplayReport: Sendable {
    package var playback: PlaybackReport
    /// Everything wrong with the session that was met.
    package var diagnostics = Diagnostics()
    package var counts = ReplayCounts()

    /// True if something of the recording did not reach the output.
    package var lostAnything: Bool { diagnostics.lostCount > 0 || !counts.refusedCalibrations.isEmpty }
}
