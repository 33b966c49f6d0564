import Recording
import Sessions

/// Which topics a session has data for, and why the others are absent.
enum Availability {
    /// Why a topic cannot be published from this session; `nil` where it can.
    static func reasonForAbsence(
        _ kind: TopicKind,
        _ summary: SessionSummary,
        _ plan: ReplayPlan,
        _ georeference: Georeference
    ) -> String? {
        switch Catalogue.entry(kind).need {
        case .pose, .nothing: kind == .clock && plan.clockHertz == nil ? "only with --clock of replay" : nil
        case .poseCovariance: summary.hasPoseCovariances ? nil : "only of refined poses (--refine)"
        case .image: summary.hasImages ? nil : summary.imageAbsence ?? summary.absence(of: .images)
        case .depth: depthReason(summary)
        case .confidence:
            depthReason(summary) ?? (summary.hasConfidence ? nil : summary.absence(of: .confidence))
        case .denseDepth: denseDepthReason(summary)
        case .relativeDepth: relativeDepthReason(summary, plan)
        case .motion: summary.motionSource == .none ? "the session has no IMU samples" : nil
        case .location: summary.location.count > 0 ? nil : "the session has no GPS fixes"
        case .placedLocation: georeference.reasonForAbsence.map { "no earth -> map: \($0)" }
        case .satelliteTiles: tileReason(summary.hasSatelliteTiles, "satellite", summary)
        case .elevationTiles: tileReason(summary.hasElevationTiles, "elevation", summary)
        case .radioSamples: summary.sampleCounts[.radio] == nil ? "the session has no radio samples" : nil
        case .indoorSamples: summary.sampleCounts[.indoor] == nil ? "the session has no indoor positions" : nil
        }
    }

    private static func depthReason(_ summary: SessionSummary) -> String? {
        if let refusal = summary.depthRefusal { return "depth and poses contradict each other: \(refusal)" }
        return summary.hasDepth ? nil : summary.absence(of: .depth)
    }

    private static func denseDepthReason(_ summary: SessionSummary) -> String? {
        summary.hasDenseDepth ? nil : depthReason(summary) ?? "only with --dense, of frames with images"
    }

    private static func tileReason(_ hasTiles: Bool, _ word: String, _ summary: SessionSummary) -> String? {
        if !hasTiles { return "the session has no \(word) tiles" }
        return summary.location.count > 0 ? nil : "the session has no GPS fixes to choose a tile by"
    }

    private static func relativeDepthReason(_ summary: SessionSummary, _ plan: ReplayPlan) -> String? {
        if !summary.hasRelativeDepth { return "the session has no relative depth; --depth-model makes it" }
        if !summary.hasDepth { return "relative depth cannot be calibrated without depth" }
        return plan.calibration == .off ? "--calibration off" : nil
    }
}
