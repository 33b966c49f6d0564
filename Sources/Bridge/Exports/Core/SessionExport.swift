import Earth
package import Files
package import Maps
import PointClouds
package import Progress
package import Recording
import Replay
package import Sessions

/// What an export of a session's frames did.
package struct FrameExportReport: Sendable {
    package var selection = SelectionCounts()
    /// Views that are in the export.
    package var viewCount = 0
    /// Frames whose image or depth could not be used.
    package var unusableImages = 0
    package var unusableDepth = 0
    /// Views without depth in an export that has depth.
    package var viewsWithoutDepth = 0
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

    private let session: any Session
    private let plan: ExportPlan
    private let span: ClosedRange<Timestamp>
    private let anchor: EpochAnchor

    /// - Throws: an ``ExportError`` or a ``PlanError`` for what cannot be exported.
    package init(_ session: any Session, _ plan: ExportPlan) throws {
        self.session = session
        self.plan = plan
        let summary = session.summary
        anchor = EpochAnchor.resolve(
            plan.epoch,
            summary: summary,
            zoneOffset: plan.zoneOffset,
            nowNanoseconds: plan.nowNanoseconds()
        )
        var span = try plan.span.times(of: session, anchor: anchor)
        let format = plan.format
        if format.needsImages, !summary.hasImages {
            throw ExportError.missing(format: format.rawValue, needs: "images", found: "a session without any")
        }
        if format.needsDepth, !summary.hasDepth {
            throw ExportError.missing(format: format.rawValue, needs: "depth", found: "a session without any")
        }
        if format == .euroc { span = try Self.spanOfMotion(session, span, acceptsSlow: plan.acceptsSlowMotion) }
        self.span = span
    }

    /// Images must lie between IMU samples: readers look for those around each without bounds.
    private static func spanOfMotion(
        _ session: any Session,
        _ span: ClosedRange<Timestamp>,
        acceptsSlow: Bool
    ) throws -> ClosedRange<Timestamp> {
        let cursor = try session.records(RecordRequest(span: span, streams: [.motion]))
        var (first, last, count): (Timestamp?, Timestamp?, Int) = (nil, nil, 0)
        while let record = try cursor.next() {
            if first == nil { first = record.time }
            last = record.time
            count += 1
        }
        guard let first, let last, last > first else {
            throw ExportError.missing(format: "euroc", needs: "IMU samples", found: "\(count)")
        }
        let hertz = Double(count - 1) / last.seconds(since: first)
        guard hertz >= 50 || acceptsSlow else { throw ExportError.slowMotion(hertz: hertz) }
        let low = max(span.lowerBound, first)
        let high = min(span.upperBound, last)
        guard low <= high else { throw ExportError.missing(format: "euroc", needs: "IMU samples", found: "none") }
        return low...high
    }

    /// Whether ``run(into:surface:progress:)`` wants the surface of the session.
    package var hasPoints: Bool { plan.format.hasPoints && session.summary.hasDepth }

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
        let walk = try ExportWalk(session, plan, folder, span: span, anchor: anchor)
        let (session, layout, limits, depthSize) = (session, walk.layout, walk.limits, walk.depthSize)
        try await forEachOrdered(workers: plan.jobs, window: plan.jobs * 3) {
            try walk.next()
        } makeWorker: {
            ViewPreparer(session, layout, in: folder, limits: limits, depthSize: depthSize)
        } transform: { preparer, frame in
            try preparer.prepare(frame)
        } deliver: { view in
            try walk.deliver(view)
            progress(WorkProgress("writing", walk.done, of: walk.total, .frames))
        }
        return try walk.finish(try await surface())
    }
}

/// The state of an export between the first view and the last.
final class ExportWalk {
    let layout: ViewLayout
    let limits: PointLimits
    let depthSize: GridSize
    private(set) var done = 0
    private let context: ExportContext
    private let selection: FrameSelection
    private let video: VideoPass?
    private let writer: any ExportWriter
    private let tested: Set<Int>
    private var kept: [Int: (frame: FrameReference, ImageOrientation, CameraIntrinsics)] = [:]
    private var report = FrameExportReport()

    init(
        _ session: any Session,
        _ plan: ExportPlan,
        _ folder: OutputFolder,
        span: ClosedRange<Timestamp>,
        anchor: EpochAnchor
    ) throws {
        let census = try FrameCensus(session, plan, span: span)
        guard census.counts.selected > 0 else { throw ExportError.noFrame(reasons: census.counts.text) }
        context = ExportContext(
            folder,
            plan,
            census,
            session,
            span: span,
            anchor: anchor,
            georeference: try Georeference(session, GeoreferenceRequest())
        )
        layout = plan.layout(census)
        limits = PointLimits(
            minimumMetres: plan.depth.minimumDepthMetres,
            maximumMetres: plan.depth.maximumDepthMetres,
            minimumConfidence: plan.depth.minimumConfidence
        )
        depthSize = session.summary.depthSize ?? session.summary.metadataDepthSize ?? GridSize(width: 256, height: 192)
        for name in layout.folders { try folder.makeFolder(name) }
        selection = try FrameSelection(session, plan, span: span)
        video = session.makeVideoPass()
        writer = try ExportFormats.writer(context)
        tested = Set(ReprojectionCheck.pairs(count: census.counts.selected).flatMap { [$0.0, $0.1] })
    }

    var total: Int { context.census.counts.selected }

    func next() throws -> SelectedFrame? {
        guard let frame = try selection.next() else { return nil }
        let picture = layout.image == nil ? nil : video?.picture(of: frame)
        return SelectedFrame(frame, sequence: selection.counts.selected, picture: picture)
    }

    func deliver(_ prepared: PreparedView) throws {
        done += 1
        report.diagnostics.append(prepared.diagnostics)
        switch prepared.omission {
        case .image: report.unusableImages += 1
        case .depth: report.unusableDepth += 1
        case nil: try write(prepared)
        }
    }

    private func write(_ prepared: PreparedView) throws {
        report.viewCount += 1
        let number = report.viewCount
        let stamp = context.anchor.stamp(prepared.frame.time)
        let name = layout.name(number: number, unixNanoseconds: stamp)
        var (imageFile, depthFile) = ("", "")
        if let file = prepared.image, let image = layout.image {
            imageFile = "\(image.folder)/\(name)\(file.suffix)"
            try context.folder.rename(file.path, to: imageFile)
            report.imageBytes += file.byteCount
        }
        if let file = prepared.depth, let depth = layout.depth {
            depthFile = "\(depth.folder)/\(name)\(depth.form.suffix)"
            try context.folder.rename(file.path, to: depthFile)
            report.depthBytes += file.byteCount
            if !prepared.hasDepth { report.viewsWithoutDepth += 1 }
        }
        try writer.add(
            ExportedView(
                number: number,
                frame: prepared.frame,
                unixNanoseconds: stamp,
                orientation: prepared.orientation,
                intrinsics: prepared.intrinsics,
                worldFromOptical: ExportedView.worldFromOptical(
                    prepared.frame.worldFromCamera,
                    prepared.orientation,
                    context.plan.effectiveWorld
                ),
                imageFile: imageFile,
                depthFile: depthFile
            )
        )
        if tested.contains(number) { kept[number] = (prepared.frame, prepared.orientation, prepared.intrinsics) }
    }

    func finish(_ surface: SurfaceMesh) throws -> FrameExportReport {
        guard report.viewCount > 0 else {
            throw ExportError.noFrame(
                reasons: "\(report.unusableImages) images and \(report.unusableDepth) depth maps of "
                    + "\(context.census.counts.selected) frames cannot be used"
            )
        }
        report.pointCount = surface.points.count
        try writer.finish(surface.transformed(by: context.plan.effectiveWorld.fromWorld))
        report.selection = selection.counts
        report.diagnostics.append(context.session.diagnostics)
        report.diagnostics.append(selection.diagnostics)
        report.gapCount = context.census.gapCount
        report.readme = writer.readme
        report.selfTest = try selfTest()
        try Provenance.write(report, context)
        return report
    }

    private func selfTest() throws -> SelfTestReport {
        let loader = context.session.makeLoader()
        let read = try writer.readBack(Set(kept.keys))
        var check = ReprojectionCheck(limits: limits)
        var ignored = Diagnostics()
        func view(_ number: Int) -> ReprojectionCheck.View? {
            guard let (frame, orientation, intrinsics) = kept[number], let read = read[number] else { return nil }
            return ReprojectionCheck.View(
                frame: frame,
                orientation: orientation,
                recorded: intrinsics,
                depth: frame.depthSize == nil ? nil : loader.depth(of: frame, &ignored),
                read: read
            )
        }
        for (first, second) in ReprojectionCheck.pairs(count: context.census.counts.selected) {
            guard kept[first] != nil, kept[second] != nil else { continue }
            guard let one = view(first), let other = view(second) else {
                throw ExportError.selfTest(pixels: .infinity, cause: "views \(first) and \(second) cannot be read back")
            }
            check.add(one, other)
        }
        let result = check.report
        if let pixels = result.medianPixels, !(pixels <= SelfTestReport.limitPixels) {
            let cause =
                layout.image?.form.isSensorGrid == true
                ? "one camera for all images, of which autofocus made several, or poses written wrong"
                : "poses or intrinsics written wrong"
            throw ExportError.selfTest(pixels: pixels, cause: cause)
        }
        return result
    }
}

extension ExportPlan {
    /// SplaTAM reads poses in ARKit's axes.
    var effectiveWorld: ExportWorld { format == .splatam ? .arkit : world }
}

extension ViewLayout.DepthForm {
    var suffix: String { self == .points ? ".bin" : ".png" }
}

extension ViewLayout.ImageForm {
    var isSensorGrid: Bool {
        switch self {
        case .stored, .centred: false
        case .sensorJPEG, .sensorPNG: true
        }
    }
}

extension SelectionCounts {
    /// What became of the frames, in a line.
    package var text: String {
        "\(frames) frames of trusted tracking, \(limitedTracking) of limited tracking, \(withoutImage) without image, "
            + "\(blurred) not sharp enough"
    }
}
