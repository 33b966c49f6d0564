import Recording
import SessionLines

/// One line of `frames.jsonl`, with the keys of the app's newest generation.
struct FrameLine {
    let options: SampleOptions
    let trajectory: Trajectory
    let intrinsics: CameraIntrinsics

    /// - Parameter pose: World from camera as it is recorded.
    func line(_ frame: SampleFrame, _ pose: Transform) -> JSONObject {
        var reference = FrameReference(
            index: frame.index,
            line: frame.index + 1,
            time: Timestamp(nanoseconds: frame.timestampNanoseconds),
            worldFromCamera: pose,
            intrinsics: intrinsics,
            tracking: .normal,
            depthSize: options.hasLidar ? LidarModel.grid : nil,
            relativeDepthSize: options.hasRelativeDepth ? RelativeDepthModel.grid : nil,
            exposureSeconds: 0.01 + 0.004 * sine(0.2 * frame.seconds)
        )
        if options.orientation != .unrecorded {
            reference.declaredOrientation = frame.orientation
            reference.sharpness = (420 + 90 * sine(0.37 * frame.seconds)).inSinglePrecision
        }
        var line = NativeLines.frame(reference, inSinglePrecision: true)
        line.add("exposure_offset", 0)
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
        NativeLines.add(sample, time: "imu_timestamp", to: &line)
        if let attitude = sample.attitude { line.add("attitude_euler", PhoneMotion.eulerAngles(attitude)) }
    }
}
