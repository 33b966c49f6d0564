package import Recording

/// A recording that was opened: its small files were read once, its images and depth stay on disk.
package protocol Session: Sendable {
    var summary: SessionSummary { get }

    /// What was wrong with the small files; problems of images and depth are found when those are loaded.
    var diagnostics: Diagnostics { get }

    /// The map tiles that came with the recording.
    var tiles: TileStore { get }

    /// The records of a time span in time order.
    func records(_ request: RecordRequest) throws -> RecordCursor

    /// Loads images and depth; one loader for each worker.
    func makeLoader() -> PayloadLoader

    /// Counts files that no line of the session names. Reads folder listings only.
    func orphans() -> Diagnostics
}

/// Which records are wanted.
package struct RecordRequest: Sendable {
    /// On the session's own clock, both ends included.
    package var span: ClosedRange<Timestamp>
    package var includesFrames: Bool
    package var includesMotion: Bool
    package var includesLocation: Bool
    /// Whether frames say which of their files are there; without, only what their lines say.
    package var resolvesPayloads: Bool

    package init(
        span: ClosedRange<Timestamp> = Timestamp(nanoseconds: .min)...Timestamp(nanoseconds: .max),
        includesFrames: Bool = true,
        includesMotion: Bool = true,
        includesLocation: Bool = true,
        resolvesPayloads: Bool = true
    ) {
        self.span = span
        self.includesFrames = includesFrames
        self.resolvesPayloads = resolvesPayloads
        self.includesMotion = includesMotion
        self.includesLocation = includesLocation
    }
}
