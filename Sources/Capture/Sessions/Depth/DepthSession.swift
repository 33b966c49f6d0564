import Codecs
package import Perception
package import Recording

/// The depth that clouds, maps, exports and pages are made of.
package enum DepthKind: String, Sendable, Hashable, CaseIterable {
    /// As it was recorded.
    case lidar
    /// As fine as the image: LiDAR depth, upsampled by the colours.
    case dense
    /// A model's, in metres by the LiDAR depth of its frame.
    case relative
}

/// What is made of the depth of a recording before anything else sees it.
package struct DepthPlan: Sendable {
    /// The grid of dense depth.
    package struct DenseGrid: Sendable, Hashable {
        package static let standard = DenseGrid(width: 960)
        /// Of a side.
        package static let mostPixels = 4096

        package var width: Int
        /// `nil` for the image's shape.
        package var height: Int?

        package init(width: Int, height: Int? = nil) { (self.width, self.height) = (width, height) }

        package func size(_ image: GridSize) -> GridSize {
            let shaped = (Double(width) * Double(image.height) / Double(max(1, image.width))).rounded()
            return GridSize(width: width, height: height ?? max(1, Int(min(shaped, Double(Self.mostPixels)))))
        }
    }

    package var kind = DepthKind.lidar
    /// `nil` for none.
    package var dense: DenseGrid?

    /// Gives each image relative depth, in place of the recorded one.
    package var network: DepthNetwork?

    package init() {}

    /// Kind, size and model, such as `dense 960`.
    var origin: String? {
        let size = dense.map { "\($0.width)" + ($0.height.map { "x\($0)" } ?? "") }
        let parts = [
            kind == .lidar ? nil : kind.rawValue, size.map { kind == .dense ? $0 : "dense \($0)" },
            network.map { "model \($0.name)" },
        ]
        let text = parts.compactMap { $0 }.joined(separator: ", ")
        return text.isEmpty ? nil : text
    }

    /// True if depth is as it was recorded.
    package var isRecorded: Bool { kind == .lidar && dense == nil && network == nil }
}

/// A session with other depth than was recorded, or more; everything else of it is as it was.
package struct DepthSession: ChangedSession {
    /// The session with its own depth.
    package let recorded: any Session
    package let plan: DepthPlan
    package let summary: SessionSummary

    package init(_ session: any Session, _ plan: DepthPlan) {
        recorded = session
        self.plan = plan
        var summary = session.summary
        let canBeDense = plan.dense != nil && summary.hasDepth && summary.hasImages
        summary.hasDenseDepth = canBeDense
        (summary.depthKind, summary.depthOrigin) = (plan.kind, plan.origin)
        if let network = plan.network, summary.hasImages {
            summary.hasRelativeDepth = true
            summary.relativeDepthModel = network.name
            summary.relativeDepthKind = network.kind == .inverse ? .inverseDepth : .depth
            summary.relativeDepthSize = summary.sensorSize.flatMap { try? network.inputSize(for: $0) }
        }
        switch plan.kind {
        case .lidar: break
        case .dense:
            summary.hasDepth = canBeDense
            summary.depthSize = summary.sensorSize.flatMap { plan.dense?.size($0) }
        case .relative:
            summary.hasDepth = summary.hasDepth && summary.hasRelativeDepth
            summary.depthSize = summary.relativeDepthSize
        }
        self.summary = summary
    }

    package func makeLoader() -> any PayloadLoader { DepthLoader(recorded, plan) }

    package func changed(_ frame: FrameReference) -> FrameReference {
        var frame = frame
        if frame.hasImage, frame.depthSize != nil { frame.denseDepthSize = plan.dense?.size(frame.intrinsics.size) }
        if let network = plan.network {
            frame.relativeDepthSize = frame.hasImage ? try? network.inputSize(for: frame.intrinsics.size) : nil
        }
        frame.lacksChosenDepth =
            switch plan.kind {
            case .lidar: false
            case .dense: frame.denseDepthSize == nil
            case .relative: frame.relativeDepthSize == nil
            }
        return frame
    }
}

/// Loads recorded payloads, and makes the depth of a plan of them.
///
/// The image and the depth of the last frame are kept, as several things are made of them.
private final class DepthLoader: PayloadLoader {
    private let loader: any PayloadLoader
    private let plan: DepthPlan
    private let file: String
    private let decoder = ImageDecoder()
    private let upsampler = DepthUpsampler()
    private let calibrator = RelativeDepthCalibrator()
    private let image = LastOfFrame<StoredImage?>()
    private let lidar = LastOfFrame<DepthMap?>()
    private let dense = LastOfFrame<DepthMap?>()
    private let relative = LastOfFrame<RelativeDepthMap?>()
    private let metric = LastOfFrame<(depth: DepthMap, calibration: GridCalibration)?>()

    init(_ session: any Session, _ plan: DepthPlan) {
        (loader, self.plan, file) = (session.makeLoader(), plan, session.summary.frameFile)
    }

    func depth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> DepthMap? {
        switch plan.kind {
        case .lidar: lidarDepth(of: frame, &diagnostics)
        case .dense: denseDepth(of: frame, &diagnostics)
        case .relative: metricDepth(of: frame, &diagnostics)?.depth
        }
    }

    func lidarDepth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> DepthMap? {
        lidar.value(of: frame) { loader.depth(of: frame, &diagnostics) }
    }

    func denseDepth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> DepthMap? {
        dense.value(of: frame) {
            lidarDepth(of: frame, &diagnostics).flatMap { denseDepth(from: $0, of: frame, &diagnostics) }
        }
    }

    func denseDepth(
        from lidar: DepthMap,
        of frame: FrameReference,
        _ diagnostics: inout Diagnostics
    ) -> DepthMap? {
        guard let size = frame.denseDepthSize, let stored = image(of: frame, &diagnostics),
            let guide = picture(stored, of: frame, size, &diagnostics)
        else { return nil }
        return upsampler.upsampled(lidar, guide: guide)
    }

    /// The image at a size, in the axes of the sensor.
    private func picture(
        _ stored: StoredImage,
        of frame: FrameReference,
        _ size: GridSize,
        _ diagnostics: inout Diagnostics
    ) -> RGBImage? {
        let turned = stored.orientation.storedSize(sensorWidth: size.width, sensorHeight: size.height)
        do {
            return try decoder.image(stored, atLeast: GridSize(width: turned.width, height: turned.height))
                .inSensorGrid(stored.orientation, size: size)
        } catch {
            record(.brokenImage, frame, expected: "an image that decodes", found: "\(error)", &diagnostics)
            return nil
        }
    }

    private func record(
        _ kind: ProblemKind,
        _ frame: FrameReference,
        expected: String,
        found: String,
        _ diagnostics: inout Diagnostics
    ) {
        diagnostics.record(Problem(kind, file: file, line: frame.line, expected: expected, found: found))
    }

    func gridCalibration(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> GridCalibration? {
        plan.kind == .relative ? metricDepth(of: frame, &diagnostics)?.calibration : nil
    }

    /// Relative depth in metres, and how it became that.
    private func metricDepth(
        of frame: FrameReference,
        _ diagnostics: inout Diagnostics
    ) -> (depth: DepthMap, calibration: GridCalibration)? {
        metric.value(of: frame) {
            guard let lidar = lidarDepth(of: frame, &diagnostics),
                let relative = relativeDepth(of: frame, &diagnostics)
            else { return nil }
            do throws(CalibrationError) {
                let line = try calibrator.calibrate(depth: lidar, relativeDepth: relative)
                let calibration = try GridCalibration(line, depth: lidar, relativeDepth: relative)
                return (calibration.metres(relative), calibration)
            } catch {
                let expected = "relative depth that fits the LiDAR's"
                record(.cloudNotBuilt, frame, expected: expected, found: "\(error)", &diagnostics)
                return nil
            }
        }
    }

    func relativeDepth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> RelativeDepthMap? {
        relative.value(of: frame) {
            guard let network = plan.network else { return loader.relativeDepth(of: frame, &diagnostics) }
            guard let size = frame.relativeDepthSize, let stored = image(of: frame, &diagnostics),
                let picture = picture(stored, of: frame, size, &diagnostics)
            else { return nil }
            do throws(DepthNetworkError) {
                return try network.run(picture).ofShape(frame.intrinsics.size)
            } catch {
                let expected = "relative depth of the image"
                record(.relativeDepthNotMade, frame, expected: expected, found: "\(error)", &diagnostics)
                return nil
            }
        }
    }

    // MARK: - As recorded

    func image(
        of frame: FrameReference,
        _ picture: VideoPicture?,
        _ diagnostics: inout Diagnostics
    ) -> StoredImage? {
        image.value(of: frame) { loader.image(of: frame, picture, &diagnostics) }
    }

    func decode(
        _ image: StoredImage,
        of frame: FrameReference,
        fullSize: Bool,
        _ diagnostics: inout Diagnostics
    ) -> RGBImage? { loader.decode(image, of: frame, fullSize: fullSize, &diagnostics) }

    func depthFile(of frame: FrameReference) -> String { loader.depthFile(of: frame) }
}

/// What was made of the last frame that was asked for.
private final class LastOfFrame<Value> {
    private var last: (line: Int, value: Value)?

    func value(of frame: FrameReference, _ make: () -> Value) -> Value {
        if let last, last.line == frame.line { return last.value }
        let value = make()
        last = (frame.line, value)
        return value
    }
}
