import Codecs
import Platform
import Recording
import SystemPackage

/// Renders images one after the other and writes their files; each concurrent task has its own.
struct FrameRenderer {
    private let options: SampleOptions
    private let folder: SessionFolder
    private let files: SampleFiles
    private let trajectory: Trajectory
    private let intrinsics: CameraIntrinsics
    private let room: Room
    private let grain: SensorGrain
    private let encoder: JPEGEncoder
    private var pixels: [UInt32] = []

    init(
        schedule: SampleSchedule,
        folder: SessionFolder,
        files: SampleFiles,
        room: Room,
        grain: SensorGrain,
        intrinsics: CameraIntrinsics
    ) throws(CodecError) {
        options = schedule.options
        self.folder = folder
        self.files = files
        self.intrinsics = intrinsics
        trajectory = schedule.trajectory
        self.room = room
        self.grain = grain
        encoder = try JPEGEncoder()
    }

    /// Writes all files of an image; gives a and b of its relative depth, if it has any.
    mutating func render(_ item: RenderPlan.Item) throws -> (a: Double, b: Double)? {
        let pose = trajectory.worldFromCamera(atSeconds: item.frame.seconds)
        if let picture = files.picture {
            let seen = room.seen(atSeconds: item.frame.seconds, image: item.frame.image, byLidar: false)
            ImageRenderer(room: seen, grain: grain, seed: options.seed).render(
                PinholeView(worldFromCamera: pose, intrinsics: intrinsics),
                image: item.frame.image,
                into: &pixels
            )
            for frame in item.pictures { try OutputFile.write(encoded(frame), to: folder.path(picture(frame))) }
        }
        if options.hasLidar { try writeDepth(item.frame, pose) }
        if options.hasTruthDepth { try writeTruthDepth(item.frame, pose) }
        return options.hasRelativeDepth ? try writeRelativeDepth(item.frame, pose) : nil
    }

    /// The picture that was rendered last as a frame stores it.
    private func encoded(_ frame: SampleFrame) throws(CodecError) -> [UInt8] {
        let (width, height) = (intrinsics.width, intrinsics.height)
        let size = frame.orientation.storedSize(sensorWidth: width, sensorHeight: height)
        let turned = frame.orientation.turned(pixels, width: width, height: height)
        guard files.isPNG else {
            return try encoder.encode(
                pixels: turned,
                width: size.width,
                height: size.height,
                quality: options.jpegQuality
            )
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(3 * turned.count)
        for pixel in turned {
            for shift: UInt32 in [0, 8, 16] { bytes.append(UInt8(truncatingIfNeeded: pixel >> shift)) }
        }
        return try PNG.encode(RGBImage(width: size.width, height: size.height, pixels: bytes), level: 1)
    }

    /// - Parameter isLidar: the scanner's; a model of relative depth sees what the camera sees.
    private func exactDepth(_ frame: SampleFrame, _ pose: Transform, _ grid: GridSize, isLidar: Bool) -> [Float] {
        let camera = intrinsics.scaled(toWidth: grid.width, height: grid.height)
        let seen = room.seen(atSeconds: frame.seconds, image: frame.image, byLidar: isLidar)
        return DepthRenderer(room: seen).render(PinholeView(worldFromCamera: pose, intrinsics: camera))
    }

    private func writeDepth(_ frame: SampleFrame, _ pose: Transform) throws {
        guard files.depth != nil || files.confidence != nil else { return }
        var metres =
            options.mixesLidar ? mixedDepth(frame, pose) : exactDepth(frame, pose, LidarModel.grid, isLidar: true)
        var confidence = LidarModel.confidence(of: metres)
        if options.hasNoise {
            (metres, confidence) = LidarModel.measured(
                metres,
                seed: options.seed,
                image: frame.image,
                flies: !options.mixesLidar
            )
        }
        try write(metres, files.depth, frame)
        try write(confidence, files.confidence, frame)
    }

    /// The depth of LiDAR pixels as the mean of 4 x 4 rays through each.
    private func mixedDepth(_ frame: SampleFrame, _ pose: Transform) -> [Float] {
        let grid = LidarModel.grid
        let fine = exactDepth(frame, pose, GridSize(width: 4 * grid.width, height: 4 * grid.height), isLidar: true)
        return (0..<grid.count).map { place in
            let first = place / grid.width * 16 * grid.width + place % grid.width * 4
            var sum: Float = 0
            for ray in 0..<16 { sum += fine[first + ray / 4 * 4 * grid.width + ray % 4] }
            return sum / 16
        }
    }

    private func writeTruthDepth(_ frame: SampleFrame, _ pose: Transform) throws {
        let metres = exactDepth(frame, pose, intrinsics.size, isLidar: false)
        let name = "\(TruthDocument.depthFolder)/\(padded(frame.index, 6)).bin"
        try OutputFile.write(NativeFiles.floats(metres), to: folder.path(name))
    }

    private func writeRelativeDepth(_ frame: SampleFrame, _ pose: Transform) throws -> (Double, Double) {
        let grid = RelativeDepthModel.grid
        var model = RelativeDepthModel(exactMetres: exactDepth(frame, pose, grid, isLidar: false))
        if options.hasNoise { model.addNoise(seed: options.seed, image: frame.image) }
        try write(model.values, files.relativeDepth, frame)
        return (model.a, model.b)
    }

    private func write<Content>(_ content: Content, _ file: SampleFiles.File<Content>?, _ frame: SampleFrame) throws {
        guard let file else { return }
        try OutputFile.write(try file.encode(content), to: folder.path(file.name(frame)))
    }
}

/// Gives frames that repeat an image the files of the first frame that showed it.
struct FrameLinker {
    let folder: SessionFolder
    let options: SampleOptions
    let files: SampleFiles
    private var pictures: [RenderPlan.JPEGKey: FilePath] = [:]
    private var maps: [MapKey: FilePath] = [:]

    private enum Map { case depth, confidence, relativeDepth }

    private struct MapKey: Hashable {
        var image: Int
        var map: Map
    }

    init(folder: SessionFolder, options: SampleOptions, files: SampleFiles) {
        self.folder = folder
        self.options = options
        self.files = files
    }

    /// Must see the frames in order: the first one of its kind has files already.
    mutating func link(_ frame: SampleFrame) throws(FileError) {
        if let picture = files.picture {
            let key = RenderPlan.JPEGKey(image: frame.image, orientation: frame.orientation)
            try link(&pictures[key], folder.path(picture(frame)))
        }
        if options.hasLidar {
            try linkMap(.depth, frame, files.depth?.name)
            try linkMap(.confidence, frame, files.confidence?.name)
        }
        if options.hasRelativeDepth { try linkMap(.relativeDepth, frame, files.relativeDepth?.name) }
    }

    private mutating func linkMap(
        _ map: Map,
        _ frame: SampleFrame,
        _ name: ((SampleFrame) -> String)?
    ) throws(FileError) {
        guard let name else { return }
        try link(&maps[MapKey(image: frame.image, map: map)], folder.path(name(frame)))
    }

    private func link(_ source: inout FilePath?, _ path: FilePath) throws(FileError) {
        guard let first = source else {
            source = path
            return
        }
        if try folder.link(first, to: path) { source = path }
    }
}
