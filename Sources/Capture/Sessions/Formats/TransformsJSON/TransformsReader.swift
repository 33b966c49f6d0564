import Codecs
import Recording

/// Takes the frames of a transforms.json apart and puts them in their order.
struct TransformsReader {
    let document: TransformsDocument
    let isCapture: Bool
    private let files: any SessionFiles
    private var images = PathColumn()
    private var depths = PathColumn()
    private var frames: [(reference: FrameReference, hasTime: Bool)] = []
    private(set) var imagePlace = NamedPlace.asNamed
    private(set) var depthPlace = NamedPlace.asNamed
    /// Of the first picture that reads, where the file does not say it; looked for once.
    private var firstPictureSize: GridSize??
    private var hasUnusedDepth = false

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
                if images.count == place { images.append(nil) }
                if depths.count == place { depths.append(nil) }
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
        images.append(named(frame.image, "file_path", place, &list))
        if document.depthScale == nil, frame.captureDepth != nil { hasUnusedDepth = true }
        let depth = frame.depth ?? (document.depthScale == nil ? nil : frame.captureDepth)
        depths.append(named(depth, "depth_file_path", place, &list))
        var camera: CameraIntrinsics
        do throws(FieldRefusal) {
            let said = frame.camera.over(document.camera)
            camera = try said.intrinsics(
                picture: said.size == nil ? pictureSize(&self) : nil,
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
        findFiles(&list)
        return hasTimes ? nil : framesPerSecond
    }

    /// Looks where the files are that the frames name.
    private mutating func findFiles(_ list: inout FrameList) {
        var listing = FolderListing(files)
        imagePlace = images.place(usually: Self.imageFolder, in: &listing, names: Self.imageNames)
        depthPlace = depths.place(usually: "depth", in: &listing)
        for (column, place, field) in [(images, imagePlace, "file_path"), (depths, depthPlace, "depth_file_path")] {
            if let remark = column.remark(place, file: TransformsDocument.file, field: field) { list.note(remark) }
        }
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
        let (imagePlace, depthPlace) = (imagePlace, depthPlace)
        return PayloadRecipe(
            imageNames: { [images] in images[$0.index].map { Self.imageNames(imagePlace.path($0)) } ?? [] },
            imagePromise: .each,
            depth: .init(
                names: { [depths] in [depths[$0.index].map(depthPlace.path)].compactMap(\.self) },
                decode: { (bytes) throws(CodecError) in
                    guard let scale else { return try DepthFiles.millimetrePNGOrArray(bytes) }
                    return try DepthFiles.scaledPNG(bytes, metresPerUnit: scale, columns: Self.captureColumns)
                },
                promise: .each
            ),
            gridsAreTurned: true
        )
    }

    private static func imageNames(_ path: String) -> [String] {
        let endings = [".png", ".jpg", ".jpeg"]
        let lower = path.lowercased()
        return endings.contains { lower.hasSuffix($0) } ? [path] : endings.map { path + $0 }
    }

    /// Of the first picture that reads.
    private mutating func firstSize(_ elements: JSONElements, _ table: StreamTable<TransformsFrame>) -> GridSize? {
        if let known = firstPictureSize { return known }
        var elements = elements
        var found: GridSize?
        while found == nil, let text = elements.next() {
            let frame = try? TransformsFrame.parse(text, table, place: 0).frame
            guard let path = frame?.image.flatMap(PathColumn.normalized) else { continue }
            let names = NamedPlace.candidates(Self.imageFolder).flatMap { Self.imageNames($0.path(path)) }
            found = names.lazy.compactMap { [files] in files.pictureSize($0) }.first
        }
        firstPictureSize = .some(found)
        return found
    }

    private func named(_ path: String?, _ field: String, _ place: Int, _ list: inout FrameList) -> String? {
        guard let path else { return nil }
        if let normalized = PathColumn.normalized(path) { return normalized }
        list.note(
            problem(
                .badOptionalField,
                field,
                place,
                "a path of at most 1024 bytes",
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
