import Perception
package import Platform
package import Recording
package import Sessions

/// Marks what the depth of a session says of space: every key-frame's rays, in the axes of the frame `map`.
package struct OccupancyMapper: Sendable {
    package var parameters = OccupancyParameters()
    package var rule = KeyFrameRule()
    package var keepsLimitedTracking = false
    /// How many frames are prepared at a time.
    package var jobs = 1
    /// Turns a pose of a camera in the session's world, y up, into that in the frame `map`, z up.
    private let mapFromCamera: @Sendable (Transform) -> Transform

    package init(mapFromCamera: @escaping @Sendable (Transform) -> Transform) { self.mapFromCamera = mapFromCamera }

    /// - Parameter progress: is told the seconds of the span that are done.
    /// - Throws: a ``CloudError`` for parameters that make no sense, and what reading throws.
    @concurrent
    package func map(
        _ session: any Session,
        span: ClosedRange<Timestamp>? = nil,
        progress: ProgressHandler = { _ in }
    ) async throws -> (volume: OccupancyVolume, report: MapReport) {
        var volume = try OccupancyVolume(parameters)
        let summary = session.summary
        let times = span ?? summary.span
        var frames = FrameRule()
        frames.keepsLimitedTracking = keepsLimitedTracking
        frames.depth = .needed
        frames.keyFrames = rule
        // Pictures are read only where depth is made by them.
        let takesPicture = summary.depthKind != .lidar
        frames.prefersPictures = takesPicture && summary.hasImages
        let walk = try FrameWalk(session, times, frames)
        let start = max(times.lowerBound, summary.firstTime)
        let seconds = max(0, min(times.upperBound, summary.lastTime).seconds(since: start))
        var report = MapReport()
        let (parameters, mapFromCamera) = (parameters, mapFromCamera)
        try await walk.forEachFrame(jobs: jobs, takesPicture: takesPicture) {
            (
                FrameWorker(session),
                FrameMarker(cellMetres: parameters.resolutionMetres, maximumBytes: parameters.maximumBytes)
            )
        } prepare: { worker, walked in
            Self.prepare(walked, worker.0, worker.1, parameters, mapFromCamera, takesPicture: takesPicture)
        } deliver: { prepared in
            report.diagnostics.append(prepared.diagnostics)
            if let marks = prepared.marks {
                volume.apply(marks)
                report.keyFrameCount += 1
            } else if prepared.isOutOfReach {
                report.outOfReach += 1
            } else {
                report.withoutDepth += 1
            }
            progress(WorkProgress("marking", min(seconds, prepared.time.seconds(since: start)), of: seconds, .seconds))
        }
        let counts = walk.counts
        (report.frameCount, report.depthFrameCount) = (counts.trusted, counts.withDepth)
        report.limitedTracking = walk.limitedTracking
        report.jumpCount = counts.jumpCount
        report.firstJumpSeconds = counts.firstJump.map { $0.seconds(since: summary.firstTime) }
        report.diagnostics = walk.diagnostics(with: report.diagnostics)
        report.frameCountWithoutRoom = volume.frameCountWithoutRoom
        (report.blockCount, report.byteCount) = (volume.blockCount, volume.byteCount)
        return (volume, report)
    }

    /// Reads a key-frame, and marks what its rays pass and where they end.
    private static func prepare(
        _ walked: WalkedFrame,
        _ worker: FrameWorker,
        _ marker: FrameMarker,
        _ parameters: OccupancyParameters,
        _ mapFromCamera: (Transform) -> Transform,
        takesPicture: Bool
    ) -> MarkedFrame {
        let frame = walked.frame
        var marked = MarkedFrame(time: frame.time)
        // The image first: dense depth is made by it.
        if takesPicture { _ = worker.loader.image(of: frame, walked.picture, &marked.diagnostics) }
        guard let depth = worker.loader.depth(of: frame, &marked.diagnostics) else { return marked }
        let pose = mapFromCamera(frame.worldFromCamera)
        let samples = worker.samples(
            depth,
            of: frame,
            worldFromCamera: pose,
            colours: nil,
            parameters.depthLimits,
            &marked.diagnostics
        )
        guard let mapFrame = samples.flatMap({ MapFrame($0, worldFromCamera: pose) }) else { return marked }
        marked.marks = marker.marks(mapFrame)
        marked.isOutOfReach = marked.marks == nil
        return marked
    }
}

/// A key-frame that was read; without marks nothing of its depth could be used.
private struct MarkedFrame: Sendable {
    var time: Timestamp
    var marks: FrameMarks?
    var isOutOfReach = false
    var diagnostics = Diagnostics()
}
