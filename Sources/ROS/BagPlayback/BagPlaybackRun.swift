package import Messages
package import Playback

/// The composition: bag → rows → messages → player → sinks.
package struct BagPlaybackRun: Sendable {
    private let setup: BagPlaybackSetup
    private let progress: PlaybackProgress?
    private let control: PlaybackControl?

    package init(_ setup: BagPlaybackSetup, progress: PlaybackProgress? = nil, control: PlaybackControl? = nil) {
        self.setup = setup
        self.progress = progress
        self.control = control
    }

    /// Publishes the bag into the sinks.
    ///
    /// A cancelled task ends the replay in order: what was read is dropped, every sink is finished. So does the first
    /// error of a sink or of reading, which the report carries.
    @concurrent
    package func run(into sinks: [any MessageSink]) async -> BagPlaybackReport {
        let source = StoredPlayback(setup)
        let player = Player(source, options: setup.playback, sinks: sinks, control: control, progress: progress)
        var report = BagPlaybackReport(playback: await player.run())
        source.tally.complete(&report)
        return report
    }
}
