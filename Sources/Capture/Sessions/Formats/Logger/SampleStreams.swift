import JSONText
import Recording

/// Reads imu.jsonl: CoreMotion samples at their own rate, one JSON object a line.
enum MotionLine {
    static let file = "imu.jsonl"

    static func parse(_ bytes: UnsafeRawBufferPointer, line: Int) throws(Problem) -> MotionSample {
        let fields = try SampleFields(bytes, file: file, line: line, kind: .badMotionSample)
        let vector = "3 numbers from -1e6 to 1e6"
        return MotionSample(
            time: try fields.required("timestamp", "seconds from 0") { scanner throws(JSONError) in
                try scanner.captureTime()
            },
            userAcceleration: try fields.required("user_acceleration", vector) { scanner throws(JSONError) in
                try scanner.vector3()
            },
            rotationRate: try fields.required("rotation_rate", vector) { scanner throws(JSONError) in
                try scanner.vector3()
            },
            gravity: try fields.required("gravity", vector) { scanner throws(JSONError) in try scanner.vector3() },
            attitude: fields.optional("attitude_quaternion") { scanner throws(JSONError) in
                try scanner.unitQuaternion()
            },
            magneticField: fields.optional("magnetic_field") { scanner throws(JSONError) in try scanner.vector3() }
        )
    }
}

/// Reads imu.csv of the oldest generation: a header line, then thirteen numbers a line.
enum MotionCSVLine {
    static let file = "imu.csv"

    static func isHeader(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.starts(with: "timestamp".utf8)
    }

    static func parse(_ bytes: UnsafeRawBufferPointer, line: Int) throws(Problem) -> MotionSample {
        let cells = bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        // All of them: a line that was cut in a number that is used would read as another number.
        guard cells.count >= 13 else {
            throw Problem(
                .badMotionSample,
                file: file,
                line: line,
                expected: "13 numbers",
                found: "\(cells.count) cells"
            )
        }
        func number(_ column: Int, _ name: String) throws(Problem) -> Double {
            let text = String(decoding: cells[column], as: UTF8.self)
            guard let value = Double(text), abs(value) <= 1e6 else {
                throw Problem(
                    .badMotionSample,
                    file: file,
                    line: line,
                    field: name,
                    expected: "a number from -1e6 to 1e6",
                    found: text
                )
            }
            return value
        }
        func vector(_ column: Int, _ name: String) throws(Problem) -> Vector3 {
            Vector3(
                try number(column, name + "_x"),
                try number(column + 1, name + "_y"),
                try number(column + 2, name + "_z")
            )
        }
        // The text again, not the Double: seconds since boot need all their digits.
        var scanner = JSONScanner(UnsafeRawBufferPointer(rebasing: cells[0]))
        guard let nanoseconds = try? scanner.decimalNanoseconds(), nanoseconds >= 0 else {
            throw Problem(
                .badMotionSample,
                file: file,
                line: line,
                field: "timestamp",
                expected: "seconds from 0",
                found: String(decoding: cells[0].prefix(40), as: UTF8.self)
            )
        }
        return MotionSample(
            time: Timestamp(nanoseconds: nanoseconds),
            userAcceleration: try vector(1, "acc"),
            rotationRate: try vector(4, "gyro"),
            gravity: try vector(7, "gravity")
        )
    }
}

/// Reads gps.jsonl: one location fix a line; a negative value, a place or height accurate to 0 m, or an absent key means
/// not known.
enum LocationLine {
    static let file = "gps.jsonl"

    static func parse(_ bytes: UnsafeRawBufferPointer, line: Int) throws(Problem) -> LocationSample {
        let fields = try SampleFields(bytes, file: file, line: line, kind: .badLocation)
        func degrees(_ name: String, limit: Double) throws(Problem) -> Double {
            try fields.required(name, "degrees from -\(Int(limit)) to \(Int(limit))") { scanner throws(JSONError) in
                let value = try scanner.number()
                return abs(value) <= limit ? value : nil
            }
        }
        func number(_ name: String) -> Double? {
            fields.optional(name) { scanner throws(JSONError) in
                let value = try scanner.number()
                return abs(value) <= 1e9 ? value : nil
            }
        }
        func nonNegative(_ name: String) -> Double? { number(name).flatMap { $0 >= 0 ? $0 : nil } }
        // No place is known to the millimetre: CoreLocation's 0 is a place that is not known.
        func positive(_ name: String) -> Double? { number(name).flatMap { $0 > 0 ? $0 : nil } }
        var sample = LocationSample(
            time: try fields.required("timestamp", "seconds from 0") { scanner throws(JSONError) in
                try scanner.captureTime()
            },
            latitudeDegrees: try degrees("latitude", limit: 90),
            longitudeDegrees: try degrees("longitude", limit: 180)
        )
        sample.unixNanoseconds = fields.optional("unix_time") { scanner throws(JSONError) in
            let time = try scanner.decimalNanoseconds()
            return time > 0 ? time : nil
        }
        sample.altitudeMetres = number("altitude")
        sample.ellipsoidalAltitudeMetres = number("ellipsoidal_altitude")
        sample.horizontalAccuracyMetres = positive("horizontal_accuracy")
        sample.verticalAccuracyMetres = positive("vertical_accuracy")
        sample.speedMetresPerSecond = nonNegative("speed")
        sample.speedAccuracyMetresPerSecond = nonNegative("speed_accuracy")
        sample.courseDegrees = nonNegative("course")
        sample.courseAccuracyDegrees = nonNegative("course_accuracy")
        sample.floor = fields.optional("floor") { scanner throws(JSONError) in Int(try scanner.wholeNumber()) }
        return sample
    }
}

/// The fields of one line of a sample stream, as text.
struct SampleFields {
    let file: String
    let line: Int
    private let kind: ProblemKind
    private var values: [String: UnsafeRawBufferPointer] = [:]
    /// Other values of keys that come again: which one is meant is unknown.
    private var contradictions: [String: UnsafeRawBufferPointer] = [:]

    init(_ bytes: UnsafeRawBufferPointer, file: String, line: Int, kind: ProblemKind) throws(Problem) {
        self.file = file
        self.line = line
        self.kind = kind
        var scanner = JSONScanner(bytes, allowsNonFinite: true)
        do {
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                let name = key.string
                let value = try scanner.rawValue()
                if let earlier = values[name] {
                    if !earlier.elementsEqual(value) { contradictions[name] = value }
                } else {
                    values[name] = value
                }
            }
            try scanner.finish()
        } catch {
            throw Problem(
                .unreadableLine,
                file: file,
                line: line,
                expected: "\(error.expected) at byte \(error.offset) of a JSON object",
                found: error.found
            )
        }
    }

    /// The value as it stands in the line.
    func text(_ name: String) -> UnsafeRawBufferPointer? { values[name] }

    /// Both values of a key that comes twice with different ones, as text.
    func contradiction(_ name: String) -> String? {
        guard let text = values[name], let other = contradictions[name] else { return nil }
        return [text, other].map { String(decoding: $0.prefix(60), as: UTF8.self) }.joined(separator: " and ")
    }

    func required<Value>(
        _ name: String,
        _ expected: String,
        _ read: (inout JSONScanner) throws(JSONError) -> Value?
    ) throws(Problem) -> Value {
        if let value = optional(name, read) { return value }
        if let both = contradiction(name) {
            throw Problem(kind, file: file, line: line, field: name, expected: "the key once", found: both)
        }
        let found = values[name].map { String(decoding: $0.prefix(60), as: UTF8.self) } ?? "no such field"
        throw Problem(kind, file: file, line: line, field: name, expected: expected, found: found)
    }

    func optional<Value>(
        _ name: String,
        _ read: (inout JSONScanner) throws(JSONError) -> Value?
    ) -> Value? {
        guard let text = values[name], contradictions[name] == nil else { return nil }
        var scanner = JSONScanner(text, allowsNonFinite: true)
        return try? read(&scanner)
    }
}
