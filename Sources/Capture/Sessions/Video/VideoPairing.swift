import Recording

/// Which sample of a video is the picture of which row of the recording's table.
struct VideoPairing: Sendable {
    let sampleCount: Int
    /// The row of the first sample.
    let firstRow: Int
    /// Said where rows and samples are not as many.
    let problem: Problem?

    /// - Parameter rows: of the table, with those that do not read.
    ///
    /// As many samples as rows belong together by their order. The app hides the first sample by an edit list (its counter
    /// begins at -1): where one is missing and the first is still hidden, it is the last one that is missing; where nothing
    /// is hidden, the video was coded again without the hidden one.
    init(_ video: VideoFile, rows: Int, mayLackFirst: Bool) {
        sampleCount = video.sampleCount
        guard video.sampleCount != rows else {
            (firstRow, problem) = (0, nil)
            return
        }
        let lacksFirst = mayLackFirst && video.sampleCount == rows - 1 && !video.hidesFirstSample
        firstRow = lacksFirst ? 1 : 0
        let done =
            lacksFirst
            ? "the first row is left without"
            : "paired from the first on, \(abs(rows - video.sampleCount)) \(rows > video.sampleCount ? "rows" : "pictures") at the end left over"
        problem = Problem(
            .pictureCountDiffers,
            file: video.name,
            expected: "\(rows) pictures, one for each row",
            found: "\(video.sampleCount); \(done)"
        )
    }

    func sample(of frame: FrameReference) -> Int? {
        guard let row = frame.videoRow, row >= firstRow, row - firstRow < sampleCount else { return nil }
        return row - firstRow
    }
}
