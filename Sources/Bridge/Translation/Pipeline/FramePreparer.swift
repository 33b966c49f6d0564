import Maps
package import Perception
import Recording
import Sessions

/// How frames are turned into clouds; the same for every worker.
package struct PreparationSettings: Sendable {
    package enum Calibration: String, Sendable, Hashable, CaseIterable {
        /// The kind of relative depth that the session reports.
        case auto
        case inverse
        case linear
        case off
    }

    package var conventions = Conventions.ros
    package var clouds = CloudParameters()
    package var calibration = Calibration.auto
    /// True if colours come from the whole image instead of an eighth of it.
    package var decodesFullSize = false
    /// True if images are decoded at all; without, clouds are white but have the same size.
    package var decodesImages = true
    /// Which tags are looked for.
    package var tags = TagDetectorParameters()

    /// True if a frame's image is read.
    func needsImage(_ needs: PayloadNeeds) -> Bool {
        if !needs.isDisjoint(with: [.image, .tags, .denseDepth]) { return true }
        return decodesImages && !needs.isDisjoint(with: [.lidarCloud, .relativeCloud, .mapFrame])
    }
}

/// The heavy, stateless stage: reads, decodes, calibrates and projects one frame.
///
/// One for each worker.
final class FramePreparer {
    private let worker: FrameWorker
    private let settings: PreparationSettings
    /// True if clouds are made of the depth as it was recorded.
    private let takesLidar: Bool
    private var loader: any PayloadLoader { worker.loader }

    init(_ session: any Session, settings: PreparationSettings) {
        worker = FrameWorker(session, tags: settings.tags)
        self.settings = settings
        takesLidar = session.summary.depthKind == .lidar
    }

    func prepare(_ item: WorkItem) -> PreparedItem {
        var prepared = PreparedItem(item)
        guard let frame = prepared.frame, !item.needs.isEmpty else { return prepared }
        let needsClouds = !item.needs.isDisjoint(with: [.lidarCloud, .relativeCloud, .mapFrame])
        var stored: StoredImage?
        if settings.needsImage(item.needs) {
            stored = loader.image(of: frame, item.picture, &prepared.diagnostics)
        }
        if item.needs.contains(.image) { prepared.image = stored }
        if item.needs.contains(.tags), let stored {
            prepared.tags = worker.tags(in: stored, of: frame, &prepared.diagnostics)
        }
        guard needsClouds || !item.needs.isDisjoint(with: [.depth, .denseDepth]) else { return prepared }
        prepared.turn = turn(of: frame, stored)
        let lidar =
            needsClouds || item.needs.contains(.depth) ? loader.lidarDepth(of: frame, &prepared.diagnostics) : nil
        if item.needs.contains(.depth) { prepared.depth = lidar }
        if item.needs.contains(.denseDepth) {
            prepared.denseDepth = loader.denseDepth(of: frame, &prepared.diagnostics)
        }
        guard needsClouds else { return prepared }
        let chosen = takesLidar ? lidar : frame.hasDepth ? loader.depth(of: frame, &prepared.diagnostics) : nil
        guard let depth = chosen ?? lidar else { return prepared }
        let own = colours(stored, frame, depth, &prepared)
        let colours = own ?? borrowedColours(item.picturedFrame, frame, depth, &prepared)
        if settings.decodesImages, colours == nil { prepared.remarks.colourlessClouds += 1 }
        if item.needs.contains(.lidarCloud), chosen != nil {
            let cloud = worker.cloud(
                depth,
                of: frame,
                mapFromCamera: settings.conventions.cloudFromCamera(frame.worldFromCamera),
                colours: colours,
                settings.clouds,
                &prepared.diagnostics
            )
            prepared.cloud = cloud
            if let cloud { prepared.remarks.lidarClouds.append(cloud.counts) }
            if cloud?.count == 0 { prepared.remarks.emptyClouds += 1 }
        }
        if item.needs.contains(.relativeCloud) {
            prepareRelative(frame, lidar, colours, &prepared)
        }
        if item.needs.contains(.mapFrame), chosen != nil { prepareMapFrame(frame, depth, own, &prepared) }
        return prepared
    }

    /// How the picture of a frame is stored: as its file shows where that is read, or the frame does not say it.
    private func turn(of frame: FrameReference, _ stored: StoredImage?) -> ImageOrientation {
        if let known = stored?.orientation ?? frame.declaredOrientation { return known }
        // Pictures of a video are as the sensor has them. What is wrong with this one is said where it is published.
        guard frame.hasImage, frame.videoRow == nil else { return .landscapeRight }
        var known = Diagnostics()
        return loader.image(of: frame, &known)?.orientation ?? .landscapeRight
    }

    /// The frame in the axes of the map, as it is fused.
    private func prepareMapFrame(
        _ frame: FrameReference,
        _ depth: DepthMap,
        _ colours: FrameColours?,
        _ prepared: inout PreparedItem
    ) {
        let mapFromCamera = Coordinates.mapFromCamera(frame.worldFromCamera, policy: settings.conventions.axes)
        let samples = worker.samples(
            depth,
            of: frame,
            worldFromCamera: mapFromCamera,
            colours: colours,
            settings.clouds,
            &prepared.diagnostics
        )
        prepared.mapFrame = samples.flatMap { MapFrame($0, worldFromCamera: mapFromCamera) }
    }

    private func colours(
        _ stored: StoredImage?,
        _ frame: FrameReference,
        _ depth: DepthMap,
        _ prepared: inout PreparedItem
    ) -> FrameColours? {
        guard settings.decodesImages, stored != nil else { return nil }
        let colours = worker.colours(
            stored,
            of: frame,
            for: depth.size,
            fullSize: settings.decodesFullSize,
            &prepared.diagnostics
        )
        // An image that does not decode must not be passed on either.
        if colours == nil { prepared.image = nil }
        return colours
    }

    /// Colours from the picture of another frame; `nil` where there is none, or it shows something else.
    private func borrowedColours(
        _ other: FrameReference?,
        _ frame: FrameReference,
        _ depth: DepthMap,
        _ prepared: inout PreparedItem
    ) -> FrameColours? {
        guard settings.decodesImages, let other else { return nil }
        // What is wrong with that frame is said where it is published.
        var known = Diagnostics()
        guard let otherDepth = loader.lidarDepth(of: other, &known),
            let stored = loader.image(of: other, &known),
            let image = loader.decode(stored, of: other, fullSize: false, &known)
        else { return nil }
        let view = DepthView(depth: otherDepth, intrinsics: other.intrinsics, worldFromCamera: other.worldFromCamera)
        let borrowed = BorrowedColours(view, image: image, orientation: stored.orientation).image(
            for: DepthView(depth: depth, intrinsics: frame.intrinsics, worldFromCamera: frame.worldFromCamera)
        )
        guard let borrowed else { return nil }
        prepared.remarks.borrowedColours += 1
        return FrameColours(image: borrowed, orientation: .landscapeRight, scale: 8)
    }

    private func prepareRelative(
        _ frame: FrameReference,
        _ lidar: DepthMap?,
        _ colours: FrameColours?,
        _ prepared: inout PreparedItem
    ) {
        guard settings.calibration != .off, let depth = lidar,
            var relative = loader.relativeDepth(of: frame, &prepared.diagnostics)
        else { return }
        switch settings.calibration {
        case .inverse: relative.kind = .inverseDepth
        case .linear: relative.kind = .depth
        case .auto, .off: break
        }
        let calibration: RelativeDepthCalibration
        do throws(CalibrationError) {
            let isApp = settings.conventions.relativeDepth == .app && settings.calibration == .auto
            calibration = try worker.calibrate(relative, to: depth, isApp ? .app : CalibrationParameters())
        } catch {
            prepared.remarks.refusedCalibrations[error.reason, default: 0] += 1
            return
        }
        let cloud = worker.relativeCloud(
            calibration.relativeDepth(relative),
            of: frame,
            colours: colours,
            relativeParameters(calibration),
            &prepared.diagnostics
        )
        guard let cloud else { return }
        prepared.remarks.relativeClouds.append(cloud.counts)
        prepared.relative = RelativeResult(
            calibration: calibration,
            grid: loader.gridCalibration(of: frame, &prepared.diagnostics),
            cloud: cloud,
            gridSize: GridSize(width: relative.width, height: relative.height)
        )
    }
}

extension FramePreparer {
    /// Beyond this distance the values of the model are rounding errors.
    private static let horizonMetres = 100.0

    /// The voxel grid of the metric clouds, in the unit of the relative one: as dense where it is seen, at any scale.
    ///
    /// A whole map would be 200,000 points a cloud, more than a rosbridge server takes five times a second.
    private func relativeParameters(_ calibration: RelativeDepthCalibration) -> CloudParameters {
        var parameters = CloudParameters.relative
        parameters.pixelPoint = settings.clouds.pixelPoint
        guard settings.conventions.relativeDepth == .robust, calibration.scale > 0 else { return parameters }
        if let size = settings.clouds.voxelSizeMetres, size > 0 {
            parameters.voxelSizeMetres = size / calibration.scale
            parameters.voxelPoint = settings.clouds.voxelPoint
        }
        parameters.maximumDepthMetres = Self.horizonMetres / calibration.scale
        return parameters
    }
}

extension CalibrationError {
    /// The reason without its numbers, so that equal refusals are counted as one.
    fileprivate var reason: String {
        switch self {
        case .parameter, .gridCount: "impossible input"
        case .tooFewSamples: "too few pixels with both depths"
        case .tooFewInliers: "too few inliers"
        case .degenerateSpread: "the scene is too flat to determine a line"
        case .slopeNotPositive: "nearer in one map is farther in the other"
        case .unrelated: "the two maps have little to do with each other"
        case .residualTooLarge: "residual too large"
        }
    }
}
