import Codecs
import Files
import Recording
import SessionLines

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
        guard isPortrait else { return camera }
        let k = camera
        return CameraIntrinsics(
            width: k.height,
            height: k.width,
            fx: k.fy,
            fy: k.fx,
            cx: Double(k.height - 1) - k.cy,
            cy: k.cx
        )
    }

    func writeLists(_ folder: SessionFolder) throws -> SampleCounts {
        let file = try OutputFile(creating: folder.path(isPackage ? "metadata" : "metadata.json"))
        let k = storedCamera
        let grid = isPortrait ? GridSize(width: 192, height: 256) : GridSize(width: 256, height: 192)
        try file.append(text: "{\"w\":\(k.width),\"h\":\(k.height),\"dw\":\(grid.width),\"dh\":\(grid.height)")
        try file.append(text: ",\"fps\":\(Int(options.framesPerSecond.rounded())),\"cameraType\":1")
        try file.append(text: ",\"K\":\(JSONObject.array([k.fx, 0, 0, 0, k.fy, 0, k.cx, k.cy, 1]))")
        try file.append(text: ",\"initPose\":[0,0,0,1,0,0,0]")
        try appendList("perFrameIntrinsicCoeffs", to: file) { _, _ in
            JSONObject.array([k.fx, k.fy, k.cx, k.cy])
        }
        // The axes of the stored picture: its right is the sensor's up, its up the sensor's left.
        let sensorFromStored = Quaternion(columns: Vector3(0, 1, 0), Vector3(-1, 0, 0), Vector3(0, 0, 1))
        try appendList("poses", to: file) { _, pose in
            let q = isPortrait ? pose.rotation * sensorFromStored : pose.rotation
            let t = pose.translation
            return JSONObject.array([q.x, q.y, q.z, q.w, t.x, t.y, t.z])
        }
        try appendList("frameTimestamps", to: file) { frame, _ in
            decimalSeconds(frame.timestampNanoseconds - SampleSchedule.firstFrameNanoseconds)
        }
        try file.append(text: "}")
        try file.finish()
        return SampleCounts()
    }

    /// A list with an entry for each frame.
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
