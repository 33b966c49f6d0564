import Recording

/// A line of lowres_wide.traj: seconds, then camera from world as an axis times an angle in radians and a translation in metres.
struct ARKitScenesPose {
    let time: Timestamp
    /// In ARKit's axes.
    let worldFromCamera: Transform

    private static let meaning = "seven numbers: seconds, axis times angle in radians, translation in metres"
    /// A world with z up as one with y up: x, z, -y.
    private static let upright = Quaternion(columns: Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0))
    /// Between camera axes x right, y down, z forward and ARKit's: half a turn about x.
    private static let flipped = Quaternion(x: 1, y: 0, z: 0, w: 0)

    /// As the names of the pose's files have them.
    var milliseconds: Int { Int((time.nanoseconds + 500_000) / 1_000_000) }

    init(_ bytes: UnsafeRawBufferPointer, line: Int) throws(Problem) {
        let row = CSVRow(separatedByBlanks: bytes)
        func problem(_ kind: ProblemKind, _ column: Int?, _ expected: String, _ found: String) -> Problem {
            Problem(
                kind,
                file: ARKitScenesNames.poses,
                line: line,
                field: column.map { "column \($0 + 1)" },
                expected: expected,
                found: found
            )
        }
        guard row.count == 7 else { throw problem(.missingField, nil, Self.meaning, "\(row.count)") }
        guard let time = row.time(0) else { throw problem(.badField, 0, "seconds from 0 to 9.2e9", row.excerpt(0)) }
        var values: [Double] = []
        for column in 1..<7 {
            guard let value = row.number(column) else {
                throw problem(.badField, column, "a finite number", row.excerpt(column))
            }
            values.append(value)
        }
        let axis = Vector3(values[0], values[1], values[2])
        let angle = axis.length
        // Once around, and a little for rounding.
        guard angle <= 6.3 else {
            throw problem(.badTransform, 1, "an axis times an angle of at most 2 pi", "a length of \(angle)")
        }
        do throws(FieldRefusal) {
            let cameraFromWorld = try Transform(
                recorded: angle > 1e-12 ? Quaternion(angleRadians: angle, axis: axis / angle) : .identity,
                Vector3(values[3], values[4], values[5]),
                expected: "a translation in metres"
            )
            let pose = Transform(rotation: Self.upright) * cameraFromWorld.inverse
            worldFromCamera = Transform(
                rotation: (pose.rotation * Self.flipped).normalized,
                translation: pose.translation
            )
        } catch {
            throw problem(error.kind, 4, error.expected, error.found)
        }
        self.time = time
    }
}

/// A .pincam: width, height, fx, fy, cx, cy in one line, for one picture of a stream.
enum ARKitScenesCamera {
    private static let maximumBytes = 1 << 16

    static func read(_ file: String, _ files: any SessionFiles) throws(Problem) -> CameraIntrinsics {
        let result = try files.readText(file, maximumBytes: maximumBytes).withUnsafeBytes { text in
            Result { () throws(Problem) in try parse(CSVRow(separatedByBlanks: text), file) }
        }
        return try result.get()
    }

    private static func parse(_ row: CSVRow, _ file: String) throws(Problem) -> CameraIntrinsics {
        func problem(_ column: Int?, _ expected: String, _ found: String) -> Problem {
            Problem(
                .badIntrinsics,
                file: file,
                line: 1,
                field: column.map { "column \($0 + 1)" },
                expected: expected,
                found: found
            )
        }
        guard row.count == 6 else {
            throw problem(nil, "six numbers: width, height, fx, fy, cx, cy", "\(row.count)")
        }
        var values: [Double] = []
        for column in 0..<6 {
            guard let value = row.number(column) else { throw problem(column, "a finite number", row.excerpt(column)) }
            if column < 2, value != value.rounded() || !(1...16_384).contains(value) {
                throw problem(column, "a whole number from 1 to 16384", row.excerpt(column))
            }
            values.append(value)
        }
        var camera = CameraIntrinsics(width: Int(values[0]), height: Int(values[1]), fx: 0, fy: 0, cx: 0, cy: 0)
        do throws(FieldRefusal) {
            try camera.setPinhole(fx: values[2], fy: values[3], cx: values[4], cy: values[5])
        } catch {
            throw problem(2, error.expected, error.found)
        }
        return camera
    }
}
