import Codecs
import Recording
import Text

/// Reads recordings of Record3D, its "EXR + JPG sequence" and its own `.r3d`: one JSON object with all poses, and numbered
/// pictures and depth.
enum Record3DSession {
    static let format = RecordingFormat(name: formatName, recognises: { layout(of: $0) != nil }, open: open)
    private static let formatName = "Record3D"
    /// The metadata of a phone that records for an hour.
    private static let maximumMetadataBytes = 256 << 20

    /// Where the two exports have their files.
    private struct Layout: Sendable {
        var metadata: String
        var isContainer: Bool
    }

    /// - Returns: `nil` for files that are no recording of Record3D.
    private static func layout(of files: any SessionFiles) -> Layout? {
        let folders = files.folderNames()
        for (name, needed, isContainer) in [
            ("metadata.json", ["depth", "rgb"], false), ("metadata", ["rgbd"], true), ("metadata.json", ["rgbd"], true),
        ] where folders.contains(where: needed.contains) && files.size(of: name) != nil {
            guard let text = try? files.readText(name, maximumBytes: maximumMetadataBytes) else { continue }
            let isOurs = text.withUnsafeBytes { bytes in
                let values = try? LineValues(bytes, names: Record3DMetadata.names, file: name, line: nil)
                let places = [Record3DMetadata.table.fields.count, Record3DMetadata.table.fields.count - 1]
                // Damaged text is still known by its words.
                return values.map { values in places.allSatisfy { values[$0] != nil } }
                    ?? ["poses", "frameTimestamps", "K"].contains(where: bytes.mentions)
            }
            if isOurs { return Layout(metadata: name, isContainer: isContainer) }
        }
        return nil
    }

    private static let open: RecordingFormat.Opening = { files, path, _ in
        guard let layout = layout(of: files) else {
            throw SessionError.notASession(path: path, found: "another folder")
        }
        var summary = SessionSummary(name: files.name, format: formatName, frameFile: layout.metadata)
        summary.frameNames.time = Record3DMetadata.times.description
        summary.frameNames.transform = Record3DMetadata.poses.description
        summary.frameNames.intrinsics = "K"
        summary.frameNames.depthSize = "dw"
        var list = FrameList(summary)
        var startsLevel = true
        let text = try files.readText(layout.metadata, maximumBytes: maximumMetadataBytes)
        let metadata = try text.withUnsafeBytes { bytes in
            let values = try LineValues(bytes, names: Record3DMetadata.names, file: layout.metadata, line: nil)
            let metadata = try Record3DMetadata.table.read(values)
            for problem in Record3DMetadata.table.optionalProblems(values) { list.note(problem) }
            var frames = Record3DFrames(metadata, values, file: layout.metadata)
            while let frame = frames.next() {
                list.countLine()
                switch frame {
                case .success(let frame):
                    if frame.line == 1 { startsLevel = !isFirstOfOldFiles(frame) }
                    list.add(frame)
                case .failure(let problem): list.record(problem)
                }
            }
            return metadata
        }
        return try FrameListSession(files, path: path, list: list, recipe: recipe(layout, metadata)) { summary, found in
            // Old versions began the world at the first camera, and lost gravity with that.
            if !startsLevel { summary.worldAlignment = .camera }
            summary.takeDate(inNameOf: files, "the recording's name")
            summary.wallClock.takeModificationTime(of: layout.metadata, in: files, at: summary.lastTime, &found)
        }
    }

    /// True if the stored pose is none at all: turned back, a portrait one is that of the turn.
    private static func isFirstOfOldFiles(_ frame: FrameReference) -> Bool {
        let turn = frame.declaredOrientation == .portrait ? UprightPicture.fromLandscape : .identity
        return (turn.inverse * frame.worldFromCamera.rotation).angleRadians < 1e-5
            && frame.worldFromCamera.translation.length < 1e-6
    }

    private static func recipe(_ layout: Layout, _ metadata: Record3DMetadata) -> PayloadRecipe {
        let folder = layout.isContainer ? "rgbd" : "rgb"
        var recipe = PayloadRecipe(
            imageNames: { frame in [".jpg", ".png"].map { "\(folder)/\(frame.index)\($0)" } },
            imagePromise: .each,
            gridsAreTurned: true
        )
        guard layout.isContainer else {
            recipe.depth = .init(names: { ["depth/\($0.index).exr"] }, decode: DepthFiles.metresEXR, promise: .each)
            recipe.numberedFiles = [("rgb/", ".jpg"), ("depth/", ".exr")]
            return recipe
        }
        let size = GridSize(width: metadata.depthWidth, height: metadata.depthHeight)
        let isPortrait = metadata.isPortrait
        recipe.depth = .init(
            names: { ["rgbd/\($0.index).depth"] },
            decode: { (bytes) throws(CodecError) in
                try DepthFiles.compressedMetres(bytes, size: size, isPortrait: isPortrait)
            },
            promise: .each
        )
        recipe.confidence = .init(
            names: { ["rgbd/\($0.index).conf"] },
            decode: { (bytes) throws(CodecError) in
                try DepthFiles.compressedBytes(bytes, size: size, isPortrait: isPortrait)
            },
            promise: .allOrNone
        )
        recipe.numberedFiles = [("rgbd/", ".jpg"), ("rgbd/", ".depth"), ("rgbd/", ".conf")]
        return recipe
    }
}

/// The JSON object `metadata.json` or `metadata` of Record3D about all frames: cameras, poses, times.
private struct Record3DMetadata: Sendable {
    /// The size of the stored pictures.
    var width = 0
    var height = 0
    /// The size of the stored depth; `nil` in old files.
    var depthWidth: Int?
    var depthHeight: Int?
    var framesPerSecond: Double?
    /// The pinhole matrix of the stored pictures, by columns.
    var camera: [Double]?

    /// Recordings with the phone upright are stored turned by 90 degrees clockwise, poses and cameras with them.
    var isPortrait: Bool { height > width }

    /// The rates of cameras: times of others may not fit into a number.
    private static let rates = 0.01...1000

    static let table = StreamTable(
        file: "metadata.json",
        blank: Record3DMetadata(),
        missing: .missingField,
        bad: .badField,
        [
            .required("w", .side) { $0.width = $1 },
            .required("h", .side) { $0.height = $1 },
            .optional("dw", .wholeNumber("a whole number from 1 to 2048", 1...2048)) { $0.depthWidth = $1 },
            .optional("dh", .wholeNumber("a whole number from 1 to 2048", 1...2048)) { $0.depthHeight = $1 },
            .optional("fps", .number) { $0.framesPerSecond = rates.contains($1) ? $1 : nil },
            .optional("K", .numbers(9, "a pinhole matrix by columns")) { $0.camera = $1 },
        ]
    )
    static let poses: StaticString = "poses"
    static let times: StaticString = "frameTimestamps"
    static let cameras: StaticString = "perFrameIntrinsicCoeffs"
    static let names = table.names + [poses, times, cameras]
    static let pose = FieldKind<[Double]>.numbers(7, "qx, qy, qz, qw, x, y, z")
    static let coefficients = FieldKind<[Double]>.numbers(4, "fx, fy, cx, cy")
}

/// The frames in Record3D's metadata, read in one pass over its three arrays side by side.
private struct Record3DFrames {
    private let metadata: Record3DMetadata
    private let file: String
    private var index = 0
    /// True if no pose differs from the one that stands for none: the front camera's recordings have no tracking.
    private let isUntracked: Bool
    private var poses: JSONElements
    private var times: JSONElements
    private var cameras: JSONElements

    /// - Parameters:
    ///   - values: those of ``Record3DMetadata/names``.
    init(_ metadata: Record3DMetadata, _ values: LineValues, file: String) {
        self.metadata = metadata
        self.file = file
        let first = Record3DMetadata.table.fields.count
        poses = JSONElements(values[first])
        times = JSONElements(values[first + 1])
        cameras = JSONElements(values[first + 2])
        var all = poses
        var count = 0
        var isUntracked = true
        while isUntracked, let pose = all.next(Record3DMetadata.pose) {
            count += 1
            if let pose, pose != [0, 0, 0, 1, 0, 0, 0] { isUntracked = false }
        }
        self.isUntracked = isUntracked && count > 1
    }

    /// The next frame, or what is wrong with it; `nil` at the end.
    mutating func next() -> Result<FrameReference, Problem>? {
        guard let pose = poses.next(Record3DMetadata.pose) else { return nil }
        let time = times.isThere ? times.next(.captureTime) : nil
        let camera = cameras.isThere ? cameras.next(Record3DMetadata.coefficients) : nil
        defer { index += 1 }
        return Result { () throws(Problem) in
            FrameReference(
                index: index,
                line: index + 1,
                time: try self.time(time),
                worldFromCamera: try self.pose(pose),
                intrinsics: try intrinsics(camera),
                tracking: isUntracked ? .notAvailable : .unknown,
                declaredOrientation: metadata.isPortrait ? .portrait : .landscapeRight
            )
        }
    }

    private func time(_ value: Timestamp??) throws(Problem) -> Timestamp {
        if times.isThere {
            if case .some(.some(let time)) = value { return time }
            throw problem(.badField, Record3DMetadata.times, "seconds for each pose", "none for pose \(index)")
        }
        guard let rate = metadata.framesPerSecond else {
            throw problem(.missingField, Record3DMetadata.times, "frameTimestamps, or fps from 0.01 to 1000", "neither")
        }
        return Timestamp(nanoseconds: Int64((Double(index) / rate * 1e9).rounded()))
    }

    /// World from camera in ARKit's camera axes, but of the picture as it is stored.
    private func pose(_ numbers: [Double]?) throws(Problem) -> Transform {
        guard let n = numbers else {
            throw problem(.badTransform, Record3DMetadata.poses, Record3DMetadata.pose.expected, "another value")
        }
        return try Problem.at(file, field(Record3DMetadata.poses)) { () throws(Problem) in
            let rotation = Quaternion(x: n[0], y: n[1], z: n[2], w: n[3])
            let expected = "a unit quaternion and a place in metres"
            var pose = try Transform(recorded: rotation, Vector3(n[4], n[5], n[6]), expected: expected)
            if metadata.isPortrait { pose.rotation = pose.rotation * UprightPicture.fromLandscape }
            return pose
        }
    }

    private func intrinsics(_ coefficients: [Double]??) throws(Problem) -> CameraIntrinsics {
        let (name, stored): (StaticString, [Double])
        if case .some(.some(let own)) = coefficients {
            (name, stored) = (Record3DMetadata.cameras, own)
        } else if let k = metadata.camera {
            (name, stored) = ("K", [k[0], k[4], k[6], k[7]])
        } else {
            throw problem(.badIntrinsics, "K", "a pinhole matrix by columns", "none")
        }
        let size = GridSize(width: metadata.width, height: metadata.height)
        let picture = try Problem.at(file, field(name)) { () throws(Problem) in
            try CameraIntrinsics(size, fx: stored[0], fy: stored[1], cx: stored[2], cy: stored[3])
        }
        return metadata.isPortrait ? UprightPicture.landscape(picture) : picture
    }

    private func field(_ name: StaticString) -> String { "\(name)[\(index)]" }

    private func problem(_ kind: ProblemKind, _ name: StaticString, _ expected: String, _ found: String) -> Problem {
        Problem(kind, file: file, field: field(name), expected: expected, found: found)
    }
}
