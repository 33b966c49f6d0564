import Files
import Recording
import SessionLines

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
            var line = JSONObject()
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
            line.add("camera_to_world", json: "[" + pose.rows.map(JSONObject.array).joined(separator: ",") + "]")
            line.add("orientation", string: "landscapeRight")
            try file.append(line.closed + [UInt8(ascii: "\n")])
        }
        try file.finish()
        var metadata = JSONObject()
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
