import Recording

/// One line of `frames.jsonl`, with the keys of the app's newest generation.
struct FrameLine {
    let options: SampleOptions
    let trajectory: Trajectory
    let intrinsics: CameraIntrinsics

    /// - Parameter pose: World from camera as it is recorded.
    func line(_ frame: SampleFrame, _ pose: Transform) -> JSONObject {
        var line = JSONObject()
        line.add("frame_index", frame.index)
        line.add("timestamp", json: decimalSeconds(frame.timestampNanoseconds))
        line.add("camera_transform", pose.columnMajor.map { $0.inSinglePrecision })
        let k = intrinsics
        line.add("camera_intrinsics", [k.fx, 0, 0, 0, k.fy, 0, k.cx, k.cy, 1].map { $0.inSinglePrecision })
        line.add("camera_resolution", GridSize(width: k.width, height: k.height))
        line.add("camera_euler_angles", FrameLine.eulerAngles(pose.rotation).map { $0.inSinglePrecision })
        line.add("tracking_state", string: "normal")
        if options.orientation != .unrecorded {
            line.add("device_orientation", string: frame.orientation.rawValue)
            line.add("frame_sharpness", (420 + 90 * sine(0.37 * frame.seconds)).inSinglePrecision)
        }
        line.add("exposure_duration", 0.01 + 0.004 * sine(0.2 * frame.seconds))
        line.add("exposure_offset", 0)
        line.add("has_depth", options.hasLidar)
        if options.hasLidar { line.add("depth_resolution", LidarModel.grid) }
        if options.hasRelativeDepth { line.add("relative_depth_resolution", RelativeDepthModel.grid) }
        line.add("feature_point_count", 180 + frame.index % 37)
        line.add("ambient_intensity", 1000 + 25 * sine(0.11 * frame.seconds))
        line.add("ambient_color_temperature", 4900 + 40 * sine(0.07 * frame.seconds))
        if options.imuRateHertz > 0 { addMotion(frame, to: &line) }
        return line
    }

    /// The app asks for the newest sample only when the JPEG is encoded, so that it is later than the frame.
    private func addMotion(_ frame: SampleFrame, to line: inout JSONObject) {
        let delayNanoseconds: Int64 = 24_000_000
        let sample = PhoneMotion(trajectory: trajectory).sample(
            atSeconds: frame.seconds + 0.024,
            nanoseconds: frame.timestampNanoseconds + delayNanoseconds
        )
        line.add("imu_timestamp", json: decimalSeconds(sample.time.nanoseconds))
        line.add("user_acceleration", sample.userAcceleration)
        line.add("rotation_rate", sample.rotationRate)
        line.add("gravity", sample.gravity)
        if let q = sample.attitude {
            line.add("attitude_euler", PhoneMotion.eulerAngles(q))
            line.add("attitude_quaternion", [q.x, q.y, q.z, q.w])
        }
        line.add("magnetic_field", Vector3.zero)
    }

    /// Pitch, yaw and roll in radians, as ARKit has them: yaw about y first, then pitch about x, then roll about z.
    private static func eulerAngles(_ rotation: Quaternion) -> [Double] {
        let (c0, c1, c2) = rotation.columns
        return [arcSine(-c2.y), arcTangent(c2.x, c2.z), arcTangent(c0.y, c1.y)]
    }
}
