import Codecs
import Platform
import Recording

/// Reads the folders of Stray Scanner, of every version: a table of poses, with depth and confidence of the same number, and
/// the IMU.
enum StraySession {
    static let format = RecordingFormat(
        name: formatName,
        holds: [.images, .depth, .confidence, .motion],
        entryFiles: [StrayOdometry.file, StrayCamera.file],
        recognises: { files in
            files.size(of: StrayOdometry.file) != nil
                && ([StrayCamera.file, video].contains { files.size(of: $0) != nil }
                    || files.folderNames().contains("depth"))
        },
        open: open
    )
    private static let formatName = "Stray Scanner"
    private static let video = "rgb.mp4"

    private static let open: RecordingFormat.Opening = { files, path, options in
        var summary = SessionSummary(name: files.name, format: formatName, frameFile: StrayOdometry.file)
        summary.frameNames.transform = "qw"
        summary.frameNames.intrinsics = "fx"
        var list = FrameList(summary)
        let camera = sharedCamera(files, &list)
        let hasTimes = try readFrames(files, camera, &list)
        var samples: [RecordStream: FrameListSession.Samples] = [:]
        do {
            if let stream = try StrayMotion.stream(files) {
                samples[.motion] = .stream(stream)
            } else if files.size(of: StrayMotion.file) != nil {
                list.note(files.emptyStream(StrayMotion.file))
            } else if let problem = files.absentStream(StrayMotion.file) {
                list.note(problem)
            } else if hasTimes {
                let expected = "\(StrayMotion.file): the app writes it since rows have times"
                list.note(Problem(.streamMissing, file: StrayMotion.file, expected: expected, found: "none"))
            }
        } catch {
            list.note(.unreadable(StrayMotion.file, error))
        }
        var recipe = recipe
        if !hasPictures(files) {
            recipe.video = PairedVideo.find(video, in: files, rows: list.lineCount, mayLackFirst: true, options, &list)
        }
        return try FrameListSession(files, path: path, list: list, recipe: recipe, samples: samples) { summary, found in
            summary.takeDate(inNameOf: files, "the folder's name")
            summary.wallClock.takeModificationTime(of: StrayOdometry.file, in: files, at: summary.lastTime, &found)
        }
    }

    /// True if the pictures were taken out of the video already: then they are used.
    private static func hasPictures(_ files: any SessionFiles) -> Bool {
        !files.names(inFolder: "rgb", limit: 1) { name in
            pictureEndings.contains { name.hasSuffix($0) } && files.size(of: "rgb/\(name)") ?? 0 > 0 ? name : nil
        }.isEmpty
    }

    private static let pictureEndings = [".jpg", ".png", ".jpeg"]

    /// Problems of the file are counted only: newer versions have the camera in each line.
    private static func sharedCamera(_ files: any SessionFiles, _ list: inout FrameList) -> CameraIntrinsics? {
        guard files.entry(StrayCamera.file) != .nothing else { return nil }
        do throws(Problem) {
            return try StrayCamera.read(files.readText(StrayCamera.file, maximumBytes: 1 << 16))
        } catch {
            list.note(error)
            return nil
        }
    }

    /// - Returns: True if rows have times.
    private static func readFrames(
        _ files: any SessionFiles,
        _ camera: CameraIntrinsics?,
        _ list: inout FrameList
    ) throws -> Bool {
        var reader = LineReader(try files.stream(StrayOdometry.file))
        var odometry: StrayOdometry?
        var number = 0
        while let line = try reader.next() {
            switch line {
            case .tooLong(let place, let bytes):
                list.countLine()
                // It is the row of a picture all the same.
                if odometry != nil { number += 1 }
                list.record(LineReader.tooLong(StrayOdometry.file, line: place, bytes: bytes))
            case .text(let place, _):
                do throws(Problem) {
                    // The first line says what the columns are, and may be a frame itself.
                    let (table, isHeader) = try reader.withLine { bytes throws(Problem) in
                        if let odometry { return (odometry, false) }
                        let row = CSVRow(bytes, of: StrayOdometry.file, line: place)
                        return (try StrayOdometry(row, sharedCamera: camera), StrayOdometry.isHeader(row))
                    }
                    odometry = table
                    if isHeader { continue }
                    list.countLine()
                    defer { number += 1 }
                    let frame = try reader.withLine { bytes throws(Problem) in
                        try table.frame(CSVRow(bytes, of: StrayOdometry.file, line: place), number: number)
                    }
                    list.add(frame)
                } catch {
                    list.record(error)
                    reader.countBroken()
                    // Without the names of its columns nothing of the table can be read.
                    if odometry == nil { return false }
                }
            }
        }
        return odometry?.hasTimes ?? false
    }

    private static let recipe = PayloadRecipe(
        imageNames: { frame in pictureEndings.map { "rgb/\(stem(frame))\($0)" } },
        imagePromise: .each,
        videoName: video,
        depth: .init(
            names: { frame in [".png", ".npy"].map { "depth/\(stem(frame))\($0)" } },
            decode: DepthFiles.millimetrePNGOrArray,
            promise: .each
        ),
        confidence: .init(names: { ["confidence/\(stem($0)).png"] }, decode: DepthFiles.grayPNG, promise: .each),
        numberedFiles: [
            ("depth/", ".png"), ("depth/", ".npy"), ("confidence/", ".png"), ("rgb/", ".jpg"), ("rgb/", ".png"),
        ]
    )

    private static func stem(_ frame: FrameReference) -> String { NumberedFile.padded(frame.index, 6) }
}

/// A line of Stray Scanner's odometry.csv, by the names in its header: every generation of the app adds columns.
private struct StrayOdometry {
    static let file = "odometry.csv"

    private static let posed = ["x", "y", "z", "qx", "qy", "qz", "qw"]
    /// The oldest generation has no times: the app recorded 60 frames a second.
    private static let framesPerSecond: Int64 = 60
    /// The largest number whose time in nanoseconds fits.
    private static let largestNumber = 9_000_000_000

    private let columns: CSVColumns
    private let pose: [Int]
    private let camera: [Int]?
    /// The K of all frames, where a line has none.
    private let sharedCamera: CameraIntrinsics?

    var hasTimes: Bool { columns.places(["timestamp"]) != nil }

    /// True if the first line is a header; the oldest files have none.
    static func isHeader(_ row: CSVRow) -> Bool { row.number(0) == nil }

    /// - Throws: a ``Problem`` where a column of the pose is missing.
    init(_ first: CSVRow, sharedCamera: CameraIntrinsics?) throws(Problem) {
        columns = Self.isHeader(first) ? CSVColumns(first) : CSVColumns(Self.posed)
        guard let pose = columns.places(Self.posed) else {
            let header = (0..<min(first.count, 16)).map { first.text($0) }.joined(separator: ", ")
            let expected = "a header with \(Self.posed.joined(separator: ", "))"
            throw Problem(.missingField, file: Self.file, line: 1, expected: expected, found: header)
        }
        self.pose = pose
        camera = columns.places(["fx", "fy", "cx", "cy"])
        self.sharedCamera = sharedCamera
    }

    /// The frame of a line.
    ///
    /// - Parameter number: counts the lines with frames, from 0: the oldest files have neither number nor time.
    func frame(_ row: CSVRow, number: Int) throws(Problem) -> FrameReference {
        FrameReference(
            index: try index(row) ?? number,
            line: row.line,
            time: try time(row, number),
            worldFromCamera: try pose(row),
            intrinsics: try intrinsics(row),
            tracking: .unknown,
            videoRow: number
        )
    }

    /// The number in `000012`, the stem of the frame's files.
    private func index(_ row: CSVRow) throws(Problem) -> Int? {
        guard let column = columns["frame"] else { return nil }
        if let number = NumberedFile.number(of: row.text(column), "", "") { return number }
        throw row.problem(.badField, column, "a whole number", name: "frame")
    }

    private func time(_ row: CSVRow, _ number: Int) throws(Problem) -> Timestamp {
        if let column = columns["timestamp"] { return try row.time(column, .badField, "timestamp") }
        guard number <= Self.largestNumber else {
            let expected = "a number up to \(Self.largestNumber)"
            throw row.problem(.badField, nil, expected, name: "frame", found: "\(number)")
        }
        return Timestamp(nanoseconds: Int64(number) * 1_000_000_000 / Self.framesPerSecond)
    }

    /// The app turns ARKit's camera axes by half a turn about x before it writes them (x right, y down, z forward).
    private func pose(_ row: CSVRow) throws(Problem) -> Transform {
        let n = try row.numbers(pose, .badField, names: Self.posed, "a finite number")
        return try Problem.at(Self.file, line: row.line, "qw") { () throws(Problem) in
            var pose = try Transform(
                recorded: Quaternion(x: n[3], y: n[4], z: n[5], w: n[6]),
                Vector3(n[0], n[1], n[2]),
                expected: "a rigid motion: a place in metres and a unit quaternion qx, qy, qz, qw"
            )
            pose.rotation = pose.rotation * Quaternion(x: 1, y: 0, z: 0, w: 0)
            return pose
        }
    }

    private func intrinsics(_ row: CSVRow) throws(Problem) -> CameraIntrinsics {
        let k = camera?.compactMap { row.number($0) } ?? []
        if k.count == 4 {
            return try Problem.at(Self.file, line: row.line, "fx") { () throws(Problem) in
                try CameraIntrinsics(StrayCamera.size, fx: k[0], fy: k[1], cx: k[2], cy: k[3])
            }
        }
        if let sharedCamera { return sharedCamera }
        let found = camera.map { row.excerpt($0[0]) } ?? "no such column, and no \(StrayCamera.file)"
        throw row.problem(.badIntrinsics, nil, "focal lengths and principal point", name: "fx", found: found)
    }
}

/// Stray Scanner's camera_matrix.csv: K of the last frame, three lines of three numbers, by rows.
private enum StrayCamera {
    static let file = "camera_matrix.csv"
    /// The size of the sensor's images, which K is always of.
    static let size = GridSize(width: 1920, height: 1440)

    static func read(_ bytes: [UInt8]) throws(Problem) -> CameraIntrinsics {
        let expected = "three lines of three numbers, the pinhole matrix of a 1920x1440 image"
        func refused(_ found: String) -> Problem {
            Problem(.badIntrinsics, file: file, expected: expected, found: found)
        }
        let result = bytes.withUnsafeBytes { text in
            Result { () throws(Problem) in
                let lines = text.split(whereSeparator: { $0 == 0x0A }).prefix(4)
                let numbers = lines.flatMap { line in
                    let row = CSVRow(UnsafeRawBufferPointer(rebasing: line), of: file, line: 1)
                    return (0..<min(row.count, 4)).compactMap { row.number($0) }
                }
                guard numbers.count == 9 else { throw refused("\(numbers.count) numbers in \(lines.count) lines") }
                do throws(Problem) {
                    return try CameraIntrinsics(size, fx: numbers[0], fy: numbers[4], cx: numbers[2], cy: numbers[5])
                } catch {
                    throw refused(error.found)
                }
            }
        }
        return try result.get()
    }
}
