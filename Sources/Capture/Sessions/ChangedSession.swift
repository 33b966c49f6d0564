package import Recording

/// A session whose frames are changed as they are read; all that a type does not say itself is that of the recorded one.
package protocol ChangedSession: Session {
    /// The session without the change.
    var recorded: any Session { get }

    /// The frame with the change.
    func changed(_ frame: FrameReference) -> FrameReference
}

extension ChangedSession {
    package var diagnostics: Diagnostics { recorded.diagnostics }
    package var tiles: TileStore { recorded.tiles }
    package var correction: PoseCorrection? { recorded.correction }

    package func records(_ request: RecordRequest) throws -> any RecordCursor {
        ChangedCursor(try recorded.records(request), changed)
    }

    package func makeLoader() -> any PayloadLoader { recorded.makeLoader() }
    package func makeVideoPass() -> VideoPass? { recorded.makeVideoPass() }
    package func orphans() -> Diagnostics { recorded.orphans() }
    package func examineLines() throws -> LineExamination { try recorded.examineLines() }
}

private final class ChangedCursor: RecordCursor {
    private let cursor: any RecordCursor
    private let changed: (FrameReference) -> FrameReference

    init(_ cursor: any RecordCursor, _ changed: @escaping (FrameReference) -> FrameReference) {
        (self.cursor, self.changed) = (cursor, changed)
    }

    var diagnostics: Diagnostics { cursor.diagnostics }
    var limitedTrackingCount: Int { cursor.limitedTrackingCount }
    var upcomingLocationTime: Timestamp? { cursor.upcomingLocationTime }

    func next(isFrameWanted: (Timestamp) -> Bool) throws -> Record? {
        let record = try cursor.next(isFrameWanted: isFrameWanted)
        guard case .frame(let frame) = record else { return record }
        return .frame(changed(frame))
    }
}
