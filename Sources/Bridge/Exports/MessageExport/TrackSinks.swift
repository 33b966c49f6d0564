package import Messages
package import Platform
import Recording
import SystemPackage

extension Product.BagUse {
    /// The poses of one topic.
    static let poses = Self(types: PosedMessage.types, isFile: true)
    /// Each cloud a file.
    static let clouds = Self(types: [PointCloud2.typeName])
}

/// Writes the poses of one topic as a trajectory: poses as they are, in the frame of the topic.
package actor TrajectorySink: MessageSink {
    package enum Form: Sendable {
        /// `timestamp tx ty tz qx qy qz qw`, by the header's stamp.
        case tum
        /// The twelve numbers of the 3x4 matrix, by rows.
        case kitti
    }

    private let folder: OutputFolder
    private let form: Form
    private var file: OutputFile?
    private var topic = ""
    private var rows = 0
    private var skipped = 0

    /// - Parameter folder: whose ``fileName`` the caller shows when all is written.
    package init(_ folder: OutputFolder, form: Form) {
        self.folder = folder
        self.form = form
    }

    package static let fileName = "trajectory.txt"

    package func open(_ topics: [Topic]) throws {
        topic = topics.first { PosedMessage.types.contains($0.typeName) }?.name ?? ""
        let file = try OutputFile(creating: folder.file(Self.fileName))
        if form == .tum { try file.append(text: "# topic: \(topic)\n" + TUMLine.header) }
        self.file = file
    }

    package func write(_ message: StampedMessage) throws {
        guard message.topic.name == topic else { return }
        guard let line = Self.line(message, form) else {
            skipped += 1
            return
        }
        rows += 1
        try file?.append(text: line)
    }

    /// `nil` for a message that has no pose of finite numbers.
    private static func line(_ message: StampedMessage, _ form: Form) -> String? {
        guard let posed = PosedMessage(message.message) else { return nil }
        let (p, q) = (posed.pose.position, posed.pose.orientation)
        switch form {
        case .tum:
            let stamp = message.message.headerStampNanoseconds ?? message.timeNanoseconds
            return TUMLine.text(stamp, [p.x, p.y, p.z, q.x, q.y, q.z, q.w])
        case .kitti:
            let n = posed.norm
            let rotation = Recording.Quaternion(x: q.x / n, y: q.y / n, z: q.z / n, w: q.w / n)
            return KITTIExport.line(
                Recording.Transform(rotation: rotation, translation: Recording.Vector3(p.x, p.y, p.z))
            )
        }
    }

    package func finish() throws -> SinkReport {
        try file?.finish()
        return report()
    }

    package func report() -> SinkReport {
        let count = SinkReport.TopicCount(name: topic, written: rows, dropped: skipped, bytes: file?.byteCount ?? 0)
        let warnings = skipped > 0 ? ["\(topic): \(skipped) messages without a pose of finite numbers"] : []
        return SinkReport(topics: topic.isEmpty ? [] : [count], warnings: warnings)
    }
}

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
