import Recording

/// A line of Stray Scanner's odometry.csv, by the names in its header: every generation of the app adds columns.
struct StrayOdometry {
    static let file = "odometry.csv"

    /// The names of columns of the oldest files, which have no header.
    private static let oldest = ["x", "y", "z", "qx", "qy", "qz", "qw"]
    /// The oldest generation has no times: the app recorded 60 frames a second.
    private static let framesPerSecond: Int64 = 60
    private static let posed = "a rigid motion: a place in metres and a unit quaternion qx, qy, qz, qw"

    private let columns: CSVColumns
    private let place: [Int]
    private let rotation: [Int]
    private let camera: [Int]?
    /// The K of all frames, where a line has none.
    private let sharedCamera: CameraIntrinsics?

    /// Whether the first line is a header.
    static func isHeader(_ row: CSVRow) -> Bool { row.number(0) == nil }

    /// - Throws: a ``Problem`` where a column of the pose is missing.
    init(_ first: CSVRow, sharedCamera: CameraIntrinsics?) throws(Problem) {
        columns = Self.isHeader(first) ? CSVColumns(first) : CSVColumns(Self.oldest)
        guard let place = columns.places(["x", "y", "z"]), let rotation = columns.places(["qx", "qy", "qz", "qw"])
        else {
            let header = (0..<min(first.count, 16)).map { first.text($0) }.joined(separator: ", ")
            throw Problem(
                .missingField,
                file: Self.file,
                line: 1,
                expected: "a header with x, y, z, qx, qy, qz, qw",
                found: header
            )
        }
        self.place = place
        self.rotation = rotation
        camera = columns.places(["fx", "fy", "cx", "cy"])
        self.sharedCamera = sharedCamera
    }

    /// The frame of a line.
    ///
    /// - Parameters:
    ///   - number: counts the lines with frames, from 0: the oldest files have neither number nor time.
    func frame(_ row: CSVRow, line: Int, number: Int) throws(Problem) -> FrameReference {
        do throws(FieldError) {
            return FrameReference(
                index: try index(row) ?? number,
                line: line,
                time: try time(row, number),
                worldFromCamera: try pose(row),
                intrinsics: try intrinsics(row),
                tracking: .unknown,
                videoRow: number
            )
        } catch {
            throw Problem(
                error.refusal.kind,
                file: Self.file,
                line: line,
                field: error.field,
                expected: error.refusal.expected,
                found: error.refusal.found
            )
        }
    }

    private struct FieldError: Error {
        var field: String
        var refusal: FieldRefusal
    }

    /// `000012`, the stem of the frame's files.
    private func index(_ row: CSVRow) throws(FieldError) -> Int? {
        guard let column = columns["frame"] else { return nil }
        if let number = NumberedFile.number(of: row.text(column), "", "") { return number }
        throw refused("frame", .badField, "a whole number", row.excerpt(column))
    }

    /// Its time in nanoseconds fits.
    private static let largestNumber = 9_000_000_000

    private func time(_ row: CSVRow, _ number: Int) throws(FieldError) -> Timestamp {
        guard let column = columns["timestamp"] else {
            guard number <= Self.largestNumber else {
                throw refused("frame", .badField, "a number up to \(Self.largestNumber)", "\(number)")
            }
            return Timestamp(nanoseconds: Int64(number) * 1_000_000_000 / Self.framesPerSecond)
        }
        if let time = row.time(column) { return time }
        throw refused("timestamp", .badField, "seconds from 0 to 9.2e9", row.excerpt(column))
    }

    /// The app turns ARKit's camera axes by half a turn about x before it writes them (x right, y down, z forward).
    private func pose(_ row: CSVRow) throws(FieldError) -> Transform {
        var numbers: [Double] = []
        for (column, name) in zip(place + rotation, ["x", "y", "z", "qx", "qy", "qz", "qw"]) {
            guard let number = row.number(column) else {
                throw refused(name, .badField, "a finite number", row.excerpt(column))
            }
            numbers.append(number)
        }
        let q = Quaternion(x: numbers[3], y: numbers[4], z: numbers[5], w: numbers[6])
        do throws(FieldRefusal) {
            var pose = try Transform(recorded: q, Vector3(numbers[0], numbers[1], numbers[2]), expected: Self.posed)
            pose.rotation = pose.rotation * Quaternion(x: 1, y: 0, z: 0, w: 0)
            return pose
        } catch {
            throw FieldError(field: "qw", refusal: error)
        }
    }

    private func intrinsics(_ row: CSVRow) throws(FieldError) -> CameraIntrinsics {
        if let camera {
            let k = camera.map { row.number($0) }
            if let fx = k[0], let fy = k[1], let cx = k[2], let cy = k[3] {
                var intrinsics = StrayCamera.blank
                do throws(FieldRefusal) {
                    try intrinsics.setPinhole(fx: fx, fy: fy, cx: cx, cy: cy)
                } catch {
                    throw FieldError(field: "fx", refusal: error)
                }
                return intrinsics
            }
        }
        if let sharedCamera { return sharedCamera }
        let found = camera.map { row.excerpt($0[0]) } ?? "no such column, and no \(StrayCamera.file)"
        throw refused("fx", .badIntrinsics, "focal lengths and principal point", found)
    }

    private func refused(_ field: String, _ kind: ProblemKind, _ expected: String, _ found: String) -> FieldError {
        FieldError(field: field, refusal: FieldRefusal(kind: kind, expected: expected, found: found))
    }
}

/// Stray Scanner's camera_matrix.csv: K of the last frame, three lines of three numbers, by rows.
enum StrayCamera {
    static let file = "camera_matrix.csv"
    /// K is always that of the sensor's image of this size.
    static let blank = CameraIntrinsics(width: 1920, height: 1440, fx: 0, fy: 0, cx: 0, cy: 0)

    static func read(_ bytes: [UInt8]) throws(Problem) -> CameraIntrinsics {
        let result = bytes.withUnsafeBytes { text in
            Result { () throws(Problem) in
                let lines = text.split(whereSeparator: { $0 == 0x0A }).prefix(4)
                let numbers = lines.flatMap { line in
                    let row = CSVRow(UnsafeRawBufferPointer(rebasing: line))
                    return (0..<min(row.count, 4)).compactMap { row.number($0) }
                }
                guard numbers.count == 9 else {
                    throw problem("\(numbers.count) numbers in \(lines.count) lines")
                }
                var intrinsics = blank
                do throws(FieldRefusal) {
                    try intrinsics.setPinhole(fx: numbers[0], fy: numbers[4], cx: numbers[2], cy: numbers[5])
                } catch {
                    throw problem(error.found)
                }
                return intrinsics
            }
        }
        return try result.get()
    }

    private static func problem(_ found: String) -> Problem {
        Problem(
            .badIntrinsics,
            file: file,
            expected: "three lines of three numbers, the pinhole matrix of a 1920x1440 image",
            found: found
        )
    }
}
