import Recording

/// A session whose frames have better poses than were recorded; everything else of it is as it was.
package struct RefinedSession: Session {
    private let session: any Session
    package let correction: PoseCorrection?
    package let summary: SessionSummary

    package init(_ session: any Session, _ correction: PoseCorrection) {
        self.session = session
        self.correction = correction
        var summary = session.summary
        summary.poseOrigin = correction.origin
        summary.hasPoseCovariances = correction.hasCovariances
        self.summary = summary
    }

    package var diagnostics: Diagnostics { session.diagnostics }
    package var tiles: TileStore { session.tiles }

    package func records(_ request: RecordRequest) throws -> any RecordCursor {
        let cursor = try session.records(request)
        return correction.map { RefinedCursor(cursor, $0) } ?? cursor
    }

    package func makeLoader() -> any PayloadLoader { session.makeLoader() }
    package func makeVideoPass() -> VideoPass? { session.makeVideoPass() }
    package func orphans() -> Diagnostics { session.orphans() }
    package func examineLines() throws -> LineExamination { try session.examineLines() }
}

private final class RefinedCursor: RecordCursor {
    private let cursor: any RecordCursor
    private let correction: PoseCorrection

    init(_ cursor: any RecordCursor, _ correction: PoseCorrection) {
        self.cursor = cursor
        self.correction = correction
    }

    var diagnostics: Diagnostics { cursor.diagnostics }
    var limitedTrackingCount: Int { cursor.limitedTrackingCount }
    var upcomingLocationTime: Timestamp? { cursor.upcomingLocationTime }

    func next(isFrameWanted: (Timestamp) -> Bool) throws -> Record? {
        let record = try cursor.next(isFrameWanted: isFrameWanted)
        guard case .frame(var frame) = record else { return record }
        frame.uncorrectedWorldFromCamera = frame.worldFromCamera
        frame.worldFromCamera = correction.corrected(frame.worldFromCamera, at: frame.time)
        return .frame(frame)
    }
}
