import Recording
import Sessions

/// The texts of other apps' recordings, each with the other files of its recording sound and in memory.
extension FuzzTarget {
    static let recordings: [FuzzTarget] = [
        recording(
            "stray-odometry",
            "odometry.csv",
            [
                "timestamp, frame, x, y, z, qx, qy, qz, qw\n1.5, 000000, 1, 2, 3, 0, 0, 0, 1\n2.5, 000003, 1, 2, 3, 1, 0, 0, 0\n",
                "timestamp, frame, x, y, z, qx, qy, qz, qw, fx, fy, cx, cy\n1,000001,0,0,0,0,0,0,1,1500,1500,960,720\n",
                "0.1 0.2 0.3\n1, 2, 3, 0, 0, 0, 1\n",
            ],
            beside: ["camera_matrix.csv": strayCamera, "imu.csv": strayMotion]
        ),
        recording(
            "stray-imu",
            "imu.csv",
            [strayMotion, "timestamp, a_x, a_y, a_z, alpha_x, alpha_y, alpha_z\n1, 0, 0, 1, 0, 0, 0\n"],
            beside: ["odometry.csv": strayPoses, "camera_matrix.csv": strayCamera]
        ),
        recording(
            "stray-camera",
            "camera_matrix.csv",
            [strayCamera],
            beside: ["odometry.csv": strayPoses, "rgb.mp4": ""]
        ),
        recording(
            "3d-scanner-app",
            "frame_00000.json",
            [
                """
                {"averageVelocity": 0, "cameraPoseARFrame": [1, 0, 0, 1, 0, 1, 0, 2, 0, 0, 1, 3, 0, 0, 0, 1],
                 "intrinsics": [1500, 0, 960, 0, 1500, 720, 0, 0, 1], "time": 1.5, "frame_index": 0,
                 "projectionMatrix": [1.5, 0, 0, 0, 0, 2, 0, 0, 0, 0, -1, -0.001, 0, 0, -1, 0], "exposureDuration": 0.01,
                 "hasGPS": true, "gpsTime": 1700000000.5, "latitude": 52, "longitude": 13, "altitude": 30,
                 "horizontalAccuracy": 5, "verticalAccuracy": -1}
                """
            ],
            copiedTo: ["frame_00001.json"]
        ),
        recording(
            "record3d",
            "metadata.json",
            [
                """
                {"w": 1440, "h": 1920, "dw": 192, "dh": 256, "fps": 60, "K": [1500, 0, 0, 0, 1500, 0, 720, 960, 1],
                 "poses": [[0, 0, 0, 1, 1, 2, 3], [0, 0, 1, 0, 1, 2, 4]], "frameTimestamps": [0, 0.5],
                 "perFrameIntrinsicCoeffs": [[1500, 1500, 720, 960], [1500, 1500, 720, 960]], "initPose": [0,0,0,1,0,0,0]}
                """,
                """
                {"w": 640, "h": 480, "fps": 60, "K": [500, 0, 0, 0, 500, 0, 320, 240, 1],
                 "poses": [[0, 0, 0, 1, 1, 2, 3], [0, 0, 1, 0, 1, 2, 4]]}
                """,
            ],
            beside: ["rgb/0.jpg": "", "depth/0.exr": "v/1\u{1}"]
        ),
        recording(
            "ios-poses",
            "ARposes.txt",
            ["1.5,0,0,0,1,0,0,0\n2.5,1,2,3,0,1,0,0\n", "1700000000.123456,0.1,0.2,0.3,0.5,0.5,0.5,0.5\r\n"],
            beside: ["Frames.txt": iosFrames, "MotARH.txt": iosMotion]
        ),
        recording("ios-frames", "Frames.txt", [iosFrames], beside: ["ARposes.txt": iosPoses]),
        recording("ios-motion", "MotARH.txt", [iosMotion], beside: ["ARposes.txt": iosPoses, "Frames.txt": iosFrames]),
        recording(
            "ios-fixes",
            "GPS.txt",
            ["1.5,52,13,5,30,4,0,90,1.5\n2.5,52.0001,13,-1,31,-1,-9999,-1,-1\n"],
            beside: ["ARposes.txt": iosPoses, "Frames.txt": iosFrames]
        ),
        recording(
            "ios-headings",
            "Head.txt",
            ["1.5,100,98,10\n2.5,-1,98,-1\n"],
            beside: ["ARposes.txt": iosPoses, "Frames.txt": iosFrames]
        ),
        recording(
            "polycam",
            "keyframes/cameras/1000000.json",
            [
                """
                {"t_00": 1, "t_01": 0, "t_02": 0, "t_03": 1, "t_10": 0, "t_11": 1, "t_12": 0, "t_13": 2, "t_20": 0,
                 "t_21": 0, "t_22": 1, "t_23": 3, "fx": 719, "fy": 719, "cx": 512, "cy": 384, "width": 1024, "height": 768,
                 "timestamp": 1000000, "tracking_segment": 1}
                """
            ],
            copiedTo: ["keyframes/cameras/2000000.json", "keyframes/cameras/999999999999999999.json"]
        ),
        recording(
            "trajectory",
            "lowres_wide.traj",
            ["1.000 0.1 0.2 0.3 1 2 3\n1.100 0.1 0.2 3.0 1 2 3\n", "1.000\t0 0 0 0 0 0\r\n"],
            beside: [
                "lowres_wide_intrinsics/1_1.000.pincam": "256 192 212 212 128 96",
                "wide_intrinsics/1_1.100.pincam": "1920 1440 1600 1600 960 720",
            ]
        ),
        recording(
            "pincam",
            "lowres_wide_intrinsics/1_1.000.pincam",
            ["256 192 212 212 128 96", "256 192 212.5 212.5 127.5 95.5\r\n"],
            beside: ["lowres_wide.traj": "1.000 0.1 0.2 0.3 1 2 3\n1.001 0.1 0.2 0.3 1 2 3\n"]
        ),
        recording(
            "transforms",
            "transforms.json",
            [
                """
                {"w": 640, "h": 480, "fl_x": 500, "cx": 320, "cy": 240, "applied_scale": 2, "frames": [
                 {"file_path": "./a/1", "transform_matrix": [[1,0,0,1],[0,1,0,2],[0,0,1,3],[0,0,0,1]], "timestamp": 1},
                 {"file_path": "../2", "transform_matrix": [[1,0,0,1],[0,1,0,2],[0,0,1,3],[0,0,0,1]], "timestamp": 9}],
                 "applied_transform": [[0,0,1,0],[1,0,0,0],[0,1,0,0]], "k1": 0.1, "camera_model": "OPENCV"}
                """,
                """
                {"camera_angle_x": 1.0, "w": 64, "h": 48, "depth_integer_scale": 1.0, "integer_depth_scale": 0.0001, "frames":
                 [{"depth_path": "d.png", "transform_matrix": [[1,0,0,1],[0,1,0,2],[0,0,1,3],[0,0,0,1]]}]}
                """,
                """
                {"camera_angle_x": 1.0, "frames": [{"file_path": "a/9.jpg",
                 "transform_matrix": [[1,0,0,1],[0,1,0,2],[0,0,1,3],[0,0,0,1]]}]}
                """,
            ],
            beside: ["a/9.jpg": "no picture"]
        ),
        recording(
            "scan-package",
            "frames.jsonl",
            [
                """
                {"frame_id": "frame_000001", "timestamp": 1.5, "image_path": "images/1.jpg", \
                "depth_path": "depth/1.float32", "confidence_path": "depth/1.uint8", \
                "image_width": 1920, "image_height": 1440, "depth_width": 4, "depth_height": 2, \
                "intrinsics": [[1600,0,960],[0,1600,720],[0,0,1]], "intrinsics_depth": [[3,0,2],[0,3,1],[0,0,1]], \
                "camera_to_world": [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]], "orientation": "landscapeRight"}

                """
            ],
            beside: ["depth/1.float32": "01234567890123456789012345678901", "depth/1.uint8": "01234567"]
        ),
    ]

    private static let strayCamera = "1500.5, 0.0, 960.0\n0.0, 1500.5, 720.0\n0.0, 0.0, 1.0"
    private static let strayPoses = "timestamp, frame, x, y, z, qx, qy, qz, qw\n1.5, 000000, 1, 2, 3, 0, 0, 0, 1\n"
    private static let strayMotion =
        "timestamp, a_x, a_y, a_z, alpha_x, alpha_y, alpha_z\n1, 0, 0, 9.81, 0, 0, 0\n1.1, 0, 0, 9.8, 0.1, 0, 0\n"
    private static let iosPoses = "1.5,0,0,0,1,0,0,0\n2.5,1,2,3,0,1,0,0\n"
    private static let iosFrames = "1.4,0,1500,1500,960,720\n2.4,1,1501,1501,960,720\n"
    private static let iosMotion = "1.5,0,0,0,0,-1,0,0,0,0\n2.5,0.1,0,0,0,-1,0,0,0.1,0\n"

    /// - Parameters:
    ///   - file: the text that is fuzzed, below the recording's folder.
    ///   - others: the other files.
    ///   - copies: other files that have the first seed's text.
    private static func recording(
        _ name: String,
        _ file: String,
        _ seeds: [String],
        beside others: [String: String] = [:],
        copiedTo copies: [String] = []
    ) -> FuzzTarget {
        var sound = others.mapValues { Array($0.utf8) }
        for copy in copies { sound[copy] = Array((seeds.first ?? "").utf8) }
        sound[file] = []
        let recording = MemoryFiles(files: sound)
        let words = seeds.flatMap { seed in seed.split(separator: "\"").map { String($0) } }
        return FuzzTarget(
            name: "recording-" + name,
            seeds: { seeds.map { Array($0.utf8) } },
            dictionary: Array(Set(words.filter { $0.count > 2 && $0.count < 24 && !$0.contains("\n") })).sorted() + [
                "..", "null", "1e999", "1e-300", "NaN", "9223372036854775807", "-1", "OPENCV_FISHEYE", "\n", ",", "[",
            ],
            maximumBytes: 512,
            run: { walk(recording.replacing(file, by: Array($0))) }
        )
    }

    private static func walk(_ files: MemoryFiles) {
        guard let session = try? SessionFormats.open(files) else { return }
        let summary = session.summary
        require(summary.firstTime <= summary.lastTime, "a session that ends before it begins")
        guard let cursor = try? session.records(RecordRequest()) else { return }
        let loader = session.makeLoader()
        var diagnostics = Diagnostics()
        var last = Timestamp(nanoseconds: .min)
        var count = 0
        while let record = try? cursor.next() {
            require(record.time >= last, "records out of order")
            last = record.time
            guard case .frame(let frame) = record else { continue }
            count += 1
            let pose = frame.worldFromCamera
            require(abs(pose.rotation.norm - 1) < 1e-6, "a pose that is no rotation")
            require((0..<3).allSatisfy { pose.translation[$0].isFinite }, "a pose that is nowhere")
            let k = frame.intrinsics
            require(k.width > 0 && k.height > 0, "an image without a size")
            require([k.fx, k.fy, k.cx, k.cy].allSatisfy(\.isFinite), "a camera that is none")
            if let map = loader.depth(of: frame, &diagnostics) {
                require(map.metres.count == map.width * map.height, "a depth map of another size")
            }
        }
        require(count == summary.frameCount, "\(count) frames, and \(summary.frameCount) counted")
        _ = session.orphans()
    }
}
