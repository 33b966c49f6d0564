import Maps
import Platform
import Recording
import Sessions
import Translation

/// The trajectory format of the TUM RGB-D benchmark: `timestamp tx ty tz qx qy qz qw`, world from the optical camera.
///
/// Times are Unix seconds with nine decimals, made of integers.
struct TUMLine {
    static let header = "# timestamp tx ty tz qx qy qz qw\n"

    static func text(_ view: ExportedView) -> String {
        let pose = view.worldFromOptical
        let rotation = pose.rotation.canonical
        let place = pose.translation
        return text(view.unixNanoseconds, [place.x, place.y, place.z, rotation.x, rotation.y, rotation.z, rotation.w])
    }

    static func text(_ unixNanoseconds: Int64, _ values: [Double]) -> String {
        decimalSeconds(unixNanoseconds) + " " + ExportText.numbers(values) + "\n"
    }

    /// Poses by number, from lines of a file.
    static func poses(_ lines: WrittenLines, _ numbers: Set<Int>) -> [Int: Transform] {
        var poses: [Int: Transform] = [:]
        for (index, line) in lines.enumerated() where numbers.contains(index + 1) {
            guard let values = ExportText.parse(line), values.count == 8 else { continue }
            poses[index + 1] = Transform(
                rotation: Quaternion(x: values[4], y: values[5], z: values[6], w: values[7]),
                translation: Vector3(values[1], values[2], values[3])
            )
        }
        return poses
    }
}

extension FrameFormat {
    package static let tum = FrameFormat("tum") { _, _ in
        ViewLayout()
    } writer: {
        try TUMTrajectory($0)
    }.with {
        ($0.isFile, $0.needsImages, $0.goesByTime) = (true, false, true)
        $0.ofBag = .poses
        $0.standsFor = ["evo", "poses", "trajectory", "path"]
    }

    package static let tumRGBD = FrameFormat("tum-rgbd") { plan, census in
        let camera = plan.sharedCamera(census)
        return ViewLayout(
            image: ("rgb", .sensorPNG(camera)),
            depth: ("depth", .sensor(unitsPerMetre: TUMFolder.depthUnitsPerMetre, camera))
        )
    } writer: {
        try TUMFolder($0)
    }.with {
        ($0.needsDepth, $0.hasDepth, $0.hasOneSize, $0.goesByTime) = (true, true, true, true)
    }
}

/// A trajectory alone, in one file.
final class TUMTrajectory: ExportWriter {
    static let fileName = "trajectory.txt"

    private let context: ExportContext
    private let file: OutputFile

    init(_ context: ExportContext) throws {
        self.context = context
        file = try context.file(Self.fileName)
        let name = PlainText.line(context.session.summary.name)
        try file.append(text: "# mapeverything \(context.plan.toolVersion), session \(name)\n")
        let origin = PoseFileOrigin(
            recording: try RecordingFingerprint(of: context.session),
            epochOffsetNanoseconds: context.anchor.offsetNanoseconds,
            axes: context.plan.world.rawValue
        )
        try file.append(text: origin.line + "\n")
        try file.append(text: TUMLine.header)
    }

    func add(_ view: ExportedView) throws { try file.append(text: TUMLine.text(view)) }

    func finish(_ surface: SurfaceMesh) throws { try file.finish() }

    func readBack(_ numbers: Set<Int>) throws -> [Int: ReadView] {
        TUMLine.poses(try context.lines(Self.fileName), numbers).mapValues { ReadView(worldFromOptical: $0) }
    }

    let readme: [String] = []
}

/// The folder of the TUM RGB-D benchmark: rgb, depth, and the camera's trajectory as ground truth.
final class TUMFolder: ExportWriter {
    static let depthUnitsPerMetre = 5000.0

    private let context: ExportContext
    private let colour: OutputFile
    private let depth: OutputFile
    private let truth: OutputFile
    private let pairs: OutputFile

    init(_ context: ExportContext) throws {
        self.context = context
        let name = PlainText.line(context.session.summary.name)
        (colour, depth) = (try context.file("rgb.txt"), try context.file("depth.txt"))
        (truth, pairs) = (try context.file("groundtruth.txt"), try context.file("associations.txt"))
        try colour.append(text: "# color images\n# session: \(name)\n# timestamp filename\n")
        try depth.append(text: "# depth maps\n# session: \(name)\n# timestamp filename\n")
        try truth.append(text: "# camera poses of ARKit\n# session: \(name)\n" + TUMLine.header)
    }

    func add(_ view: ExportedView) throws {
        let time = decimalSeconds(view.unixNanoseconds)
        try colour.append(text: "\(time) \(view.imageFile)\n")
        try depth.append(text: "\(time) \(view.depthFile)\n")
        try pairs.append(text: "\(time) \(view.imageFile) \(time) \(view.depthFile)\n")
        try truth.append(text: TUMLine.text(view))
    }

    func finish(_ surface: SurfaceMesh) throws {
        for file in [colour, depth, truth, pairs] { try file.finish() }
        let camera = context.sharedCamera
        let numbers = ExportText.numbers([camera.fx, camera.fy, camera.cx, camera.cy])
        try context.write("# fx fy cx cy, of centres of pixels\n\(numbers)\n", to: "calibration.txt")
        try context.write(orbSLAM(camera), to: "camera.yaml")
        if context.session.summary.motionSource != .none { try writeAccelerometer() }
    }

    /// Specific force in the device's axes, at the IMU's own times.
    private func writeAccelerometer() throws {
        let file = try context.file("accelerometer.txt")
        try file.append(text: "# accelerometer data\n# device axes, +9.81 up at rest\n# timestamp ax ay az\n")
        try MotionWalk(context).forEach { sample, stamp in
            let force = MotionWalk.specificForce(sample)
            try file.append(text: decimalSeconds(stamp) + " " + ExportText.numbers(force) + "\n")
        }
        try file.finish()
    }

    private func orbSLAM(_ camera: CameraIntrinsics) -> String {
        """
        %YAML:1.0
        File.version: "1.0"
        Camera.type: "PinHole"
        Camera1.fx: \(camera.fx)
        Camera1.fy: \(camera.fy)
        Camera1.cx: \(camera.cx)
        Camera1.cy: \(camera.cy)
        Camera.width: \(camera.width)
        Camera.height: \(camera.height)
        Camera.fps: \(context.framesPerSecond)
        Camera.RGB: 1
        Stereo.ThDepth: 40.0
        Stereo.b: 0.0745
        RGBD.DepthMapFactor: \(Self.depthUnitsPerMetre)
        ORBextractor.nFeatures: 1000
        ORBextractor.scaleFactor: 1.2
        ORBextractor.nLevels: 8
        ORBextractor.iniThFAST: 20
        ORBextractor.minThFAST: 7

        """
    }

    func readBack(_ numbers: Set<Int>) throws -> [Int: ReadView] {
        let values = try context.lines("calibration.txt").first { _ in true }.flatMap { ExportText.parse($0) } ?? []
        var camera: CameraIntrinsics?
        if values.count == 4 {
            let size = context.imageSize
            camera = CameraIntrinsics(size: size, fx: values[0], fy: values[1], cx: values[2], cy: values[3])
        }
        return TUMLine.poses(try context.lines("groundtruth.txt"), numbers).mapValues {
            ReadView(worldFromOptical: $0, intrinsics: camera)
        }
    }

    var readme: [String] {
        [
            "A folder as the TUM RGB-D benchmark has them; depth is in units of 1/5000 m, 0 where it is unknown.",
            "",
            "  rgbd_tum Vocabulary/ORBvoc.txt camera.yaml THIS_FOLDER THIS_FOLDER/associations.txt   (ORB-SLAM3)",
            "  evo_traj tum groundtruth.txt",
            "",
            "One camera for all images, to which each was resampled: the mean of what autofocus made of it. RTAB-Map's and",
            "kiss-icp's own TUM readers have other cameras built in; give them a bag.",
        ]
    }
}
