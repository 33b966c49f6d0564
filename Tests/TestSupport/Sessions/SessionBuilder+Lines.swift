import Recording

extension SessionBuilder {
    /// The capture time of a frame of a session that was not changed, as it is written.
    package static func timestamp(_ index: Int, framesPerSecond: Double = 5) -> String {
        "\(startSeconds + Double(index) / framesPerSecond)"
    }

    /// A camera that looks along -z and moves 1 cm a frame along x, its x axis horizontal.
    static func line(
        _ index: Int,
        _ generation: Generation,
        _ framesPerSecond: Double,
        _ orientation: ImageOrientation?
    ) -> JSONFieldList {
        var line = JSONFieldList()
        line["frame_index"] = "\(index)"
        line["timestamp"] = timestamp(index, framesPerSecond: framesPerSecond)
        line["camera_transform"] = transform(orientation ?? .landscapeRight, x: Double(index) / 100)
        line["camera_intrinsics"] = "[50,0,0,0,50.15,0,32.25,23.75,1]"
        line["camera_resolution"] = "[\(imageSize.width),\(imageSize.height)]"
        line["camera_euler_angles"] = "[0,0,0]"
        line["tracking_state"] = "\"normal\""
        line["exposure_duration"] = "0.016666667"
        line["exposure_offset"] = "0"
        guard generation != .zero else { return line }
        line["has_depth"] = "true"
        line["depth_resolution"] = "[\(depthSize.width),\(depthSize.height)]"
        addMotion(index, framesPerSecond, orientation ?? .landscapeRight, to: &line)
        guard generation == .two, let orientation else { return line }
        line["device_orientation"] = "\"\(orientation.rawValue)\""
        line["frame_sharpness"] = "321.5"
        return line
    }

    /// Held so that gravity is where the recording app expects it for the orientation.
    private static func transform(_ orientation: ImageOrientation, x: Double) -> String {
        // Columns: the camera's x, y and z axes in the world.
        let axes =
            switch orientation {
            case .landscapeLeft: "1,0,0,0, 0,1,0,0, 0,0,1,0"
            case .landscapeRight: "-1,0,0,0, 0,-1,0,0, 0,0,1,0"
            case .portrait: "0,-1,0,0, 1,0,0,0, 0,0,1,0"
            case .portraitUpsideDown: "0,1,0,0, -1,0,0,0, 0,0,1,0"
            }
        return "[\(axes), \(x),0.5,-0.25,1]"
    }

    /// Gravity in the phone's own axes and its attitude, as they are when the phone is held so.
    private static func addMotion(
        _ index: Int,
        _ framesPerSecond: Double,
        _ orientation: ImageOrientation,
        to line: inout JSONFieldList
    ) {
        line["imu_timestamp"] = "\(startSeconds + Double(index) / framesPerSecond + 0.03)"
        line["user_acceleration"] = "[0.01,-0.02,0.03]"
        line["rotation_rate"] = "[0.1,0.2,-0.3]"
        // The attitude turns gravity to straight down in a reference frame whose z axis points up.
        let half = "0.70710678118654757"
        let (gravity, attitude, euler) =
            switch orientation {
            case .landscapeRight: ("[1,0,0]", "[0,\(half),0,\(half)]", "[1.5707963267948966,0,0]")
            case .landscapeLeft: ("[-1,0,0]", "[0,-\(half),0,\(half)]", "[-1.5707963267948966,0,0]")
            case .portrait: ("[0,-1,0]", "[\(half),0,0,\(half)]", "[0,1.5707963267948966,0]")
            case .portraitUpsideDown: ("[0,1,0]", "[-\(half),0,0,\(half)]", "[0,-1.5707963267948966,0]")
            }
        line["gravity"] = gravity
        line["attitude_euler"] = euler
        line["attitude_quaternion"] = attitude
        line["magnetic_field"] = "[0,0,0]"
    }

    static func metadata(_ frameCount: Int, _ generation: Generation, _ framesPerSecond: Double) -> JSONFieldList {
        var metadata = JSONFieldList()
        metadata["sessionID"] = "\"\(name)\""
        metadata["deviceModel"] = "\"iPhone15,2\""
        metadata["osVersion"] = "\"Version 16.6.1 (Build 20G81)\""
        metadata["startTimestamp"] = "\(startSeconds - 0.1)"
        metadata["endTimestamp"] = "\(startSeconds + Double(frameCount) / framesPerSecond)"
        metadata["frameCount"] = "\(frameCount)"
        metadata["hasDepth"] = "true"
        metadata["rgbResolution"] = "[\(imageSize.width),\(imageSize.height)]"
        metadata["depthResolution"] = "[\(depthSize.width),\(depthSize.height)]"
        if generation == .zero { metadata["imuSampleCount"] = "20" }
        return metadata
    }

    /// imu.csv of the oldest generation: 100 Hz from the start, gyro_z counting up.
    package static func motionTable(sampleCount: Int) -> String {
        var text =
            "timestamp,acc_x,acc_y,acc_z,gyro_x,gyro_y,gyro_z,gravity_x,gravity_y,gravity_z,"
            + "attitude_roll,attitude_pitch,attitude_yaw\n"
        for index in 0..<sampleCount {
            let time = "\(Int(startSeconds)).\(number(index * 10_000))"
            text += "\(time),0.010000,0.020000,0.030000,0.100000,0.200000,\(index).000000,"
            text += "1.000000,0.000000,0.000000,0.1,0.2,0.3\n"
        }
        return text
    }
}
