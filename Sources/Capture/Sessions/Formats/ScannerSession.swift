import Platform
import Recording

/// Reads the "All Data" export of 3D Scanner App: a JSON file for each pose, with picture, depth and confidence of the
/// same number where there are any.
enum ScannerSession {
    static let format = RecordingFormat(
        name: formatName,
        holds: [.images, .depth, .confidence, .location],
        entryFiles: ["frame_00000.json"],
        recognises: recognises,
        open: open
    )
    private static let formatName = "3D Scanner App"

    /// At least one frame_NNNNN.json has a pose; a few are looked into, as the first may be damaged.
    @Sendable private static func recognises(_ files: any SessionFiles) -> Bool {
        let numbers = files.names(limit: 64) { NumberedFile.number(of: $0, "frame_", ".json") }
        return numbers.sorted().prefix(8).contains { number in
            guard let bytes = try? frameText(number, files) else { return false }
            return String(decoding: bytes, as: UTF8.self).contains("\"\(ScannerFrame.pose.key)\"")
        }
    }

    private static func frameText(_ number: Int, _ files: any SessionFiles) throws(Problem) -> [UInt8] {
        try files.readText(frameFile(number), maximumBytes: 1 << 20)
    }

    private static let open: RecordingFormat.Opening = { files, path, _ in
        var summary = SessionSummary(name: files.name, format: formatName, frameFile: ScannerFrame.table.file)
        summary.frameNames.time = "time"
        summary.frameNames.transform = ScannerFrame.pose.key
        summary.frameNames.intrinsics = "intrinsics"
        summary.frameNames.ownFile = { frameFile($0.index) }
        summary.location.file = ScannerFrame.table.file
        summary.location.unixTime = "gpsTime"
        var list = FrameList(summary)
        var fixes = ScannerFixes()
        // A name with another number of digits is no frame's.
        let numbers = files.names { name in
            NumberedFile.number(of: name, "frame_", ".json").flatMap { name == frameFile($0) ? $0 : nil }
        }
        for number in numbers.sorted() {
            list.countLine()
            do throws(Problem) {
                let frame = try frame(number, files, &list)
                if let fix = frame.fix { fixes.add(fix) }
                list.add(frame.reference(number: number, line: list.lineCount))
            } catch {
                list.record(error)
            }
        }
        return try FrameListSession(
            files,
            path: path,
            list: list,
            recipe: recipe,
            samples: [.location: .list(fixes.samples.map { .location($0) })]
        ) { summary, _ in
            summary.wallClock.locationOffsetNanoseconds = fixes.offsetNanoseconds
            summary.takeDate(inNameOf: files, "the folder's name")
        }
    }

    private static func frame(
        _ number: Int,
        _ files: any SessionFiles,
        _ list: inout FrameList
    ) throws(Problem) -> ScannerFrame {
        let file = frameFile(number)
        let (frame, odd) = try ScannerFrame.table.read(frameText(number, files), of: file)
        if let index = frame.index, index != number {
            let expected = "\(number), as in its name"
            throw Problem(.badField, file: file, field: "frame_index", expected: expected, found: "\(index)")
        }
        for problem in odd { list.note(problem) }
        return frame
    }

    private static let recipe = PayloadRecipe(
        imageNames: { ["frame_\(padded($0)).jpg"] },
        imagePromise: .any,
        depth: .init(names: { ["depth_\(padded($0)).png"] }, decode: DepthFiles.millimetrePNG, promise: .allOrNone),
        confidence: .init(names: { ["conf_\(padded($0)).png"] }, decode: DepthFiles.grayPNG, promise: .allOrNone),
        numberedFiles: [("frame_", ".jpg"), ("depth_", ".png"), ("conf_", ".png")],
        listFile: frameFile
    )

    private static func padded(_ frame: FrameReference) -> String { NumberedFile.padded(frame.index, 5) }

    @Sendable private static func frameFile(_ number: Int) -> String { "frame_\(NumberedFile.padded(number, 5)).json" }
}

/// A frame_NNNNN.json of 3D Scanner App: pose and camera, and a location fix where a new one had come.
private struct ScannerFrame: Sendable {
    private(set) var index: Int?
    private var time = Timestamp(nanoseconds: 0)
    private var worldFromCamera = Transform.identity
    /// The app keeps no image size: 1920x1440, unless the projection matrix tells another.
    private var intrinsics = CameraIntrinsics(width: 1920, height: 1440, fx: 0, fy: 0, cx: 0, cy: 0)
    private var exposureSeconds: Double?
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
    ) { frame, n throws(Problem) in
        frame.worldFromCamera = try Transform(recordedByRows: n, expected: "16 finite numbers, a rigid motion by rows")
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
            .required("intrinsics", .numbers(9, "a pinhole matrix by rows")) { frame, k throws(Problem) in
                let size = frame.imageSize(k)
                frame.intrinsics = try CameraIntrinsics(size, fx: k[0], fy: k[4], cx: k[2], cy: k[5])
            },
            .optional("exposureDuration", .number) { $0.exposureSeconds = $1.isFinite ? $1 : nil },
            .optional("hasGPS", .bool) { $0.hasFix = $1 },
            .optional("gpsTime", .nanoseconds("Unix seconds", above: 0)) { $0.fixUnixNanoseconds = $1 },
            .optional("latitude", .latitude) { $0.latitude = $1 },
            .optional("longitude", .longitude) { $0.longitude = $1 },
            .optional("altitude", .metres) { $0.altitude = $1 },
            .optional("horizontalAccuracy", .metres) { $0.horizontalAccuracy = $1 > 0 ? $1 : nil },
            .optional("verticalAccuracy", .metres) { $0.verticalAccuracy = $1 > 0 ? $1 : nil },
        ]
    )

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

    /// The size of the image: the projection of a W x H image has 2 fx / W and 2 fy / H on its diagonal.
    private func imageSize(_ k: [Double]) -> GridSize {
        guard projection.count == 16, projection[0] > 0, projection[5] > 0 else { return intrinsics.size }
        let (width, height) = (2 * k[0] / projection[0], 2 * k[4] / projection[5])
        let sides = 64.0...16_384
        guard sides.contains(width), sides.contains(height) else { return intrinsics.size }
        return GridSize(width: Int(width.rounded()), height: Int(height.rounded()))
    }
}

/// The location fixes in the frames of 3D Scanner App, and what their Unix times say of the session's clock.
///
/// A fix is some tenths of a second older than the frame that it came with, so that of the differences between its Unix
/// time and the frame's time the largest is nearest to the truth. Fixes are rare, at most one a second: they are kept.
private struct ScannerFixes {
    /// Fixes older than this when they came, against the median, do not tell the clock.
    private static let toleranceNanoseconds: Int64 = 2_000_000_000

    private var fixes: [LocationSample] = []

    /// - Parameter fix: at the time of its frame.
    mutating func add(_ fix: LocationSample) { fixes.append(fix) }

    /// Unix time minus the session's time; `nil` where no fix has a Unix time.
    var offsetNanoseconds: Int64? {
        let offsets = fixes.compactMap { fix in fix.unixNanoseconds.map { $0 &- fix.time.nanoseconds } }.sorted()
        guard let median = offsets.quantile(0.5) else { return nil }
        return offsets.last { $0.subtractingReportingOverflow(median).partialValue <= Self.toleranceNanoseconds }
    }

    /// The fixes at the times at which they were taken, in the order of time.
    var samples: [LocationSample] {
        let offset = offsetNanoseconds
        return fixes.map { fix in
            guard let offset, let unix = fix.unixNanoseconds else { return fix }
            let age = fix.time.nanoseconds &- (unix &- offset)
            // One that claims an impossible age keeps the time of its frame, and a check sees the clock jump.
            guard (0...10_000_000_000).contains(age) else { return fix }
            var moved = fix
            moved.time = Timestamp(nanoseconds: unix &- offset)
            return moved
        }.sorted { $0.time < $1.time }
    }
}
