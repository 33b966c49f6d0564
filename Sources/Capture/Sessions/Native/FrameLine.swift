import Recording
import Text

/// A line of frames.jsonl: the frame, its claims about its payloads, and the IMU sample in it.
struct ParsedFrame {
    var frame: FrameReference
    /// `nil` where the line does not say; the app never does.
    var hasImage: Bool?
    /// `nil` in the oldest generation, which has no such field.
    var hasDepth: Bool?
    var depthResolution: GridSize?
    var relativeDepthResolution: GridSize?
    var motion: MotionSample?
    /// The problem of an IMU sample that does not read.
    var motionProblem: Problem?
}

/// The lines of frames.jsonl, of all three generations of the recording app.
enum FrameLine {
    static let file = "frames.jsonl"

    typealias Field = StreamField<ParsedFrame>

    static let index = Field.required("frame_index", .wholeNumber("a whole number from 0", 0...999_999_999)) {
        $0.frame.index = $1
    }
    static let time = Field.required("timestamp", .captureTime) { $0.frame.time = $1 }
    static let transform = Field.required("camera_transform", .numbers(16, "a rigid motion by columns")) {
        line,
        m throws(Problem) in
        let expected = "16 finite numbers, a rigid motion by columns"
        line.frame.worldFromCamera = try Transform(recorded: m, expected: expected)
    }
    static let resolution = Field.required("camera_resolution", .gridSize("[width, height] of 1 to 16384")) {
        $0.frame.intrinsics.width = $1.width
        $0.frame.intrinsics.height = $1.height
    }
    /// Comes after the resolution, which it is judged by.
    static let intrinsics = Field.required("camera_intrinsics", .numbers(9, "a pinhole matrix by columns")) {
        line,
        k throws(Problem) in
        let size = line.frame.intrinsics.size
        line.frame.intrinsics = try CameraIntrinsics(size, fx: k[0], fy: k[4], cx: k[6], cy: k[7])
    }
    static let tracking = Field.optional("tracking_state", .text("a word")) {
        $0.frame.tracking = TrackingState(word: $1)
    }
    static let orientation = Field.optional("device_orientation", .word(ImageOrientation.words)) {
        $0.frame.declaredOrientation = $1
    }
    static let hasImage = Field.optional("has_image", .bool) { $0.hasImage = $1 }
    static let hasDepth = Field.optional("has_depth", .bool) { $0.hasDepth = $1 }
    static let depthResolution = Field.optional("depth_resolution", .gridSize()) { $0.depthResolution = $1 }
    static let relativeDepthResolution = Field.optional("relative_depth_resolution", .gridSize()) {
        $0.relativeDepthResolution = $1
    }

    static let table = StreamTable(
        file: file,
        blank: ParsedFrame(
            frame: FrameReference(
                index: 0,
                line: 0,
                time: Timestamp(nanoseconds: 0),
                worldFromCamera: .identity,
                intrinsics: CameraIntrinsics(width: 0, height: 0, fx: 0, fy: 0, cx: 0, cy: 0),
                tracking: .unknown
            )
        ),
        missing: .missingField,
        bad: .badField,
        [
            index, time, transform, resolution, intrinsics, tracking, orientation, hasImage, hasDepth,
            depthResolution, relativeDepthResolution,
            .optional("exposure_duration", .number) { $0.frame.exposureSeconds = $1 },
            .optional("frame_sharpness", .number) { $0.frame.sharpness = $1 },
        ]
    )

    /// The IMU sample of the line, where it has one.
    static let motion = MotionLine.table(file: file, time: "imu_timestamp", firstPlace: table.fields.count)
    static let motionTime = motion.fields[0].key

    private static let names = table.names + motion.names

    static func parse(_ bytes: UnsafeRawBufferPointer, line: Int) throws(Problem) -> ParsedFrame {
        let values = try LineValues(bytes, names: names, file: file, line: line)
        var parsed = try table.read(values)
        parsed.frame.line = line
        guard motion.hasTime(values) else { return parsed }
        do throws(Problem) {
            parsed.motion = try motion.read(values)
        } catch {
            parsed.motionProblem = error
        }
        return parsed
    }

    /// The optional values that do not read, of a line that is a frame.
    static func optionalProblems(_ bytes: UnsafeRawBufferPointer, line: Int) -> [Problem] {
        guard let values = try? LineValues(bytes, names: names, file: file, line: line) else { return [] }
        return table.optionalProblems(values) + motion.optionalProblems(values)
    }

    /// Pitch, yaw and roll of the camera in radians, which a check compares with the transform; `nil` where there are none.
    static func eulerAngles(_ bytes: UnsafeRawBufferPointer, line: Int) -> [Double]? {
        guard let values = try? LineValues(bytes, names: ["camera_euler_angles"], file: file, line: line),
            let text = values[0]
        else { return nil }
        var scanner = JSONScanner(text, allowsNonFinite: true)
        return try? FieldKind.numbers(3, "pitch, yaw, roll").read(&scanner)
    }

    /// Only the time of a line and whether its pose is trusted, much faster than all of it.
    ///
    /// - Returns: `nil` where the line does not read, or has no time.
    static func head(_ bytes: UnsafeRawBufferPointer) -> (time: Timestamp, isTrusted: Bool)? {
        var scanner = JSONScanner(bytes, allowsNonFinite: true)
        var found: Timestamp?
        var word: String?
        do {
            try scanner.beginObject()
            while found == nil || word == nil, let key = try scanner.nextKey() {
                if key == time.name {
                    guard let value = try FieldKind.captureTime.read(&scanner) else { return nil }
                    found = value
                } else if key == tracking.name {
                    word = try scanner.string()
                } else {
                    try scanner.skipValue()
                }
            }
        } catch {
            // What reads of an odd line is enough: the line is read as a whole before it becomes a frame.
        }
        return found.map { ($0, word.map { TrackingState(word: $0) }?.isNormal ?? true) }
    }

    /// Only the index of a line; `nil` where it does not read.
    static func index(of bytes: UnsafeRawBufferPointer) -> Int? {
        var scanner = JSONScanner(bytes, allowsNonFinite: true)
        do {
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                if key == index.name { return Int(try scanner.wholeNumber()) }
                try scanner.skipValue()
            }
        } catch {
            return nil
        }
        return nil
    }
}

extension StreamField<ParsedFrame> {
    /// A problem with this field of a line.
    func problem(_ kind: ProblemKind, _ line: Int, _ expected: String, _ found: String) -> Problem {
        Problem(kind, file: FrameLine.file, line: line, field: key, expected: expected, found: found)
    }
}

extension TrackingState {
    /// The words of all generations on one scale: a word that is not known counts as limited, which is not trusted.
    fileprivate init(word: String) {
        self =
            switch word {
            case "limited_excessive_motion": .limitedMotion
            case "limited_insufficient_features": .limitedFeatures
            case "limited_initializing": .initializing
            case "limited_relocalizing": .relocalizing
            default: TrackingState(rawValue: word) ?? .limited
            }
    }
}

extension ImageOrientation {
    fileprivate static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
