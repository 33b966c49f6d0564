import Codecs
import Recording

/// Reads transforms.json of nerfstudio, instant-ngp and NeRFCapture: one JSON object with all frames, which name their
/// pictures and depth.
enum TransformsSession {
    static let format = RecordingFormat(
        name: TransformsDocument.file,
        entryFiles: [TransformsDocument.file],
        recognises: recognises,
        open: open
    )
    private static let maximumBytes = 256 << 20
    /// Files of NeRFCapture and its receivers have ARKit's own axes, and its own count of pixels.
    private static let captureName = "NeRFCapture"
    private static let genericName = "nerfstudio"

    @Sendable private static func recognises(_ files: any SessionFiles) -> Bool {
        let file = TransformsDocument.file
        guard files.size(of: file) != nil, let text = try? files.readText(file, maximumBytes: maximumBytes) else {
            return false
        }
        return text.withUnsafeBytes { bytes in
            guard let values = try? LineValues(bytes, names: [TransformsDocument.frames], file: file, line: nil) else {
                // Damaged text is still known by its words.
                return bytes.mentions("transform_matrix")
            }
            var frames = JSONElements(values[0])
            return frames.next()?.mentions("transform_matrix") ?? false
        }
    }

    private static let open: RecordingFormat.Opening = { files, path, options in
        let (file, table) = (TransformsDocument.file, TransformsDocument.table)
        let text = try files.readText(file, maximumBytes: maximumBytes)
        var summary = SessionSummary(name: files.name, format: genericName, frameFile: file)
        summary.frameNames.transform = "transform_matrix"
        summary.frameNames.intrinsics = "fl_x"
        summary.frameNames.depthSize = "depth_file_path"
        return try text.withUnsafeBytes { bytes in
            let values = try LineValues(bytes, names: TransformsDocument.names, file: file, line: nil)
            let document = try table.read(values)
            guard document.isPinhole else {
                let found = document.camera.isFisheye == true ? "is_fisheye" : document.model ?? ""
                throw Problem(.badIntrinsics, expected: TransformsReader.pinhole, found: found).at(file, "camera_model")
            }
            let frames = JSONElements(values[table.fields.count])
            var reader = TransformsReader(document, files, isCapture: isCapture(document, frames))
            summary.format = reader.isCapture ? captureName : genericName
            var list = FrameList(summary)
            for problem in table.optionalProblems(values) { list.note(problem) }
            reader.read(frames, &list)
            let rate = reader.add(to: &list, framesPerSecond: options.framesPerSecond)
            return try FrameListSession(files, path: path, list: list, recipe: reader.recipe) { summary, found in
                summary.assumedFramesPerSecond = rate
                // Of NeRFCapture's world gravity is known; of others only that z mostly points up.
                if reader.isCapture { summary.worldAlignment = .gravity }
                summary.takeDate(inNameOf: files, "the folder's name")
                for problem in reader.remarks { found.record(problem) }
                guard let rate else { return }
                let (expected, times) = ("seconds that go on for each frame", "none; \(rate) frames a second are taken")
                found.record(Problem(.timesAssumed, expected: expected, found: times).at(file, "timestamp"))
            }
        }
    }

    private static func isCapture(_ document: TransformsDocument, _ frames: JSONElements) -> Bool {
        var frames = frames
        return document.hasPictureDepth || document.depthScale != nil || frames.next()?.mentions("depth_path") ?? false
    }
}

/// Takes the frames of a transforms.json apart and puts them in their order.
private struct TransformsReader {
    let document: TransformsDocument
    let isCapture: Bool
    private let files: any SessionFiles
    private var images = NamedFiles("file_path", usually: imageFolder)
    private var depths = NamedFiles("depth_file_path", usually: "depth")
    private var frames: [(reference: FrameReference, hasTime: Bool)] = []
    /// The size of the first picture that reads, where the file does not say it; looked for once.
    private var firstPictureSize: GridSize??
    private var hasUnusedDepth = false
    /// The places of frames that name no image.
    private var withoutImage: [Int] = []
    private var hasDistortion = false
    private var hasFourthRadius = false
    static let pinhole = "pictures of a pinhole camera (OPENCV, PINHOLE); undistort others first"

    /// x stays, z points up: y takes its place.
    private static let upFromZ = Quaternion(columns: Vector3(1, 0, 0), Vector3(0, 0, -1), Vector3(0, 1, 0))
    /// Depth of NeRFCapture was 256 pixels wide before it was made as large as the picture.
    private static let captureColumns = 256
    private static let imageFolder = "images"

    init(_ document: TransformsDocument, _ files: any SessionFiles, isCapture: Bool) {
        self.document = document
        self.files = files
        self.isCapture = isCapture
    }

    mutating func read(_ elements: JSONElements, _ list: inout FrameList) {
        let all = elements
        var elements = elements
        let scale = document.appliedScale ?? 1
        let table = TransformsFrame.table(translationScale: scale > 0 ? scale : 1)
        var place = 0
        while let text = elements.next() {
            list.countLine()
            do throws(Problem) {
                let (frame, odd) = try TransformsFrame.parse(text, table, place: place)
                for problem in odd { list.note(problem) }
                try add(frame, place: place, &list) { $0.firstSize(all, table) }
            } catch {
                // Its place among the files stays empty.
                if images.count == place { _ = images.append(nil) }
                if depths.count == place { _ = depths.append(nil) }
                list.record(error)
            }
            place += 1
        }
    }

    /// - Parameter pictureSize: gives the size of the recording's pictures.
    private mutating func add(
        _ frame: TransformsFrame,
        place: Int,
        _ list: inout FrameList,
        pictureSize: (inout Self) -> GridSize?
    ) throws(Problem) {
        func field(_ name: String) -> String { "frames[\(place)].\(name)" }
        if let problem = images.append(frame.image) {
            list.note(problem.at(TransformsDocument.file, field(images.field)))
        }
        if frame.image == nil { withoutImage.append(place) }
        if document.depthScale == nil, frame.captureDepth != nil { hasUnusedDepth = true }
        if let problem = depths.append(frame.depth ?? (document.depthScale == nil ? nil : frame.captureDepth)) {
            list.note(problem.at(TransformsDocument.file, field(depths.field)))
        }
        let said = frame.camera.over(document.camera)
        guard said.isFisheye != true else {
            let problem = Problem(.badIntrinsics, expected: Self.pinhole, found: "true")
            throw problem.at(TransformsDocument.file, field("is_fisheye"))
        }
        let picture = said.size == nil ? pictureSize(&self) : nil
        var camera = try Problem.at(TransformsDocument.file, field("fl_x")) { () throws(Problem) in
            try said.intrinsics(picture: picture, countsFromCorner: !isCapture)
        }
        if camera.distortion != nil { hasDistortion = true }
        if said.hasFourthRadius { hasFourthRadius = true }
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
    /// - Parameter framesPerSecond: the rate of the clock that is made up then.
    /// - Returns: that rate, where it was needed.
    mutating func add(to list: inout FrameList, framesPerSecond: Double) -> Double? {
        let times = frames.map(\.reference.time)
        let span = (times.max() ?? Timestamp(nanoseconds: 0)).seconds(since: times.min() ?? Timestamp(nanoseconds: 0))
        // Some files have a time from 0 to 1 over the whole recording, which is no number of seconds.
        let hasTimes = frames.allSatisfy(\.hasTime) && (span > 1 || isCapture)
        if hasTimes {
            frames.sort { ($0.reference.time, $0.reference.index) < ($1.reference.time, $1.reference.index) }
        } else {
            let numbers = frames.compactMap { images.number($0.reference.index) }
            if numbers.count == frames.count {
                let order = frames.indices.sorted { one, other in
                    (numbers[one], frames[one].reference.index) < (numbers[other], frames[other].reference.index)
                }
                frames = order.map { frames[$0] }
            }
            for place in frames.indices {
                let nanoseconds = (Double(place) / framesPerSecond * 1e9).rounded()
                frames[place].reference.time = Timestamp(nanoseconds: Int64(nanoseconds))
            }
        }
        // Frames are numbered by time, as those who pair neighbours by their numbers expect; the line stays the place in the file.
        for (place, index) in frames.map(\.reference.index).sorted().enumerated() {
            frames[place].reference.index = index
            list.add(frames[place].reference)
        }
        frames = []
        var listing = FolderListing(files)
        let remarks = [
            images.find(in: &listing, list: TransformsDocument.file, names: Self.imageNames, endings: Self.endings),
            depths.find(in: &listing, list: TransformsDocument.file),
        ]
        for case let remark? in remarks { list.note(remark) }
        // Files of poses alone name none.
        if withoutImage.count < images.count, let place = withoutImage.first {
            let problem = Problem(.missingImage, expected: "a path, as other frames have one", found: "none")
            list.note(problem.at(TransformsDocument.file, "frames[\(place)].file_path"), count: withoutImage.count)
        }
        return hasTimes ? nil : framesPerSecond
    }

    /// The remarks about the file as a whole.
    var remarks: [Problem] {
        var remarks: [Problem] = []
        if hasDistortion || hasFourthRadius {
            let found = "coefficients other than 0" + (hasFourthRadius ? ", of which k4 is left out" : "")
            let problem = Problem(.lensDistortion, expected: "pictures without lens distortion", found: found)
            remarks.append(problem.at(TransformsDocument.file, hasDistortion ? "k1" : "k4"))
        }
        if hasUnusedDepth {
            let expected = "depth in millimetres (depth_file_path), or integer_depth_scale"
            let problem = Problem(.depthNotMetric, expected: expected, found: "pictures of depth")
            remarks.append(problem.at(TransformsDocument.file, "depth_path"))
        }
        return remarks
    }

    var recipe: PayloadRecipe {
        let scale = document.depthScale.map { Float($0) }
        return PayloadRecipe(
            imageNames: { [images] in images.file($0.line - 1).map(Self.imageNames) ?? [] },
            imagePromise: .each,
            depth: .init(
                names: { [depths] in [depths.file($0.line - 1)].compactMap(\.self) },
                decode: { (bytes) throws(CodecError) in
                    guard let scale else { return try DepthFiles.millimetrePNGOrArray(bytes) }
                    return try DepthFiles.scaledPNG(bytes, metresPerUnit: scale, columns: Self.captureColumns)
                },
                promise: .each
            ),
            gridsAreTurned: true,
            unnamedFiles: isCapture ? .lostFrame : .orphanFile
        )
    }

    private static let endings = [".png", ".jpg", ".jpeg"]

    private static func imageNames(_ path: String) -> [String] {
        let lower = path.lowercased()
        return endings.contains { lower.hasSuffix($0) } ? [path] : endings.map { path + $0 }
    }

    /// The size of the first picture that reads.
    private mutating func firstSize(_ elements: JSONElements, _ table: StreamTable<TransformsFrame>) -> GridSize? {
        if let known = firstPictureSize { return known }
        var elements = elements
        var found: GridSize?
        while found == nil, let text = elements.next() {
            let frame = try? TransformsFrame.parse(text, table, place: 0).frame
            guard let path = frame?.image.flatMap(PathColumn.normalized) else { continue }
            let names = NamedPlace.candidates(Self.imageFolder, endings: Self.endings).flatMap {
                Self.imageNames($0.path(path))
            }
            found = names.lazy.compactMap { [files] in files.pictureSize($0) }.first
        }
        firstPictureSize = .some(found)
        return found
    }
}
