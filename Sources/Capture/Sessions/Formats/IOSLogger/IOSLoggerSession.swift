import Recording

extension RecordingFormat {
    /// The text files of ios_logger.
    static let iosLogger = RecordingFormat(
        IOSLoggerSession.formatName,
        entryFiles: [IOSLoggerStreams.poses],
        recognises: IOSLoggerSession.recognises,
        openWith: IOSLoggerSession.open
    )
}

/// Reads the text files of ios_logger: poses at 60 Hz, IMU, fixes, compass, pictures in a video; there is no depth.
enum IOSLoggerSession {
    static let formatName = "ios_logger"
    static let video = "Frames.m4v"

    @Sendable static func recognises(_ files: any SessionFiles) -> Bool {
        guard files.size(of: IOSLoggerStreams.poses) != nil, files.size(of: IOSLoggerStreams.frames) != nil,
            let stream = try? files.stream(IOSLoggerStreams.poses)
        else { return false }
        // One of the first lines may be damaged.
        var reader = LineReader(stream)
        for _ in 0..<8 {
            guard let line = try? reader.next() else { return false }
            guard case .text = line else { continue }
            let isPose = reader.withLine { bytes in
                let row = CSVRow(bytes)
                return row.count == 8 && row.time(0) != nil && (1..<8).allSatisfy { row.number($0) != nil }
            }
            if isPose { return true }
        }
        return false
    }

    @Sendable static func open(
        _ files: any SessionFiles,
        path: String,
        options: OpeningOptions
    ) throws -> any Session {
        var summary = SessionSummary(name: files.name, format: formatName, frameFile: IOSLoggerStreams.poses)
        summary.frameNames.time = "column 1"
        summary.frameNames.transform = "column 5"
        summary.frameNames.intrinsics = "column 3 of \(IOSLoggerStreams.frames)"
        summary.location.file = IOSLoggerStreams.locationFile
        summary.location.unixTime = "column 1"
        var list = FrameList(summary)
        var cameras = IOSLoggerCameras(files)
        try list.addLines(of: IOSLoggerStreams.poses, in: files) { bytes, line, _ throws(Problem) in
            let (time, pose) = try Self.pose(bytes, line: line)
            guard let camera = cameras.camera(at: time) else { throw cameras.missing(line) }
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
        var recipe = PayloadRecipe(imagePromise: .each, videoName: video)
        recipe.video = PairedVideo.find(video, in: files, rows: cameras.finish(), mayLackFirst: false, options, &list)
        let samples: [RecordStream: FrameListSession.Samples] = [
            .motion: .stream(IOSLoggerStreams.motion), .location: .stream(IOSLoggerStreams.locations),
            .heading: .stream(IOSLoggerStreams.headings),
        ].filter { entry in
            guard case .stream(let stream) = entry.value else { return true }
            return files.size(of: stream.file) != nil
        }
        return try FrameListSession(files, path: path, list: list, recipe: recipe, samples: samples)
    }

    /// x, y, z, then the quaternion with its real part first, in ARKit's axes.
    private static func pose(_ bytes: UnsafeRawBufferPointer, line: Int) throws(Problem) -> (Timestamp, Transform) {
        let (time, n) = try IOSLoggerStreams.numbers(bytes, IOSLoggerStreams.poses, line: line, count: 7...7, .badField)
        do throws(FieldRefusal) {
            return (
                time,
                try Transform(
                    recorded: Quaternion(x: n[4], y: n[5], z: n[6], w: n[3]),
                    Vector3(n[0], n[1], n[2]),
                    expected: "a place in metres and a unit quaternion qw, qx, qy, qz"
                )
            )
        } catch {
            throw Problem(
                error.kind,
                file: IOSLoggerStreams.poses,
                line: line,
                field: "column 5",
                expected: error.expected,
                found: error.found
            )
        }
    }
}

/// The cameras of ios_logger's Frames.txt, read beside the poses: each pose has that of the newest picture before it.
struct IOSLoggerCameras {
    private var reader: LineReader?
    private var current: CameraIntrinsics?
    private var upcoming: (time: Timestamp, number: Int?, camera: CameraIntrinsics)?
    /// The newest picture, where no pose has it yet.
    private var waiting: (time: Timestamp, number: Int)?
    /// One more than the largest number of a picture.
    private var pictureCount = 0
    private(set) var problems: [Problem] = []
    private var lastProblem: Problem?

    init(_ files: any SessionFiles) {
        do throws(Problem) {
            reader = LineReader(try files.stream(IOSLoggerStreams.frames))
        } catch {
            problems.append(error)
        }
        upcoming = next()
        current = upcoming?.camera
    }

    /// - Parameter time: not before the times asked for so far, as far as they are in order.
    mutating func camera(at time: Timestamp) -> CameraIntrinsics? {
        while let one = upcoming, one.time <= time {
            current = one.camera
            waiting = one.number.map { (one.time, $0) }
            upcoming = next()
        }
        return current
    }

    /// The number of the picture that was taken at the time of a pose, for one pose only.
    ///
    /// Poses come with each image of the camera, pictures with every other one, both with the time of the image (measured).
    mutating func picture(at time: Timestamp) -> Int? {
        guard let one = waiting, abs(time.seconds(since: one.time)) < 0.002 else { return nil }
        waiting = nil
        return one.number
    }

    /// Reads what is left of the table.
    ///
    /// - Returns: How many pictures it has.
    mutating func finish() -> Int {
        while upcoming != nil { upcoming = next() }
        return pictureCount
    }

    func missing(_ line: Int) -> Problem {
        Problem(
            .badIntrinsics,
            file: IOSLoggerStreams.poses,
            line: line,
            expected: "a camera in \(IOSLoggerStreams.frames)",
            found: lastProblem.map { "\($0)" } ?? "none"
        )
    }

    private mutating func next() -> (time: Timestamp, number: Int?, camera: CameraIntrinsics)? {
        while let line = try? reader?.next() {
            guard let reader else { return nil }
            do throws(Problem) {
                guard case .text(let place, _) = line else {
                    guard case .tooLong(let place, let bytes) = line else { continue }
                    throw LineReader.tooLong(IOSLoggerStreams.frames, line: place, bytes: bytes)
                }
                let one = try reader.withLine { bytes throws(Problem) in try Self.camera(bytes, line: place) }
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
    private static func camera(
        _ bytes: UnsafeRawBufferPointer,
        line: Int
    ) throws(Problem) -> (time: Timestamp, number: Int?, camera: CameraIntrinsics) {
        let (time, n) = try IOSLoggerStreams.numbers(
            bytes,
            IOSLoggerStreams.frames,
            line: line,
            count: 5...5,
            .badField
        )
        var camera = CameraIntrinsics(width: 1920, height: 1440, fx: 0, fy: 0, cx: 0, cy: 0)
        do throws(FieldRefusal) {
            try camera.setPinhole(fx: n[1], fy: n[2], cx: n[3], cy: n[4])
        } catch {
            throw Problem(
                error.kind,
                file: IOSLoggerStreams.frames,
                line: line,
                field: "column 3",
                expected: error.expected,
                found: error.found
            )
        }
        return (time, (0..<1e8).contains(n[0]) ? Int(n[0]) : nil, camera)
    }
}
