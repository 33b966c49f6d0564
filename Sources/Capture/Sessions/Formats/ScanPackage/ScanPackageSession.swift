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
        return try FrameListSession(files, path: path, list: list, recipe: paths.recipe) { summary, _ in
            summary.takeDate(inNameOf: files, "the recording's name")
            summary.takeModificationTime(of: ScanPackageLine.file, in: files)
        }
    }

    /// The files that the lines name; a frame's number is its place among the lines that are frames, from 0.
    private struct Paths {
        var images = PathColumn()
        var depths = PathColumn()
        var confidences = PathColumn()
        var count = 0
        var depthSize: GridSize?

        mutating func add(_ line: ScanPackageLine, line place: Int, _ list: inout FrameList) -> FrameReference {
            for (path, field, column) in [
                (line.image, "image_path", \Paths.images), (line.depth, "depth_path", \.depths),
                (line.confidence, "confidence_path", \.confidences),
            ] {
                let inside = path.flatMap(PathColumn.inside)
                self[keyPath: column].append(inside)
                guard let path, inside == nil else { continue }
                list.note(
                    Problem(
                        .badOptionalField,
                        file: ScanPackageLine.file,
                        line: place,
                        field: field,
                        expected: "a path below the recording's folder",
                        found: String(path.prefix(60))
                    )
                )
            }
            depthSize = depthSize ?? line.depthSize
            defer { count += 1 }
            return FrameReference(
                index: count,
                line: place,
                time: line.time,
                worldFromCamera: line.worldFromCamera,
                intrinsics: line.intrinsics,
                tracking: .unknown,
                declaredOrientation: .landscapeRight
            )
        }

        var recipe: PayloadRecipe {
            let size = depthSize ?? GridSize(width: 256, height: 192)
            return PayloadRecipe(
                imageNames: { [images] in [images[$0.index]].compactMap(\.self) },
                isImageExpected: true,
                depth: .init(
                    names: { [depths] in [depths[$0.index]].compactMap(\.self) },
                    decode: { (bytes) throws(CodecError) in try DepthFiles.rawMetres(bytes, size: size) },
                    isExpected: true
                ),
                confidence: .init(
                    names: { [confidences] in [confidences[$0.index]].compactMap(\.self) },
                    decode: { (bytes) throws(CodecError) in try DepthFiles.rawBytes(bytes, size: size) }
                )
            )
        }
    }
}
