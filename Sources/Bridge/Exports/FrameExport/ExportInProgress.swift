import Maps
import Perception
import Platform
import Recording
import Sessions
import Translation

/// An export that is being written: makes the census, names the files of each view, feeds the writer, tests the result.
final class ExportInProgress {
    let layout: ViewLayout
    let depthSize: GridSize
    private(set) var done = 0
    private let context: ExportContext
    private let writer: any ExportWriter
    private let tested: Set<Int>
    private var kept: [Int: (frame: FrameReference, ImageOrientation, CameraIntrinsics)] = [:]
    /// The images of the views in their order, and those of depth.
    private var written: [WrittenImages.View] = []
    private var report = FrameExportReport()

    init(
        _ session: any Session,
        _ plan: ExportPlan,
        _ folder: OutputFolder,
        span: ClosedRange<Timestamp>,
        anchor: EpochAnchor
    ) throws {
        let census = try FrameCensus(session, plan, span: span)
        guard census.selected > 0 else {
            throw ExportError.noFrame(reasons: census.counts.text(limitedTracking: census.limitedTracking))
        }
        let shared = "\(plan.format.name) --share-intrinsics"
        if plan.sharesIntrinsics, census.sizes.count > 1,
            plan.format.layout(plan, census).image?.form.hasOneCamera == false
        {
            let found = "\(census.sizes.count) sizes"
            throw ExportError.missing(format: shared, needs: "images of one size", found: found)
        }
        if plan.sharesIntrinsics, census.lensesDiffer {
            throw ExportError.missing(format: shared, needs: "one lens distortion", found: "several")
        }
        context = ExportContext(
            folder,
            plan,
            census,
            session,
            span: span,
            anchor: anchor,
            georeference: try Georeference(session, GeoreferenceRequest(), heights: plan.heights)
        )
        layout = plan.format.layout(plan, census)
        depthSize = session.summary.depthSize ?? session.summary.metadataDepthSize ?? GridSize(width: 256, height: 192)
        for name in layout.folders { try folder.makeFolder(name) }
        writer = try plan.format.writer(context)
        tested = Set(ReprojectionCheck.pairs(count: census.selected).flatMap { [$0.0, $0.1] })
    }

    var total: Int { context.census.selected }

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
        let name = layout.name(number: number, recorded: prepared.frame.index, unixNanoseconds: stamp)
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
            report.depthPixels.append(prepared.depthPixels)
        }
        written.append(WrittenImages.View(image: imageFile, depth: depthFile, frame: prepared.frame.index))
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

    func finish(_ walk: FrameWalk, _ surface: SurfaceMesh) throws -> FrameExportReport {
        guard report.viewCount > 0 else {
            throw ExportError.noFrame(
                reasons: "\(report.unusableImages) images and \(report.unusableDepth) depth maps of "
                    + "\(context.census.selected) frames cannot be used"
            )
        }
        report.pointCount = surface.points.count
        try writer.finish(surface.transformed(by: context.plan.effectiveWorld.fromWorld))
        (report.counts, report.limitedTracking) = (walk.counts, walk.limitedTracking)
        report.diagnostics = walk.diagnostics(with: report.diagnostics)
        report.gapCount = context.census.gapCount
        report.selfTest = try selfTest()
        try writer.pack()
        report.readme = writer.readme
        if layout.name.isCounted { try context.write(WrittenImages.table(written), to: "frames.csv") }
        try ExportProvenance.write(report, context)
        return report
    }

    private func selfTest() throws -> SelfTestReport {
        let read = try writer.readBack(Set(written.indices.map { $0 + 1 }))
        try WrittenImages(folder: context.folder, layout: layout).check(written, read)
        let loader = context.session.makeLoader()
        let limits = context.plan.depth
        var check = ReprojectionCheck(
            limits: PointLimits(
                minimumMetres: limits.minimumDepthMetres,
                maximumMetres: limits.maximumDepthMetres,
                minimumConfidence: limits.minimumConfidence
            )
        )
        var ignored = Diagnostics()
        func view(_ number: Int) -> ReprojectionCheck.View? {
            guard let (frame, orientation, intrinsics) = kept[number], let read = read[number] else { return nil }
            return ReprojectionCheck.View(
                frame: frame,
                orientation: orientation,
                recorded: intrinsics,
                depth: frame.depthSize == nil ? nil : loader.lidarDepth(of: frame, &ignored),
                read: read
            )
        }
        for (first, second) in ReprojectionCheck.pairs(count: context.census.selected) {
            guard kept[first] != nil, kept[second] != nil else { continue }
            guard let one = view(first), let other = view(second) else {
                throw ExportError.selfTest(pixels: .infinity, cause: "views \(first) and \(second) cannot be read back")
            }
            check.add(one, other)
        }
        let result = check.report
        if let pixels = result.medianPixels, !(pixels <= SelfTestReport.limitPixels) {
            let cause =
                context.plan.sharesIntrinsics
                ? "--share-intrinsics has one camera for all images, and autofocus made several of it; leave it out"
                : "poses or intrinsics written wrong"
            throw ExportError.selfTest(pixels: pixels, cause: cause)
        }
        return result
    }
}
