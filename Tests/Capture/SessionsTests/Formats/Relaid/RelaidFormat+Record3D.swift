import Codecs
import Recording

extension RelaidFormat {
    /// Upright, as the app writes nearly all: picture, depth, camera and pose turned by 90 degrees clockwise.
    static func record3D(_ truth: RelaidTruth, isContainer: Bool) -> Relaid {
        var relaid = Relaid()
        var (poses, times, cameras): ([String], [String], [String]) = ([], [], [])
        for (index, frame) in truth.frames.enumerated() {
            let q = upright(frame.rows)
            let t = frame.worldFromCamera.translation
            poses.append("[" + (q + [t.x, t.y, t.z]).map { "\($0)" }.joined(separator: ", ") + "]")
            times.append("\(frame.time.seconds - truth.frames[0].time.seconds)")
            // A point (u, v) of the landscape image lies at (1439 - v, u) of the upright one.
            let k = frame.camera
            cameras.append("[\(k.fy), \(k.fx), \(1439 - k.cy), \(k.cx)]")
            let (width, height) = (frame.depth.width, frame.depth.height)
            let metres = clockwise(frame.depth.metres, width, height)
            guard isContainer else {
                relaid.files["rgb/\(index).jpg"] = frame.image
                relaid.files["depth/\(index).exr"] = try? EXREncoder.encode(
                    width: height,
                    height: width,
                    values: metres
                )
                continue
            }
            relaid.files["rgbd/\(index).jpg"] = frame.image
            let bytes = metres.map(\.bitPattern.littleEndian).withUnsafeBytes { Array($0) }
            relaid.files["rgbd/\(index).depth"] = LZFSE.encodeStored(bytes)
            let confidence = clockwise(frame.depth.confidence ?? [], width, height)
            relaid.files["rgbd/\(index).conf"] = LZFSE.encodeStored(confidence)
        }
        let k = truth.frames[0].camera
        relaid.put(
            """
            {"dh": 256, "frameTimestamps": [\(times.joined(separator: ", "))], "dw": 192, "fps": 60,
             "poses": [\(poses.joined(separator: ", "))],
             "K": [\(k.fy), 0, 0, 0, \(k.fx), 0, \(1439 - k.cy), \(k.cx), 1], "initPose": [0, 0, 0, 1, 0, 0, 0],
             "perFrameIntrinsicCoeffs": [\(cameras.joined(separator: ", "))], "h": 1920, "cameraType": 1, "w": 1440}
            """,
            isContainer ? "metadata" : "metadata.json"
        )
        return relaid
    }

    /// The rotation of the upright picture, x, y, z, w: its x is the sensor's y, its y is minus the sensor's x.
    private static func upright(_ m: [[Double]]) -> [Double] {
        let columns = [
            [m[0][1], m[1][1], m[2][1]], [-m[0][0], -m[1][0], -m[2][0]], [m[0][2], m[1][2], m[2][2]],
        ]
        let q = Quaternion(
            columns: Vector3(columns[0][0], columns[0][1], columns[0][2]),
            Vector3(columns[1][0], columns[1][1], columns[1][2]),
            Vector3(columns[2][0], columns[2][1], columns[2][2])
        )
        return [q.x, q.y, q.z, q.w]
    }

    /// A grid turned by 90 degrees clockwise: its first row is the first column from below.
    private static func clockwise<Value>(_ values: [Value], _ width: Int, _ height: Int) -> [Value] {
        guard values.count == width * height else { return [] }
        return (0..<width).flatMap { column in (0..<height).reversed().map { row in values[row * width + column] } }
    }
}
