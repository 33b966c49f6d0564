package import Messages
package import Playback

/// The composition: session → frames → processing → messages → sinks.
package struct ReplayRun: Sendable {
    private let setup: ReplaySetup
    private let progress: PlaybackProgress?
    private let control: PlaybackControl?

    package init(_ setup: ReplaySetup, progress: PlaybackProgress? = nil, control: PlaybackControl? = nil) {
        self.setup = setup
        self.progress = progress
        self.control = control
    }

    /// Publishes the session into the sinks.
    ///
    /// A cancelled task ends the replay in order: what was prepared is dropped, every sink is finished. So does the first
    /// error of a sink or of reading, which the report carries.
    @concurrent
    package func run(into sinks: [any MessageSink]) async -> ReplayReport {
        let source = SessionPlayback(setup)
        let player = Player(
            source,
            options: setup.playback,
            sinks: sinks,
            control: control,
            progress: progress
        )
        var report = ReplayReport(playback: await player.run())
        source.finish()
        report.diagnostics = source.diagnostics
        report.counts = source.counts
        return report
    }
}
