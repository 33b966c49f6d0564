import JSONText
import Recording

/// The fields of one line of frames.jsonl as they stand in the text: the line is sound JSON, no value is judged yet.
///
/// Optional values that do not read cost only themselves; a frame is lost only with a required one. A key that comes twice
/// with different values has none: which one is meant is unknown.
struct FrameFields {
    private let bytes: UnsafeRawBufferPointer
    private let line: Int
    private var values: [18 of UnsafeRawBufferPointer?]
    /// Other values of keys that come again.
    private var contradictions: [(key: Key, text: UnsafeRawBufferPointer)] = []

    enum Key: Int {
        case frameIndex, timestamp, transform, intrinsics, resolution, trackingState, deviceOrientation
        case hasDepth, depthResolution, relativeDepthResolution, exposureDuration, frameSharpness
        case imuTimestamp, userAcceleration, rotationRate, gravity, attitudeQuaternion, magneticField

        /// The keys that are read; every line of a long session passes through here, so no string is made of them.
        init?(_ name: JSONString) {
            switch name {
            case "frame_index": self = .frameIndex
            case "timestamp": self = .timestamp
            case "camera_transform": self = .transform
            case "camera_intrinsics": self = .intrinsics
            case "camera_resolution": self = .resolution
            case "tracking_state": self = .trackingState
            case "device_orientation": self = .deviceOrientation
            case "has_depth": self = .hasDepth
            case "depth_resolution": self = .depthResolution
            case "relative_depth_resolution": self = .relativeDepthResolution
            case "exposure_duration": self = .exposureDuration
            case "frame_sharpness": self = .frameSharpness
            case "imu_timestamp": self = .imuTimestamp
            case "user_acceleration": self = .userAcceleration
            case "rotation_rate": self = .rotationRate
            case "gravity": self = .gravity
            case "attitude_quaternion": self = .attitudeQuaternion
            case "magnetic_field": self = .magneticField
            default: return nil
            }
        }

        var name: String {
            switch self {
            case .frameIndex: "frame_index"
            case .timestamp: "timestamp"
            case .transform: "camera_transform"
            case .intrinsics: "camera_intrinsics"
            case .resolution: "camera_resolution"
            case .trackingState: "tracking_state"
            case .deviceOrientation: "device_orientation"
            case .hasDepth: "has_depth"
            case .depthResolution: "depth_resolution"
            case .relativeDepthResolution: "relative_depth_resolution"
            case .exposureDuration: "exposure_duration"
            case .frameSharpness: "frame_sharpness"
            case .imuTimestamp: "imu_timestamp"
            case .userAcceleration: "user_acceleration"
            case .rotationRate: "rotation_rate"
            case .gravity: "gravity"
            case .attitudeQuaternion: "attitude_quaternion"
            case .magneticField: "magnetic_field"
            }
        }
    }

    static let file = "frames.jsonl"

    /// Reads the line once; every value stays text.
    init(_ bytes: UnsafeRawBufferPointer, line: Int) throws(Problem) {
        self.bytes = bytes
        self.line = line
        values = .init(repeating: nil)
        var scanner = JSONScanner(bytes, allowsNonFinite: true)
        do {
            try scanner.beginObject()
            while let name = try scanner.nextKey() {
                let key = Key(name)
                let value = try scanner.rawValue()
                guard let key else { continue }
                if let earlier = values[key.rawValue] {
                    if !earlier.elementsEqual(value) { contradictions.append((key, value)) }
                } else {
                    values[key.rawValue] = value
                }
            }
            try scanner.finish()
        } catch {
            throw Problem(
                .unreadableLine,
                file: Self.file,
                line: line,
                expected: "\(error.expected) at byte \(error.offset) of a JSON object",
                found: error.found
            )
        }
    }

    func has(_ key: Key) -> Bool { values[key.rawValue] != nil }

    /// The value as it stands in the line.
    func text(_ key: Key) -> UnsafeRawBufferPointer? { values[key.rawValue] }

    /// A required value, or the problem that costs the frame.
    func required<Value>(
        _ key: Key,
        _ expected: String,
        _ read: (inout JSONScanner) throws(JSONError) -> Value?
    ) throws(Problem) -> Value {
        guard let text = values[key.rawValue] else {
            throw problem(.missingField, key, expected: expected, found: "no such field")
        }
        if let other = contradiction(key) {
            throw problem(.badField, key, expected: "the key once", found: other)
        }
        if let value = value(of: text, read) { return value }
        throw problem(.badField, key, expected: expected, found: Self.excerpt(text))
    }

    /// Both values of a key that comes twice with different ones, as text.
    func contradiction(_ key: Key) -> String? {
        guard let other = contradictions.first(where: { $0.key == key }), let text = values[key.rawValue] else {
            return nil
        }
        return "\(Self.excerpt(text)) and \(Self.excerpt(other.text))"
    }

    /// An optional value; `nil` where it is absent or does not read.
    func optional<Value>(_ key: Key, _ read: (inout JSONScanner) throws(JSONError) -> Value?) -> Value? {
        guard contradiction(key) == nil else { return nil }
        return values[key.rawValue].flatMap { value(of: $0, read) }
    }

    func problem(_ kind: ProblemKind, _ key: Key, expected: String, found: String) -> Problem {
        Problem(kind, file: Self.file, line: line, field: key.name, expected: expected, found: found)
    }

    private func value<Value>(
        of text: UnsafeRawBufferPointer,
        _ read: (inout JSONScanner) throws(JSONError) -> Value?
    ) -> Value? {
        var scanner = JSONScanner(text, allowsNonFinite: true)
        return try? read(&scanner)
    }

    /// The value as text, shortened.
    static func excerpt(_ text: UnsafeRawBufferPointer) -> String {
        let limit = 60
        let start = String(decoding: text.prefix(limit), as: UTF8.self)
        return text.count > limit ? start + "…" : start
    }
}

extension JSONScanner {
    /// An array of exactly `count` finite numbers; `nil` where it is anything else.
    mutating func finiteNumbers(_ count: Int) throws(JSONError) -> [Double]? {
        var numbers: [Double] = []
        try beginArray()
        while try nextElement() {
            guard numbers.count < count else { return nil }
            let number = try number()
            guard number.isFinite else { return nil }
            numbers.append(number)
        }
        return numbers.count == count ? numbers : nil
    }

    /// Two positive whole numbers: columns and rows, neither above `limit`.
    mutating func gridSize(limit: Int) throws(JSONError) -> GridSize? {
        guard let numbers = try finiteNumbers(2) else { return nil }
        let isSize = numbers.allSatisfy { $0 >= 1 && $0 <= Double(limit) && $0 == $0.rounded() }
        return isSize ? GridSize(width: Int(numbers[0]), height: Int(numbers[1])) : nil
    }

    /// Three numbers of a size that a phone's sensors may give, so that no product of them overflows later.
    mutating func vector3() throws(JSONError) -> Vector3? {
        guard let numbers = try finiteNumbers(3), numbers.allSatisfy({ abs($0) <= 1e6 }) else { return nil }
        return Vector3(numbers[0], numbers[1], numbers[2])
    }

    /// x, y, z, w of a unit quaternion.
    mutating func unitQuaternion() throws(JSONError) -> Quaternion? {
        guard let numbers = try finiteNumbers(4) else { return nil }
        let q = Quaternion(x: numbers[0], y: numbers[1], z: numbers[2], w: numbers[3])
        return abs(q.norm - 1) < 0.01 ? q.normalized : nil
    }

    /// Seconds on the session's clock, as a number or as a decimal string, exact to the nanosecond.
    ///
    /// Zero up to 10^10 s: time since boot, or Unix time from other writers.
    mutating func captureTime() throws(JSONError) -> Timestamp? {
        let nanoseconds = try decimalNanoseconds()
        return nanoseconds >= 0 ? Timestamp(nanoseconds: nanoseconds) : nil
    }
}
