import Maps
import Platform
import Recording
import Sessions
import Translation

extension FrameFormat {
    package static let euroc = FrameFormat("euroc") { plan, census in
        ViewLayout(image: ("mav0/cam0/data", .sensorPNG(plan.sharedCamera(census))), name: .time)
    } writer: {
        try EuRoCExport($0)
    }.with {
        ($0.hasOneSize, $0.goesByTime, $0.needsMotion, $0.options) = (true, true, true, .motion)
    }
}

/// The ASL format of the EuRoC MAV dataset: one camera, the IMU, and ARKit's poses as an estimate of the body.
///
/// The body is the IMU, in the device's axes; T_BS is body from sensor, by rows.
final class EuRoCExport: ExportWriter {
    private let context: ExportContext
    private let images: OutputFile
    private let truth: OutputFile
    private let times: OutputFile
    /// The body (device axes) from the camera's optical axes.
    private static let bodyFromOptical = DeviceAxes.cameraFromDevice.inverse * Coordinates.opticalFromCamera.inverse

    private static let imu =
        "#timestamp [ns],w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],"
        + "a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]\n"
    private static let pose =
        "#timestamp,p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],"
        + "q_RS_z [],v_RS_R_x [m s^-1],v_RS_R_y [m s^-1],v_RS_R_z [m s^-1],b_w_RS_S_x [rad s^-1],"
        + "b_w_RS_S_y [rad s^-1],b_w_RS_S_z [rad s^-1],b_a_RS_S_x [m s^-2],b_a_RS_S_y [m s^-2],b_a_RS_S_z [m s^-2]\n"

    init(_ context: ExportContext) throws {
        self.context = context
        for folder in ["imu0", "state_groundtruth_estimate0"] { try context.folder.makeFolder("mav0/\(folder)") }
        images = try context.file("mav0/cam0/data.csv")
        truth = try context.file("mav0/state_groundtruth_estimate0/data.csv")
        times = try context.file("times.txt")
        try images.append(text: "#timestamp [ns],filename\n")
        try truth.append(text: Self.pose)
    }

    func add(_ view: ExportedView) throws {
        let stamp = view.unixNanoseconds
        try images.append(text: "\(stamp),\(stamp).png\n")
        try times.append(text: "\(stamp)\n")
        let pose = view.worldFromOptical * Self.bodyFromOptical.inverse
        let rotation = pose.rotation.canonical
        let place = pose.translation
        let known = [place.x, place.y, place.z, rotation.w, rotation.x, rotation.y, rotation.z]
        let values = known + [Double](repeating: 0, count: 9)
        try truth.append(text: "\(stamp),\(ExportText.numbers(values, separator: ","))\n")
    }

    func finish(_ surface: SurfaceMesh) throws {
        for file in [images, truth, times] { try file.finish() }
        let motion = try context.file("mav0/imu0/data.csv")
        try motion.append(text: Self.imu)
        var bounds: (first: Int64, last: Int64, count: Int)?
        try MotionWalk(context).forEach { sample, stamp in
            bounds = (bounds?.first ?? stamp, stamp, (bounds?.count ?? 0) + 1)
            let rate = [sample.rotationRate.x, sample.rotationRate.y, sample.rotationRate.z]
            let values = ExportText.numbers(rate + MotionWalk.specificForce(sample), separator: ",")
            try motion.append(text: "\(stamp),\(values)\n")
        }
        try motion.finish()
        let seconds = bounds.map { Double($0.last - $0.first) / 1e9 } ?? 0
        let hertz = seconds > 0 ? Double((bounds?.count ?? 1) - 1) / seconds : 0
        try context.write(EuRoCYAML.imu(hertz), to: "mav0/imu0/sensor.yaml")
        let camera = context.sharedCamera
        let matrix = Self.bodyFromOptical.rows.map { $0.map { $0.rounded() } } + [[0, 0, 0, 1]]
        try context.write(EuRoCYAML.camera(camera, matrix, context.framesPerSecond), to: "mav0/cam0/sensor.yaml")
        if context.plan.writesKalibr {
            try context.write(EuRoCYAML.kalibr(camera, matrix, hertz), to: "kalibr_imucam_chain.yaml")
        }
    }

    func readBack(_ numbers: Set<Int>) throws -> [Int: ReadView] {
        let (bodyFromOptical, camera) = try EuRoCYAML.read(Array(context.lines("mav0/cam0/sensor.yaml")))
        var views: [Int: ReadView] = [:]
        let lines = try context.lines("mav0/state_groundtruth_estimate0/data.csv")
        for (index, line) in lines.enumerated() where numbers.contains(index + 1) {
            guard let values = ExportText.parse(line), values.count == 17, let bodyFromOptical else { continue }
            let pose = Transform(
                rotation: Quaternion(x: values[5], y: values[6], z: values[7], w: values[4]),
                translation: Vector3(values[1], values[2], values[3])
            )
            views[index + 1] = ReadView(worldFromOptical: pose * bodyFromOptical, intrinsics: camera)
        }
        return views
    }

    var readme: [String] {
        [
            "A recording in EuRoC's layout: camera, IMU, and ARKit's poses in place of a ground truth.",
            "",
            "  mono_inertial_euroc Vocabulary/ORBvoc.txt SETTINGS.yaml THIS_FOLDER times.txt   (ORB-SLAM3)",
            "  evo_traj euroc mav0/state_groundtruth_estimate0/data.csv",
            "",
            "Noise densities in imu0/sensor.yaml are typical of phones, not measured on this one. Velocities and biases are",
            "unknown and written as 0. The rolling shutter is not modelled; images were resampled to one camera, the mean of",
            "what autofocus made of it. RTAB-Map's reader wants a stereo pair; OpenVINS and VINS-Fusion read topics: give",
            "them a bag and --kalibr's file.",
        ]
    }
}

/// The YAML beside EuRoC's tables.
enum EuRoCYAML {
    /// Typical of a phone's MEMS sensor, at 100 Hz: rad/s/√Hz, rad/s²/√Hz, m/s²/√Hz, m/s³/√Hz.
    private static let noise = (gyroscope: 1.7e-4, gyroscopeWalk: 2e-5, accelerometer: 2e-3, accelerometerWalk: 3e-3)

    static func imu(_ hertz: Double) -> String {
        """
        %YAML:1.0
        sensor_type: imu
        comment: phone, device axes
        T_BS:
          cols: 4
          rows: 4
          data: [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
        rate_hz: \(Int(max(1, min(10_000, hertz.rounded()))))
        gyroscope_noise_density: \(noise.gyroscope)
        gyroscope_random_walk: \(noise.gyroscopeWalk)
        accelerometer_noise_density: \(noise.accelerometer)
        accelerometer_random_walk: \(noise.accelerometerWalk)

        """
    }

    static func camera(_ camera: CameraIntrinsics, _ matrix: [[Double]], _ hertz: Double) -> String {
        """
        %YAML:1.0
        sensor_type: camera
        comment: phone, main camera
        T_BS:
          cols: 4
          rows: 4
          data: [\(ExportText.numbers(matrix.flatMap { $0 }, separator: ", "))]
        rate_hz: \(Int(max(1, min(10_000, hertz.rounded()))))
        resolution: [\(camera.width), \(camera.height)]
        camera_model: pinhole
        intrinsics: [\(ExportText.numbers([camera.fx, camera.fy, camera.cx, camera.cy], separator: ", "))]
        distortion_model: radial-tangential
        distortion_coefficients: \(lens(camera))

        """
    }

    /// k1, k2, p1, p2: the layout has no third radial coefficient.
    private static func lens(_ camera: CameraIntrinsics) -> String {
        guard let lens = camera.distortion else { return "[0.0, 0.0, 0.0, 0.0]" }
        return "[\(ExportText.numbers(Array(lens.coefficients.prefix(4)), separator: ", "))]"
    }

    static func kalibr(_ camera: CameraIntrinsics, _ matrix: [[Double]], _ hertz: Double) -> String {
        let rows = matrix.map { "    - [\(ExportText.numbers($0, separator: ", "))]" }.joined(separator: "\n")
        let intrinsics = ExportText.numbers([camera.fx, camera.fy, camera.cx, camera.cy], separator: ", ")
        return """
            %YAML:1.0
            cam0:
              T_imu_cam:
            \(rows)
              camera_model: pinhole
              distortion_coeffs: \(lens(camera))
              distortion_model: radtan
              intrinsics: [\(intrinsics)]
              resolution: [\(camera.width), \(camera.height)]
              rostopic: /mapping/camera/image
            imu0:
              accelerometer_noise_density: \(noise.accelerometer)
              accelerometer_random_walk: \(noise.accelerometerWalk)
              gyroscope_noise_density: \(noise.gyroscope)
              gyroscope_random_walk: \(noise.gyroscopeWalk)
              update_rate: \((hertz * 10).rounded() / 10)
              rostopic: /mapping/imu
              time_offset: 0.0

            """
    }

    /// T_BS and the intrinsics of a camera's file.
    static func read(_ lines: [String]) throws -> (Transform?, CameraIntrinsics?) {
        func list(_ key: String) -> [Double] {
            let line = lines.first { $0.drop { $0 == " " }.hasPrefix(key + ": [") }
            return line.flatMap { line in
                ExportText.parse(line.drop { $0 != "[" }.dropFirst().prefix { $0 != "]" })
            } ?? []
        }
        let (matrix, size, values) = (list("data"), list("resolution"), list("intrinsics"))
        let rows = matrix.count == 16 ? (0..<3).map { Array(matrix[4 * $0..<4 * $0 + 4]) } : []
        guard size.count == 2, values.count == 4 else { return (Transform(rows: rows), nil) }
        let grid = GridSize(width: Int(size[0]), height: Int(size[1]))
        let camera = CameraIntrinsics(size: grid, fx: values[0], fy: values[1], cx: values[2], cy: values[3])
        return (Transform(rows: rows), camera)
    }
}
