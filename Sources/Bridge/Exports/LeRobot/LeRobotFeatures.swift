package import Recording
import Text

/// The columns and videos of a data set, as `meta/info.json` lists them.
package struct LeRobotFeatures: Sendable, Hashable {
    static let image = "observation.images.front"
    static let depth = "observation.images.depth"
    static let captureTime = "capture_time"

    /// A column of numbers.
    struct Column: Sendable, Hashable {
        var name: String
        var elements: [String]
    }

    package var framesPerSecond: Int
    package var action: LeRobotPlan.Action
    /// The size of the images; `nil` without images.
    package var image: GridSize?
    package var depth: GridSize?
    /// IMU samples of a step; 0 without an IMU.
    package var motionSamples = 0

    package init(framesPerSecond: Int, action: LeRobotPlan.Action) {
        (self.framesPerSecond, self.action) = (framesPerSecond, action)
    }

    private static let pose = ["x", "y", "z", "qx", "qy", "qz", "qw"]
    private static let camera = ["fx", "fy", "cx", "cy"]

    /// The columns of 32-bit floats, in the order of a row's values.
    var columns: [Column] {
        var columns = [Column(name: "observation.state", elements: Self.pose)]
        switch action {
        case .relative: columns.append(Column(name: "action", elements: ["dx", "dy", "dz", "rx", "ry", "rz"]))
        case .absolute: columns.append(Column(name: "action", elements: Self.pose))
        case .none: break
        }
        if motionSamples > 0 {
            let axes = ["gyro_x", "gyro_y", "gyro_z", "accel_x", "accel_y", "accel_z"]
            columns.append(
                Column(
                    name: "observation.imu",
                    elements: (0..<motionSamples).flatMap { sample in axes.map { "\($0)_\(sample)" } }
                )
            )
        }
        if image != nil { columns.append(Column(name: "observation.intrinsics.front", elements: Self.camera)) }
        if depth != nil { columns.append(Column(name: "observation.intrinsics.depth", elements: Self.camera)) }
        return columns
    }

    /// The columns that LeRobot gives every data set.
    static let counters = ["frame_index", "episode_index", "index", "task_index"]

    /// The keys of the videos.
    var videos: [String] { (image == nil ? [] : [Self.image]) + (depth == nil ? [] : [Self.depth]) }

    // MARK: - info.json

    var json: JSONValue {
        var members: [(String, JSONValue)] = columns.map { column in
            (
                column.name,
                [
                    "dtype": "float32", "shape": [.integer(column.elements.count)],
                    "names": .strings(column.elements),
                ]
            )
        }
        if let image { members.append((Self.image, Self.video(image, channels: 3, colour(image)))) }
        if let depth { members.append((Self.depth, Self.video(depth, channels: 1, depthInfo(depth)))) }
        members.append((Self.captureTime, Self.number("float64")))
        members.append(("timestamp", Self.number("float32")))
        members += Self.counters.map { ($0, Self.number("int64")) }
        return .object(members)
    }

    private static func number(_ type: String) -> JSONValue { ["dtype": .string(type), "shape": [1], "names": .null] }

    private static func video(_ size: GridSize, channels: Int, _ info: JSONValue) -> JSONValue {
        [
            "dtype": "video", "shape": [.integer(size.height), .integer(size.width), .integer(channels)],
            "names": ["height", "width", "channels"], "info": info,
        ]
    }

    private func info(_ size: GridSize, _ more: [(String, JSONValue)]) -> JSONValue {
        .object(
            [("video.height", .integer(size.height)), ("video.width", .integer(size.width))] + more + [
                ("video.fps", .integer(framesPerSecond)), ("video.g", .integer(VideoWriter.keyPictureDistance)),
                ("has_audio", false),
            ]
        )
    }

    private func colour(_ size: GridSize) -> JSONValue {
        info(
            size,
            [
                ("video.codec", "h264"), ("video.pix_fmt", "yuv420p"), ("video.channels", 3), ("is_depth_map", false),
                ("video.crf", .integer(VideoWriter.rateFactor)), ("video.preset", .string(VideoWriter.preset)),
            ]
        )
    }

    private func depthInfo(_ size: GridSize) -> JSONValue {
        info(
            size,
            [
                ("video.codec", "hevc"), ("video.pix_fmt", "gray12le"), ("video.channels", 1), ("is_depth_map", true),
                ("video.depth_min", .number(DepthCodes.minimumMetres)),
                ("video.depth_max", .number(DepthCodes.maximumMetres)),
                ("video.shift", .number(DepthCodes.shiftMetres)), ("video.use_log", true), ("depth_unit", "m"),
                ("video.extra_options", ["x265-params": "lossless=1"]),
            ]
        )
    }
}
