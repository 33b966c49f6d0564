import Codecs
import Files
import Recording

/// Renders images one after the other and writes their files; each concurrent task has its own.
struct FrameWorker {
    private let options: SampleOptions
    private let folder: SessionFolder
    private let trajectory: Trajectory
    private let intrinsics: CameraIntrinsics
    private let images: ImageRenderer
    private let depths: DepthRenderer
    private let encoder: JPEGEncoder
    private var pixels: [UInt32] = []

    init(
        schedule: SampleSchedule,
        folder: SessionFolder,
        room: Room,
        grain: SensorGrain,
        intrinsics: CameraIntrinsics
    ) throws(CodecError) {
        options = schedule.options
        self.folder = folder
        self.intrinsics = intrinsics
        trajectory = schedule.trajectory
        images = ImageRenderer(room: room, grain: grain, seed: options.seed)
        depths = DepthRenderer(room: room)
        encoder = try JPEGEncoder()
    }

    /// Writes all files of an image; gives a and b of its relative depth, if it has any.
    mutating func render(_ item: RenderPlan.Item) throws -> (a: Double, b: Double)? {
        let pose = trajectory.worldFromCamera(atSeconds: item.frame.seconds)
        images.render(
            PinholeView(worldFromCamera: pose, intrinsics: intrinsics),
            image: item.frame.image,
            into: &pixels
        )
        for jpeg in item.jpegs {
            let size = jpeg.orientation.storedSize(sensorWidth: intrinsics.width, sensorHeight: intrinsics.height)
            let bytes = try encoder.encode(
                pixels: jpeg.orientation.turned(pixels, width: intrinsics.width, height: intrinsics.height),
                width: size.width,
                height: size.height,
                quality: options.jpegQuality
            )
            try OutputFile.write(bytes, to: folder.path(.rgb, frame: jpeg.frameIndex))
        }
        if options.hasLidar { try writeDepth(item.frame, pose) }
        return options.hasRelativeDepth ? try writeRelativeDepth(item.frame, pose) : nil
    }

    private func exactDepth(_ pose: Transform, _ grid: GridSize) -> [Float] {
        let camera = intrinsics.scaled(toWidth: grid.width, height: grid.height)
        return depths.render(PinholeView(worldFromCamera: pose, intrinsics: camera))
    }

    private func writeDepth(_ frame: SampleFrame, _ pose: Transform) throws(FileError) {
        var metres = exactDepth(pose, LidarModel.grid)
        var confidence = LidarModel.confidence(of: metres)
        if options.hasNoise {
            (metres, confidence) = LidarModel.measured(metres, seed: options.seed, image: frame.image)
        }
        try write(metres, .depth, frame)
        try OutputFile.write(confidence, to: folder.path(.confidence, frame: frame.index))
    }

    private func writeRelativeDepth(_ frame: SampleFrame, _ pose: Transform) throws(FileError) -> (Double, Double) {
        var model = RelativeDepthModel(exactMetres: exactDepth(pose, RelativeDepthModel.grid))
        if options.hasNoise { model.addNoise(seed: options.seed, image: frame.image) }
        try write(model.values, .relativeDepth, frame)
        return (model.a, model.b)
    }

    private func write(_ values: [Float], _ payload: SessionFolder.Payload, _ frame: SampleFrame) throws(FileError) {
        let path = folder.path(payload, frame: frame.index)
        let littleEndian = values.map { $0.bitPattern.littleEndian }
        try OutputFile.write(littleEndian.withUnsafeBytes { Array($0) }, to: path)
    }
}
