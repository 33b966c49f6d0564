import Codecs
import Files
import Recording

extension RecordingFormat {
    /// The folders of Stray Scanner, of every version.
    static let strayScanner = RecordingFormat(
        StraySession.formatName,
        entryFiles: [StrayOdometry.file, StrayCamera.file],
        recognises: { files in
            files.size(of: StrayOdometry.file) != nil
                && ([StrayCamera.file, StraySession.video].contains { files.size(of: $0) != nil }
                    || files.folderNames().contains("depth"))
        },
        openWith: StraySession.open
    )
}

/// Reads the folders of Stray Scanner: a table of poses, with depth and confidence of the same number, and the IMU.
enum StraySession {
    static let formatName = "Stray Scanner"
    static let video = "rgb.mp4"

    @Sendable static func open(
        _ files: any SessionFiles,
        path: String,
        options: OpeningOptions
    ) throws -> any Session {
        var summary = SessionSummary(name: files.name, format: formatName, frameFile: StrayOdometry.file)
        summary.frameNames.transform = "qw"
        summary.frameNames.intrinsics = "fx"
        var list = FrameList(summary)
        let camera = sharedCamera(files, &list)
        try readFrames(files, camera, &list)
        var samples: [RecordStream: FrameListSession.Samples] = [:]
        switch StrayMotion.stream(files) {
        case .success(let stream?): samples[.motion] = .stream(stream)
        case .success(nil):
            if files.size(of: StrayMotion.file) != nil { list.note(files.emptyStream(StrayMotion.file)) }
        case .failure(let problem): list.note(problem)
        }
        var recipe = recipe
        if !hasPictures(files) {
            recipe.video = PairedVideo.find(video, in: files, rows: list.lineCount, mayLackFirst: true, options, &list)
        }
        return try FrameListSession(files, path: path, list: list, recipe: recipe, samples: samples) {
            summary,
            diagnostics in
            summary.takeDate(inNameOf: files, "the folder's name")
            summary.wallClock.takeModificationTime(
                of: StrayOdometry.file,
                in: files,
                at: summary.lastTime,
                &diagnostics
            )
        }
    }

    /// Whether the pictures were taken out of the video already: then they are used.
    private static func hasPictures(_ files: any SessionFiles) -> Bool {
        var isFound = false
        files.forEachName(inFolder: "rgb") { name in
            isFound = pictureEndings.contains { name.hasSuffix($0) } && files.size(of: "rgb/\(name)") ?? 0 > 0
            return !isFound
        }
        return isFound
    }

    private static let pictureEndings = [".jpg", ".png", ".jpeg"]

    /// What is wrong with it is counted only: newer versions have the camera in each line.
    private static func sharedCamera(_ files: any SessionFiles, _ list: inout FrameList) -> CameraIntrinsics? {
        guard files.entry(StrayCamera.file) != .nothing else { return nil }
        do throws(Problem) {
            return try StrayCamera.read(files.readText(StrayCamera.file, maximumBytes: 1 << 16))
        } catch {
            list.note(error)
            return nil
        }
    }

    private static func readFrames(
        _ files: any SessionFiles,
        _ camera: CameraIntrinsics?,
        _ list: inout FrameList
    ) throws {
        var reader = LineReader(try files.stream(StrayOdometry.file))
        var odometry: StrayOdometry?
        var number = 0
        while let line = try reader.next() {
            switch line {
            case .tooLong(let place, let bytes):
                list.countLine()
                // It is the row of a picture all the same.
                if odometry != nil { number += 1 }
                list.record(LineReader.tooLong(StrayOdometry.file, line: place, bytes: bytes))
            case .text(let place, _):
                do throws(Problem) {
                    let (table, isHeader) = try reader.withLine { bytes throws(Problem) in
                        try Self.table(CSVRow(bytes), odometry, camera)
                    }
                    odometry = table
                    if isHeader { continue }
                    list.countLine()
                    defer { number += 1 }
                    let frame = try reader.withLine { bytes throws(Problem) in
                        try table.frame(CSVRow(bytes), line: place, number: number)
                    }
                    list.add(frame)
                } catch {
                    list.record(error)
                    // Without the names of its columns nothing of the table can be read.
                    if odometry == nil { return }
                }
            }
        }
    }

    /// The table that a line belongs to: the first one says what its columns are, and may be a frame itself.
    private static func table(
        _ row: CSVRow,
        _ known: StrayOdometry?,
        _ camera: CameraIntrinsics?
    ) throws(Problem) -> (StrayOdometry, isHeader: Bool) {
        if let known { return (known, false) }
        return (try StrayOdometry(row, sharedCamera: camera), StrayOdometry.isHeader(row))
    }

    private static let recipe = PayloadRecipe(
        imageNames: { frame in pictureEndings.map { "rgb/\(stem(frame))\($0)" } },
        imagePromise: .each,
        videoName: video,
        depth: .init(
            names: { frame in [".png", ".npy"].map { "depth/\(stem(frame))\($0)" } },
            decode: DepthFiles.millimetrePNGOrArray,
            promise: .each
        ),
        confidence: .init(names: { ["confidence/\(stem($0)).png"] }, decode: DepthFiles.grayPNG, promise: .each),
        numberedFiles: [
            ("depth/", ".png"), ("depth/", ".npy"), ("confidence/", ".png"), ("rgb/", ".jpg"), ("rgb/", ".png"),
        ]
    )

    private static func stem(_ frame: FrameReference) -> String { NumberedFile.padded(frame.index, 6) }
}
