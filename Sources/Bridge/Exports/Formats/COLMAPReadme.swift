import Recording
import Sessions

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
            "    --ImageReader.camera_model PINHOLE \(camera(context.plan))",
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

    static func gaussian(_ offset: Double, _ plan: ExportPlan) -> [String] {
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
        return lines
    }
}
