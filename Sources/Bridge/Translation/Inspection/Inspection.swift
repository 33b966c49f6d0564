import Messages
package import Platform
package import Playback
package import Recording
package import Sessions
package import Text

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
    package var diagnostics = Diagnostics()
    package var counts = ReplayCounts()
    package var frameCount = 0
    /// Frames whose files were looked at.
    package var examinedFrames = 0
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

    package var verdict: Verdict { diagnostics.verdict(.frames(examinedFrames, of: frameCount)) }

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

/// The facts that a list of recordings gives of one, as its small files tell them.
///
/// No image and no depth is read for it.
package struct RecordingFacts: Sendable {
    package var format: String
    package var device: String?
    package var operatingSystem: String?
    /// Unix time of the first frame in nanoseconds; `nil` where nothing in the recording tells it.
    package var start: Int64?
    /// Where the start is known from.
    package var startSource: EpochAnchor.Source?
    package var durationSeconds: Double
    package var frameCount: Int
    package var hasDepth: Bool
    package var hasMotion: Bool
    package var fixCount: Int
    package var verdict: Verdict

    package init(_ recording: OpenedRecording) {
        let summary = recording.summary
        format = summary.format
        device = summary.deviceModel
        operatingSystem = summary.osVersion
        if recording.clock.source.isKnown {
            start = recording.clock.stamp(summary.firstTime)
            startSource = recording.clock.source
        }
        durationSeconds = summary.durationSeconds
        frameCount = summary.frameCount
        hasDepth = summary.hasDepth
        hasMotion = summary.motionSource != .none
        fixCount = summary.location.count
        verdict = recording.session.account.verdict(.lines)
    }

    /// As JSON has them.
    package var members: [(String, JSONValue)] {
        [
            ("format", .string(format)), ("device", .string(device)), ("os", .string(operatingSystem)),
            ("start", .string(start.map { CalendarText.utc(nanoseconds: $0) })),
            ("start_ns", .integer(start)), ("start_source", .string(startSource?.rawValue)),
            ("duration_s", .number((durationSeconds * 1000).rounded() / 1000)), ("frames", .integer(frameCount)),
            ("depth", .bool(hasDepth)), ("imu", .bool(hasMotion)), ("gps_fixes", .integer(fixCount)),
            ("verdict", .string(verdict.word.rawValue)), ("looked_at", .string(verdict.examined)),
            ("lost", .integer(verdict.errors)), ("warnings", .integer(verdict.warnings)),
            ("first_loss", .string(verdict.errors > 0 ? verdict.worst : nil)),
        ]
    }
}
