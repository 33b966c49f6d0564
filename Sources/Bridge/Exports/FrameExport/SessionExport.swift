package import Maps
import Perception
package import Platform
package import Recording
package import Sessions
package import Translation

/// The results of an export of a session's frames.
package struct FrameExportReport: Sendable {
    package var counts = FrameCounts()
    /// Frames that were left out for their tracking.
    package var limitedTracking = 0
    /// Views that are in the export.
    package var viewCount = 0
    /// Frames whose image or depth could not be used.
    package var unusableImages = 0
    package var unusableDepth = 0
    /// Views without depth in an export that has depth.
    package var viewsWithoutDepth = 0
    /// The counts of the depth images and points of single views.
    package var depthPixels = DepthPixelCounts()
    package var pointCount = 0
    /// Bytes of images and of depth.
    package var imageBytes = 0
    package var depthBytes = 0
    package var gapCount = 0
    package var selfTest = SelfTestReport()
    package var readme: [String] = []
    package var diagnostics = Diagnostics()
}

/// An export of a session's frames: which, where to, and what it needs; refuses before anything is written.
package struct SessionExport: Sendable {
    /// The file of an export that is one file, in the folder it is made in.
    package static let fileName = TUMTrajectory.fileName

    private let recording: OpenedRecording
    private let plan: ExportPlan
    private let span: ClosedRange<Timestamp>

    /// - Throws: an ``ExportError`` or a ``PlanError`` for what cannot be exported.
    package init(_ recording: OpenedRecording, _ plan: ExportPlan) throws {
        self.recording = recording
        self.plan = plan
        let summary = recording.summary
        var span = try recording.times(plan.span)
        let format = plan.format
        if format.needsImages, !summary.hasImages {
            throw ExportError.missing(format: format.name, needs: "images", found: "a session without any")
        }
        if format.needsDepth, !summary.hasDepth {
            throw ExportError.missing(format: format.name, needs: "depth", found: "a session without any")
        }
        if format.needsMotion { span = try Self.spanOfMotion(recording.session, span, plan) }
        self.span = span
    }

    /// Images must lie between IMU samples: readers look for those around each without bounds.
    private static func spanOfMotion(
        _ session: any Session,
        _ span: ClosedRange<Timestamp>,
        _ plan: ExportPlan
    ) throws -> ClosedRange<Timestamp> {
        let name = plan.format.name
        let walk = try FrameWalk(session, RecordRequest(span: span, streams: [.motion]))
        var (first, last, count): (Timestamp?, Timestamp?, Int) = (nil, nil, 0)
        while let record = try walk.next() {
            if first == nil { first = record.time }
            last = record.time
            count += 1
        }
        guard let first, let last, last > first else {
            throw ExportError.missing(format: name, needs: "IMU samples", found: "\(count)")
        }
        let hertz = Double(count - 1) / last.seconds(since: first)
        guard hertz >= 50 || plan.acceptsSlowMotion else { throw ExportError.slowMotion(format: name, hertz: hertz) }
        let low = max(span.lowerBound, first)
        let high = min(span.upperBound, last)
        guard low <= high else { throw ExportError.missing(format: name, needs: "IMU samples", found: "none") }
        return low...high
    }

    /// True if ``run(into:surface:progress:)`` needs the surface of the session.
    package var hasPoints: Bool { plan.format.hasPoints && recording.summary.hasDepth }

    /// The part of the session that is exported.
    package var times: ClosedRange<Timestamp> { span }

    /// Exports into a new folder, whose name the caller shows at the end.
    ///
    /// - Parameter surface: in ARKit's world; asked for after the last view.
    @concurrent
    package func run(
        into folder: OutputFolder,
        surface: @Sendable () async throws -> SurfaceMesh,
        progress: ProgressHandler = { _ in }
    ) async throws -> FrameExportReport {
        let session = recording.session
        let export = try ExportInProgress(session, plan, folder, span: span, anchor: recording.clock)
        let walk = try FrameWalk(session, span, plan.frames)
        let (plan, layout, depthSize) = (plan, export.layout, export.depthSize)
        try await walk.forEachFrame(jobs: plan.jobs, takesPicture: layout.image != nil) {
            ViewPreparer(session, layout, in: folder, plan, depthSize: depthSize)
        } prepare: { preparer, walked in
            try preparer.prepare(walked)
        } deliver: { view in
            try export.deliver(view)
            progress(WorkProgress("writing", export.done, of: export.total, .frames))
        }
        return try export.finish(walk, try await surface())
    }
}
