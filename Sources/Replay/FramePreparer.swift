import Capture
package import PointClouds
import Sessions

/// How frames are turned into clouds; the same for every worker.
package struct PreparationSettings: Sendable {
    package enum Calibration: String, Sendable, Hashable, CaseIterable {
        /// By what the session says its relative depth is.
        case auto
        case inverse
        case linear
        case off
    }

    package var frames: FramePolicy
    package var clouds: CloudParameters
    package var calibration: Calibration
    /// Whether colours come from the whole image instead of an eighth of it.
    package var decodesFullSize: Bool
    /// Whether images are decoded at all; without, clouds are white but have the same size.
    package var decodesImages: Bool

    package init(
        frames: FramePolicy = .ros,
        clouds: CloudParameters = CloudParameters(),
        calibration: Calibration = .auto,
        decodesFullSize: Bool = false,
        decodesImages: Bool = true
    ) {
        self.frames = frames
        self.clouds = clouds
        self.calibration = calibration
        self.decodesFullSize = decodesFullSize
        self.decodesImages = decodesImages
    }
}

/// The heavy, stateless stage: reads, decodes, calibrates and projects one frame.
///
/// One for each worker.
final class FramePreparer {
    private let loader: PayloadLoader
    private let settings: PreparationSettings
    private let builder = CloudBuilder()
    private let calibrator = RelativeDepthCalibrator()

    init(loader: PayloadLoader, settings: PreparationSettings) {
        self.loader = loader
        self.settings = settings
    }

    func prepare(_ item: WorkItem) throws -> PreparedItem {
        var prepared = PreparedItem(item)
        guard let frame = prepared.frame, !item.needs.isEmpty else { return prepared }
        let needsClouds = item.needs.contains(.lidarCloud) || item.needs.contains(.relativeCloud)
        var stored: StoredImage?
        if item.needs.contains(.image) || needsClouds && settings.decodesImages {
            stored = loader.image(of: frame, &prepared.diagnostics)
        }
        if item.needs.contains(.image) { prepared.image = stored }
        let depth = loader.depth(of: frame, &prepared.diagnostics)
        if item.needs.contains(.depth) { prepared.depth = depth }
        guard needsClouds, let depth else { return prepared }
        let colours = colours(stored, frame, &prepared)
        if item.needs.contains(.lidarCloud) {
            let cloud = try builder.build(
                depth: depth,
                intrinsics: frame.intrinsics,
                mapFromCamera: Coordinates.mapFromCamera(frame.worldFromCamera, policy: settings.frames),
                image: colours?.image,
                orientation: colours?.orientation ?? .landscapeRight,
                imageScale: settings.decodesFullSize ? 1 : 8,
                parameters: settings.clouds
            )
            prepared.cloud = cloud
            if cloud.count == 0 { prepared.remarks.emptyClouds += 1 }
        }
        if item.needs.contains(.relativeCloud) {
            try prepareRelative(frame, depth, colours, &prepared)
        }
        return prepared
    }

    private typealias Colours = (image: RGBImage, orientation: ImageOrientation)

    private func colours(_ stored: StoredImage?, _ frame: FrameReference, _ prepared: inout PreparedItem) -> Colours? {
        guard settings.decodesImages else { return nil }
        let image = stored.flatMap {
            loader.decode($0, of: frame, fullSize: settings.decodesFullSize, &prepared.diagnostics)
        }
        guard let stored, let image else {
            prepared.remarks.colourlessClouds += 1
            // What does not decode must not be passed on as an image either.
            if stored != nil { prepared.image = nil }
            return nil
        }
        return (image, stored.orientation)
    }

    private func prepareRelative(
        _ frame: FrameReference,
        _ depth: DepthMap,
        _ colours: Colours?,
        _ prepared: inout PreparedItem
    ) throws {
        guard settings.calibration != .off,
            var relative = loader.relativeDepth(of: frame, &prepared.diagnostics)
        else { return }
        switch settings.calibration {
        case .inverse: relative.kind = .inverseDepth
        case .linear: relative.kind = .depth
        case .auto, .off: break
        }
        let calibration: RelativeDepthCalibration
        do throws(CalibrationError) {
            let isApp = settings.frames == .app && settings.calibration == .auto
            calibration = try calibrator.calibrate(
                depth: depth,
                relativeDepth: relative,
                parameters: isApp ? .app : CalibrationParameters()
            )
        } catch {
            prepared.remarks.refusedCalibrations[error.reason, default: 0] += 1
            return
        }
        let cloud = try builder.buildRelative(
            relativeDepth: calibration.relativeDepth(relative),
            intrinsics: frame.intrinsics,
            image: colours?.image,
            orientation: colours?.orientation ?? .landscapeRight,
            imageScale: settings.decodesFullSize ? 1 : 8
        )
        prepared.relative = RelativeResult(
            calibration: calibration,
            cloud: cloud,
            gridSize: GridSize(width: relative.width, height: relative.height)
        )
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
