import Files
import Recording
import SessionLines

/// `transforms.json`: of nerfstudio, without times and with depth in millimetres, or of NeRFCapture's offline mode.
struct TransformsLayout: SampleLayout {
    let schedule: SampleSchedule
    /// Whether it is NeRFCapture's: PNG pictures, times, ARKit's own intrinsics and world.
    let isCapture: Bool

    static let leavings = SampleLeavings(
        files: ["transforms.json"],
        numbered: [
            ("images", "", ".png"), ("images", "frame_", ".jpg"), ("depth", "frame_", ".png"),
        ],
        folders: ["images", "depth"]
    )

    var folders: [String] { ["images"] + (options.hasLidar && !isCapture ? ["depth"] : []) }

    var files: SampleFiles {
        if isCapture { return SampleFiles(picture: { "images/\($0.index).png" }, isPNG: true) }
        return SampleFiles(
            picture: { "images/frame_\(padded($0.index + 1, 5)).jpg" },
            depth: .init(
                name: { "depth/frame_\(padded($0.index + 1, 5)).png" },
                encode: SampleFiles.millimetrePNG
            )
        )
    }

    func writeLists(_ folder: SessionFolder) throws -> SampleCounts {
        let file = try OutputFile(creating: folder.path("transforms.json"))
        var head = JSONObject()
        addCamera(to: &head)
        if isCapture {
            head.add("depth_integer_scale", 1)
        } else {
            head.add("camera_model", string: "OPENCV")
            for key in ["k1", "k2", "p1", "p2"] { head.add(key, 0) }
            // nerfstudio's world has its z axis up; this is what was done to ARKit's.
            head.add("applied_transform", json: "[[1,0,0,0],[0,0,-1,0],[0,1,0,0]]")
        }
        try file.append(head.bytes)
        try file.append(text: ",\"frames\":[")
        let upright = Transform(rotation: Quaternion(columns: Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, -1, 0)))
        try schedule.eachFrame { frame, pose throws(FileError) in
            try file.append(text: frame.index == 0 ? "\n" : ",\n")
            try file.append(entry(frame, isCapture ? pose : upright * pose).closed)
        }
        try file.append(text: "\n]}\n")
        try file.finish()
        return SampleCounts()
    }

    private func entry(_ frame: SampleFrame, _ pose: Transform) -> JSONObject {
        var entry = JSONObject()
        if isCapture {
            // Without its ending.
            entry.add("file_path", string: "images/\(frame.index)")
            entry.add("timestamp", json: decimalSeconds(frame.timestampNanoseconds))
            addCamera(to: &entry)
        } else if let picture = files.picture?(frame) {
            entry.add("file_path", string: picture)
            if options.hasLidar, let depth = files.depth { entry.add("depth_file_path", string: depth.name(frame)) }
        }
        entry.add("transform_matrix", json: "[" + pose.rows.map(JSONObject.array).joined(separator: ",") + "]")
        return entry
    }

    /// ARKit's principal point counts from the centre of the first pixel, nerfstudio's from the picture's corner.
    private func addCamera(to object: inout JSONObject) {
        let (k, offset) = (camera, isCapture ? 0 : 0.5)
        object.add("w", k.width)
        object.add("h", k.height)
        object.add("fl_x", k.fx)
        object.add("fl_y", k.fy)
        object.add("cx", k.cx + offset)
        object.add("cy", k.cy + offset)
    }
}
