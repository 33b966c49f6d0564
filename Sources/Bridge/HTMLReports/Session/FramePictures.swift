import Codecs
import Perception
import Recording
import Sessions
import Text
import Translation

/// Which frame is looked at, and what of it is wanted.
final class PictureItem: Sendable {
    let frame: FrameReference
    let seconds: Double
    let wantsThumbnail: Bool
    let wantsDepthThumbnail: Bool
    let wantsCloud: Bool
    /// How many columns of its depth a cloud has at least, where there are so many.
    let cloudColumns: Int
    let wantsDepth: Bool
    let wantsCalibration: Bool
    /// Of the longer side of the image.
    let pixels: Int

    /// True if depth is made by the image.
    private let depthNeedsImage: Bool

    var wantsImage: Bool {
        let wantsMadeDepth = depthNeedsImage && (wantsDepth || wantsDepthThumbnail || wantsCalibration)
        return frame.hasImage && (wantsThumbnail || wantsCloud || wantsMadeDepth)
    }

    init(
        _ frame: FrameReference,
        seconds: Double,
        thumbnail: Bool = false,
        depthThumbnail: Bool = false,
        cloud: Bool = false,
        cloudColumns: Int = 128,
        depth: Bool = false,
        calibration: Bool = false,
        pixels: Int = PictureMaker.imagePixels,
        depthNeedsImage: Bool = false
    ) {
        self.depthNeedsImage = depthNeedsImage
        self.pixels = pixels
        self.frame = frame
        self.seconds = seconds
        wantsThumbnail = thumbnail
        wantsDepthThumbnail = depthThumbnail
        wantsCloud = cloud
        self.cloudColumns = cloudColumns
        wantsDepth = depth
        wantsCalibration = calibration
    }
}

/// The pictures that were made of a frame.
struct FramePictures: Sendable {
    struct DepthShares: Sendable {
        /// The shares of all pixels: those that are valid, and those of confidence 0, 1 and 2 where there is any.
        var valid = 0.0
        var confidence: [Double] = []
        /// The valid share in each cell of a grid of 64 x 48 in the sensor's axes.
        var grid: [Float] = []
    }

    var seconds: Double
    var frameIndex: Int
    /// JPEG, upright.
    var thumbnail: [UInt8]?
    var depthThumbnail: [UInt8]?
    var cloud: PointCloud?
    /// Of each point of the cloud; empty where there is none.
    var cloudConfidence: [UInt8] = []
    var depth: DepthShares?
    var calibration: RelativeDepthCalibration?
    var calibrationRefused = false
    var diagnostics = Diagnostics()
}

/// Reads frames and makes pictures of them; one for each worker.
final class PictureMaker {
    static let gridSize = GridSize(width: 64, height: 48)
    /// Of the longer side of an image and of a depth map: what a screen shows, and a page has room for.
    static let imagePixels = 480
    private static let depthPixels = 240
    private static let imageBytes = 13_000
    private static let depthBytes = 4_500
    /// The range that depth pictures show, from blue to red.
    static let depthMetres: ClosedRange<Float> = 0.2...5

    private let worker: FrameWorker
    private var loader: any PayloadLoader { worker.loader }

    init(_ session: any Session) { worker = FrameWorker(session) }

    /// - Parameter picture: of the frame, where it comes from a video.
    func make(_ item: PictureItem, _ picture: VideoPicture?) -> FramePictures {
        let frame = item.frame
        var result = FramePictures(seconds: item.seconds, frameIndex: frame.index)
        var colours: FrameColours?
        if item.wantsImage, let stored = loader.image(of: frame, picture, &result.diagnostics) {
            colours = worker.colours(stored, of: frame, for: frame.depthSize, &result.diagnostics)
            if item.wantsThumbnail {
                result.thumbnail = sheetPicture(stored, colours?.image, item, &result.diagnostics)
            }
        }
        guard frame.hasDepth,
            item.wantsCloud || item.wantsDepth || item.wantsDepthThumbnail || item.wantsCalibration,
            let depth = loader.depth(of: frame, &result.diagnostics)
        else { return result }
        if item.wantsDepth { result.depth = Self.shares(depth) }
        if item.wantsDepthThumbnail {
            result.depthThumbnail = Self.picture(depth, frame, pixels: Self.depthPixels, bytes: Self.depthBytes)
        }
        if item.wantsCalibration, let lidar = loader.lidarDepth(of: frame, &result.diagnostics),
            let relative = loader.relativeDepth(of: frame, &result.diagnostics)
        {
            result.calibration = try? worker.calibrate(relative, to: lidar)
            result.calibrationRefused = result.calibration == nil
        }
        if item.wantsCloud {
            var parameters = CloudParameters()
            parameters.stride = max(1, depth.width / item.cloudColumns)
            parameters.voxelSizeMetres = 0.02
            parameters.outlierFilter = .off
            result.cloud = worker.cloud(
                depth,
                of: frame,
                mapFromCamera: Coordinates.mapFromCamera(frame.worldFromCamera, policy: .ros),
                colours: colours,
                parameters,
                &result.diagnostics
            )
            if let cloud = result.cloud { result.cloudConfidence = Self.confidence(of: cloud, depth, frame) }
        }
        return result
    }

    /// The confidence of the depth pixel that each point of a cloud lies in.
    private static func confidence(of cloud: PointCloud, _ depth: DepthMap, _ frame: FrameReference) -> [UInt8] {
        guard let confidence = depth.confidence, confidence.count == depth.width * depth.height else { return [] }
        let optical = Coordinates.opticalFromCamera
        let opticalFromMap = optical * Coordinates.mapFromCamera(frame.worldFromCamera, policy: .ros).inverse
        let camera = frame.intrinsics.scaled(toWidth: depth.width, height: depth.height)
        return (0..<cloud.count).map { index in
            let place = cloud.position(index)
            let seen = opticalFromMap * Vector3(Double(place.x), Double(place.y), Double(place.z))
            let (column, row) = (camera.fx * seen.x / seen.z + camera.cx, camera.fy * seen.y / seen.z + camera.cy)
            guard column > -0.5, row > -0.5, column < Double(depth.width) - 0.5, row < Double(depth.height) - 0.5 else {
                return 3
            }
            return min(2, confidence[Int(row.rounded()) * depth.width + Int(column.rounded())])
        }
    }

    private func sheetPicture(
        _ stored: StoredImage,
        _ reduced: RGBImage?,
        _ item: PictureItem,
        _ diagnostics: inout Diagnostics
    ) -> [UInt8]? {
        // An eighth of an image is what other things need of it.
        let isSmall = max(stored.width, stored.height) < 8 * item.pixels
        let image = isSmall ? loader.decode(stored, of: item.frame, fullSize: true, &diagnostics) : reduced
        return image.flatMap {
            let turn = stored.orientation.clockwiseDegrees
            return Self.upright($0, item.frame, storedTurn: turn, item.pixels, Self.imageBytes)
        }
    }

    private static func shares(_ depth: DepthMap) -> FramePictures.DepthShares {
        var shares = FramePictures.DepthShares()
        let (width, height) = (depth.width, depth.height)
        guard width > 0, height > 0, depth.metres.count == width * height else { return shares }
        var valid = 0
        var cells = [Int32](repeating: 0, count: gridSize.count)
        var totals = cells
        for row in 0..<height {
            let line = row * gridSize.height / height * gridSize.width
            for column in 0..<width {
                let cell = line + column * gridSize.width / width
                totals[cell] += 1
                let metres = depth.metres[row * width + column]
                guard metres > 0, metres.isFinite else { continue }
                valid += 1
                cells[cell] += 1
            }
        }
        shares.valid = Double(valid) / Double(width * height)
        shares.grid = zip(cells, totals).map { $1 == 0 ? 0 : Float($0) / Float($1) }
        if let confidence = depth.confidence, !confidence.isEmpty {
            var counts = [0, 0, 0]
            for value in confidence { counts[min(2, Int(value))] += 1 }
            shares.confidence = counts.map { Double($0) / Double(confidence.count) }
        }
        return shares
    }

    /// In false colours, fainter where the confidence is low, striped where it is lowest, grey where there is none.
    static func picture(_ depth: DepthMap, _ frame: FrameReference, pixels side: Int, bytes: Int) -> [UInt8]? {
        guard depth.metres.count == depth.width * depth.height else { return nil }
        let span = depthMetres.upperBound - depthMetres.lowerBound
        let palette = (0...255).map { ColourMap.turbo.colour(Double($0) / 255) }
        var pixels = [UInt8](repeating: 0x7A, count: 3 * depth.metres.count)
        for (index, metres) in depth.metres.enumerated() where metres > 0 && metres.isFinite {
            let colour = palette[Int(max(0, min(255, (metres - depthMetres.lowerBound) / span * 255)))]
            var weight = depth.confidence.map { index < $0.count ? Int(min(2, $0[index])) + 1 : 3 } ?? 3
            if weight == 1, (index % depth.width + index / depth.width) / 4 % 2 == 0 { weight = 0 }
            func mixed(_ part: UInt8) -> UInt8 { UInt8((Int(part) * weight + 0x7A * (3 - weight)) / 3) }
            (pixels[3 * index], pixels[3 * index + 1], pixels[3 * index + 2]) = (
                mixed(colour.red), mixed(colour.green), mixed(colour.blue)
            )
        }
        let image = RGBImage(width: depth.width, height: depth.height, pixels: pixels)
        return upright(image, frame, storedTurn: 0, side, bytes)
    }

    /// A JPEG with what is up in the world at its top, however the phone was held.
    private static func upright(
        _ image: RGBImage,
        _ frame: FrameReference,
        storedTurn: Int,
        _ pixels: Int,
        _ bytes: Int
    ) -> [UInt8]? {
        let up = frame.worldFromCamera.rotation.inverse.rotating(Vector3(0, 1, 0))
        // Clockwise, of the sensor's image; x right and y up in the camera's axes.
        let wanted = abs(up.x) > abs(up.y) ? (up.x > 0 ? 270 : 90) : (up.y >= 0 ? 0 : 180)
        let rest = (wanted - storedTurn + 720) % 360
        // An image that is stored turned by so much the other way is what undoing gives.
        let orientation = ImageOrientation.allCases.first { $0.clockwiseDegrees == (360 - rest) % 360 }
        return thumbnail(image, orientation ?? .landscapeRight, pixels: pixels, bytes: bytes)
    }

    /// A JPEG of at most so many pixels to a side, and about so many bytes; what is stored turned is turned back.
    static func thumbnail(
        _ image: RGBImage,
        _ orientation: ImageOrientation = .landscapeRight,
        pixels: Int = imagePixels,
        bytes: Int = imageBytes
    ) -> [UInt8]? {
        let sensor =
            orientation.swapsAxes
            ? GridSize(width: image.height, height: image.width) : GridSize(width: image.width, height: image.height)
        let scale = min(1, Double(pixels) / Double(max(sensor.width, sensor.height, 1)))
        let size = GridSize(
            width: max(1, Int((Double(sensor.width) * scale).rounded())),
            height: max(1, Int((Double(sensor.height) * scale).rounded()))
        )
        guard image.width > 0, image.height > 0, image.pixels.count == 3 * image.width * image.height,
            let encoder = try? JPEGEncoder()
        else { return nil }
        let small = image.inSensorGrid(orientation, size: size)
        // The more there is in an image, the less exact it has to be.
        for quality in [75, 60, 45, 30] {
            guard let jpeg = try? encoder.encode(small, quality: quality) else { return nil }
            if jpeg.count <= bytes || quality == 30 { return jpeg }
        }
        return nil
    }
}
