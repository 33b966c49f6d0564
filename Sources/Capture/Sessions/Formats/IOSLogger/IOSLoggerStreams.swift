import Recording

/// The tables of ios_logger: no header, cells separated by commas, Unix time in seconds first.
enum IOSLoggerStreams {
    static let poses = "ARposes.txt"
    static let frames = "Frames.txt"
    /// Turn rates, gravity and acceleration without it, all of one time.
    static let motionFile = "MotARH.txt"
    static let locationFile = "GPS.txt"
    static let headingFile = "Head.txt"

    static let motion = SampleStream(
        file: motionFile,
        hasEqualTimes: false,
        parse: { bytes, line throws(Problem) in
            let n = try numbers(bytes, motionFile, line: line, count: 9...10, .badMotionSample)
            return .motion(
                MotionSample(
                    time: n.time,
                    userAcceleration: Vector3(n.values[6], n.values[7], n.values[8]),
                    rotationRate: Vector3(n.values[0], n.values[1], n.values[2]),
                    gravity: Vector3(n.values[3], n.values[4], n.values[5])
                )
            )
        },
        optionalProblems: { _, _ in [] },
        twins: ["Accel.txt", "Gyro.txt"]
    )

    /// Latitude, longitude, horizontal accuracy, altitude, vertical accuracy, floor, course, speed; negative is not known.
    static let locations = SampleStream(
        file: locationFile,
        hasEqualTimes: false,
        parse: { bytes, line throws(Problem) in
            let (time, v) = try numbers(bytes, locationFile, line: line, count: 5...8, .badLocation)
            guard abs(v[0]) <= 90, abs(v[1]) <= 180 else {
                throw Problem(
                    .badLocation,
                    file: locationFile,
                    line: line,
                    expected: "a latitude from -90 to 90 and a longitude from -180 to 180",
                    found: "\(v[0]), \(v[1])"
                )
            }
            var fix = LocationSample(time: time, latitudeDegrees: v[0], longitudeDegrees: v[1])
            fix.unixNanoseconds = time.nanoseconds
            fix.horizontalAccuracyMetres = v[2] > 0 ? v[2] : nil
            fix.altitudeMetres = v[3]
            fix.verticalAccuracyMetres = v[4] > 0 ? v[4] : nil
            if v.count > 6, v[6] >= 0 { fix.courseDegrees = v[6] }
            if v.count > 7, v[7] >= 0 { fix.speedMetresPerSecond = v[7] }
            return .location(fix)
        },
        optionalProblems: { _, _ in [] }
    )

    /// Against geographic north, against magnetic north, accuracy; negative is not known.
    static let headings = SampleStream(
        file: headingFile,
        hasEqualTimes: false,
        parse: { bytes, line throws(Problem) in
            let (time, v) = try numbers(bytes, headingFile, line: line, count: 3...3, .badObservation)
            var sample = HeadingSample(time: time)
            sample.trueDegrees = v[0] >= 0 ? v[0] : nil
            sample.magneticDegrees = v[1] >= 0 ? v[1] : nil
            sample.accuracyDegrees = v[2] >= 0 ? v[2] : nil
            return .heading(sample)
        },
        optionalProblems: { _, _ in [] }
    )

    /// The time of a line and so many numbers behind it.
    ///
    /// A line with more columns is two that have lost the end of line between them.
    static func numbers(
        _ bytes: UnsafeRawBufferPointer,
        _ file: String,
        line: Int,
        count: ClosedRange<Int>,
        _ kind: ProblemKind
    ) throws(Problem) -> (time: Timestamp, values: [Double]) {
        let row = CSVRow(bytes)
        func problem(_ column: Int, _ expected: String) -> Problem {
            Problem(
                kind,
                file: file,
                line: line,
                field: "column \(column + 1)",
                expected: expected,
                found: row.excerpt(column)
            )
        }
        guard let time = row.time(0) else { throw problem(0, "seconds from 0 to 9.2e9") }
        var values: [Double] = []
        guard row.count <= count.upperBound + 1 else {
            throw Problem(
                kind,
                file: file,
                line: line,
                expected: "at most \(count.upperBound + 1) columns",
                found: "\(row.count)"
            )
        }
        for column in 1...max(count.lowerBound, row.count - 1) {
            guard let value = row.number(column), abs(value) <= 1e9 else { throw problem(column, "a number") }
            values.append(value)
        }
        return (time, values)
    }
}
