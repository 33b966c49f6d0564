import Messages
import Recording
import Sessions

/// `/mapping/status`: how far the replay is, how the recording did, and what had to be left out, as diagnostics.
///
/// The names are those of the app where it has the entry. What only the sinks know (bridge, queue, bag) is in the reports
/// of the command.
struct StatusTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.any
    let rateHertz: Double?
    private let context: SourceContext
    private var diagnostics = Diagnostics()
    private var counts = ReplayCounts()

    /// The app's limits: older or less accurate fixes are a warning.
    private static let staleFixSeconds = 10.0
    private static let poorAccuracyMetres = 25.0

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.status) else { return nil }
        topics = [topic]
        rateHertz = context.rateHertz(.status)
        self.context = context
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        diagnostics.append(item.diagnostics)
        counts.append(item.remarks)
        var message = DiagnosticArray()
        message.header = Header(stampNanoseconds: stamp, frameID: "")
        message.status = [progress(item), tracking(item.health), losses()]
        if context.summary.location.count > 0 { message.status.append(location(item)) }
        if context.summary.hasSatelliteTiles || context.summary.hasElevationTiles { message.status.append(tiles()) }
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }

    private func progress(_ item: PreparedItem) -> DiagnosticStatus {
        let summary = context.summary
        let elapsed = item.record.time.seconds(since: summary.firstTime)
        return Self.status(
            "mapping/replay",
            isWarning: false,
            "\(Int(elapsed.rounded())) of \(Int(summary.durationSeconds.rounded())) s",
            [
                ("session", summary.name), ("profile", context.profile.name),
                ("frames_policy", context.frames.rawValue),
            ]
        )
    }

    private func tracking(_ health: RecordingHealth) -> DiagnosticStatus {
        let state = health.lastTracking
        return Self.status(
            "mapping/tracking",
            isWarning: state?.isNormal == false,
            state.map { "tracking \($0.rawValue)" } ?? "no frame yet",
            [
                ("tracking", state?.rawValue ?? "unknown"), ("frames", "\(health.frameCount)"),
                ("frames_limited", "\(health.limitedFrameCount)"),
                ("longest_gap_seconds", "\(Self.rounded(health.longestGapSeconds))"),
            ]
        )
    }

    private func losses() -> DiagnosticStatus {
        let lost = diagnostics.lostCount
        return Self.status(
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
        return Self.status(
            "mapping/gps_quality",
            isWarning: isStale || isPoor,
            fix == nil ? "no fix yet" : isStale ? "the last fix is old" : isPoor ? "the last fix is poor" : "good",
            [
                ("fixes", "\(item.health.fixCount)"),
                ("last_location_age_seconds", age.map { "\(Self.rounded($0))" } ?? "unknown"),
                ("horizontal_accuracy", accuracy.map { "\($0)" } ?? "unknown"),
                ("vertical_accuracy", fix?.verticalAccuracyMetres.map { "\($0)" } ?? "unknown"),
                ("stale_fix_threshold_seconds", "\(Self.staleFixSeconds)"),
                ("poor_horizontal_accuracy_threshold_meters", "\(Self.poorAccuracyMetres)"),
            ]
        )
    }

    private func tiles() -> DiagnosticStatus {
        Self.status(
            "mapping/geotiles",
            isWarning: false,
            "from the session",
            [
                ("satellite", "\(context.summary.hasSatelliteTiles)"),
                ("elevation", "\(context.summary.hasElevationTiles)"),
            ]
        )
    }

    private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

    private static func status(
        _ name: String,
        isWarning: Bool,
        _ text: String,
        _ values: [(String, String)]
    ) -> DiagnosticStatus {
        var status = DiagnosticStatus()
        status.level = isWarning ? DiagnosticStatus.warn : DiagnosticStatus.ok
        status.name = name
        status.message = text
        status.hardwareID = "recorded"
        status.values = values.map { KeyValue(key: $0, value: $1) }
        return status
    }
}
