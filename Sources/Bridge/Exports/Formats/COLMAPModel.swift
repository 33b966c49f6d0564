import Maps
import Platform
import Recording
import Sessions

extension FrameFormat {
    package static let colmap = FrameFormat("colmap") { _, _ in
        ViewLayout(image: ("images", .stored))
    } writer: {
        try COLMAPModel($0)
    }.with {
        ($0.hasPoints, $0.options) = (true, .cameraModel)
    }

    /// COLMAP's model with the points that 3D Gaussian Splatting begins with.
    package static let gaussian = FrameFormat("gaussian") { plan, census in
        let cut: ViewLayout.ImageForm =
            plan.sharesIntrinsics ? .turnedJPEG(census.centredCamera) : .cut(census.centredCamera.size)
        return ViewLayout(image: ("images", plan.centresPrincipalPoint ? cut : .stored))
    } writer: {
        try COLMAPModel($0)
    }.with {
        ($0.hasPoints, $0.options) = (true, [.cameraModel, .centredPrincipalPoint])
        $0.standsFor = ["3dgs", "gsplat", "splat", "gaussian-splatting"]
    }
}

/// COLMAP's sparse model: cameras, images with poses, and the LiDAR surface as points without tracks.
///
/// The text and binary forms of COLMAP's documentation ("Output Format"); rigs and frames are not written, as readers
/// before COLMAP 3.12 do not know them. Poses are camera from world; image coordinates count from the image's corner,
/// so cx and cy are half a pixel larger than ARKit's.
final class COLMAPModel: ExportWriter {
    let context: ExportContext
    private let isBinary: Bool
    private let images: OutputFile
    private let cameras: OutputFile
    private let priors: OutputFile
    private var count = 0
    private var sharedCameras: [ImageOrientation] = []
    private var offset = 0.0

    init(_ context: ExportContext) throws {
        self.context = context
        isBinary = context.plan.isBinary ?? (context.plan.format == .gaussian || context.census.selected > 2000)
        try context.folder.makeFolder("sparse/0")
        let suffix = isBinary ? "bin" : "txt"
        images = try context.file("sparse/0/images.\(suffix)")
        cameras = try context.file("sparse/0/cameras.\(suffix)")
        priors = try context.file("pose_priors.csv")
        try priors.append(text: COLMAPPrior.header)
        if isBinary {
            // The numbers of images and cameras are known at the end.
            try images.append(COLMAPBytes.count(0))
            try cameras.append(COLMAPBytes.count(0))
        } else {
            try images.append(text: "# IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME, then a line of its 2D points\n")
            try cameras.append(text: "# CAMERA_ID MODEL WIDTH HEIGHT FX FY CX CY, then the coefficients of the lens\n")
        }
    }

    func add(_ view: ExportedView) throws {
        count += 1
        let camera = try camera(of: view)
        let pose = view.worldFromOptical.inverse
        let rotation = pose.rotation.canonical
        let values = [rotation.w, rotation.x, rotation.y, rotation.z]
        let moved = [pose.translation.x, pose.translation.y, pose.translation.z]
        let name = String(view.imageFile.split(separator: "/").last ?? "")
        if isBinary {
            try images.append(COLMAPBytes.image(view.number, values + moved, camera: camera, name: name))
        } else {
            let numbers = ExportText.numbers(values + moved)
            try images.append(text: "\(view.number) \(numbers) \(camera) \(name)\n\n")
        }
        try priors.append(text: COLMAPPrior.line(view, name: name, context))
        let centre = (Double(view.intrinsics.width - 1) / 2, Double(view.intrinsics.height - 1) / 2)
        offset = max(offset, abs(view.intrinsics.cx - centre.0), abs(view.intrinsics.cy - centre.1))
    }

    /// The camera's number: that of the image, or of its orientation where the intrinsics are shared.
    private func camera(of view: ExportedView) throws -> Int {
        guard context.plan.sharesIntrinsics else {
            try write(camera: view.number, view.intrinsics)
            return view.number
        }
        if let known = sharedCameras.firstIndex(of: view.orientation) { return known + 1 }
        sharedCameras.append(view.orientation)
        var shared = view.orientation.storedIntrinsics(context.census.meanIntrinsics)
        if context.plan.centresPrincipalPoint, context.plan.format == .gaussian { shared = view.intrinsics }
        try write(camera: sharedCameras.count, shared)
        return sharedCameras.count
    }

    private func write(camera number: Int, _ camera: CameraIntrinsics) throws {
        let model = COLMAPCamera(of: camera)
        let values = model.values(camera)
        if isBinary {
            try cameras.append(COLMAPBytes.camera(number, model, camera, values))
        } else {
            let numbers = ExportText.numbers(values)
            try cameras.append(text: "\(number) \(model.rawValue) \(camera.width) \(camera.height) \(numbers)\n")
        }
    }

    func finish(_ surface: SurfaceMesh) throws {
        if isBinary {
            try images.replace(at: 0, with: COLMAPBytes.count(count))
            let cameraCount = context.plan.sharesIntrinsics ? sharedCameras.count : count
            try cameras.replace(at: 0, with: COLMAPBytes.count(cameraCount))
        }
        for file in [images, cameras, priors] { try file.finish() }
        let points = try context.file("sparse/0/points3D.\(isBinary ? "bin" : "txt")")
        if isBinary {
            try points.append(COLMAPBytes.count(surface.points.count))
        } else {
            try points.append(text: "# POINT3D_ID X Y Z R G B ERROR, and no tracks\n")
        }
        for (index, point) in surface.points.enumerated() {
            if isBinary {
                try points.append(COLMAPBytes.point(index + 1, point))
            } else {
                let place = point.position
                let colour = [16, 8, 0].map { "\(point.colour >> $0 & 255)" }.joined(separator: " ")
                try points.append(text: "\(index + 1) \(place.x) \(place.y) \(place.z) \(colour) 0\n")
            }
        }
        try points.finish()
        if context.plan.format == .gaussian {
            // Its reader throws without normals, and starts from nothing.
            let bytes = PLYFile.cloud(surface, comments: ["metres, \(context.plan.world.rawValue) axes"])
            try OutputFile.write(bytes, to: context.folder.file("sparse/0/points3D.ply"))
        }
    }

    func readBack(_ numbers: Set<Int>) throws -> [Int: ReadView] {
        try COLMAPReader(context: context, isBinary: isBinary).views(numbers)
    }

    var readme: [String] {
        context.plan.format == .gaussian ? COLMAPReadme.gaussian(offset, context) : COLMAPReadme.colmap(context)
    }
}

/// The records of COLMAP's binary model: little-endian, packed, no header (reconstruction_io_binary.cc).
enum COLMAPBytes {
    static func count(_ value: Int) -> [UInt8] { .integer(UInt64(clamping: value)) }

    /// u32 id, i32 model, u64 width, u64 height, f64 parameters.
    static func camera(_ number: Int, _ model: COLMAPCamera, _ camera: CameraIntrinsics, _ values: [Double]) -> [UInt8]
    {
        var bytes = [UInt8].integer(UInt32(clamping: number))
        bytes.appendInteger(model.number)
        for side in [camera.width, camera.height] { bytes.appendInteger(UInt64(clamping: side)) }
        for value in values { bytes.appendInteger(value.bitPattern) }
        return bytes
    }

    /// u32 id, f64 qw qx qy qz tx ty tz, u32 camera, name with NUL, u64 number of 2D points.
    static func image(_ number: Int, _ pose: [Double], camera: Int, name: String) -> [UInt8] {
        var bytes = [UInt8].integer(UInt32(clamping: number))
        for value in pose { bytes.appendInteger(value.bitPattern) }
        bytes.appendInteger(UInt32(clamping: camera))
        bytes += Array(name.utf8) + [0]
        bytes.appendInteger(UInt64(0))
        return bytes
    }

    /// u64 id, f64 x y z, u8 r g b, f64 error, u64 length of the track.
    static func point(_ number: Int, _ point: SurfacePoint) -> [UInt8] {
        var bytes = [UInt8].integer(UInt64(clamping: number))
        bytes.reserveCapacity(51)
        let place = point.position
        for value in [place.x, place.y, place.z] { bytes.appendInteger(Double(value).bitPattern) }
        for shift in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: point.colour >> shift)) }
        bytes.appendInteger(Double(0).bitPattern)
        bytes.appendInteger(UInt64(0))
        return bytes
    }
}

/// The known place of a camera without its images, for `colmap pose_prior_mapper`.
enum COLMAPPrior {
    static let header = "name,x,y,z,gravity_x,gravity_y,gravity_z,latitude,longitude,altitude\n"

    /// Gravity is the direction down in the image's optical axes; the last three are empty without a georeference.
    static func line(_ view: ExportedView, name: String, _ context: ExportContext) -> String {
        let place = view.worldFromOptical.translation
        let down = context.plan.world == .map ? Vector3(0, 0, -1) : Vector3(0, -1, 0)
        let gravity = view.worldFromOptical.rotation.inverse.rotating(down)
        let numbers = ExportText.numbers(
            [place.x, place.y, place.z, gravity.x, gravity.y, gravity.z],
            separator: ","
        )
        return "\(name),\(numbers),\(earth(view, context))\n"
    }

    private static func earth(_ view: ExportedView, _ context: ExportContext) -> String {
        guard let earthFromWorld = context.georeference.earthFromWorld else { return ",," }
        let position = earthFromWorld * view.frame.worldFromCamera.translation
        let (latitude, longitude) = Geodesy.place(position)
        let local = Geodesy.earthFromLocal(latitudeDegrees: latitude, longitudeDegrees: longitude, heightMetres: 0)
        return ExportText.numbers([latitude, longitude, (local.inverse * position).z], separator: ",")
    }
}

/// The next steps with a COLMAP model.
enum COLMAPReadme {
    static func colmap(_ context: ExportContext) -> [String] {
        [
            "A COLMAP model with known poses: sparse/0. points3D are LiDAR points; they have no tracks.",
            "",
            "Triangulate with these poses:",
            "  colmap feature_extractor --database_path db.db --image_path images \\",
            "    --ImageReader.camera_model \(model(context)) \(camera(context.plan))",
            "  colmap sequential_matcher --database_path db.db",
            "  mkdir -p sparse/triangulated",
            "  colmap point_triangulator --database_path db.db --image_path images \\",
            "    --input_path sparse/0 --output_path sparse/triangulated",
            "",
        ] + (context.plan.sharesIntrinsics ? [] : threads) + [
            "Poses of ARKit are good to some centimetres, not to a pixel: they drift, and are corrected in jumps. To take",
            "them as soft priors, put pose_priors.csv into the database and run colmap pose_prior_mapper. The file has no",
            "covariances, since a recording has none; COLMAP takes 1 m. gravity is down in each image's optical axes.",
        ]
    }

    private static func model(_ context: ExportContext) -> String {
        let shared = COLMAPCamera(of: context.sharedCamera)
        return (context.census.hasLens && shared == .pinhole ? .openCV : shared).rawValue
    }

    private static func camera(_ plan: ExportPlan) -> String {
        plan.sharesIntrinsics
            ? "--ImageReader.single_camera 1"
            : "--ImageReader.single_camera_per_image 1 --FeatureExtraction.num_threads 1"
    }

    /// point_triangulator matches images by their names, but cameras by their numbers.
    private static let threads = [
        "With more than one thread the extractor numbers cameras in the order in which images are done, and",
        "point_triangulator stops with \"Check failed: existing_frame.RigId()\". Export with --share-intrinsics to use all",
        "processors. Before COLMAP 3.12 the option is --SiftExtraction.num_threads.",
        "",
    ]

    static func gaussian(_ offset: Double, _ context: ExportContext) -> [String] {
        let plan = context.plan
        var lines = [
            "A scene for 3D Gaussian Splatting (gaussian-splatting, gsplat): images and sparse/0.",
            "",
            "  python train.py -s THIS_FOLDER",
            "",
        ]
        if plan.centresPrincipalPoint {
            lines.append("Images were cut so that the principal point is in their centre, and encoded again.")
        } else {
            let text = (offset * 10).rounded() / 10
            lines += [
                "gaussian-splatting takes the image's centre for the principal point, which is off by up to \(text) px here;",
                "export with --centre-principal-point to cut the images around it. gsplat reads cx and cy.",
            ]
        }
        if context.census.hasLens {
            lines += [
                "",
                "The pictures have lens distortion, and the cameras say so. gaussian-splatting reads none: undistort them first with",
                "  colmap image_undistorter --image_path images --input_path sparse/0 --output_path undistorted",
            ]
        }
        return lines
    }
}
