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
                summary.takeDate(inNameOf: files, "the folder's name")
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
