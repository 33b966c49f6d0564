import JSONText
import Recording

/// What one line of frames.jsonl says: the frame, what it claims of its payloads, and the IMU sample in it.
struct ParsedFrame {
    var frame: FrameReference
    /// `nil` in the oldest generation, which has no such field.
    var hasDepth: Bool?
    var depthResolution: GridSize?
    var relativeDepthResolution: GridSize?
    var motion: MotionSample?
    /// An IMU sample that is there but does not read.
    var motionProblem: Problem?
}

/// Reads lines of frames.jsonl of all three generations of the recording app.
enum FrameParser {
    /// The largest side of an image or grid that is believed.
    static let maximumSide = 16384

    static func parse(_ bytes: UnsafeRawBufferPointer, line: Int) throws(Problem) -> ParsedFrame {
        let fields = try FrameFields(bytes, line: line)
        let index = try fields.required(.frameIndex, "a whole number from 0") { scanner throws(JSONError) in
            let index = try scanner.wholeNumber()
            return (0...999_999_999).contains(index) ? Int(index) : nil
        }
        let time = try fields.required(.timestamp, "seconds from 0 to 9.2e9") { scanner throws(JSONError) in
            try scanner.captureTime()
        }
        let frame = FrameReference(
            index: index,
            line: line,
            time: time,
            worldFromCamera: try transform(fields),
            intrinsics: try intrinsics(fields),
            tracking: tracking(fields),
            declaredOrientation: fields.optional(.deviceOrientation) { scanner throws(JSONError) in
                ImageOrientation(rawValue: try scanner.string())
            },
            exposureSeconds: fields.optional(.exposureDuration) { scanner throws(JSONError) in try scanner.number() },
            sharpness: fields.optional(.frameSharpness) { scanner throws(JSONError) in try scanner.number() }
        )
        let (motion, motionProblem) = motionSample(fields)
        return ParsedFrame(
            frame: frame,
            hasDepth: fields.optional(.hasDepth) { scanner throws(JSONError) in try scanner.bool() },
            depthResolution: fields.optional(.depthResolution) { scanner throws(JSONError) in
                try scanner.gridSize(limit: maximumSide)
            },
            relativeDepthResolution: fields.optional(.relativeDepthResolution) { scanner throws(JSONError) in
                try scanner.gridSize(limit: maximumSide)
            },
            motion: motion,
            motionProblem: motionProblem
        )
    }

    /// Only the time of a line and whether its pose is trusted, much faster than all of it.
    ///
    /// - Returns: `nil` where the line does not read, or has no time.
    static func head(_ bytes: UnsafeRawBufferPointer) -> (time: Timestamp, isTrusted: Bool)? {
        var scanner = JSONScanner(bytes, allowsNonFinite: true)
        var time: Timestamp?
        var word: String?
        do {
            try scanner.beginObject()
            while time == nil || word == nil, let key = try scanner.nextKey() {
                if key == "timestamp" {
                    guard let value = try scanner.captureTime() else { return nil }
                    time = value
                } else if key == "tracking_state" {
                    word = try scanner.string()
                } else {
                    try scanner.skipValue()
                }
            }
        } catch {
            // What reads of an odd line is enough: the line is read as a whole before it becomes a frame.
        }
        return time.map { ($0, trackingState(word).isNormal) }
    }

    /// Only the index of a line; `nil` where it does not read.
    static func index(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var scanner = JSONScanner(bytes, allowsNonFinite: true)
        do {
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                if key == "frame_index" { return Int(try scanner.wholeNumber()) }
                try scanner.skipValue()
            }
        } catch {
            return nil
        }
        return nil
    }

    private static func transform(_ fields: FrameFields) throws(Problem) -> Transform {
        let expected = "16 finite numbers, a rigid motion by columns"
        let numbers = try fields.required(.transform, expected) { scanner throws(JSONError) in
            try scanner.finiteNumbers(16)
        }
        do {
            return try Transform(columnMajor: numbers)
        } catch {
            throw fields.problem(.badTransform, .transform, expected: expected, found: describe(error))
        }
    }

    private static func describe(_ problem: Transform.MatrixProblem) -> String {
        switch problem {
        case .notFinite(let index): "a number that is not finite at place \(index)"
        case .notOrthonormal(let deviation): "axes that deviate by \(rounded(deviation)) from orthonormal"
        case .mirrored: "a mirroring"
        case .lastRow: "a last row other than 0 0 0 1"
        case .farAway(let metres): "a translation of \(rounded(metres)) m"
        }
    }

    private static func rounded(_ value: Double) -> Double { (value * 1e4).rounded() / 1e4 }

    private static func intrinsics(_ fields: FrameFields) throws(Problem) -> CameraIntrinsics {
        let size = try fields.required(.resolution, "[width, height] of 1 to \(maximumSide)") {
            scanner throws(JSONError) in try scanner.gridSize(limit: maximumSide)
        }
        let expected = "9 finite numbers, a pinhole matrix by columns"
        let k = try fields.required(.intrinsics, expected) { scanner throws(JSONError) in
            try scanner.finiteNumbers(9)
        }
        let (width, height) = (Double(size.width), Double(size.height))
        // A lens from 5 degrees to 160: beyond that the numbers belong to another image.
        let focal = 0.08...20
        let isPinhole =
            focal.contains(k[0] / width) && focal.contains(k[4] / width)
            && (-width...2 * width).contains(k[6]) && (-height...2 * height).contains(k[7])
        guard isPinhole else {
            throw fields.problem(
                .badIntrinsics,
                .intrinsics,
                expected: "focal lengths and principal point of a \(size.width)x\(size.height) image",
                found: "fx \(k[0]), fy \(k[4]), cx \(k[6]), cy \(k[7])"
            )
        }
        return CameraIntrinsics(width: size.width, height: size.height, fx: k[0], fy: k[4], cx: k[6], cy: k[7])
    }

    /// All generations' words on one scale.
    ///
    /// An unknown word counts as limited tracking, which is not trusted; a missing one is trusted.
    private static func tracking(_ fields: FrameFields) -> TrackingState {
        trackingState(fields.optional(.trackingState) { scanner throws(JSONError) in try scanner.string() })
    }

    private static func trackingState(_ word: String?) -> TrackingState {
        guard let word else { return .unknown }
        return switch word {
        case "limited_excessive_motion": .limitedMotion
        case "limited_insufficient_features": .limitedFeatures
        case "limited_initializing": .initializing
        case "limited_relocalizing": .relocalizing
        default: TrackingState(rawValue: word) ?? .limited
        }
    }

    private static func motionSample(_ fields: FrameFields) -> (MotionSample?, Problem?) {
        guard fields.has(.imuTimestamp) else { return (nil, nil) }
        do throws(Problem) {
            let vector = "3 numbers from -1e6 to 1e6"
            let sample = MotionSample(
                time: try fields.required(.imuTimestamp, "seconds from 0") { scanner throws(JSONError) in
                    try scanner.captureTime()
                },
                userAcceleration: try fields.required(.userAcceleration, vector) { scanner throws(JSONError) in
                    try scanner.vector3()
                },
                rotationRate: try fields.required(.rotationRate, vector) { scanner throws(JSONError) in
                    try scanner.vector3()
                },
                gravity: try fields.required(.gravity, vector) { scanner throws(JSONError) in try scanner.vector3() },
                attitude: fields.optional(.attitudeQuaternion) { scanner throws(JSONError) in
                    try scanner.unitQuaternion()
                },
                magneticField: fields.optional(.magneticField) { scanner throws(JSONError) in try scanner.vector3() }
            )
            return (sample, nil)
        } catch {
            var problem = error
            problem.kind = .badMotionSample
            return (nil, problem)
        }
    }
}
