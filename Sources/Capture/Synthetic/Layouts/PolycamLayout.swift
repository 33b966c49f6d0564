import Codecs
import Files
import Recording
import SessionLines

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
            depth: .init(
                name: { "keyframes/depth/\(Self.microseconds($0)).png" },
                encode: SampleFiles.millimetrePNG
            ),
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
            var object = JSONObject()
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
        var mesh = JSONObject()
        mesh.add("alignmentTransform", Transform.identity.columnMajor)
        try OutputFile.write(mesh.closed, to: folder.path("mesh_info.json"))
        return SampleCounts()
    }
}
