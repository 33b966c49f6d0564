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
        // Pictures are read only where depth is made by them.
        let takesPicture = session.summary.depthKind != .lidar
        let pass = try KeyFramePass(
            session,
            span: span,
            rule,
            keepsLimitedTracking: keepsLimitedTracking,
            prefersPictures: takesPicture && session.summary.hasImages
        )
        var report = MapReport()
        let (parameters, mapFromCamera) = (parameters, mapFromCamera)
        try await pass.walk.forEachFrame(jobs: jobs, takesPicture: takesPicture) {
            (
                FrameWorker(session),
                FrameMarker(cellMetres: parameters.resolutionMetres, maximumBytes: parameters.maximumBytes)
            )
        } prepare: { worker, walked in
            let frame = KeyFrame(
                walked,
                worker.0,
                parameters.depthLimits,
                worldFromCamera: mapFromCamera(walked.frame.worldFromCamera),
                readsImage: takesPicture,
                hasColours: false
            )
            return (frame, marks: frame.frame.flatMap(worker.1.marks))
        } deliver: { prepared, marks in
            report.diagnostics.append(prepared.diagnostics)
            if let marks {
                volume.apply(marks)
                report.keyFrameCount += 1
            } else if prepared.frame != nil {
                report.outOfReach += 1
            } else {
                report.withoutDepth += 1
            }
            progress(pass.progress("marking", at: prepared.time))
        }
        pass.finish(&report)
        report.frameCountWithoutRoom = volume.frameCountWithoutRoom
        (report.blockCount, report.byteCount) = (volume.blockCount, volume.byteCount)
        return (volume, report)
    }
}
