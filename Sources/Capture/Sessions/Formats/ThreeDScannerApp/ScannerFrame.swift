import JSONText
import Recording

/// What a frame_NNNNN.json of 3D Scanner App says: pose and camera, and a location fix where a new one had come.
struct ScannerFrame: Sendable {
    var time = Timestamp(nanoseconds: 0)
    var index: Int?
    var worldFromCamera = Transform.identity
    /// The app keeps no image size: 1920x1440, unless the projection matrix tells another.
    var intrinsics = CameraIntrinsics(width: 1920, height: 1440, fx: 0, fy: 0, cx: 0, cy: 0)
    var exposureSeconds: Double?
    private var projection: [Double] = []

    private var hasFix = true
    private var fixUnixNanoseconds: Int64?
    private var latitude: Double?
    private var longitude: Double?
    private var altitude: Double?
    private var horizontalAccuracy: Double?
    private var verticalAccuracy: Double?

    static let pose = StreamField<ScannerFrame>.required(
        "cameraPoseARFrame",
        .numbers(16, "a rigid motion by rows")
    ) { frame, numbers throws(FieldRefusal) in
        frame.worldFromCamera = try Transform(
            recordedByRows: numbers,
            expected: "16 finite numbers, a rigid motion by rows"
        )
    }

    static let table = StreamTable(
        file: "frame_NNNNN.json",
        blank: ScannerFrame(),
        missing: .missingField,
        bad: .badField,
        [
            .required("time", .captureTime) { $0.time = $1 },
            .optional("frame_index", .wholeNumber) { $0.index = $1 },
            pose,
            // Comes before the intrinsics, whose image size it tells.
            .optional("projectionMatrix", .numbers(16, "a projection by rows")) { $0.projection = $1 },
            .required("intrinsics", .numbers(9, "a pinhole matrix by rows")) { frame, k throws(FieldRefusal) in
                frame.setImageSize(k)
                try frame.intrinsics.setPinhole(fx: k[0], fy: k[4], cx: k[2], cy: k[5])
            },
            .optional("exposureDuration", .number) { $0.exposureSeconds = $1 },
            .optional("hasGPS", .bool) { $0.hasFix = $1 },
            .optional("gpsTime", .nanoseconds("Unix seconds", above: 0)) { $0.fixUnixNanoseconds = $1 },
            .optional("latitude", .latitude) { $0.latitude = $1 },
            .optional("longitude", .longitude) { $0.longitude = $1 },
            .optional("altitude", .metres) { $0.altitude = $1 },
            .optional("horizontalAccuracy", .metres) { $0.horizontalAccuracy = $1 > 0 ? $1 : nil },
            .optional("verticalAccuracy", .metres) { $0.verticalAccuracy = $1 > 0 ? $1 : nil },
        ]
    )

    /// - Returns: the frame, and the optional values that do not read.
    static func parse(_ bytes: [UInt8], file: String) throws(Problem) -> (frame: ScannerFrame, odd: [Problem]) {
        var (frame, odd) = try table.read(bytes, of: file)
        if let exposure = frame.exposureSeconds, !exposure.isFinite { frame.exposureSeconds = nil }
        return (frame, odd)
    }

    /// - Parameter line: the place in the list of frames, from 1.
    func reference(number: Int, line: Int) -> FrameReference {
        FrameReference(
            index: number,
            line: line,
            time: time,
            worldFromCamera: worldFromCamera,
            intrinsics: intrinsics,
            tracking: .unknown,
            exposureSeconds: exposureSeconds
        )
    }

    /// The fix that came with the frame; its time on the session's clock is still that of the frame.
    var fix: LocationSample? {
        guard hasFix, let latitude, let longitude else { return nil }
        var fix = LocationSample(time: time, latitudeDegrees: latitude, longitudeDegrees: longitude)
        fix.unixNanoseconds = fixUnixNanoseconds
        fix.altitudeMetres = altitude
        fix.horizontalAccuracyMetres = horizontalAccuracy
        fix.verticalAccuracyMetres = verticalAccuracy
        return fix
    }

    /// The projection of a W x H image has 2 fx / W and 2 fy / H on its diagonal.
    private mutating func setImageSize(_ k: [Double]) {
        guard projection.count == 16, projection[0] > 0, projection[5] > 0 else { return }
        let (width, height) = (2 * k[0] / projection[0], 2 * k[4] / projection[5])
        let sides = 64.0...16_384
        guard sides.contains(width), sides.contains(height) else { return }
        (intrinsics.width, intrinsics.height) = (Int(width.rounded()), Int(height.rounded()))
    }
}
