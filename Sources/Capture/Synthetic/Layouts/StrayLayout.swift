import Files
import Recording
import SessionLines

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
