package import Playback

/// What a replay of a bag did.
package struct BagPlaybackReport: Sendable {
    /// A message that is not what its topic says, and was skipped.
    package struct BrokenMessage: Sendable, Hashable, CustomStringConvertible {
        package var topic: String
        package var timeNanoseconds: Int64
        package var reason: String

        package var description: String { "\(topic) at \(timeNanoseconds) ns: \(reason)" }
    }

    /// A key of JSON messages that their type does not have.
    package struct UnknownKey: Sendable, Hashable {
        package var topic: String
        package var path: String
        package var count: Int
    }

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
    package var leftOut: [BagPlaybackSetup.LeftOut] = []
    package var warnings: [String] = []
    /// Whether the bag is cut or damaged, so that messages may have been lost before; `warnings` say where.
    package var hasDamagedFiles = false

    package init(playback: PlaybackReport) {
        self.playback = playback
    }

    package var brokenCount: Int { brokenCounts.reduce(0) { $0 + $1.count } }

    /// Whether something of the bag did not reach the output.
    package var lostAnything: Bool {
        hasDamagedFiles || brokenCount > 0 || !unknownKeys.isEmpty || leftOut.contains { $0.hasMessages && $0.isLoss }
    }
}
