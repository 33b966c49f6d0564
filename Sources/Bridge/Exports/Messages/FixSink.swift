package import Messages

/// Collects the fixes of one topic as a track.
package actor FixSink: MessageSink {
    package static let types: Set<String> = [NavSatFix.typeName]

    private let title: String
    private var topic = ""
    private var points: [TrackPoint] = []
    private var skipped = 0

    package init(title: String) { self.title = title }

    package func open(_ topics: [Topic]) {
        topic = topics.first { Self.types.contains($0.typeName) }?.name ?? ""
    }

    package func write(_ message: StampedMessage) {
        guard message.topic.name == topic else { return }
        guard let fix = message.message.compiled(as: NavSatFix.self), fix.latitude.isFinite, fix.longitude.isFinite,
            abs(fix.latitude) <= 90, abs(fix.longitude) <= 180, fix.status.status != NavSatStatus.noFix
        else {
            skipped += 1
            return
        }
        let variances = [fix.positionCovariance[0], fix.positionCovariance[4]]
        let isKnown = fix.positionCovarianceType != NavSatFix.covarianceUnknown && variances.allSatisfy { $0 > 0 }
        points.append(
            TrackPoint(
                unixNanoseconds: message.message.headerStampNanoseconds ?? message.timeNanoseconds,
                latitudeDegrees: fix.latitude,
                longitudeDegrees: fix.longitude,
                ellipsoidalMetres: fix.altitude.isFinite ? fix.altitude : nil,
                seaLevelMetres: nil,
                accuracyMetres: isKnown ? 1.515 * ((variances[0] + variances[1]) / 2).squareRoot() : nil
            )
        )
    }

    package func finish() -> SinkReport { report() }

    package func report() -> SinkReport {
        let count = SinkReport.TopicCount(name: topic, written: points.count, dropped: skipped)
        return SinkReport(
            topics: topic.isEmpty ? [] : [count],
            warnings: skipped > 0 ? ["\(topic): \(skipped) messages without a fix left out"] : []
        )
    }

    /// The collected tracks; no line without a point.
    package var export: TrackExport {
        TrackExport(title: title, tracks: points.isEmpty ? [] : [Track(name: topic, points: points)])
    }
}
