import Codecs
import Recording

extension RecordingFormat {
    /// Record3D's "EXR + JPG sequence" and its own `.r3d`.
    static let record3D = RecordingFormat(
        Record3DSession.formatName,
        recognises: { Record3DSession.layout(of: $0) != nil },
        open: Record3DSession.open
    )
}

/// Reads recordings of Record3D: one JSON object with all poses, and numbered pictures and depth.
enum Record3DSession {
    static let formatName = "Record3D"

    /// Of a phone that records for an hour.
    private static let maximumMetadataBytes = 256 << 20

    /// Where the two exports have their files.
    struct Layout: Sendable {
        var metadata: String
        var isContainer: Bool
    }

    /// - Returns: `nil` for what is no recording of Record3D.
    static func layout(of files: any SessionFiles) -> Layout? {
        let folders = files.folderNames()
        for (name, needed, isContainer) in [
            ("metadata.json", ["depth", "rgb"], false), ("metadata", ["rgbd"], true), ("metadata.json", ["rgbd"], true),
        ] where folders.contains(where: needed.contains) && files.size(of: name) != nil {
            guard let text = try? files.readText(name, maximumBytes: maximumMetadataBytes) else { continue }
            let isOurs = text.withUnsafeBytes { bytes in
                let values = try? LineValues(bytes, names: Record3DMetadata.names, file: name, line: nil)
                let places = [Record3DMetadata.table.fields.count, Record3DMetadata.table.fields.count - 1]
                return values.map { values in places.allSatisfy { values[$0] != nil } } ?? mentionsKeys(bytes)
            }
            if isOurs { return Layout(metadata: name, isContainer: isContainer) }
        }
        return nil
    }

    /// Damaged text is still known by its words.
    private static func mentionsKeys(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let text = String(decoding: bytes.prefix(1 << 16), as: UTF8.self)
        return text.contains("\"poses\"") || text.contains("\"frameTimestamps\"") || text.contains("\"K\"")
    }

    @Sendable static func open(_ files: any SessionFiles, path: String) throws -> any Session {
        guard let layout = layout(of: files) else {
            throw SessionError.notASession(path: path, found: "another folder")
        }
        var summary = SessionSummary(name: files.name, format: formatName, frameFile: layout.metadata)
        summary.frameNames.time = "frameTimestamps"
        summary.frameNames.transform = "poses"
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
        return try FrameListSession(files, path: path, list: list, recipe: recipe(layout, metadata)) {
            summary,
            diagnostics in
            // Old versions began the world at the first camera, and lost gravity with that.
            if !startsLevel { summary.worldAlignment = .camera }
            summary.takeDate(inNameOf: files, "the recording's name")
            summary.wallClock.takeModificationTime(of: layout.metadata, in: files, at: summary.lastTime, &diagnostics)
        }
    }

    /// Whether the stored pose is none at all: turned back, a portrait one is that of the turn.
    private static func isFirstOfOldFiles(_ frame: FrameReference) -> Bool {
        let rotation = frame.worldFromCamera.rotation
        let turn =
            frame.declaredOrientation == .portrait ? UprightPicture.fromLandscape : .identity
        return (turn.inverse * rotation).angleRadians < 1e-5 && frame.worldFromCamera.translation.length < 1e-6
    }

    private static func recipe(_ layout: Layout, _ metadata: Record3DMetadata) -> PayloadRecipe {
        let size = metadata.depthWidth.flatMap { width in
            metadata.depthHeight.map { GridSize(width: width, height: $0) }
        }
        let isPortrait = metadata.isPortrait
        if layout.isContainer {
            return PayloadRecipe(
                imageNames: { frame in [".jpg", ".png"].map { "rgbd/\(frame.index)\($0)" } },
                imagePromise: .each,
                depth: .init(
                    names: { ["rgbd/\($0.index).depth"] },
                    decode: { (bytes) throws(CodecError) in
                        try DepthFiles.compressedMetres(bytes, size: size, isPortrait: isPortrait)
                    },
                    promise: .each
                ),
                confidence: .init(
                    names: { ["rgbd/\($0.index).conf"] },
                    decode: { (bytes) throws(CodecError) in
                        try DepthFiles.compressedBytes(bytes, size: size, isPortrait: isPortrait)
                    }
                ),
                gridsAreTurned: true,
                numberedFiles: [("rgbd/", ".jpg"), ("rgbd/", ".depth"), ("rgbd/", ".conf")]
            )
        }
        return PayloadRecipe(
            imageNames: { frame in [".jpg", ".png"].map { "rgb/\(frame.index)\($0)" } },
            imagePromise: .each,
            depth: .init(names: { ["depth/\($0.index).exr"] }, decode: DepthFiles.metresEXR, promise: .each),
            gridsAreTurned: true,
            numberedFiles: [("rgb/", ".jpg"), ("depth/", ".exr")]
        )
    }
}
