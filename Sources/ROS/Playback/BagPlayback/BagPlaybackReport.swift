package import Bags
package import Messages

/// The report of a replay of a bag.
package struct BagPlaybackReport: Sendable {
    /// A message that is not what its topic says, and was skipped.
    package struct BrokenMessage: Sendable, Hashable, CustomStringConvertible {
        package var topic: String
        package var timeNanoseconds: Int64
        package var reason: String

        package var description: String { "\(topic) at \(timeNanoseconds) ns: \(reason)" }
    }

    /// A key of JSON messages that their type does not have.
    package struct BrokenCount: Sendable, Hashable {
        package var topic: String
        package var count: Int
    }

    package var playback: PlaybackReport
    /// Each time that a broken message was passed, by topic, sorted.
    package var brokenCounts: [BrokenCount] = []
    /// The first of them, each once.
    package var broken: [BrokenMessage] = []
    /// Sorted by topic and path.
    package var unknownKeys: [UnknownKey] = []
    package var leftOut: [SkippedTopic] = []
    package var warnings: [String] = []
    /// Messages in the bag: what its tables, statistics and metadata.yaml say, the largest of it.
    package var inputCount = 0
    /// Messages that were read, in all passes.
    package var readCount = 0
    /// Messages that the chosen topics and times leave out; nil unless there was one whole pass.
    package var filteredCount: Int?
    /// Messages of the bag that could not be read.
    package var missingCount = 0
    /// Why, and what else is damaged in the bag; empty where it holds what it says.
    package var damage: [String] = []

    package var brokenCount: Int { brokenCounts.reduce(0) { $0 + $1.count } }

    /// True if something of the bag did not reach the output.
    package var lostAnything: Bool { isIncomplete || !unknownKeys.isEmpty || leftOutCount > 0 }

    /// Messages of topics that cannot be published.
    package var leftOutCount: Int { leftOut.reduce(0) { $1.isLoss ? $0 + $1.messageCount : $0 } }

    /// True if a part of the bag is missing that no filter left out.
    package var isIncomplete: Bool { missingCount > 0 || brokenCount > 0 || !damage.isEmpty }

    /// Missing parts, each with its number; empty where nothing is missing.
    package var shortfalls: [String] {
        var texts: [String] = []
        if missingCount > 0 { texts.append("\(missingCount) of \(inputCount) messages cannot be read") }
        if brokenCount > 0 { texts.append("\(brokenCount) messages are not what their topic says") }
        return texts + damage
    }
}

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
