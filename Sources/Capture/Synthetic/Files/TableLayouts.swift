import Platform
import Recording

/// ARKitScenes' raw assets: PNG pictures named by seconds, one file of intrinsics for each, poses from world to camera.
struct ARKitScenesLayout: SampleLayout {
    let schedule: SampleSchedule

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

/// ios_logger's text files: poses, cameras, IMU and GPS with Unix times; neither its video nor depth.
struct IOSLoggerLayout: SampleLayout {
    let schedule: SampleSchedule

    static let leavings = SampleLeavings(files: [
        "Accel.txt", "Gyro.txt", "MotARH.txt", "GPS.txt", "ARposes.txt", "Frames.txt",
    ])

    var folders: [String] { [] }
    var files: SampleFiles { SampleFiles() }

    func writeLists(_ folder: SessionFolder) throws -> SampleCounts {
        var counts = SampleCounts()
        if options.imuRateHertz > 0 { counts.motion = try writeMotion(folder) }
        if options.hasGPS { counts.locations = try writeFixes(folder) }
        let poses = try OutputFile(creating: folder.path("ARposes.txt"))
        let frames = try OutputFile(creating: folder.path("Frames.txt"))
        let k = sensorCamera
        try schedule.eachFrame { frame, pose throws(FileError) in
            let (t, q) = (pose.translation, pose.rotation)
            try Self.append([t.x, t.y, t.z, q.w, q.x, q.y, q.z], at: frame.timestampNanoseconds, to: poses)
            // No picture has this number: there is no video.
            let numbers = [-1, k.fx, k.fy, k.cx, k.cy]
            try Self.append(numbers, at: frame.timestampNanoseconds, to: frames)
        }
        try poses.finish()
        try frames.finish()
        return counts
    }

    /// Accelerations in g with Apple's sign, turn rates, and both with gravity apart: rate, gravity, acceleration.
    private func writeMotion(_ folder: SessionFolder) throws -> Int {
        let accelerations = try OutputFile(creating: folder.path("Accel.txt"))
        let rates = try OutputFile(creating: folder.path("Gyro.txt"))
        let motion = try OutputFile(creating: folder.path("MotARH.txt"))
        let count = try schedule.eachMotionSample { sample throws(FileError) in
            let (u, g, w) = (sample.userAcceleration, sample.gravity, sample.rotationRate)
            let time = sample.time.nanoseconds
            try Self.append([u.x + g.x, u.y + g.y, u.z + g.z], at: time, to: accelerations)
            try Self.append([w.x, w.y, w.z], at: time, to: rates)
            try Self.append([w.x, w.y, w.z, g.x, g.y, g.z, u.x, u.y, u.z], at: time, to: motion)
        }
        for file in [accelerations, rates, motion] { try file.finish() }
        return count
    }

    /// Latitude, longitude, horizontal accuracy, altitude, vertical accuracy, floor, course, speed.
    private func writeFixes(_ folder: SessionFolder) throws -> Int {
        let file = try OutputFile(creating: folder.path("GPS.txt"))
        let fixes = schedule.locationFixes
        for fix in fixes {
            let place: [Double] = [fix.latitudeDegrees, fix.longitudeDegrees, fix.horizontalAccuracyMetres ?? -1]
            let height: [Double] = [fix.altitudeMetres ?? 0, fix.verticalAccuracyMetres ?? -1, 0]
            let motion: [Double] = [fix.courseDegrees ?? -1, fix.speedMetresPerSecond ?? -1]
            try Self.append(place + height + motion, at: fix.time.nanoseconds, to: file)
        }
        try file.finish()
        return fixes.count
    }

    private static func append(_ numbers: [Double], at nanoseconds: Int64, to file: OutputFile) throws(FileError) {
        let columns = numbers.map(JSONLine.number).joined(separator: ",")
        try file.append(text: "\(SampleSchedule.unixSeconds(nanoseconds)),\(columns)\r\n")
    }
}

/// Stray Scanner as it writes since 2026: intrinsics of each frame, accelerations in g; `rgb/NNNNNN.jpg` for its video.
struct StrayLayout: SampleLayout {
    let schedule: SampleSchedule

    static let leavings = SampleLeavings(
        files: ["odometry.csv", "camera_matrix.csv", "imu.csv"],
        numbered: [("rgb", "", ".jpg"), ("depth", "", ".png"), ("confidence", "", ".png")],
        folders: ["rgb", "depth", "confidence"]
    )

    var folders: [String] { ["rgb"] + (options.hasLidar ? ["depth", "confidence"] : []) }

    var files: SampleFiles {
        SampleFiles(
            picture: { "rgb/\(padded($0.index, 6)).jpg" },
            depth: .init(name: { "depth/\(padded($0.index, 6)).png" }, encode: SampleFiles.millimetrePNG),
            confidence: .init(name: { "confidence/\(padded($0.index, 6)).png" }, encode: SampleFiles.greyPNG)
        )
    }

    func writeLists(_ folder: SessionFolder) throws -> SampleCounts {
        let k = sensorCamera
        let rows = "\(k.fx), 0.0, \(k.cx)\n0.0, \(k.fy), \(k.cy)\n0.0, 0.0, 1.0"
        try OutputFile.write(Array(rows.utf8), to: folder.path("camera_matrix.csv"))
        var counts = SampleCounts()
        if options.imuRateHertz > 0 {
            let file = try OutputFile(creating: folder.path("imu.csv"))
            try file.append(text: "timestamp, a_x, a_y, a_z, alpha_x, alpha_y, alpha_z\n")
            counts.motion = try schedule.eachMotionSample { sample throws(FileError) in
                let (a, w) = (sample.userAcceleration + sample.gravity, sample.rotationRate)
                let time = decimalSeconds(sample.time.nanoseconds)
                try file.append(text: "\(time), \(a.x), \(a.y), \(a.z), \(w.x), \(w.y), \(w.z)\n")
            }
            try file.finish()
        }
        try writeOdometry(folder)
        return counts
    }

    /// Camera axes x right, y down, z forward: ARKit's, after half a turn about x.
    private func writeOdometry(_ folder: SessionFolder) throws {
        let file = try OutputFile(creating: folder.path("odometry.csv"))
        let header = "timestamp, frame, x, y, z, qx, qy, qz, qw, fx, fy, cx, cy"
        try file.append(text: header + ", distortion_center_x, distortion_center_y\n")
        let k = sensorCamera
        try schedule.eachFrame { frame, pose throws(FileError) in
            let (t, q) = (pose.translation, pose.rotation * Quaternion(x: 1, y: 0, z: 0, w: 0))
            let numbers = [t.x, t.y, t.z, q.x, q.y, q.z, q.w, k.fx, k.fy, k.cx, k.cy]
            let columns = numbers.map { "\($0)" }.joined(separator: ", ")
            let time = decimalSeconds(frame.timestampNanoseconds)
            try file.append(text: "\(time), \(padded(frame.index, 6)), \(columns), , \n")
        }
        try file.finish()
    }
}
