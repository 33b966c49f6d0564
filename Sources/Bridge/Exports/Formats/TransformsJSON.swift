import Maps
import Perception
import Platform
import Recording
import Text

extension FrameFormat {
    package static let nerfstudio = FrameFormat("nerfstudio") { _, census in
        ViewLayout(
            image: ("images", .stored),
            depth: census.withDepth > 0 ? ("depth", .turned(unitsPerMetre: 1000)) : nil
        )
    } writer: {
        try TransformsJSON($0)
    }.with {
        ($0.hasDepth, $0.hasPoints) = (true, true)
        $0.standsFor = ["transforms-json", "transforms", "nerf"]
    }

    package static let ngp = FrameFormat("ngp") { _, _ in
        ViewLayout(image: ("images", .stored))
    } writer: {
        try TransformsJSON($0)
    }.with {
        $0.options = .maximumDepth
        $0.standsFor = ["instant-ngp", "nerf"]
    }

    package static let splatam = FrameFormat("splatam") { plan, census in
        let camera = plan.sharedCamera(census)
        return ViewLayout(
            image: ("rgb", .sensorPNG(camera)),
            depth: ("depth", .sensor(unitsPerMetre: 6553.5, camera)),
            name: .plain
        )
    } writer: {
        try TransformsJSON($0)
    }.with {
        ($0.needsDepth, $0.hasDepth, $0.hasOneSize, $0.world) = (true, true, true, .arkit)
    }
}

/// transforms.json of nerfstudio, instant-ngp and SplaTAM.
///
/// Matrices are world from camera with OpenGL's axes (x right, y up, z back) of the written image. nerfstudio and
/// instant-ngp count from the image's corner, so cx and cy are half a pixel larger than ARKit's; NeRFCapture, and SplaTAM
/// after it, has them as ARKit does. One frame a line.
final class TransformsJSON: ExportWriter {
    private let context: ExportContext
    private let file: OutputFile
    private var count = 0
    private var first: CameraIntrinsics?

    private var format: FrameFormat { context.plan.format }

    init(_ context: ExportContext) throws {
        self.context = context
        file = try context.file("transforms.json")
    }

    func add(_ view: ExportedView) throws {
        if count == 0 {
            first = view.intrinsics
            try file.append(text: head(view.intrinsics))
        }
        count += 1
        var members: [(String, JSONValue)] = [("file_path", .string(view.imageFile))]
        if format != .splatam { members += camera(view.intrinsics) }
        if format == .nerfstudio, !view.depthFile.isEmpty {
            members.append(("depth_file_path", .string(view.depthFile)))
        }
        if format == .splatam { members.append(("depth_path", .string(view.depthFile))) }
        if format == .ngp, let sharpness = view.frame.sharpness { members.append(("sharpness", .number(sharpness))) }
        members.append(("transform_matrix", matrix(view.worldFromOptical)))
        try file.append(text: (count == 1 ? "" : ",\n") + JSONValue.object(members).text())
    }

    /// OpenGL's axes are the optical ones with y and z turned round.
    private static let opticalFromOpenGL = Transform(rotation: Quaternion(x: 1, y: 0, z: 0, w: 0))

    private func matrix(_ worldFromOptical: Transform) -> JSONValue {
        let rows = (worldFromOptical * Self.opticalFromOpenGL).rows + [[0, 0, 0, 1]]
        return .array(rows.map { .array($0.map { .number($0 == 0 ? 0 : $0) }) })
    }

    /// From the origin of the file's image coordinates to the centre of the first pixel.
    private var firstCentre: Double { format == .splatam ? 0 : 0.5 }

    private func camera(_ camera: CameraIntrinsics) -> [(String, JSONValue)] {
        [
            ("fl_x", .number(camera.fx)), ("fl_y", .number(camera.fy)), ("cx", .number(camera.cx + firstCentre)),
            ("cy", .number(camera.cy + firstCentre)), ("w", .integer(camera.width)), ("h", .integer(camera.height)),
        ] + lens(camera)
    }

    /// SplaTAM reads none.
    private func lens(_ camera: CameraIntrinsics) -> [(String, JSONValue)] {
        // A frame without a key has that of the head.
        let pinhole: [Double]? = first?.distortion == nil ? nil : [0.0, 0, 0, 0, 0]
        guard format != .splatam, let lens = camera.distortion?.coefficients ?? pinhole else { return [] }
        return zip(Self.lensKeys, lens).map { ($0, .number($1)) }
    }

    private static let lensKeys = ["k1", "k2", "p1", "p2", "k3"]

    /// Everything before the frames, a member a line.
    private func head(_ first: CameraIntrinsics) -> String {
        var members: [(String, JSONValue)] = []
        switch format {
        case .nerfstudio:
            members = [("camera_model", "OPENCV"), ("orientation_override", "none"), ("ply_file_path", "points.ply")]
            if context.plan.world == .map {
                // From ARKit's axes, so that results can be taken back there.
                let rows = context.plan.world.fromWorld.rows.map { $0.map { JSONValue.number($0.rounded()) } }
                members.append(("applied_transform", .array(rows.map { .array($0) })))
            }
        case .ngp: members = camera(first) + placement
        default:
            members = camera(context.sharedCamera)
            members.append(("integer_depth_scale", .number(10 / 65_535)))
        }
        let lines = members.map { JSONValue.string($0.0).text() + ": " + $0.1.text() + ",\n" }
        return "{\n" + lines.joined() + "\"frames\": [\n"
    }

    /// instant-ngp's unit cube around the cameras and what they see: position * scale + offset.
    private var placement: [(String, JSONValue)] {
        let census = context.census
        let scale = 1 / (2 * census.reachMetres + 2 * context.plan.depth.maximumDepthMetres)
        let centre = context.plan.world.fromWorld * census.centre
        let offset = [centre.x, centre.y, centre.z].map { JSONValue.number(0.5 - $0 * scale) }
        return [("aabb_scale", 4), ("scale", .number(scale)), ("offset", .array(offset))]
    }

    func finish(_ surface: SurfaceMesh) throws {
        if count == 0 { try file.append(text: head(context.sharedCamera)) }
        try file.append(text: "\n]\n}\n")
        try file.finish()
        if format == .nerfstudio {
            let comments = ["metres, \(context.plan.world.rawValue) axes, as transforms.json"]
            try OutputFile.write(
                PLYFile.cloud(surface, comments: comments),
                to: context.folder.file("points.ply")
            )
        }
    }

    func readBack(_ numbers: Set<Int>) throws -> [Int: ReadView] {
        var views: [Int: ReadView] = [:]
        var number = 0
        var head = ""
        var shared: CameraIntrinsics?
        for line in try context.lines("transforms.json") {
            guard line.hasPrefix("{\"file_path\"") else {
                if number == 0 { head += line }
                continue
            }
            if number == 0 { shared = camera(of: try JSONValue.parse(head + "]}")) }
            number += 1
            guard numbers.contains(number) else { continue }
            let value = try JSONValue.parse(line.hasSuffix(",") ? String(line.dropLast()) : line)
            let rows = value["transform_matrix"]?.array?.map { $0.array?.compactMap(\.number) ?? [] } ?? []
            guard let pose = Transform(rows: rows) else { continue }
            views[number] = ReadView(
                worldFromOptical: pose * Self.opticalFromOpenGL.inverse,
                intrinsics: camera(of: value) ?? shared
            )
        }
        return views
    }

    private func camera(of value: JSONValue) -> CameraIntrinsics? {
        let keys = ["fl_x", "fl_y", "cx", "cy", "w", "h"]
        let numbers = keys.compactMap { value[$0]?.number }
        guard numbers.count == 6, let width = Int(exactly: numbers[4]), let height = Int(exactly: numbers[5]) else {
            return nil
        }
        return CameraIntrinsics(
            width: width,
            height: height,
            fx: numbers[0],
            fy: numbers[1],
            cx: numbers[2] - firstCentre,
            cy: numbers[3] - firstCentre,
            distortion: LensDistortion(Self.lensKeys.map { value[$0]?.number ?? 0 })
        )
    }

    var readme: [String] {
        switch format {
        case .nerfstudio:
            [
                "A nerfstudio dataset: metres, z up. points.ply is the LiDAR surface.",
                "",
                "  ns-train splatfacto --data THIS_FOLDER nerfstudio-data --auto-scale-poses False",
                "  ns-train depth-nerfacto --data THIS_FOLDER nerfstudio-data --auto-scale-poses False",
                "",
                "Without --auto-scale-poses False nerfstudio shrinks the scene, and depth is no longer in metres.",
                "depth holds z depth in millimetres, 0 where it is unknown, in the LiDAR's own size.",
            ]
        case .ngp:
            [
                "A scene for instant-ngp: metres; scale and offset place it in the unit cube.",
                "",
                "  instant-ngp THIS_FOLDER",
            ]
        default:
            [
                "A scene in the form of NeRFCapture's dataset, as SplaTAM reads it: ARKit's axes, one camera for all.",
                "",
                "  Set basedir and sequence of configs/iphone/splatam.py to THIS_FOLDER, and run",
                "  python scripts/splatam.py configs/iphone/splatam.py",
            ]
        }
    }
}
