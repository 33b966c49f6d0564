import Codecs
import Recording

extension RecordingFormat {
    /// nerfstudio's and instant-ngp's transforms.json; asked late, as converters leave one beside what they converted.
    static let transforms = RecordingFormat(
        TransformsDocument.file,
        entryFiles: [TransformsDocument.file],
        recognises: TransformsSession.recognises,
        openWith: TransformsSession.open
    )
}

/// Reads transforms.json: one JSON object with all frames, which name their pictures and depth.
enum TransformsSession {
    private static let maximumBytes = 256 << 20
    /// What NeRFCapture and its receivers write has ARKit's own axes, and its own count of pixels.
    private static let captureName = "NeRFCapture"
    private static let genericName = "nerfstudio"

    @Sendable static func recognises(_ files: any SessionFiles) -> Bool {
        guard files.size(of: TransformsDocument.file) != nil,
            let text = try? files.readText(TransformsDocument.file, maximumBytes: maximumBytes)
        else { return false }
        return text.withUnsafeBytes { bytes in
            guard
                let values = try? LineValues(
                    bytes,
                    names: [TransformsDocument.frames],
                    file: TransformsDocument.file,
                    line: nil
                )
            else {
                // Damaged text is still known by its words.
                return String(decoding: bytes.prefix(1 << 16), as: UTF8.self).contains("\"transform_matrix\"")
            }
            var frames = JSONElements(values[0])
            guard let first = frames.next() else { return false }
            return String(decoding: first.prefix(1 << 16), as: UTF8.self).contains("\"transform_matrix\"")
        }
    }

    @Sendable static func open(
        _ files: any SessionFiles,
        path: String,
        options: OpeningOptions
    ) throws -> any Session {
        let text = try files.readText(TransformsDocument.file, maximumBytes: maximumBytes)
        var summary = SessionSummary(name: files.name, format: genericName, frameFile: TransformsDocument.file)
        summary.frameNames.transform = "transform_matrix"
        summary.frameNames.intrinsics = "fl_x"
        summary.frameNames.depthSize = "depth_file_path"
        return try text.withUnsafeBytes { bytes in
            let values = try LineValues(
                bytes,
                names: TransformsDocument.names,
                file: TransformsDocument.file,
                line: nil
            )
            let document = try TransformsDocument.table.read(values)
            guard document.isPinhole else {
                throw Problem(
                    .badIntrinsics,
                    file: TransformsDocument.file,
                    field: "camera_model",
                    expected: "pictures of a pinhole camera (OPENCV, PINHOLE); undistort others first",
                    found: document.model ?? ""
                )
            }
            let frames = JSONElements(values[TransformsDocument.table.fields.count])
            var reader = TransformsReader(document, files, isCapture: isCapture(document, frames))
            summary.format = reader.isCapture ? captureName : genericName
            var list = FrameList(summary)
            for problem in TransformsDocument.table.optionalProblems(values) { list.note(problem) }
            reader.read(frames, &list)
            let rate = reader.add(to: &list, framesPerSecond: options.framesPerSecond)
            return try FrameListSession(files, path: path, list: list, recipe: reader.recipe) { summary, found in
                summary.assumedFramesPerSecond = rate
                // Of NeRFCapture's world gravity is known; of others only that z mostly points up.
                if reader.isCapture { summary.worldAlignment = .gravity }
                summary.wallClock.nameSource = ("the folder's name", nil)
                if let date = CalendarDate(inName: files.name) {
                    summary.wallClock.nameDate = (date, summary.firstTime)
                }
                for problem in reader.remarks { found.record(problem) }
                if let rate {
                    found.record(
                        Problem(
                            .timesAssumed,
                            file: TransformsDocument.file,
                            field: "timestamp",
                            expected: "seconds that go on for each frame",
                            found: "none; \(rate) frames a second are taken"
                        )
                    )
                }
            }
        }
    }

    private static func isCapture(_ document: TransformsDocument, _ frames: JSONElements) -> Bool {
        var frames = frames
        if document.hasPictureDepth || document.depthScale != nil { return true }
        guard let first = frames.next() else { return false }
        return String(decoding: first.prefix(1 << 16), as: UTF8.self).contains("\"depth_path\"")
    }
}

/// Takes the frames of a transforms.json apart and puts them in their order.
private struct TransformsReader {
    let document: TransformsDocument
    let isCapture: Bool
    private let files: any SessionFiles
    private var images = PathColumn()
    private var depths = PathColumn()
    private var frames: [(reference: FrameReference, hasTime: Bool)] = []
    /// Of the first picture, where the file does not say it.
    private var pictureSize: GridSize??
    private var hasUnusedDepth = false

    /// x stays, z points up: y takes its place.
    private static let upFromZ = Quaternion(columns: Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0))
    /// Depth of NeRFCapture was 256 pixels wide before it was made as large as the picture.
    private static let captureColumns = 256

    init(_ document: TransformsDocument, _ files: any SessionFiles, isCapture: Bool) {
        self.document = document
        self.files = files
        self.isCapture = isCapture
    }

    mutating func read(_ elements: JSONElements, _ list: inout FrameList) {
        var elements = elements
        let scale = document.appliedScale ?? 1
        let table = TransformsFrame.table(translationScale: scale > 0 ? scale : 1)
        var place = 0
        while let text = elements.next() {
            list.countLine()
            do throws(Problem) {
                let (frame, odd) = try TransformsFrame.parse(text, table, place: place)
                for problem in odd { list.note(problem) }
                try add(frame, place: place, &list)
            } catch {
                // Its place among the files stays empty.
                if images.count == place { images.append(nil) }
                if depths.count == place { depths.append(nil) }
                list.record(error)
            }
            place += 1
        }
    }

    private mutating func add(_ frame: TransformsFrame, place: Int, _ list: inout FrameList) throws(Problem) {
        images.append(inside(frame.image, "file_path", place, &list))
        if document.depthScale == nil, frame.captureDepth != nil { hasUnusedDepth = true }
        let depth = frame.depth ?? (document.depthScale == nil ? nil : frame.captureDepth)
        depths.append(inside(depth, "depth_file_path", place, &list))
        var camera: CameraIntrinsics
        do throws(FieldRefusal) {
            camera = try frame.camera.over(document.camera).intrinsics(
                picture: size(place),
                countsFromCorner: !isCapture
            )
        } catch {
            throw problem(error.kind, "fl_x", place, error.expected, error.found)
        }
        var pose = frame.worldFromCamera
        if !isCapture { pose = Transform(rotation: Self.upFromZ) * pose }
        let isUpright = camera.height > camera.width
        if isUpright {
            pose.rotation = pose.rotation * UprightPicture.fromLandscape
            camera = UprightPicture.landscape(camera)
        }
        let reference = FrameReference(
            index: place,
            line: place + 1,
            time: frame.time ?? Timestamp(nanoseconds: 0),
            worldFromCamera: pose,
            intrinsics: camera,
            tracking: .unknown,
            declaredOrientation: isUpright ? .portrait : .landscapeRight
        )
        frames.append((reference, frame.time != nil))
    }

    /// Hands the frames over in the order of their times; where the file has none, in the order of the pictures' numbers.
    ///
    /// - Parameter framesPerSecond: of the clock that is made up then.
    /// - Returns: that rate, where it was needed.
    mutating func add(to list: inout FrameList, framesPerSecond: Double) -> Double? {
        let times = frames.map(\.reference.time)
        let span = (times.max() ?? Timestamp(nanoseconds: 0)).seconds(since: times.min() ?? Timestamp(nanoseconds: 0))
        // Some files have a time from 0 to 1 over the whole recording, which is no number of seconds.
        let hasTimes = frames.allSatisfy(\.hasTime) && (span > 1 || isCapture)
        if hasTimes {
            frames.sort { ($0.reference.time, $0.reference.index) < ($1.reference.time, $1.reference.index) }
        } else {
            let numbers = images
            if frames.allSatisfy({ numbers.number($0.reference.index) != nil }) {
                frames.sort { one, other in
                    (numbers.number(one.reference.index) ?? 0, one.reference.index)
                        < (numbers.number(other.reference.index) ?? 0, other.reference.index)
                }
            }
            for place in frames.indices {
                frames[place].reference.time = Timestamp(
                    nanoseconds: Int64((Double(place) / framesPerSecond * 1e9).rounded())
                )
            }
        }
        for frame in frames { list.add(frame.reference) }
        frames = []
        return hasTimes ? nil : framesPerSecond
    }

    /// What is worth saying of the file as a whole.
    var remarks: [Problem] {
        var remarks: [Problem] = []
        if document.hasDistortion {
            remarks.append(
                Problem(
                    .distortionIgnored,
                    file: TransformsDocument.file,
                    field: "k1",
                    expected: "pictures without lens distortion",
                    found: "coefficients other than 0"
                )
            )
        }
        if hasUnusedDepth {
            remarks.append(
                Problem(
                    .depthNotMetric,
                    file: TransformsDocument.file,
                    field: "depth_path",
                    expected: "depth in millimetres (depth_file_path), or integer_depth_scale",
                    found: "pictures of depth"
                )
            )
        }
        return remarks
    }

    var recipe: PayloadRecipe {
        let scale = document.depthScale.map { Float($0) }
        return PayloadRecipe(
            imageNames: { [images] in images[$0.index].map(Self.imageNames) ?? [] },
            isImageExpected: true,
            depth: .init(
                names: { [depths] in [depths[$0.index]].compactMap(\.self) },
                decode: { (bytes) throws(CodecError) in
                    guard let scale else { return try DepthFiles.millimetrePNGOrArray(bytes) }
                    return try DepthFiles.scaledPNG(bytes, metresPerUnit: scale, columns: Self.captureColumns)
                },
                isExpected: true
            ),
            gridsAreTurned: true
        )
    }

    private static func imageNames(_ path: String) -> [String] {
        let endings = [".png", ".jpg", ".jpeg"]
        let lower = path.lowercased()
        return endings.contains { lower.hasSuffix($0) } ? [path] : endings.map { path + $0 }
    }

    private mutating func size(_ place: Int) -> GridSize? {
        if document.camera.width != nil, document.camera.height != nil { return nil }
        if let known = pictureSize { return known }
        let found = images[place].map(Self.imageNames)?.lazy.compactMap { [files] name in
            (try? files.readImage(name)).flatMap { try? ImageDecoder().inspect($0, file: name).size }
        }.first
        pictureSize = .some(found)
        return found
    }

    private func inside(_ path: String?, _ field: String, _ place: Int, _ list: inout FrameList) -> String? {
        guard let path else { return nil }
        if let inside = PathColumn.inside(path) { return inside }
        list.note(
            problem(
                .badOptionalField,
                field,
                place,
                "a path below the folder of \(TransformsDocument.file)",
                String(path.prefix(60))
            )
        )
        return nil
    }

    private func problem(
        _ kind: ProblemKind,
        _ field: String,
        _ place: Int,
        _ expected: String,
        _ found: String
    ) -> Problem {
        Problem(
            kind,
            file: TransformsDocument.file,
            field: "frames[\(place)].\(field)",
            expected: expected,
            found: found
        )
    }
}
