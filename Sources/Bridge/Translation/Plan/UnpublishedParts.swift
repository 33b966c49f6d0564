import Messages
import Sessions

/// A topic that was asked for and cannot be published.
package struct AbsentTopic: Sendable {
    package var name: String
    package var reason: String
    /// The part that recordings of the format never have; `nil` where this recording could have it.
    package var missingPart: String?
}

/// A part of the recording that the profile leaves out, or thins.
package struct UnpublishedPart: Sendable {
    /// Such as `IMU`.
    package var name: String
    /// How many of them the recording has; `nil` where that is not counted beforehand.
    package var recorded: Int?
    /// How many of them are not published; `nil` for all.
    package var left: Int?
}

extension ReplaySetup {
    /// The parts of the recording that the profile leaves out although they are there.
    ///
    /// Topics that were not chosen by name do not count: their user knows. Images and depth images are counted where a whole
    /// recording was published once.
    ///
    /// - Parameters:
    ///   - published: the messages of a topic; `nil` where they are not all of one pass.
    ///   - counts: what was left out for other reasons.
    package func unpublishedParts(published: ((TopicKind) -> Int)?, _ counts: ReplayCounts) -> [UnpublishedPart] {
        let summary = session.summary
        return Self.namedParts.compactMap { kind, name in
            guard plan.selection.contains(kind.rawValue),
                Availability.reasonForAbsence(kind, summary, plan, georeference) == nil
            else { return nil }
            let payload: PayloadKind? = kind == .cameraImage ? .images : kind == .depthImage ? .depth : nil
            let recorded = payload.flatMap { summary.payloads[$0]?.found }
            guard enabled.contains(kind) else { return UnpublishedPart(name: name, recorded: recorded) }
            guard let recorded, let published, isThinned(kind, recorded) else { return nil }
            let left = recorded - published(kind) - counts.limitedTracking
            return left > 0 ? UnpublishedPart(name: name, recorded: recorded, left: left) : nil
        }
    }

    /// True if a topic's rate lies below that of what was recorded.
    private func isThinned(_ kind: TopicKind, _ recorded: Int) -> Bool {
        guard let rate = plan.profile.rateHertz(kind), recorded > 1, plan.span == SpanRequest() else { return false }
        return Double(recorded - 1) > 1.05 * rate * session.summary.durationSeconds
    }

    private static let namedParts: [(TopicKind, String)] = [
        (.cameraImage, "images"), (.depthImage, "depth images"), (.lidarCloud, "clouds"), (.pose, "poses"),
        (.imu, "IMU"),
        (.odometry, "odometry"), (.locationFix, "GPS"), (.relativeCloud, "relative depth"),
        (.satelliteImage, "satellite images"), (.elevationTile, "elevation tiles"), (.radio, "radio samples"),
        (.indoorLocalization, "indoor positions"),
    ]
}
