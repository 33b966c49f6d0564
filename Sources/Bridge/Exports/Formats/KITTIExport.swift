import Maps
import Platform
import Recording
import Translation

extension FrameFormat {
    package static let kitti = FrameFormat("kitti") { plan, census in
        ViewLayout(
            image: ("sequences/00/image_2", .sensorPNG(plan.sharedCamera(census))),
            depth: ("sequences/00/velodyne", .points),
            name: .padded
        )
    } writer: {
        try KITTIExport($0)
    }.with {
        ($0.needsDepth, $0.hasDepth, $0.hasOneSize) = (true, true, true)
        $0.ofBag = .poses
    }
}

/// A sequence of the KITTI odometry benchmark.
///
/// Poses are those of camera 0 (optical axes), the first one the identity; points are in the body's axes (x forward,
/// y left, z up), from which `Tr` leads to the camera.
final class KITTIExport: ExportWriter {
    private let context: ExportContext
    private let poses: OutputFile
    private let times: OutputFile
    private var first: (worldFromOptical: Transform, nanoseconds: Int64)?

    init(_ context: ExportContext) throws {
        self.context = context
        try context.folder.makeFolder("poses")
        poses = try context.file("poses/00.txt")
        times = try context.file("sequences/00/times.txt")
    }

    func add(_ view: ExportedView) throws {
        let first = first ?? (view.worldFromOptical, view.unixNanoseconds)
        self.first = first
        let pose = first.worldFromOptical.inverse * view.worldFromOptical
        try poses.append(text: Self.line(pose))
        try times.append(text: decimalSeconds(view.unixNanoseconds &- first.nanoseconds) + "\n")
    }

    /// The twelve numbers of the 3x4 matrix, by rows.
    static func line(_ pose: Transform) -> String { ExportText.numbers(pose.rows.flatMap { $0 }) + "\n" }

    func finish(_ surface: SurfaceMesh) throws {
        try poses.finish()
        try times.finish()
        let camera = context.sharedCamera
        let projection = ExportText.numbers([camera.fx, 0, camera.cx, 0, 0, camera.fy, camera.cy, 0, 0, 0, 1, 0])
        let opticalFromBase = Coordinates.opticalFromCamera * Coordinates.baseFromCamera.inverse
        let rows = opticalFromBase.rows.flatMap { $0.map { $0.rounded() } }
        let lines = (0..<4).map { "P\($0): \(projection)\n" } + ["Tr: \(ExportText.numbers(rows))\n"]
        try context.write(lines.joined(), to: "sequences/00/calib.txt")
    }

    func readBack(_ numbers: Set<Int>) throws -> [Int: ReadView] {
        var camera: CameraIntrinsics?
        for line in try context.lines("sequences/00/calib.txt") where line.hasPrefix("P2: ") {
            guard let values = ExportText.parse(line.dropFirst(4)), values.count == 12 else { continue }
            let size = context.imageSize
            camera = CameraIntrinsics(size: size, fx: values[0], fy: values[5], cx: values[2], cy: values[6])
        }
        var views: [Int: ReadView] = [:]
        for (index, line) in try context.lines("poses/00.txt").enumerated() where numbers.contains(index + 1) {
            guard let values = ExportText.parse(line), values.count == 12,
                let pose = Transform(rows: (0..<3).map { Array(values[4 * $0..<4 * $0 + 4]) })
            else { continue }
            views[index + 1] = ReadView(worldFromOptical: pose, intrinsics: camera)
        }
        return views
    }

    var readme: [String] {
        [
            "Sequence 00 in the layout of KITTI odometry: images, LiDAR points of each frame, and ARKit's poses.",
            "",
            "  evo_traj kitti poses/00.txt",
            "  kiss_icp_pipeline --dataloader generic sequences/00/velodyne",
            "",
            "kiss-icp's own kitti reader corrects each scan for a Velodyne's angles: use its generic reader.",
            "Reflectance holds the confidence: 0, 0.5 or 1.",
        ]
    }
}
