import Messages
import Playback
import Recording
import Sessions

/// `/mapping/status`: how far the replay is, how the recording did, what had to be left out, and how bags and bridges do,
/// as diagnostics.
///
/// The names are those of the app where it has the entry. What a bag is told of itself is what it was given, which is the
/// same in every run; the entries of a bridge depend on the network.
struct StatusTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.any
    let rateHertz: Double?
    private let context: SourceContext
    private var diagnostics = Diagnostics()
    private var counts = ReplayCounts()
    private var playback = PlaybackStatus()

    /// The app's limits: older or less accurate fixes are a warning.
    private static let staleFixSeconds = 10.0
    private static let poorAccuracyMetres = 25.0

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.status) else { return nil }
        topics = [topic]
        rateHertz = context.rateHertz(.status)
        self.context = context
    }

    var tellsOfPlayback: Bool { true }

    mutating func update(with status: PlaybackStatus) { playback = status }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        diagnostics.append(item.diagnostics)
        counts.append(item.remarks)
        var message = DiagnosticArray()
        message.header = Header(stampNanoseconds: stamp, frameID: "")
        message.status = [progress(item), tracking(item.health), losses()]
        if context.summary.location.count > 0 { message.status.append(location(item)) }
        if context.summary.hasSatelliteTiles || context.summary.hasElevationTiles { message.status.append(tiles()) }
        message.status += SinkDiagnostics.status(playback)
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }

    private func progress(_ item: PreparedItem) -> DiagnosticStatus {
        let summary = context.summary
        let elapsed = item.record.time.seconds(since: summary.firstTime)
        return DiagnosticStatus(
            "mapping/replay",
            isWarning: false,
            "\(Int(elapsed.rounded())) of \(Int(summary.durationSeconds.rounded())) s",
            [
                ("session", summary.name), ("profile", context.profile.name),
                ("frames_policy", context.axes.rawValue),
            ]
        )
    }

    private func tracking(_ health: RecordingHealth) -> DiagnosticStatus {
        let state = health.lastTracking
        return DiagnosticStatus(
            "mapping/tracking",
            isWarning: state?.isNormal == false,
            state.map { "tracking \($0.rawValue)" } ?? "no frame yet",
            [
                ("tracking", state?.rawValue ?? "unknown"), ("frames", "\(health.frameCount)"),
                ("frames_limited", "\(health.limitedFrameCount)"),
                ("longest_gap_seconds", "\(DiagnosticStatus.rounded(health.longestGapSeconds))"),
            ]
        )
    }

    private func losses() -> DiagnosticStatus {
        let lost = diagnostics.lostCount
        return DiagnosticStatus(
            "mapping/capture",
            isWarning: lost > 0,
            lost == 0 ? "nothing lost" : "\(lost) problems",
            diagnostics.entries.map { ($0.kind.rawValue, "\($0.count)") }
                + [("empty_clouds", "\(counts.emptyClouds)"), ("colourless_clouds", "\(counts.colourlessClouds)")]
        )
    }

    private func location(_ item: PreparedItem) -> DiagnosticStatus {
        let fix = item.health.lastFix
        let age = fix.map { item.record.time.seconds(since: $0.time) }
        let accuracy = fix?.horizontalAccuracyMetres
        let isStale = age.map { $0 > Self.staleFixSeconds } ?? true
        let isPoor = accuracy.map { $0 > Self.poorAccuracyMetres } ?? true
        return DiagnosticStatus(
            "mapping/gps_quality",
            isWarning: isStale || isPoor,
            fix == nil ? "no fix yet" : isStale ? "the last fix is old" : isPoor ? "the last fix is poor" : "good",
            [
                ("fixes", "\(item.health.fixCount)"),
                ("last_location_age_seconds", age.map { "\(DiagnosticStatus.rounded($0))" } ?? "unknown"),
                ("horizontal_accuracy", accuracy.map { "\($0)" } ?? "unknown"),
                ("vertical_accuracy", fix?.verticalAccuracyMetres.map { "\($0)" } ?? "unknown"),
                ("stale_fix_threshold_seconds", "\(Self.staleFixSeconds)"),
                ("poor_horizontal_accuracy_threshold_meters", "\(Self.poorAccuracyMetres)"),
            ]
        )
    }

    private func tiles() -> DiagnosticStatus {
        DiagnosticStatus(
            "mapping/geotiles",
            isWarning: false,
            "from the session",
            [
                ("satellite", "\(context.summary.hasSatelliteTiles)"),
                ("elevation", "\(context.summary.hasElevationTiles)"),
            ]
        )
    }
}
