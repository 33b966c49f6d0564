import Recording
import TestSupport
import Testing

/// Layouts that the truth can be written in, each by what the reference says of it and by nothing of its reader.
enum RelaidFormat: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case scanner = "3D Scanner App"
    case stray = "Stray Scanner"
    case record3DFolder = "Record3D"
    case record3DContainer = "Record3D, .r3d"
    case polycam = "Polycam"
    case arkitScenes = "ARKitScenes"

    var testDescription: String { rawValue }

    /// As the reader calls it.
    var name: String { self == .record3DContainer ? RelaidFormat.record3DFolder.rawValue : rawValue }

    /// Record3D turns what was recorded with the phone held upright.
    var isPortrait: Bool { self == .record3DFolder || self == .record3DContainer }

    /// By how much depth may differ, in metres: half of its last digit.
    var depthStep: Float {
        switch self {
        case .scanner, .stray, .polycam, .arkitScenes: 0.000_51
        case .record3DFolder: 0.002
        case .record3DContainer: 0
        }
    }

    /// The truth that is laid out.
    var truth: RelaidTruth {
        get async throws {
            if self == .arkitScenes { return try await RelaidTruth.standardPNG.value }
            return try await isPortrait ? RelaidTruth.portrait.value : RelaidTruth.standard.value
        }
    }

    private static let layouts = Dictionary(
        uniqueKeysWithValues: allCases.map { format in (format, Task { format.lay(try await format.truth) }) }
    )

    /// The truth in this layout, made once for all tests that begin with it.
    var laid: Relaid {
        get async throws { try await #require(Self.layouts[self]).value }
    }

    func lay(_ truth: RelaidTruth) -> Relaid {
        switch self {
        case .scanner: Self.scanner(truth)
        case .stray: Self.stray(truth)
        case .record3DFolder: Self.record3D(truth, isContainer: false)
        case .record3DContainer: Self.record3D(truth, isContainer: true)
        case .polycam: Self.polycam(truth)
        case .arkitScenes: Self.arkitScenes(truth)
        }
    }

    /// The files that list frames or samples.
    func texts(_ truth: RelaidTruth) -> [String] {
        switch self {
        case .scanner: ["frame_00003.json"]
        case .stray: ["odometry.csv", "imu.csv", "camera_matrix.csv"]
        case .record3DFolder: ["metadata.json"]
        case .record3DContainer: ["metadata"]
        case .polycam: [Self.polycamFile("cameras", truth.frames[3])]
        case .arkitScenes: ["lowres_wide.traj", Self.sceneFile("vga_wide_intrinsics", truth.frames[3])]
        }
    }

    /// One file of each kind that belongs to frame 3, and one of frame 7; the pictures come first.
    func payloads(_ truth: RelaidTruth) -> [(third: String, seventh: String)] {
        switch self {
        case .scanner:
            [
                ("frame_00003.jpg", "frame_00007.jpg"), ("depth_00003.png", "depth_00007.png"),
                ("conf_00003.png", "conf_00007.png"),
            ]
        case .stray:
            [
                ("rgb/000003.jpg", "rgb/000007.jpg"), ("depth/000003.png", "depth/000007.png"),
                ("confidence/000003.png", "confidence/000007.png"),
            ]
        case .record3DFolder: [("rgb/3.jpg", "rgb/7.jpg"), ("depth/3.exr", "depth/7.exr")]
        case .record3DContainer:
            [("rgbd/3.jpg", "rgbd/7.jpg"), ("rgbd/3.depth", "rgbd/7.depth"), ("rgbd/3.conf", "rgbd/7.conf")]
        case .polycam:
            ["images", "depth", "confidence"].map { kind in
                (Self.polycamFile(kind, truth.frames[3]), Self.polycamFile(kind, truth.frames[7]))
            }
        case .arkitScenes:
            ["vga_wide", "lowres_depth", "confidence"].map { folder in
                (Self.sceneFile(folder, truth.frames[3]), Self.sceneFile(folder, truth.frames[7]))
            }
        }
    }

    static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: digits - text.count) + text
    }

    private static func scanner(_ truth: RelaidTruth) -> Relaid {
        var relaid = Relaid()
        for (index, frame) in truth.frames.enumerated() {
            let number = padded(index, 5)
            let k = frame.camera
            let rows = frame.rows.flatMap { $0 }.map { "\($0)" }.joined(separator: ", ")
            let projection = [
                2 * k.fx / 1920, 0, 1 - 2 * (k.cx + 0.5) / 1920, 0, 0, 2 * k.fy / 1440, 2 * (k.cy + 0.5) / 1440 - 1, 0,
                0,
                0, -1, -0.001, 0, 0, -1, 0,
            ]
            relaid.put(
                """
                {
                  "averageVelocity" : 0, "cameraPoseARFrame" : [\(rows)],
                  "intrinsics" : [\(k.fx), 0, \(k.cx), 0, \(k.fy), \(k.cy), 0, 0, 1],
                  "projectionMatrix" : [\(projection.map { "\($0)" }.joined(separator: ", "))],
                  "time" : \(frame.time.seconds), "frame_index" : \(index), "exposureDuration" : 0.0164
                }
                """,
                "frame_\(number).json"
            )
            if index % 3 == 0 || index == 7 { relaid.files["frame_\(number).jpg"] = frame.image }
            let (width, height) = (frame.depth.width, frame.depth.height)
            relaid.files["depth_\(number).png"] = HandmadePNG.gray16(width: width, height: height, frame.millimetres)
            relaid.files["conf_\(number).png"] = HandmadePNG.gray8(
                width: width,
                height: height,
                frame.depth.confidence ?? []
            )
        }
        relaid.put("{\"title\": \"A scan\", \"numImages\": \(truth.frames.count)}", "info.json")
        return relaid
    }

    private static func stray(_ truth: RelaidTruth) -> Relaid {
        var relaid = Relaid()
        var table = "timestamp, frame, x, y, z, qx, qy, qz, qw\n"
        for (index, frame) in truth.frames.enumerated() {
            let number = padded(index, 6)
            let t = frame.worldFromCamera.translation
            // x right, y down, z forward: half a turn about x, as a product of quaternions written out.
            let q = frame.worldFromCamera.rotation
            let turned = [q.w, q.z, -q.y, -q.x].map { "\($0)" }.joined(separator: ", ")
            table += "\(frame.time.seconds), \(number), \(t.x), \(t.y), \(t.z), \(turned)\n"
            relaid.files["rgb/\(number).jpg"] = frame.image
            let (width, height) = (frame.depth.width, frame.depth.height)
            relaid.files["depth/\(number).png"] = HandmadePNG.gray16(width: width, height: height, frame.millimetres)
            relaid.files["confidence/\(number).png"] = HandmadePNG.gray8(
                width: width,
                height: height,
                frame.depth.confidence ?? []
            )
        }
        relaid.put(table, "odometry.csv")
        if let k = truth.frames.last?.camera {
            relaid.put("\(k.fx), 0.0, \(k.cx)\n0.0, \(k.fy), \(k.cy)\n0.0, 0.0, 1.0", "camera_matrix.csv")
        }
        var samples = "timestamp, a_x, a_y, a_z, alpha_x, alpha_y, alpha_z\n"
        for sample in truth.motion {
            let a = (sample.userAcceleration + sample.gravity) * 9.81
            let w = sample.rotationRate
            samples += "\(sample.time.seconds), \(a.x), \(a.y), \(a.z), \(w.x), \(w.y), \(w.z)\n"
        }
        relaid.put(samples, "imu.csv")
        return relaid
    }
}
