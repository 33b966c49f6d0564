import Codecs
import Platform
import Recording

/// Polycam's raw data: key frames named by microseconds, a camera file for each.
struct PolycamLayout: SampleLayout {
    let schedule: SampleSchedule

    static let leavings = SampleLeavings(
        files: ["mesh_info.json"],
        numbered: [
            ("keyframes/images", "", ".jpg"), ("keyframes/cameras", "", ".json"), ("keyframes/depth", "", ".png"),
            ("keyframes/confidence", "", ".png"),
        ],
        folders: ["images", "cameras", "depth", "confidence"].map { "keyframes/" + $0 } + ["keyframes"]
    )

    var folders: [String] {
        ["keyframes", "keyframes/images", "keyframes/cameras"]
            + (options.hasLidar ? ["keyframes/depth", "keyframes/confidence"] : [])
    }

    var files: SampleFiles {
        SampleFiles(
            picture: { "keyframes/images/\(Self.microseconds($0)).jpg" },
            depth: .init(name: { "keyframes/depth/\(Self.microseconds($0)).png" }, encode: SampleFiles.millimetrePNG),
            confidence: .init(name: { "keyframes/confidence/\(Self.microseconds($0)).png" }) {
                (values) throws(CodecError) in
                try SampleFiles.greyPNG(values.map { [0, 54, 255][min(2, Int($0))] })
            }
        )
    }

    private static func microseconds(_ frame: SampleFrame) -> Int64 { (frame.timestampNanoseconds + 500) / 1000 }

    func writeLists(_ folder: SessionFolder) throws -> SampleCounts {
        let k = camera
        try schedule.eachFrame { frame, pose throws(FileError) in
            var object = JSONLine()
            for (row, values) in pose.rows.prefix(3).enumerated() {
                for (column, value) in values.enumerated() { object.add("t_\(row)\(column)", value) }
            }
            for (key, value) in [("fx", k.fx), ("fy", k.fy), ("cx", k.cx), ("cy", k.cy)] { object.add(key, value) }
            object.add("width", k.width)
            object.add("height", k.height)
            object.add("timestamp", Int(Self.microseconds(frame)))
            object.add("blur_score", 20 + Double(frame.index % 7))
            object.add("manual_keyframe", false)
            object.add("angular_velocity", 0.2)
            let name = "keyframes/cameras/\(Self.microseconds(frame)).json"
            try OutputFile.write(object.closed, to: folder.path(name))
        }
        var mesh = JSONLine()
        mesh.add("alignmentTransform", Transform.identity.columnMajor)
        try OutputFile.write(mesh.closed, to: folder.path("mesh_info.json"))
        return SampleCounts()
    }
}

/// ScanPackage: `frames.jsonl` with paths, and depth as raw numbers.
struct ScanPackageLayout: SampleLayout {
    let schedule: SampleSchedule

    static let leavings = SampleLeavings(
        files: ["frames.jsonl", "metadata.json"],
        numbered: [("images", "", ".jpg"), ("depth", "", ".float32"), ("confidence", "", ".uint8")],
        folders: ["images", "depth", "confidence"]
    )

    var folders: [String] { ["images", "depth", "confidence"] }

    var files: SampleFiles {
        SampleFiles(
            picture: { "images/\(padded($0.index, 6)).jpg" },
            depth: .init(name: { "depth/\(padded($0.index, 6)).float32" }, encode: { NativeFiles.floats($0) }),
            confidence: .init(name: { "confidence/\(padded($0.index, 6)).uint8" }, encode: { $0 })
        )
    }

    func writeLists(_ folder: SessionFolder) throws -> SampleCounts {
        let file = try OutputFile(creating: folder.path("frames.jsonl"))
        let files = files
        try schedule.eachFrame { frame, pose throws(FileError) in
            var line = JSONLine()
            line.add("frame_id", string: "frame_\(padded(frame.index, 6))")
            line.add("timestamp", json: decimalSeconds(frame.timestampNanoseconds))
            if let picture = files.picture { line.add("image_path", string: picture(frame)) }
            if let depth = files.depth { line.add("depth_path", string: depth.name(frame)) }
            if let confidence = files.confidence { line.add("confidence_path", string: confidence.name(frame)) }
            line.add("image_width", camera.width)
            line.add("image_height", camera.height)
            line.add("depth_width", LidarModel.grid.width)
            line.add("depth_height", LidarModel.grid.height)
            line.add("intrinsics", json: Self.rows(camera))
            line.add("intrinsics_depth", json: Self.rows(depthCamera))
            line.add("camera_to_world", json: "[" + pose.rows.map(JSONLine.array).joined(separator: ",") + "]")
            line.add("orientation", string: "landscapeRight")
            try file.append(line.closed + [UInt8(ascii: "\n")])
        }
        try file.finish()
        var metadata = JSONLine()
        metadata.add("app_version", string: "1.0")
        metadata.add("package_version", 1)
        metadata.add("device_model", string: "Synthetic")
        metadata.add("scan_mode", string: "lidar")
        try OutputFile.write(metadata.closed, to: folder.path("metadata.json"))
        return SampleCounts()
    }

    private static func rows(_ k: CameraIntrinsics) -> String {
        "[[\(k.fx),0,\(k.cx)],[0,\(k.fy),\(k.cy)],[0,0,1]]"
    }
}

/// 3D Scanner App's "All Data": a JSON file for each pose, everything in one folder.
struct ScannerLayout: SampleLayout {
    let schedule: SampleSchedule

    static let leavings = SampleLeavings(
        files: ["info.json"],
        numbered: [("", "frame_", ".json"), ("", "frame_", ".jpg"), ("", "depth_", ".png"), ("", "conf_", ".png")]
    )

    var folders: [String] { [] }

    var files: SampleFiles {
        SampleFiles(
            picture: { "frame_\(padded($0.index, 5)).jpg" },
            depth: .init(name: { "depth_\(padded($0.index, 5)).png" }, encode: SampleFiles.millimetrePNG),
            confidence: .init(name: { "conf_\(padded($0.index, 5)).png" }, encode: SampleFiles.greyPNG)
        )
    }

    func writeLists(_ folder: SessionFolder) throws -> SampleCounts {
        let fixes = schedule.locationFixes
        var place = 0
        try schedule.eachFrame { frame, pose throws(FileError) in
            var object = self.object(frame, pose)
            // The frame after a fix has it; of two, the newer one.
            var newest: LocationSample?
            while place < fixes.count, fixes[place].time.nanoseconds <= frame.timestampNanoseconds {
                newest = fixes[place]
                place += 1
            }
            if let newest { add(newest, to: &object) }
            try OutputFile.write(object.closed, to: folder.path("frame_\(padded(frame.index, 5)).json"))
        }
        var info = JSONLine()
        info.add("title", string: "Synthetic")
        info.add("appVersionString", string: "1.9.5")
        info.add("projectVersion", 1)
        info.add("captureMode", options.hasLidar ? 1 : 2)
        info.add("numImages", schedule.frameCount)
        try OutputFile.write(info.closed, to: folder.path("info.json"))
        return SampleCounts(locations: place)
    }

    private func object(_ frame: SampleFrame, _ pose: Transform) -> JSONLine {
        let k = sensorCamera
        let (width, height) = (Double(k.width), Double(k.height))
        var object = JSONLine()
        object.add("time", json: decimalSeconds(frame.timestampNanoseconds))
        object.add("frame_index", frame.index)
        object.add("cameraPoseARFrame", pose.rows.flatMap(\.self))
        object.add("intrinsics", [k.fx, 0, k.cx, 0, k.fy, k.cy, 0, 0, 1])
        // OpenGL's, by rows, without a far plane; image coordinates of the corner.
        object.add(
            "projectionMatrix",
            [
                2 * k.fx / width, 0, 1 - 2 * (k.cx + 0.5) / width, 0,
                0, 2 * k.fy / height, 2 * (k.cy + 0.5) / height - 1, 0,
                0, 0, -1, -0.002,
                0, 0, -1, 0,
            ]
        )
        object.add("exposureDuration", 0.01)
        object.add("averageVelocity", 0)
        object.add("averageAngularVelocity", 0)
        object.add("motionQuality", 0.9)
        object.add("cameraGrain", 0.1)
        return object
    }

    private func add(_ fix: LocationSample, to object: inout JSONLine) {
        object.add("hasGPS", true)
        object.add("latitude", fix.latitudeDegrees)
        object.add("longitude", fix.longitudeDegrees)
        object.add("altitude", fix.altitudeMetres ?? 0)
        object.add("horizontalAccuracy", fix.horizontalAccuracyMetres ?? -1)
        object.add("verticalAccuracy", fix.verticalAccuracyMetres ?? -1)
        object.add("gpsTime", json: SampleSchedule.unixSeconds(fix.time.nanoseconds))
    }
}

extension Transform {
    var rows: [[Double]] {
        let m = columnMajor
        return (0..<4).map { row in (0..<4).map { m[4 * $0 + row] } }
    }
}
