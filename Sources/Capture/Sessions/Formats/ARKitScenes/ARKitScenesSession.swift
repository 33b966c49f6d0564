import Files
import Recording

extension RecordingFormat {
    /// The captures of Apple's data set ARKitScenes, raw and those of its part for 3D object detection.
    static let arkitScenes = RecordingFormat(
        ARKitScenesSession.formatName,
        entryFiles: [ARKitScenesNames.poses],
        recognises: ARKitScenesSession.recognises,
        open: ARKitScenesSession.open
    )
}

/// Reads captures of ARKitScenes: a list of poses, and pictures, cameras, depth and confidence named by their times.
///
/// Each pose is a frame, with the files within two milliseconds of it. Pictures of some streams come more often: those between
/// poses are left out and counted, and no pose is made up for them.
enum ARKitScenesSession {
    static let formatName = "ARKitScenes"

    /// Cameras, beside the list of poses or the pictures that it is of.
    @Sendable static func recognises(_ files: any SessionFiles) -> Bool {
        let folders = files.size(of: ARKitScenesNames.poses) != nil ? [] : files.folderNames()
        let streams = ARKitScenesNames.streams
        guard folders.isEmpty || streams.contains(where: folders.contains) else { return false }
        return streams.contains { ARKitScenesNames.hasCameras($0, files) }
    }

    @Sendable static func open(_ files: any SessionFiles, path: String) throws -> any Session {
        guard let names = ARKitScenesNames(files) else {
            throw SessionError.notASession(path: path, found: "no file \(ARKitScenesNames.cameraEnding)")
        }
        guard files.entry(ARKitScenesNames.poses) != .nothing else {
            throw Problem(
                .unreadableFile,
                file: ARKitScenesNames.poses,
                expected: "the poses of the capture, which the data set has as a file of their own",
                found: "no such file"
            )
        }
        let stream = names.stream(files, times: try times(files))
        var summary = SessionSummary(name: files.name, format: formatName, frameFile: ARKitScenesNames.poses)
        summary.frameNames.time = "column 1"
        summary.frameNames.transform = "column 2"
        summary.frameNames.intrinsics = ARKitScenesNames.cameraFolder(stream)
        var list = FrameList(summary)
        var posedPictures = 0
        try list.addLines(of: ARKitScenesNames.poses, in: files) { bytes, line, _ throws(Problem) in
            let pose = try ARKitScenesPose(bytes, line: line)
            let time = pose.milliseconds
            if names.names(stream, time, ARKitScenesNames.pictureEnding).contains(where: { files.size(of: $0) != nil })
            {
                posedPictures += 1
            }
            return FrameReference(
                index: time,
                line: line,
                time: pose.time,
                worldFromCamera: pose.worldFromCamera,
                intrinsics: try camera(time, line, names, stream, files),
                tracking: .unknown
            )
        }
        noteUnposed(stream, posed: posedPictures, files, &list)
        return try FrameListSession(files, path: path, list: list, recipe: recipe(names, stream))
    }

    /// The milliseconds of the poses.
    private static func times(_ files: any SessionFiles) throws -> [Int] {
        var times: [Int] = []
        var reader = LineReader(try files.stream(ARKitScenesNames.poses))
        while let line = try reader.next() {
            guard case .text(let place, _) = line else { continue }
            let pose = reader.withLine { try? ARKitScenesPose($0, line: place) }
            if let pose { times.append(pose.milliseconds) }
        }
        return times
    }

    /// The camera of a pose, which changes with the focus from picture to picture.
    private static func camera(
        _ time: Int,
        _ line: Int,
        _ names: ARKitScenesNames,
        _ stream: String,
        _ files: any SessionFiles
    ) throws(Problem) -> CameraIntrinsics {
        let folder = ARKitScenesNames.cameraFolder(stream)
        let candidates = names.names(folder, time, ARKitScenesNames.cameraEnding)
        guard let file = candidates.first(where: { files.entry($0) != .nothing }) else {
            throw Problem(
                .badIntrinsics,
                file: ARKitScenesNames.poses,
                line: line,
                expected: "\(candidates.first ?? folder), or one within 2 ms of it",
                found: "no such file"
            )
        }
        return try ARKitScenesCamera.read(file, files)
    }

    /// Says once how many pictures of the stream are not those of a pose.
    private static func noteUnposed(
        _ stream: String,
        posed: Int,
        _ files: any SessionFiles,
        _ list: inout FrameList
    ) {
        var pictures = 0
        files.forEachName(inFolder: stream) { name in
            if ARKitScenesNames.start(of: name, ARKitScenesNames.pictureEnding) != nil { pictures += 1 }
            return true
        }
        guard pictures > posed else { return }
        list.note(
            Problem(
                .pictureWithoutPose,
                file: stream,
                expected: "a pose within 2 ms in \(ARKitScenesNames.poses)",
                found: "none for \(pictures - posed) of \(pictures) pictures"
            ),
            count: pictures - posed
        )
    }

    private static func recipe(_ names: ARKitScenesNames, _ stream: String) -> PayloadRecipe {
        PayloadRecipe(
            imageNames: { names.names(stream, $0.index, ARKitScenesNames.pictureEnding) },
            imagePromise: .each,
            depth: .init(
                names: { names.names(ARKitScenesNames.depth, $0.index, ARKitScenesNames.pictureEnding) },
                decode: DepthFiles.millimetrePNG,
                promise: .each
            ),
            confidence: .init(
                names: { names.names(ARKitScenesNames.confidence, $0.index, ARKitScenesNames.pictureEnding) },
                decode: DepthFiles.grayPNG,
                promise: .allOrNone
            )
        )
    }
}
