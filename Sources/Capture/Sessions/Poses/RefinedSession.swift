package import Recording

/// A session whose frames have better poses than were recorded; everything else of it is as it was.
package struct RefinedSession: ChangedSession {
    package let recorded: any Session
    package let correction: PoseCorrection?
    package let summary: SessionSummary

    package init(_ session: any Session, _ correction: PoseCorrection) {
        recorded = session
        self.correction = correction
        var summary = session.summary
        summary.poseOrigin = correction.origin
        summary.hasPoseCovariances = correction.hasCovariances
        self.summary = summary
    }

    package func changed(_ frame: FrameReference) -> FrameReference {
        guard let correction else { return frame }
        var frame = frame
        frame.uncorrectedWorldFromCamera = frame.worldFromCamera
        frame.worldFromCamera = correction.corrected(frame.worldFromCamera, at: frame.time)
        return frame
    }
}
