import Platform
import Recording

/// Reads captures of Apple's data set ARKitScenes, raw and those of its part for 3D object detection: a list of poses, and
/// pictures, cameras, depth and confidence named by their times.
///
/// Each pose is a frame, with the files within two milliseconds of it. Pictures of some streams come more often: those between
/// poses are left out and counted, and no pose is made up for them.
enum ARKitScenesSession {
    static let format = RecordingFormat(name: formatName, entryFiles: [Names.poses], recognises: recognises, open: open)
    private static let formatName = "ARKitScenes"
    private typealias Names = ARKitScenesNames

    /// Cameras, beside the list of poses or the pictures that it is of.
    @Sendable private static func recognises(_ files: any SessionFiles) -> Bool {
        let folders = files.size(of: Names.poses) != nil ? [] : files.folderNames()
        guard folders.isEmpty || Names.streams.contains(where: folders.contains) else { return false }
        return Names.streams.contains { stream in
            let folder = Names.cameraFolder(stream)
            return !files.names(inFolder: folder, limit: 1) { Names.start(of: $0, Names.cameraEnding) }.isEmpty
        }
    }

    private static let open: RecordingFormat.Opening = { files, path, _ in
        guard let names = Names(files) else {
            throw SessionError.notASession(path: path, found: "no file \(Names.cameraEnding)")
        }
        guard files.entry(Names.poses) != .nothing else {
            let expected = "the poses of the capture, which the data set has as a file of their own"
            throw Problem(.unreadableFile, file: Names.poses, expected: expected, found: "no such file")
        }
        let stream = names.stream(files, times: try times(files))
        var summary = SessionSummary(name: files.name, format: formatName, frameFile: Names.poses)
        summary.frameNames.time = "column 1"
        summary.frameNames.transform = "column 2"
        summary.frameNames.intrinsics = Names.cameraFolder(stream)
        var list = FrameList(summary)
        var posedPictures = 0
        try list.addLines(of: Names.poses, in: files) { bytes, line, _ throws(Problem) in
            let (time, pose) = try Self.pose(bytes, line)
            let number = milliseconds(time)
            let pictures = names.names(stream, number, Names.pictureEnding)
            if pictures.contains(where: { files.size(of: $0) != nil }) { posedPictures += 1 }
            return FrameReference(
                index: number,
                line: line,
                time: time,
                worldFromCamera: pose,
                intrinsics: try camera(number, line, names, stream, files),
                tracking: .unknown
            )
        }
        noteUnposed(stream, posed: posedPictures, files, &list)
        return try FrameListSession(files, path: path, list: list, recipe: recipe(names, stream))
    }

    /// The milliseconds of the poses that read.
    private static func times(_ files: any SessionFiles) throws -> [Int] {
        var times: [Int] = []
        var reader = LineReader(try files.stream(Names.poses))
        while let line = try reader.next() {
            guard case .text(let place, _) = line else { continue }
            let time = reader.withLine { try? pose($0, place).time }
            if let time { times.append(milliseconds(time)) } else { reader.countBroken() }
        }
        return times
    }

    /// A time as the names of files have it.
    private static func milliseconds(_ time: Timestamp) -> Int { Int((time.nanoseconds + 500_000) / 1_000_000) }

    /// A world with z up as one with y up: x, z, -y.
    private static let upright = Quaternion(columns: Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0))
    /// Between camera axes x right, y down, z forward and ARKit's: half a turn about x.
    private static let flipped = Quaternion(x: 1, y: 0, z: 0, w: 0)

    /// A line of poses, with the pose in ARKit's axes: seconds, then camera from world as an axis times an angle in radians and
    /// a translation in metres.
    private static func pose(
        _ bytes: UnsafeRawBufferPointer,
        _ line: Int
    ) throws(Problem) -> (time: Timestamp, worldFromCamera: Transform) {
        let row = CSVRow(separatedByBlanks: bytes, of: Names.poses, line: line)
        guard row.count == 7 else {
            let expected = "seven numbers: seconds, axis times angle in radians, translation in metres"
            throw row.problem(.missingField, nil, expected)
        }
        let time = try row.time(0, .badField)
        let values = try row.numbers(1..<7, .badField, "a finite number")
        let axis = Vector3(values[0], values[1], values[2])
        let angle = axis.length
        // Once around, and a little for rounding.
        guard angle <= 6.3 else {
            let expected = "an axis times an angle of at most 2 pi"
            throw row.problem(.badTransform, 1, expected, found: "a length of \(angle)")
        }
        let cameraFromWorld = try Problem.at(Names.poses, line: line, "column 5") { () throws(Problem) in
            try Transform(
                recorded: angle > 1e-12 ? Quaternion(angleRadians: angle, axis: axis / angle) : .identity,
                Vector3(values[3], values[4], values[5]),
                expected: "a translation in metres"
            )
        }
        var pose = Transform(rotation: upright) * cameraFromWorld.inverse
        pose.rotation = (pose.rotation * flipped).normalized
        return (time, pose)
    }

    private static func camera(
        _ time: Int,
        _ line: Int,
        _ names: Names,
        _ stream: String,
        _ files: any SessionFiles
    ) throws(Problem) -> CameraIntrinsics {
        let folder = Names.cameraFolder(stream)
        let candidates = names.names(folder, time, Names.cameraEnding)
        guard let file = candidates.first(where: { !files.entry($0).isAbsent }) else {
            let expected = "\(candidates.first ?? folder), or one within 2 ms of it"
            throw Problem(.badIntrinsics, file: Names.poses, line: line, expected: expected, found: "no such file")
        }
        let result = try files.readText(file, maximumBytes: 1 << 16).withUnsafeBytes { text in
            Result { () throws(Problem) in try camera(CSVRow(separatedByBlanks: text, of: file, line: 1)) }
        }
        return try result.get()
    }

    /// A .pincam: width, height, fx, fy, cx, cy in one line, for one picture of a stream.
    private static func camera(_ row: CSVRow) throws(Problem) -> CameraIntrinsics {
        guard row.count == 6 else {
            throw row.problem(.badIntrinsics, nil, "six numbers: width, height, fx, fy, cx, cy")
        }
        var k: [Double] = []
        for column in 0..<6 {
            k += try row.numbers([column], .badIntrinsics, "a finite number")
            if column < 2, k[column] != k[column].rounded() || !(1...16_384).contains(k[column]) {
                throw row.problem(.badIntrinsics, column, "a whole number from 1 to 16384")
            }
        }
        let size = GridSize(width: Int(k[0]), height: Int(k[1]))
        return try Problem.at(row.file, line: 1, "column 3") { () throws(Problem) in
            try CameraIntrinsics(size, fx: k[2], fy: k[3], cx: k[4], cy: k[5])
        }
    }

    /// Says once how many pictures of the stream are not those of a pose.
    private static func noteUnposed(_ stream: String, posed: Int, _ files: any SessionFiles, _ list: inout FrameList) {
        let pictures = files.names(inFolder: stream) { Names.start(of: $0, Names.pictureEnding) }.count
        guard pictures > posed else { return }
        let expected = "a pose within 2 ms in \(Names.poses)"
        let found = "none for \(pictures - posed) of \(pictures) pictures"
        let problem = Problem(.pictureWithoutPose, file: stream, expected: expected, found: found)
        list.note(problem, count: pictures - posed)
    }

    private static func recipe(_ names: Names, _ stream: String) -> PayloadRecipe {
        PayloadRecipe(
            imageNames: { names.names(stream, $0.index, Names.pictureEnding) },
            imagePromise: .each,
            depth: .init(
                names: { names.names("lowres_depth", $0.index, Names.pictureEnding) },
                decode: DepthFiles.millimetrePNG,
                promise: .each
            ),
            confidence: .init(
                names: { names.names("confidence", $0.index, Names.pictureEnding) },
                decode: DepthFiles.grayPNG,
                promise: .allOrNone
            )
        )
    }
}

/// The names of the files of an ARKitScenes capture: its number, `_`, seconds with three decimals.
///
/// A name is made from a time: those of one frame differ by a millisecond from stream to stream, and no list of names has to
/// be kept.
private struct ARKitScenesNames: Sendable {
    static let poses = "lowres_wide.traj"
    static let cameraEnding = ".pincam"
    static let pictureEnding = ".png"
    /// Folders of pictures of the camera that poses and depth are of, those of the largest first.
    static let streams = ["wide", "vga_wide", "lowres_wide"]
    /// How far apart the times of the files of one frame may be, in milliseconds, the nearest first.
    private static let offsets = [0, -1, 1, -2, 2]
    /// A folder of files of very many captures is none of them.
    private static let maximumStarts = 64

    /// The number of the capture with its `_`.
    let start: String

    static func cameraFolder(_ stream: String) -> String { "\(stream)_intrinsics" }

    /// The start that most names of cameras have; `nil` where there is no camera.
    init?(_ files: any SessionFiles) {
        var counts: [Substring: Int] = [:]
        for stream in Self.streams {
            for start in files.names(inFolder: Self.cameraFolder(stream), { Self.start(of: $0, Self.cameraEnding) })
            where counts[start] != nil || counts.count < Self.maximumStarts {
                counts[start, default: 0] += 1
            }
        }
        guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
        start = String(most.key)
    }

    /// The part of a name before the time; `nil` for another name.
    static func start(of name: String, _ ending: String) -> Substring? {
        guard name.hasSuffix(ending), !name.hasPrefix(".") else { return nil }
        let stem = name.dropLast(ending.count)
        let time = stem.lastIndex(of: "_").map { stem[stem.index(after: $0)...] } ?? stem
        let parts = time.split(separator: ".", omittingEmptySubsequences: false)
        func isNumber(_ text: Substring) -> Bool { NumberedFile.number(of: String(text), "", "") != nil }
        guard parts.count == 2, parts[1].utf8.count == 3, parts.allSatisfy(isNumber) else { return nil }
        return stem.dropLast(time.count)
    }

    /// The names that the file of a time may have, the nearest first.
    ///
    /// - Parameter milliseconds: from 0, less than 1e13.
    func names(_ folder: String, _ milliseconds: Int, _ ending: String) -> [String] {
        Self.offsets.compactMap { offset in
            let time = milliseconds + offset
            guard time >= 0 else { return nil }
            return "\(folder)/\(start)\(time / 1000).\(NumberedFile.padded(time % 1000, 3))\(ending)"
        }
    }

    /// The stream of pictures that the frames are read with: the largest that has nearly as many of them as any.
    ///
    /// - Parameter times: milliseconds of the poses.
    func stream(_ files: any SessionFiles, times: [Int]) -> String {
        var listing = FolderListing(files)
        func count(withPictures: Bool) -> [Int] {
            Self.streams.map { stream in
                times.count { time in
                    listing.contains(anyOf: names(Self.cameraFolder(stream), time, Self.cameraEnding))
                        && (!withPictures || listing.contains(anyOf: names(stream, time, Self.pictureEnding)))
                }
            }
        }
        var counts = count(withPictures: true)
        // Depth can be used without pictures.
        if counts.allSatisfy({ $0 == 0 }) { counts = count(withPictures: false) }
        let most = counts.max() ?? 0
        guard most > 0, let best = counts.firstIndex(where: { 10 * $0 >= 9 * most }) else {
            return Self.streams[Self.streams.count - 1]
        }
        return Self.streams[best]
    }
}
