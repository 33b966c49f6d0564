import Maps
import Platform
import Recording
import Text

extension FrameFormat {
    package static let open3d = FrameFormat("open3d") { plan, census in
        let camera = plan.sharedCamera(census)
        return ViewLayout(
            image: ("color", .sensorJPEG(camera)),
            depth: ("depth", .sensor(unitsPerMetre: 1000, camera)),
            name: .padded
        )
    } writer: {
        try Open3DExport($0)
    }.with {
        ($0.needsDepth, $0.hasDepth, $0.hasOneSize) = (true, true, true)
    }
}

/// Colour, depth in millimetres, and the trajectory in both of Open3D's forms.
///
/// `trajectory.log` has a line of numbers and four of world from camera for each frame; `trajectory.json`
/// (PinholeCameraTrajectory) has camera from world by columns, with the intrinsics of the one camera to which all frames
/// were resampled. Both in optical axes.
final class Open3DExport: ExportWriter {
    private let context: ExportContext
    private let log: OutputFile
    private let json: OutputFile
    private var count = 0

    init(_ context: ExportContext) throws {
        self.context = context
        log = try context.file("trajectory.log")
        json = try context.file("trajectory.json")
        try json.append(text: "{\"class_name\":\"PinholeCameraTrajectory\",\"parameters\":[\n")
    }

    func add(_ view: ExportedView) throws {
        let rows = view.worldFromOptical.rows + [[0, 0, 0, 1]]
        let lines = rows.map { ExportText.numbers($0) }.joined(separator: "\n")
        try log.append(text: "\(count) \(count) \(count + 1)\n\(lines)\n")
        let extrinsic = view.worldFromOptical.inverse.columnMajor.map { JSONValue.number($0 == 0 ? 0 : $0) }
        let value: JSONValue = [
            "class_name": "PinholeCameraParameters", "extrinsic": .array(extrinsic),
            "intrinsic": Self.intrinsic(view.intrinsics), "version_major": 1, "version_minor": 0,
        ]
        try json.append(text: (count == 0 ? "" : ",\n") + value.text())
        count += 1
    }

    /// The matrix by columns, of centres of pixels.
    private static func intrinsic(_ camera: CameraIntrinsics) -> JSONValue {
        let matrix = [camera.fx, 0, 0, 0, camera.fy, 0, camera.cx, camera.cy, 1]
        return [
            "height": .integer(camera.height), "intrinsic_matrix": .array(matrix.map { .number($0) }),
            "width": .integer(camera.width),
        ]
    }

    func finish(_ surface: SurfaceMesh) throws {
        try log.finish()
        try json.append(text: "\n],\"version_major\":1,\"version_minor\":0}\n")
        try json.finish()
        try context.write(Self.intrinsic(context.sharedCamera).text(style: .pretty) + "\n", to: "camera_intrinsic.json")
    }

    func readBack(_ numbers: Set<Int>) throws -> [Int: ReadView] {
        var rows: [Int: [[Double]]] = [:]
        for (index, line) in try context.lines("trajectory.log").enumerated()
        where index % 5 != 0 && numbers.contains(index / 5 + 1) {
            rows[index / 5 + 1, default: []].append(ExportText.parse(line) ?? [])
        }
        var views: [Int: ReadView] = [:]
        var number = 0
        for line in try context.lines("trajectory.json") where line.contains("PinholeCameraParameters") {
            number += 1
            guard let pose = rows[number].flatMap({ Transform(rows: $0) }) else { continue }
            let value = try JSONValue.parse(line.hasSuffix(",") ? String(line.dropLast()) : line)
            let matrix = value["intrinsic"]?["intrinsic_matrix"]?.array?.compactMap(\.number) ?? []
            guard matrix.count == 9 else { continue }
            let size = context.imageSize
            let camera = CameraIntrinsics(size: size, fx: matrix[0], fy: matrix[4], cx: matrix[6], cy: matrix[7])
            views[number] = ReadView(worldFromOptical: pose, intrinsics: camera)
        }
        return views
    }

    var readme: [String] {
        [
            "For Open3D: colour and depth of one size, depth_scale 1000, and the cameras.",
            "",
            "  import open3d as o3d",
            "  cameras = o3d.io.read_pinhole_camera_trajectory(\"trajectory.json\")",
            "",
            "trajectory.log holds the same poses without the intrinsics.",
        ]
    }
}
