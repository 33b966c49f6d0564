import Files
import Recording
import SessionLines

/// ARKitScenes' raw assets: PNG pictures named by seconds, one file of intrinsics for each, poses from world to camera.
struct ARKitScenesLayout: SampleLayout {
    let schedule: SampleSchedule

    /// The streams of pictures, by their size.
    static let streams: [(name: String, size: GridSize)] = [
        ("lowres_wide", GridSize(width: 256, height: 192)), ("vga_wide", GridSize(width: 640, height: 480)),
        ("wide", GridSize(width: 1920, height: 1440)),
    ]
    private static let video = "40000001"

    static let leavings: SampleLeavings = {
        let pictures = streams.map(\.name) + ["lowres_depth", "confidence"]
        let cameras = streams.map { $0.name + "_intrinsics" }
        return SampleLeavings(
            files: ["lowres_wide.traj"],
            numbered: pictures.map { ($0, video + "_", ".png") } + cameras.map { ($0, video + "_", ".pincam") },
            folders: pictures + cameras
        )
    }()

    private var stream: String { Self.streams.first { $0.size == options.imageSize }?.name ?? "lowres_wide" }

    var folders: [String] {
        let cameras = stream == "lowres_wide" ? [] : ["lowres_wide_intrinsics"]
        return [stream, stream + "_intrinsics"] + cameras + (options.hasLidar ? ["lowres_depth", "confidence"] : [])
    }

    var files: SampleFiles {
        let stream = stream
        return SampleFiles(
            picture: { "\(stream)/\(Self.stem($0)).png" },
            isPNG: true,
            depth: .init(name: { "lowres_depth/\(Self.stem($0)).png" }, encode: SampleFiles.millimetrePNG),
            confidence: .init(name: { "confidence/\(Self.stem($0)).png" }, encode: SampleFiles.greyPNG)
        )
    }

    /// Seconds with three decimals behind the number of the video.
    private static func stem(_ frame: SampleFrame) -> String {
        let milliseconds = (frame.timestampNanoseconds + 500_000) / 1_000_000
        return "\(video)_\(milliseconds / 1000).\(padded(Int(milliseconds % 1000), 3))"
    }

    func writeLists(_ folder: SessionFolder) throws -> SampleCounts {
        let file = try OutputFile(creating: folder.path("lowres_wide.traj"))
        // The z axis up: ARKit's y.
        let upright = Transform(rotation: Quaternion(columns: Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, -1, 0)))
        // x right, y down, z forward.
        let forward = Transform(rotation: Quaternion(x: 1, y: 0, z: 0, w: 0))
        try schedule.eachFrame { frame, pose throws(FileError) in
            let cameraFromWorld = (upright * pose * forward).inverse
            let (r, t) = (cameraFromWorld.rotation.rotationVector, cameraFromWorld.translation)
            let time = decimalSeconds(frame.timestampNanoseconds)
            try file.append(text: "\(time) \(r.x) \(r.y) \(r.z) \(t.x) \(t.y) \(t.z)\n")
            try writeCamera(camera, stream, frame, folder)
            if stream != "lowres_wide" { try writeCamera(depthCamera, "lowres_wide", frame, folder) }
        }
        try file.finish()
        return SampleCounts()
    }

    private func writeCamera(
        _ k: CameraIntrinsics,
        _ stream: String,
        _ frame: SampleFrame,
        _ folder: SessionFolder
    ) throws(FileError) {
        let line = "\(k.width) \(k.height) \(k.fx) \(k.fy) \(k.cx) \(k.cy)"
        try OutputFile.write(Array(line.utf8), to: folder.path("\(stream)_intrinsics/\(Self.stem(frame)).pincam"))
    }
}
