import Recording

/// Reads the text files of ios_logger: poses at 60 Hz, IMU, fixes, compass, pictures in a video; there is no depth.
///
/// The tables have no header; their cells are separated by commas, Unix time in seconds first.
enum IOSLoggerSession {
    static let format = RecordingFormat(
        name: formatName,
        holds: [.images, .motion, .location],
        entryFiles: [poses],
        recognises: recognises,
        open: open
    )
    private static let formatName = "ios_logger"
    private static let video = "Frames.m4v"
    private static let poses = "ARposes.txt"
    fileprivate static let frames = "Frames.txt"

    @Sendable private static func recognises(_ files: any SessionFiles) -> Bool {
        guard files.size(of: poses) != nil, files.size(of: frames) != nil, let stream = try? files.stream(poses) else {
            return false
        }
        // One of the first lines may be damaged.
        var reader = LineReader(stream)
        for _ in 0..<8 {
            guard let line = try? reader.next() else { return false }
            guard case .text(let place, _) = line else { continue }
            let isPose = reader.withLine { bytes in
                let row = CSVRow(bytes, of: poses, line: place)
                return row.count == 8 && row.time(0) != nil && (1..<8).allSatisfy { row.number($0) != nil }
            }
            if isPose { return true }
        }
        return false
    }

    private static let open: RecordingFormat.Opening = { files, path, options in
        var summary = SessionSummary(name: files.name, format: formatName, frameFile: poses)
        summary.frameNames.time = "column 1"
        summary.frameNames.transform = "column 5"
        summary.frameNames.intrinsics = "column 3 of \(frames)"
        summary.location.file = locations.file
        summary.location.unixTime = "column 1"
        var list = FrameList(summary)
        var cameras = IOSLoggerCameras(files)
        try list.addLines(of: poses, in: files) { bytes, line, _ throws(Problem) in
            let (time, n) = try numbers(CSVRow(bytes, of: poses, line: line), 7...7, .badField)
            // x, y, z, then the quaternion with its real part first, in ARKit's axes.
            let pose = try Problem.at(poses, line: line, "column 5") { () throws(Problem) in
                try Transform(
                    recorded: Quaternion(x: n[4], y: n[5], z: n[6], w: n[3]),
                    Vector3(n[0], n[1], n[2]),
                    expected: "a place in metres and a unit quaternion qw, qx, qy, qz"
                )
            }
            guard let camera = cameras.camera(at: time) else {
                let found = cameras.lastProblem.map { "\($0)" } ?? "none"
                throw Problem(.badIntrinsics, file: poses, line: line, expected: "a camera in \(frames)", found: found)
            }
            let picture = cameras.picture(at: time)
            return FrameReference(
                index: line - 1,
                line: line,
                time: time,
                worldFromCamera: pose,
                intrinsics: camera,
                tracking: .unknown,
                hasImage: picture != nil,
                videoRow: picture
            )
        }
        for problem in cameras.problems { list.note(problem) }
        if let first = cameras.lost.first {
            // Poses that do not read are counted as that.
            let count = cameras.lost.count - (list.lineCount - cameras.poseCount)
            let expected = "a pose of \(first.seconds) s, as \(frames) has an image of it"
            let problem = Problem(.lostFrame, file: poses, expected: expected, found: "none")
            if count > 0 { list.note(problem, count: count) }
        }
        var recipe = PayloadRecipe(imagePromise: .each, videoName: video)
        recipe.video = PairedVideo.find(video, in: files, rows: cameras.finish(), mayLackFirst: false, options, &list)
        let samples: [RecordStream: SampleStream] = [.motion: motion, .location: locations, .heading: headings]
        return try FrameListSession(
            files,
            path: path,
            list: list,
            recipe: recipe,
            samples: samples.mapValues { .stream($0) }
        )
    }

    /// Turn rates, gravity and acceleration without it, all of one time.
    private static let motion = SampleStream(
        file: "MotARH.txt",
        parse: { row throws(Problem) in
            let (time, v) = try numbers(row, 9...10, .badMotionSample)
            return .motion(
                MotionSample(
                    time: time,
                    userAcceleration: Vector3(v[6], v[7], v[8]),
                    rotationRate: Vector3(v[0], v[1], v[2]),
                    gravity: Vector3(v[3], v[4], v[5])
                )
            )
        },
        twins: ["Accel.txt", "Gyro.txt"]
    )

    /// Latitude, longitude, horizontal accuracy, altitude, vertical accuracy, floor, course, speed; negative is not known.
    private static let locations = SampleStream(file: "GPS.txt") { row throws(Problem) in
        let (time, v) = try numbers(row, 5...8, .badLocation)
        guard abs(v[0]) <= 90, abs(v[1]) <= 180 else {
            let expected = "a latitude from -90 to 90 and a longitude from -180 to 180"
            throw row.problem(.badLocation, nil, expected, found: "\(v[0]), \(v[1])")
        }
        var fix = LocationSample(time: time, latitudeDegrees: v[0], longitudeDegrees: v[1])
        fix.unixNanoseconds = time.nanoseconds
        fix.horizontalAccuracyMetres = v[2] > 0 ? v[2] : nil
        fix.altitudeMetres = v[3]
        fix.verticalAccuracyMetres = v[4] > 0 ? v[4] : nil
        if v.count > 6, v[6] >= 0 { fix.courseDegrees = v[6] }
        if v.count > 7, v[7] >= 0 { fix.speedMetresPerSecond = v[7] }
        return .location(fix)
    }

    /// Azimuths against geographic north and against magnetic north, accuracy; negative is not known.
    private static let headings = SampleStream(file: "Head.txt") { row throws(Problem) in
        let (time, v) = try numbers(row, 3...3, .badObservation)
        var sample = HeadingSample(time: time)
        sample.trueDegrees = v[0] >= 0 ? v[0] : nil
        sample.magneticDegrees = v[1] >= 0 ? v[1] : nil
        sample.accuracyDegrees = v[2] >= 0 ? v[2] : nil
        return .heading(sample)
    }

    /// The time of a line and so many numbers behind it.
    ///
    /// A line with more columns is two that have lost the end of line between them.
    fileprivate static func numbers(
        _ row: CSVRow,
        _ count: ClosedRange<Int>,
        _ kind: ProblemKind
    ) throws(Problem) -> (time: Timestamp, values: [Double]) {
        let time = try row.time(0, kind)
        guard row.count <= count.upperBound + 1 else {
            throw row.problem(kind, nil, "at most \(count.upperBound + 1) columns")
        }
        return (time, try row.numbers(1...max(count.lowerBound, row.count - 1), upTo: 1e9, kind, "a number"))
    }
}

/// The cameras of ios_logger's Frames.txt, read beside the poses: each pose has that of the newest picture before it.
private struct IOSLoggerCameras {
    private typealias Row = (time: Timestamp, number: Int?, camera: CameraIntrinsics)
    private static let file = IOSLoggerSession.frames
    private var reader: LineReader?
    private var current: CameraIntrinsics?
    private var upcoming: Row?
    /// The newest row, where no pose has its time yet.
    private var unposed: Timestamp?
    /// Poses that were asked for.
    private(set) var poseCount = 0
    /// Rows whose pose is lost, and the first of them.
    private(set) var lost: (count: Int, first: Timestamp?) = (0, nil)
    /// The newest picture, where no pose has it yet.
    private var waiting: (time: Timestamp, number: Int)?
    /// One more than the largest number of a picture.
    private var pictureCount = 0
    private(set) var problems: [Problem] = []
    private(set) var lastProblem: Problem?

    init(_ files: any SessionFiles) {
        do throws(Problem) {
            reader = LineReader(try files.stream(Self.file))
        } catch {
            problems.append(error)
        }
        upcoming = next()
        current = upcoming?.camera
    }

    /// - Parameter time: not before the times asked for so far, as far as they are in order.
    mutating func camera(at time: Timestamp) -> CameraIntrinsics? {
        poseCount += 1
        while let one = upcoming, one.time <= time {
            current = one.camera
            waiting = one.number.map { (one.time, $0) }
            noteLost()
            unposed = one.time
            upcoming = next()
        }
        if let row = unposed, Self.isOfOneImage(row, time) { unposed = nil }
        return current
    }

    /// The number of the picture that was taken at the time of a pose, for one pose only.
    ///
    /// Poses come with each image of the camera, pictures with every other one, both with the time of the image (measured).
    mutating func picture(at time: Timestamp) -> Int? {
        guard let one = waiting, Self.isOfOneImage(one.time, time) else { return nil }
        waiting = nil
        return one.number
    }

    private static func isOfOneImage(_ row: Timestamp, _ pose: Timestamp) -> Bool {
        abs(pose.seconds(since: row)) < 0.002
    }

    /// Counts a row to which no pose has come.
    private mutating func noteLost() {
        guard let time = unposed else { return }
        lost = (lost.count + 1, lost.first ?? time)
    }

    /// Reads the rest of the table.
    ///
    /// - Returns: How many pictures it has.
    mutating func finish() -> Int {
        while upcoming != nil { upcoming = next() }
        return pictureCount
    }

    private mutating func next() -> Row? {
        while let line = try? reader?.next() {
            guard let reader else { return nil }
            do throws(Problem) {
                guard case .text(let place, _) = line else {
                    guard case .tooLong(let place, let bytes) = line else { continue }
                    throw LineReader.tooLong(Self.file, line: place, bytes: bytes)
                }
                let one = try reader.withLine { bytes throws(Problem) in
                    try Self.row(CSVRow(bytes, of: Self.file, line: place))
                }
                if let number = one.number { pictureCount = max(pictureCount, number + 1) }
                return one
            } catch {
                lastProblem = error
                problems.append(error)
                // A file of something else is not read to its end.
                if problems.count > 1000 { return nil }
            }
        }
        return nil
    }

    /// Number of the picture, fx, fy, cx, cy, for pictures of 1920x1440.
    private static func row(_ row: CSVRow) throws(Problem) -> Row {
        let (time, n) = try IOSLoggerSession.numbers(row, 5...5, .badField)
        let camera = try Problem.at(file, line: row.line, "column 3") { () throws(Problem) in
            try CameraIntrinsics(GridSize(width: 1920, height: 1440), fx: n[1], fy: n[2], cx: n[3], cy: n[4])
        }
        return (time, (0..<1e8).contains(n[0]) ? Int(n[0]) : nil, camera)
    }
}
