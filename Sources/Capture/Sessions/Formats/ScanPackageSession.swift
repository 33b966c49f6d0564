import Codecs
import Recording

/// Reads a package of the app iphone-lidar-vggt: lines of frames that name their files, depth and confidence as raw arrays.
enum ScanPackageSession {
    static let format = RecordingFormat(name: formatName, recognises: recognises, open: open)
    private static let formatName = "ScanPackage"

    /// One of the first lines has the keys of this format, and none those of the native layout.
    @Sendable private static func recognises(_ files: any SessionFiles) -> Bool {
        guard files.size(of: ScanPackageLine.file) != nil, let stream = try? files.stream(ScanPackageLine.file) else {
            return false
        }
        var reader = LineReader(stream)
        var isMeant = false
        for _ in 0..<4 {
            guard case .text? = try? reader.next() else { continue }
            if reader.withLine({ $0.mentions(FrameLine.transform.key) }) { return false }
            isMeant = isMeant || reader.withLine { $0.mentions(ScanPackageLine.pose.key) }
        }
        return isMeant
    }

    private static let open: RecordingFormat.Opening = { files, path, _ in
        var summary = SessionSummary(name: files.name, format: formatName, frameFile: ScanPackageLine.file)
        summary.frameNames.transform = ScanPackageLine.pose.key
        summary.frameNames.intrinsics = "intrinsics"
        summary.frameNames.depthSize = "depth_width"
        var list = FrameList(summary)
        var named = ScanPackageFiles()
        try list.addLines(of: ScanPackageLine.file, in: files) { bytes, line, list throws(Problem) in
            let (parsed, odd) = try ScanPackageLine.parse(bytes, line: line)
            for problem in odd { list.note(problem) }
            return named.add(parsed, line, &list)
        }
        var listing = FolderListing(files)
        for kind in ScanPackageFiles.kinds {
            if let remark = named[keyPath: kind].find(in: &listing, list: ScanPackageLine.file) { list.note(remark) }
        }
        return try FrameListSession(files, path: path, list: list, recipe: named.recipe) { summary, found in
            summary.takeDate(inNameOf: files, "the recording's name")
            summary.wallClock.takeModificationTime(of: ScanPackageLine.file, in: files, at: summary.lastTime, &found)
        }
    }
}

/// The files that the lines of a ScanPackage name, and the numbers of its frames.
private struct ScanPackageFiles: Sendable {
    private var images = NamedFiles("image_path", usually: "images")
    private var depths = NamedFiles("depth_path", usually: "depth")
    private var confidences = NamedFiles("confidence_path", usually: "confidence")
    /// The line of each frame, in the order of the list.
    private var lines: [Int] = []
    private var depthSize: GridSize?
    /// The part of frames' names before the number; `nil` before the first name, and inside of it where names are of another form.
    private var prefix: String??

    static let kinds: [any WritableKeyPath<Self, NamedFiles> & Sendable] = [\.images, \.depths, \.confidences]

    mutating func add(_ parsed: ScanPackageLine, _ line: Int, _ list: inout FrameList) -> FrameReference {
        for (path, kind) in zip([parsed.image, parsed.depth, parsed.confidence], Self.kinds) {
            guard let problem = self[keyPath: kind].append(path) else { continue }
            list.note(problem.at(ScanPackageLine.file, line: line, self[keyPath: kind].field))
        }
        depthSize = depthSize ?? parsed.depthSize
        let index = number(parsed.id, line)
        lines.append(line)
        return FrameReference(
            index: index,
            line: line,
            time: parsed.time,
            worldFromCamera: parsed.worldFromCamera,
            intrinsics: parsed.intrinsics,
            tracking: .unknown,
            declaredOrientation: .landscapeRight
        )
    }

    /// The number in the name of the next frame, as `frame_000012` has it, as long as names differ in nothing else; another
    /// line has one of its own below zero.
    ///
    /// Where the first frame has no such name all are counted, from 0.
    private mutating func number(_ name: String?, _ line: Int) -> Int {
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        let digits = name.map { $0.utf8.reversed().prefix(while: isDigit).count } ?? 0
        let parts = name.flatMap { name in
            (1...18).contains(digits)
                ? (prefix: String(name.dropLast(digits)), number: Int(name.suffix(digits)) ?? 0) : nil
        }
        if prefix == nil {
            let isPlain = parts.map { !$0.prefix.utf8.contains(where: isDigit) } ?? false
            prefix = .some(isPlain ? parts?.prefix : nil)
        }
        guard case .some(.some(let prefix)) = prefix else { return lines.count }
        return parts.flatMap { $0.prefix == prefix ? $0.number : nil } ?? -line
    }

    var recipe: PayloadRecipe {
        let size = depthSize ?? ScanPackageLine.usualDepthSize
        @Sendable func names(_ files: NamedFiles, _ frame: FrameReference) -> [String] {
            [files.file(lines.sortedIndex(where: { $0 >= frame.line }))].compactMap(\.self)
        }
        return PayloadRecipe(
            imageNames: { names(images, $0) },
            imagePromise: .each,
            depth: .init(
                names: { names(depths, $0) },
                decode: { (bytes) throws(CodecError) in try DepthFiles.rawMetres(bytes, size: size) },
                promise: .each
            ),
            confidence: .init(
                names: { names(confidences, $0) },
                decode: { (bytes) throws(CodecError) in try DepthFiles.rawBytes(bytes, size: size) },
                promise: .each
            ),
            unnamedFiles: .lostFrame
        )
    }
}

/// A line of the frames.jsonl of a ScanPackage.
private struct ScanPackageLine: Sendable {
    var time = Timestamp(nanoseconds: 0)
    var worldFromCamera = Transform.identity
    var intrinsics = CameraIntrinsics(width: 0, height: 0, fx: 0, fy: 0, cx: 0, cy: 0)
    var depthSize: GridSize? { GridSize(width: depthWidth, height: depthHeight) }
    /// The frame's own name.
    var id: String?
    var image: String?
    var depth: String?
    var confidence: String?
    private var depthWidth: Int?
    private var depthHeight: Int?
    /// The pinhole matrices of picture and depth, by rows.
    private var pinhole: [Double]?
    private var depthPinhole: [Double]?

    /// The size of depth that does not say it.
    static let usualDepthSize = GridSize(width: 256, height: 192)

    static let file = "frames.jsonl"
    static let pose = StreamField<ScanPackageLine>.required(
        "camera_to_world",
        .matrix(4, 4, "a rigid motion by rows")
    ) { line, rows throws(Problem) in
        line.worldFromCamera = try Transform(recordedByRows: rows, expected: "4 rows of 4 numbers, a rigid motion")
    }
    private static let table = StreamTable(
        file: file,
        blank: ScanPackageLine(),
        missing: .missingField,
        bad: .badField,
        [
            .required("timestamp", .captureTime) { $0.time = $1 },
            pose,
            .required("image_width", .side) { $0.intrinsics.width = $1 },
            .required("image_height", .side) { $0.intrinsics.height = $1 },
            .optional("intrinsics", .matrix(3, 3, "a pinhole matrix by rows")) { $0.pinhole = $1 },
            .optional("intrinsics_depth", .matrix(3, 3, "the depth's pinhole matrix by rows")) { $0.depthPinhole = $1 },
            .optional("frame_id", .text("a name")) { $0.id = $1 },
            .optional("image_path", .text("a path")) { $0.image = $1 },
            .optional("depth_path", .text("a path")) { $0.depth = $1 },
            .optional("confidence_path", .text("a path")) { $0.confidence = $1 },
            .optional("depth_width", .side) { $0.depthWidth = $1 },
            .optional("depth_height", .side) { $0.depthHeight = $1 },
        ]
    )
    private static let names = table.names

    static func parse(_ bytes: UnsafeRawBufferPointer, line: Int) throws(Problem) -> (Self, odd: [Problem]) {
        let values = try LineValues(bytes, names: names, file: file, line: line)
        var parsed = try table.read(values)
        try parsed.setCamera(line)
        return (parsed, table.optionalProblems(values))
    }

    /// Sets the picture's camera; where the line has only that of the depth, it is scaled.
    private mutating func setCamera(_ line: Int) throws(Problem) {
        let picture = intrinsics.size
        let (field, matrix, size) =
            pinhole.map { ("intrinsics", $0, picture) }
            ?? ("intrinsics_depth", depthPinhole, depthSize ?? Self.usualDepthSize)
        guard let k = matrix else {
            let expected = "3 rows of 3 finite numbers, or intrinsics_depth"
            let problem = Problem(.badIntrinsics, expected: expected, found: "neither")
            throw problem.at(Self.file, line: line, "intrinsics")
        }
        let camera = try Problem.at(Self.file, line: line, field) { () throws(Problem) in
            try CameraIntrinsics(size, fx: k[0], fy: k[4], cx: k[2], cy: k[5])
        }
        intrinsics = size == picture ? camera : camera.scaled(toWidth: picture.width, height: picture.height)
    }
}
