import Codecs
import Perception
import Platform
import Recording
import Sessions
import SystemPackage

/// A frame whose payloads were read and brought into the form of the export.
///
/// A class, as an async function must not keep poses across an `await` (decision 014).
final class PreparedView: Sendable {
    let frame: FrameReference
    let orientation: ImageOrientation
    let intrinsics: CameraIntrinsics
    /// Files that wait for their names; `nil` where the format has none.
    let image: WaitingFile?
    let depth: WaitingFile?
    let hasDepth: Bool
    let depthPixels: DepthPixelCounts
    /// Why the frame cannot be exported; `nil` where it can.
    let omission: ExportOmission?
    let diagnostics: Diagnostics

    init(
        _ frame: FrameReference,
        _ orientation: ImageOrientation,
        _ intrinsics: CameraIntrinsics,
        image: WaitingFile?,
        depth: WaitingFile?,
        hasDepth: Bool,
        depthPixels: DepthPixelCounts,
        omission: ExportOmission?,
        _ diagnostics: Diagnostics
    ) {
        self.frame = frame
        self.orientation = orientation
        self.intrinsics = intrinsics
        self.image = image
        self.depth = depth
        self.hasDepth = hasDepth
        self.depthPixels = depthPixels
        self.omission = omission
        self.diagnostics = diagnostics
    }
}

/// An image or depth file that a worker wrote as `N.waiting`.
///
/// It is renamed when its turn comes: some formats number files without gaps, and a frame may fail.
struct WaitingFile: Sendable {
    let path: FilePath
    let byteCount: Int
    /// The ending of its name.
    let suffix: String
}

/// Why a frame that was selected is not in the export.
enum ExportOmission: Sendable {
    case image
    case depth
}

/// Reads the payloads of frames and makes the files of an export of them; one for each worker.
final class ViewPreparer {
    private let loader: any PayloadLoader
    private let layout: ViewLayout
    private let folder: OutputFolder
    private let limits: CloudParameters
    private let needsDepth: Bool
    private let depthSize: GridSize
    private let decodesFile: String
    private let sampler = DepthSampler()
    private let encoder: JPEGEncoder?

    /// - Parameter depthSize: of a depth image where a frame has none.
    init(
        _ session: any Session,
        _ layout: ViewLayout,
        in folder: OutputFolder,
        _ plan: ExportPlan,
        depthSize: GridSize
    ) {
        loader = session.makeLoader()
        self.layout = layout
        self.folder = folder
        limits = plan.depth
        needsDepth = plan.format.needsDepth
        self.depthSize = depthSize
        decodesFile = session.summary.frameFile
        encoder = try? JPEGEncoder()
    }

    func prepare(_ walked: WalkedFrame) throws(FileError) -> PreparedView {
        let frame = walked.frame
        var diagnostics = Diagnostics()
        var orientation = ImageOrientation.landscapeRight
        var intrinsics = frame.intrinsics
        var image: [UInt8]?
        var imageSuffix = layout.image?.form.suffix ?? ""
        var omission: ExportOmission?
        if let form = layout.image?.form {
            if let made = self.image(frame, walked.picture, form, &diagnostics) {
                image = made.bytes
                (orientation, intrinsics) = (made.orientation, made.intrinsics)
                imageSuffix = made.suffix
            } else {
                omission = .image
            }
        }
        var depth: [UInt8]?
        var hasDepth = false
        var depthPixels = DepthPixelCounts()
        if omission == nil, let form = layout.depth?.form {
            let map = frame.hasDepth ? loader.depth(of: frame, &diagnostics) : nil
            hasDepth = map != nil
            depth = self.depth(map, form, frame, orientation, &depthPixels, &diagnostics)
            if depth == nil || needsDepth && !hasDepth { omission = .depth }
        }
        let isKept = omission == nil
        return PreparedView(
            frame,
            orientation,
            intrinsics,
            image: isKept ? try write(image, layout.image?.folder, walked, imageSuffix) : nil,
            depth: isKept ? try write(depth, layout.depth?.folder, walked, layout.depth?.form.suffix ?? "") : nil,
            hasDepth: hasDepth,
            depthPixels: depthPixels,
            omission: omission,
            diagnostics
        )
    }

    private func write(
        _ bytes: [UInt8]?,
        _ name: String?,
        _ walked: WalkedFrame,
        _ suffix: String
    ) throws(FileError) -> WaitingFile? {
        guard let bytes, let name else { return nil }
        let path = folder.file("\(name)/\(walked.number).waiting")
        try OutputFile.write(bytes, to: path)
        return WaitingFile(path: path, byteCount: bytes.count, suffix: suffix)
    }

    private typealias MadeImage = (
        bytes: [UInt8], suffix: String, orientation: ImageOrientation, intrinsics: CameraIntrinsics
    )

    private func image(
        _ frame: FrameReference,
        _ picture: VideoPicture?,
        _ form: ViewLayout.ImageForm,
        _ diagnostics: inout Diagnostics
    ) -> MadeImage? {
        guard let stored = loader.image(of: frame, picture, &diagnostics) else { return nil }
        let turn = stored.orientation
        // Some recordings have pictures of another size than the camera they name.
        let whole = turn.storedIntrinsics(frame.intrinsics).scaled(toWidth: stored.width, height: stored.height)
        if form == .stored { return (stored.bytes, ".\(stored.format.fileExtension)", turn, whole) }
        guard let decoded = loader.decode(stored, of: frame, fullSize: true, &diagnostics) else { return nil }
        do throws(CodecError) {
            switch form {
            case .stored: return nil
            case .cut(let size):
                let (width, height) = turn.storedSize(sensorWidth: size.width, sensorHeight: size.height)
                let cut = CentredCut(whole, size: GridSize(width: width, height: height))
                guard let bytes = try encoder?.encode(decoded.cut(cut), quality: 95) else { return nil }
                return (bytes, form.suffix, turn, cut.intrinsics(whole))
            case .turnedJPEG(let camera):
                let target = turn.storedIntrinsics(camera)
                let image = decoded.resampled(from: whole, to: target)
                guard let bytes = try encoder?.encode(image, quality: 95) else { return nil }
                return (bytes, form.suffix, turn, target)
            case .sensorJPEG(let camera):
                let image = decoded.resampled(turn, from: frame.intrinsics, to: camera)
                guard let bytes = try encoder?.encode(image, quality: 95) else { return nil }
                return (bytes, form.suffix, .landscapeRight, camera)
            case .sensorPNG(let camera):
                let image = decoded.resampled(turn, from: frame.intrinsics, to: camera)
                return (try PNG.encode(image, level: 1), form.suffix, .landscapeRight, camera)
            }
        } catch {
            diagnostics.record(
                Problem(
                    .brokenImage,
                    file: decodesFile,
                    line: frame.line,
                    expected: "an image that can be encoded",
                    found: "\(error)"
                )
            )
            return nil
        }
    }

    /// An empty one where the frame has none; `nil` where it cannot be made.
    private func depth(
        _ map: DepthMap?,
        _ form: ViewLayout.DepthForm,
        _ frame: FrameReference,
        _ orientation: ImageOrientation,
        _ pixels: inout DepthPixelCounts,
        _ diagnostics: inout Diagnostics
    ) -> [UInt8]? {
        do {
            guard let map else {
                switch form {
                case .turned:
                    let size = orientation.storedSize(sensorWidth: depthSize.width, sensorHeight: depthSize.height)
                    return try DepthImage.empty(GridSize(width: size.width, height: size.height))
                case .sensor(_, let camera): return try DepthImage.empty(camera.size)
                case .points: return []
                }
            }
            let view = DepthView(depth: map, intrinsics: frame.intrinsics, worldFromCamera: frame.worldFromCamera)
            let samples = try sampler.samples(view, image: nil, parameters: limits)
            pixels = DepthPixelCounts(map, samples)
            switch form {
            case .turned(let units):
                return try DepthImage.png(samples, unitsPerMetre: units, orientation: orientation)
            case .sensor(let units, let camera):
                return try DepthImage.png(samples, unitsPerMetre: units, as: camera)
            case .points: return DepthImage.points(samples)
            }
        } catch {
            diagnostics.record(
                Problem(
                    .emptyDepth,
                    file: decodesFile,
                    line: frame.line,
                    expected: "depth that can be encoded",
                    found: "\(error)"
                )
            )
            return nil
        }
    }
}
