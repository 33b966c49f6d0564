import Codecs
import Platform
import Recording

/// Record3D, as EXR + JPG in folders or as the members of an .r3d; what is held upright is stored upright.
struct Record3DLayout: SampleLayout {
    let schedule: SampleSchedule
    let isPackage: Bool

    static let leavings = SampleLeavings(
        files: ["metadata", "icon", "metadata.json"],
        numbered: [
            ("rgb", "", ".jpg"), ("depth", "", ".exr"), ("rgbd", "", ".jpg"), ("rgbd", "", ".depth"),
            ("rgbd", "", ".conf"),
        ],
        folders: ["rgb", "depth", "rgbd"]
    )

    var folders: [String] { isPackage ? ["rgbd"] : ["rgb", "depth"] }

    private var isPortrait: Bool { options.orientation == .fixed(.portrait) }

    var files: SampleFiles {
        let orientation: ImageOrientation = isPortrait ? .portrait : .landscapeRight
        let grid = LidarModel.grid
        let stored = orientation.storedSize(sensorWidth: grid.width, sensorHeight: grid.height)
        guard isPackage else {
            return SampleFiles(
                picture: { "rgb/\($0.index).jpg" },
                depth: .init(name: { "depth/\($0.index).exr" }) { (metres) throws(CodecError) in
                    let turned = orientation.turned(metres, width: grid.width, height: grid.height)
                    return try EXREncoder.encode(width: stored.width, height: stored.height, values: turned)
                }
            )
        }
        return SampleFiles(
            picture: { "rgbd/\($0.index).jpg" },
            depth: .init(name: { "rgbd/\($0.index).depth" }) { metres in
                let turned = orientation.turned(metres, width: grid.width, height: grid.height)
                return LZFSE.encodeStored(NativeFiles.floats(turned))
            },
            confidence: .init(name: { "rgbd/\($0.index).conf" }) { values in
                LZFSE.encodeStored(orientation.turned(values, width: grid.width, height: grid.height))
            }
        )
    }

    /// The camera of a picture that was turned clockwise: the sensor's x runs down, its y to the left.
    private var storedCamera: CameraIntrinsics {
        isPortrait ? ImageOrientation.portrait.storedIntrinsics(camera) : camera
    }

    func writeLists(_ folder: SessionFolder) throws -> SampleCounts {
        let file = try OutputFile(creating: folder.path(isPackage ? "metadata" : "metadata.json"))
        let k = storedCamera
        let grid = isPortrait ? GridSize(width: 192, height: 256) : GridSize(width: 256, height: 192)
        try file.append(text: "{\"w\":\(k.width),\"h\":\(k.height),\"dw\":\(grid.width),\"dh\":\(grid.height)")
        try file.append(text: ",\"fps\":\(Int(options.framesPerSecond.rounded())),\"cameraType\":1")
        try file.append(text: ",\"K\":\(JSONLine.array([k.fx, 0, 0, 0, k.fy, 0, k.cx, k.cy, 1]))")
        try file.append(text: ",\"initPose\":[0,0,0,1,0,0,0]")
        try appendList("perFrameIntrinsicCoeffs", to: file) { _, _ in
            JSONLine.array([k.fx, k.fy, k.cx, k.cy])
        }
        // The axes of the stored picture: its right is the sensor's up, its up the sensor's left.
        let sensorFromStored = Quaternion(columns: Vector3(0, 1, 0), Vector3(-1, 0, 0), Vector3(0, 0, 1))
        try appendList("poses", to: file) { _, pose in
            let q = isPortrait ? pose.rotation * sensorFromStored : pose.rotation
            let t = pose.translation
            return JSONLine.array([q.x, q.y, q.z, q.w, t.x, t.y, t.z])
        }
        try appendList("frameTimestamps", to: file) { frame, _ in
            decimalSeconds(frame.timestampNanoseconds - SampleSchedule.firstFrameNanoseconds)
        }
        try file.append(text: "}")
        try file.finish()
        return SampleCounts()
    }

    private func appendList(
        _ key: String,
        to file: OutputFile,
        _ entry: (SampleFrame, Transform) -> String
    ) throws(FileError) {
        try file.append(text: ",\"\(key)\":[")
        try schedule.eachFrame { frame, pose throws(FileError) in
            try file.append(text: (frame.index == 0 ? "" : ",") + entry(frame, pose))
        }
        try file.append(text: "]")
    }
}

/// `transforms.json`: of nerfstudio, without times and with depth in millimetres, or of NeRFCapture's offline mode.
struct TransformsLayout: SampleLayout {
    let schedule: SampleSchedule
    /// True if it is NeRFCapture's: PNG pictures, times, ARKit's own intrinsics and world.
    let isCapture: Bool

    static let leavings = SampleLeavings(
        files: ["transforms.json"],
        numbered: [("images", "", ".png"), ("images", "frame_", ".jpg"), ("depth", "frame_", ".png")],
        folders: ["images", "depth"]
    )

    var folders: [String] { ["images"] + (options.hasLidar && !isCapture ? ["depth"] : []) }

    var files: SampleFiles {
        if isCapture { return SampleFiles(picture: { "images/\($0.index).png" }, isPNG: true) }
        return SampleFiles(
            picture: { "images/frame_\(padded($0.index + 1, 5)).jpg" },
            depth: .init(name: { "depth/frame_\(padded($0.index + 1, 5)).png" }, encode: SampleFiles.millimetrePNG)
        )
    }

    func writeLists(_ folder: SessionFolder) throws -> SampleCounts {
        let file = try OutputFile(creating: folder.path("transforms.json"))
        var head = JSONLine()
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

    private func entry(_ frame: SampleFrame, _ pose: Transform) -> JSONLine {
        var entry = JSONLine()
        if isCapture {
            // Without its ending.
            entry.add("file_path", string: "images/\(frame.index)")
            entry.add("timestamp", json: decimalSeconds(frame.timestampNanoseconds))
            addCamera(to: &entry)
        } else if let picture = files.picture?(frame) {
            entry.add("file_path", string: picture)
            if options.hasLidar, let depth = files.depth { entry.add("depth_file_path", string: depth.name(frame)) }
        }
        entry.add("transform_matrix", json: "[" + pose.rows.map(JSONLine.array).joined(separator: ",") + "]")
        return entry
    }

    /// ARKit's principal point counts from the centre of the first pixel, nerfstudio's from the picture's corner.
    private func addCamera(to object: inout JSONLine) {
        let (k, offset) = (camera, isCapture ? 0 : 0.5)
        object.add("w", k.width)
        object.add("h", k.height)
        object.add("fl_x", k.fx)
        object.add("fl_y", k.fy)
        object.add("cx", k.cx + offset)
        object.add("cy", k.cy + offset)
    }
}
