import Recording
import Text

/// The streams of the native layout.
extension SampleStream {
    static let motion = SampleStream(MotionLine.table) { .motion($0) }
    static let motionCSV = SampleStream(
        file: MotionCSVLine.file,
        hasEqualTimes: false,
        parse: { bytes, line throws(Problem) in try MotionCSVLine.parse(bytes, line: line).map { .motion($0) } },
        optionalProblems: { _, _ in [] }
    )
    static let locations = SampleStream(LocationLine.table) { .location($0) }
    static let headings = SampleStream(HeadingLine.table) { .heading($0) }
    static let radio = SampleStream(RadioLine.table, hasEqualTimes: true) { .radio($0) }
    static let indoor = SampleStream(IndoorLine.table) { .indoor($0) }

    static let all = [motion, motionCSV, locations, headings, radio, indoor]

    /// The source of a session's records of a stream, where they are in a file of their own.
    static func source(of stream: RecordStream, _ summary: SessionSummary) -> SampleStream? {
        switch stream {
        case .frames: nil
        case .motion: [motion, motionCSV].first { $0.file == summary.motionSource.rawValue }
        case .location: summary.location.count > 0 ? locations : nil
        case .heading: summary.sampleCounts[stream] == nil ? nil : headings
        case .radio: summary.sampleCounts[stream] == nil ? nil : radio
        case .indoor: summary.sampleCounts[stream] == nil ? nil : indoor
        }
    }
}

/// An IMU sample as JSON: a line of imu.jsonl at the IMU's own rate, or a part of a line of frames.jsonl.
enum MotionLine {
    static let table = table(file: "imu.jsonl", time: "timestamp")
    /// Gravity and the acceleration of the user in one, in place of both.
    private static let total: StaticString = "total_acceleration"

    /// The fields of a sample in a line of a file, from a place of the line's fields on.
    static func table(file: String, time: StaticString, firstPlace: Int = 0) -> StreamTable<MotionSample> {
        StreamTable(
            file: file,
            blank: .blank,
            missing: .badMotionSample,
            bad: .badMotionSample,
            firstPlace: firstPlace,
            [
                .required(time, .captureTime) { $0.time = $1 },
                .required("user_acceleration", or: total, .vector) { $0.userAcceleration = $1 },
                .required("rotation_rate", .vector) { $0.rotationRate = $1 },
                .required("gravity", or: total, .vector) { $0.gravity = $1 },
                .required(total, or: "gravity", .vector) { sample, acceleration in
                    guard sample.gravity == .zero else { return }
                    (sample.gravity, sample.userAcceleration) = (acceleration, .zero)
                    sample.separatesGravity = false
                },
                .optional("attitude_quaternion", .unitQuaternion) { $0.attitude = $1 },
                .optional("magnetic_field", .vector) { $0.magneticField = $1 },
            ]
        )
    }
}

extension MotionSample {
    fileprivate static let blank = MotionSample(
        time: Timestamp(nanoseconds: 0),
        userAcceleration: .zero,
        rotationRate: .zero,
        gravity: .zero
    )
}

/// A line of imu.csv of the oldest generation: thirteen numbers, under a header line.
enum MotionCSVLine {
    static let file = "imu.csv"

    /// The time in the first column, these with x, y and z in the next, then three that are not used.
    private static let vectors: [(name: String, set: @Sendable (inout MotionSample, Vector3) -> Void)] = [
        ("acc", { $0.userAcceleration = $1 }),
        ("gyro", { $0.rotationRate = $1 }),
        ("gravity", { $0.gravity = $1 }),
    ]

    /// A sample, or `nil` for the header.
    static func parse(_ bytes: UnsafeRawBufferPointer, line: Int) throws(Problem) -> MotionSample? {
        if bytes.starts(with: "timestamp".utf8) { return nil }
        let cells = bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        func problem(_ field: String?, _ expected: String, _ found: String) -> Problem {
            Problem(.badMotionSample, file: file, line: line, field: field, expected: expected, found: found)
        }
        // All of them: a line that was cut in a number that is used would read as another number.
        guard cells.count >= 13 else { throw problem(nil, "13 numbers", "\(cells.count) cells") }
        // The time is exact to the nanosecond, which a Double is not.
        var scanner = JSONScanner(UnsafeRawBufferPointer(rebasing: cells[0]))
        let kind = FieldKind.captureTime
        guard let time = try? kind.read(&scanner) else {
            throw problem("timestamp", kind.expected, String(decoding: cells[0].prefix(40), as: UTF8.self))
        }
        var sample = MotionSample.blank
        sample.time = time
        for (index, vector) in vectors.enumerated() {
            var values = Vector3.zero
            for (axis, letter) in ["x", "y", "z"].enumerated() {
                let text = String(decoding: cells[1 + 3 * index + axis], as: UTF8.self)
                guard let value = Double(text), abs(value) <= 1e6 else {
                    throw problem("\(vector.name)_\(letter)", "a number from -1e6 to 1e6", text)
                }
                values[axis] = value
            }
            vector.set(&sample, values)
        }
        return sample
    }
}
