import Codecs
import Recording

extension RecordingFormat {
    /// The packages of the app iphone-lidar-vggt; asked before the native layout, whose list has the same name.
    static let scanPackage = RecordingFormat(
        ScanPackageSession.formatName,
        recognises: ScanPackageSession.recognises,
        open: ScanPackageSession.open
    )
}

/// Reads a ScanPackage: lines of frames that name their files, depth and confidence as raw arrays.
enum ScanPackageSession {
    static let formatName = "ScanPackage"

    /// One of the first lines has the keys of this format, and none those of the native layout.
    @Sendable static func recognises(_ files: any SessionFiles) -> Bool {
        guard files.size(of: ScanPackageLine.file) != nil, let stream = try? files.stream(ScanPackageLine.file) else {
            return false
        }
        var reader = LineReader(stream)
        var isMeant = false
        for _ in 0..<4 {
            guard case .text? = try? reader.next() else { continue }
            let text = reader.withLine { String(decoding: $0.prefix(1 << 16), as: UTF8.self) }
            if text.contains("\"\(FrameLine.transform.key)\"") { return false }
            isMeant = isMeant || text.contains("\"\(ScanPackageLine.pose.key)\"")
        }
        return isMeant
    }

    @Sendable static func open(_ files: any SessionFiles, path: String) throws -> any Session {
        var summary = SessionSummary(name: files.name, format: formatName, frameFile: ScanPackageLine.file)
        summary.frameNames.transform = ScanPackageLine.pose.key
        summary.frameNames.intrinsics = "intrinsics"
        summary.frameNames.depthSize = "depth_width"
        var list = FrameList(summary)
        var paths = Paths()
        try list.addLines(of: ScanPackageLine.file, in: files) { bytes, line, list throws(Problem) in
            let (parsed, odd) = try ScanPackageLine.parse(bytes, line: line)
            for problem in odd { list.note(problem) }
            return paths.add(parsed, line: line, &list)
        }
        paths.findFiles(files, &list)
        return try FrameListSession(files, path: path, list: list, recipe: paths.recipe) { summary, diagnostics in
            summary.takeDate(inNameOf: files, "the recording's name")
            summary.wallClock.takeModificationTime(
                of: ScanPackageLine.file,
                in: files,
                at: summary.lastTime,
                &diagnostics
            )
        }
    }

    /// The files that the lines name.
    private struct Paths {
        var images = PathColumn()
        var depths = PathColumn()
        var confidences = PathColumn()
        var numbers = ScanPackageNumbers()
        /// Of each frame, in the order of the list.
        var lines: [Int] = []
        var depthSize: GridSize?
        /// Of pictures, depth and confidence.
        var places: [NamedPlace] = [.asNamed, .asNamed, .asNamed]

        /// The place of a frame among the paths.
        func place(_ frame: FrameReference) -> Int {
            var (low, high) = (0, lines.count)
            while low < high {
                let middle = (low + high) / 2
                if lines[middle] < frame.line { low = middle + 1 } else { high = middle }
            }
            return low
        }

        mutating func add(_ line: ScanPackageLine, line place: Int, _ list: inout FrameList) -> FrameReference {
            for (path, field, column) in [
                (line.image, "image_path", \Paths.images), (line.depth, "depth_path", \.depths),
                (line.confidence, "confidence_path", \.confidences),
            ] {
                let normalized = path.flatMap(PathColumn.normalized)
                self[keyPath: column].append(normalized)
                guard let path, normalized == nil else { continue }
                list.note(
                    Problem(
                        .badOptionalField,
                        file: ScanPackageLine.file,
                        line: place,
                        field: field,
                        expected: "a path of at most 1024 bytes",
                        found: String(path.prefix(60))
                    )
                )
            }
            depthSize = depthSize ?? line.depthSize
            lines.append(place)
            return FrameReference(
                index: numbers.next(line.id, line: place),
                line: place,
                time: line.time,
                worldFromCamera: line.worldFromCamera,
                intrinsics: line.intrinsics,
                tracking: .unknown,
                declaredOrientation: .landscapeRight
            )
        }

        /// Looks where the files are that the lines name.
        mutating func findFiles(_ files: any SessionFiles, _ list: inout FrameList) {
            var listing = FolderListing(files)
            for (index, (column, folder, field)) in [
                (images, "images", "image_path"), (depths, "depth", "depth_path"),
                (confidences, "confidence", "confidence_path"),
            ].enumerated() {
                places[index] = column.place(usually: folder, in: &listing)
                let remark = column.remark(places[index], file: ScanPackageLine.file, field: field)
                if let remark { list.note(remark) }
            }
        }

        var recipe: PayloadRecipe {
            let size = depthSize ?? ScanPackageLine.usualDepthSize
            let files: @Sendable (PathColumn, NamedPlace, FrameReference) -> [String] = { [self] column, place, frame in
                [column[self.place(frame)].map(place.path)].compactMap(\.self)
            }
            return PayloadRecipe(
                imageNames: { [images, places] in files(images, places[0], $0) },
                imagePromise: .each,
                depth: .init(
                    names: { [depths, places] in files(depths, places[1], $0) },
                    decode: { (bytes) throws(CodecError) in try DepthFiles.rawMetres(bytes, size: size) },
                    promise: .each
                ),
                confidence: .init(
                    names: { [confidences, places] in files(confidences, places[2], $0) },
                    decode: { (bytes) throws(CodecError) in try DepthFiles.rawBytes(bytes, size: size) },
                    promise: .each
                )
            )
        }
    }
}

/// The numbers of frames, by the names that lines give them: `frame_000012` is 12.
struct ScanPackageNumbers {
    /// What stands before the number; `nil` before the first name, and inside of it where names are of another form.
    private var prefix: String??
    private var count = 0

    /// The number in a frame's name, as long as names differ in nothing else; another line has one of its own below zero.
    ///
    /// Where the first frame has no such name all are counted, from 0.
    mutating func next(_ name: String?, line: Int) -> Int {
        defer { count += 1 }
        let digits = name.map { $0.utf8.reversed().prefix { (0x30...0x39).contains($0) }.count } ?? 0
        let parts = name.flatMap { name in
            (1...18).contains(digits)
                ? (prefix: String(name.dropLast(digits)), number: Int(name.suffix(digits)) ?? 0) : nil
        }
        if prefix == nil {
            let isPlain = parts.map { !$0.prefix.utf8.contains { (0x30...0x39).contains($0) } } ?? false
            prefix = .some(isPlain ? parts?.prefix : nil)
        }
        guard case .some(.some(let prefix)) = prefix else { return count }
        return parts.flatMap { $0.prefix == prefix ? $0.number : nil } ?? -line
    }
}
