import Recording
import TestSupport

extension RelaidFormat {
    /// The file of a key frame in one of Polycam's folders.
    static func polycamFile(_ kind: String, _ frame: RelaidTruth.Frame) -> String {
        let ending = ["cameras": "json", "images": "jpg"][kind] ?? "png"
        return "keyframes/\(kind)/\(polycamTime(frame)).\(ending)"
    }

    /// A key frame's name: microseconds.
    static func polycamTime(_ frame: RelaidTruth.Frame) -> Int { Int((frame.time.nanoseconds + 500) / 1000) }

    static func polycam(_ truth: RelaidTruth) -> Relaid {
        var relaid = Relaid()
        for frame in truth.frames {
            let k = frame.camera.scaled(toWidth: 1024, height: 768)
            var keys = ["fx": k.fx, "fy": k.fy, "cx": k.cx, "cy": k.cy]
            for row in 0..<3 { for column in 0..<4 { keys["t_\(row)\(column)"] = frame.rows[row][column] } }
            let pairs = keys.sorted { $0.key < $1.key }.map { "  \"\($0)\" : \($1)," }.joined(separator: "\n")
            relaid.put(
                """
                {
                \(pairs)
                  "width" : 1024,
                  "height" : 768,
                  "timestamp" : \(polycamTime(frame)),
                  "blur_score" : 62.5,
                  "center_depth" : 1.25,
                  "manual_keyframe" : false,
                  "angular_velocity" : 3.4e38,
                  "tracking_segment" : 0
                }
                """,
                polycamFile("cameras", frame)
            )
            relaid.files[polycamFile("images", frame)] = frame.image
            let (width, height) = (frame.depth.width, frame.depth.height)
            relaid.files[polycamFile("depth", frame)] = HandmadePNG.gray16(
                width: width,
                height: height,
                frame.millimetres
            )
            relaid.files[polycamFile("confidence", frame)] = HandmadePNG.gray8(
                width: width,
                height: height,
                (frame.depth.confidence ?? []).map { [0, 54, 255][Int($0)] }
            )
        }
        relaid.put("{\"faces\": 1}", "mesh_info.json")
        relaid.files["raw.glb"] = Array("glTF".utf8)
        return relaid
    }
}
