import Messages
package import Platform
package import Playback
package import Recording
package import Sessions

/// The dry run: what would be published from a session, without decoding an image or sending anything.
///
/// Counts, times and small messages are exact. The sizes of images and clouds are measured on a few of them, spread
/// over the session, and scaled up.
package struct Inspection: Sendable {
    package struct TopicLine: Sendable {
        package var statistics: TopicStatistics
        /// Sorted; more than one where the stored image turns during the session.
        package var frameIDs: [String]
        package var rateAskedHertz: Double?
        /// True if bytes are scaled up from samples.
        package var isEstimated: Bool
    }

    package struct DepthShares: Sendable {
        package var sampledFrames = 0
        /// The share of valid pixels among all pixels of the sampled frames.
        package var valid = 0.0
        /// Shares of confidence 0, 1 and 2; empty without confidence.
        package var confidence: [Double] = []
    }

    package var topics: [TopicLine] = []
    package var absent: [(name: String, reason: String)] = []
    package var diagnostics = Diagnostics()
    package var counts = ReplayCounts()
    package var framesWithImage = 0
    package var framesWithDepth = 0
    package var framesWithRelativeDepth = 0
    /// The sizes that frames have, the most frequent first.
    package var depthSizes: [GridSize] = []
    package var relativeDepthSizes: [GridSize] = []
    package var motionSamples = 0
    package var motionRateHertz: Double?
    package var gravity = GravityCheck()
    package var attitude = AttitudeCheck()
    package var depth = DepthShares()
    package var alignment = StreamAlignment()
    /// The heights of the fixes against the elevation tiles; of more than 4096 fixes an even selection.
    package var terrain: TerrainComparison?

    /// Walks through the session once.
    ///
    /// - Parameter progress: is told the seconds of the recording that are done.
    package static func run(
        _ setup: ReplaySetup,
        progress: ProgressHandler = { _ in }
    ) async throws -> Inspection {
        var walk = InspectionWalk(setup)
        return try await walk.run(progress)
    }
}
