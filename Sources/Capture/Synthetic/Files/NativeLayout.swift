import Codecs
import Platform
import Recording
import SystemPackage

/// The phone app's own layout.
struct NativeLayout: SampleLayout {
    let schedule: SampleSchedule

    static let leavings = SampleLeavings(
        files: [
            "frames.jsonl", "metadata.json", "imu.jsonl", "gps.jsonl", "heading.jsonl", "radio.jsonl", "indoor.jsonl",
            TruthDocument.file, TruthDocument.tagFile,
        ] + SampleTiles.files,
        numbered: [
            ("rgb", "", ".jpg"), ("depth", "", ".bin"), ("confidence", "", ".bin"), ("relative_depth", "", ".bin"),
            (TruthDocument.depthFolder, "", ".bin"),
        ],
        folders: ["relative_depth", TruthDocument.depthFolder] + SampleTiles.folders.reversed()
    )

    var folders: [String] {
        ["rgb", "depth", "confidence"] + (options.hasRelativeDepth ? ["relative_depth"] : [])
            + (options.hasTruthDepth ? [TruthDocument.depthFolder] : [])
    }

    var files: SampleFiles {
        SampleFiles(
            picture: { NativeFiles.picture($0.index) },
            depth: .init(name: { NativeFiles.depth($0.index) }, encode: { NativeFiles.floats($0) }),
            confidence: .init(name: { NativeFiles.confidence($0.index) }, encode: { $0 }),
            relativeDepth: .init(name: { NativeFiles.relativeDepth($0.index) }, encode: { NativeFiles.floats($0) })
        )
    }

    func writeLists(_ folder: SessionFolder) throws -> SampleCounts {
        let writer = StreamWriter(schedule: schedule, folder: folder)
        var counts = SampleCounts()
        counts.motion = try writer.writeMotion()
        counts.locations = try writer.writeLocations()
        counts.observations = try writer.writeObservations()
        if options.hasTiles { try TileWriter(folder: folder, options: options).write() }
        try writer.writeFrames()
        try writer.writeMetadata()
        return counts
    }
}

/// Writes the text files of a session: frames, motion, locations, observations, metadata, truth.
struct StreamWriter {
    let schedule: SampleSchedule
    let folder: SessionFolder

    private var options: SampleOptions { schedule.options }

    func writeFrames() throws(FileError) {
        let lines = RenderedFrameLine(
            options: options,
            trajectory: schedule.trajectory,
            intrinsics: SyntheticSession.intrinsics(options.imageSize)
        )
        let file = try OutputFile(creating: folder.root.appending(NativeFiles.frames))
        try schedule.eachFrame { frame, pose throws(FileError) in
            try file.append(lines.line(frame, pose).closed + [UInt8(ascii: "\n")])
        }
        try file.finish()
    }

    /// Says how many samples there are.
    func writeMotion() throws(FileError) -> Int {
        guard options.imuRateHertz > 0 else { return 0 }
        let motion = PhoneMotion(trajectory: schedule.trajectory)
        return try writeLines(NativeFiles.motion, rateHertz: options.imuRateHertz) { seconds, nanoseconds, _ in
            [NativeLines.motion(motion.sample(atSeconds: seconds, nanoseconds: nanoseconds))]
        }
    }

    /// Says how many fixes there are.
    func writeLocations() throws(FileError) -> Int {
        guard options.hasGPS else { return 0 }
        let location = PhoneLocation(trajectory: schedule.trajectory, options: options)
        return try writeLines(NativeFiles.locations, rateHertz: 1) { seconds, nanoseconds, index in
            [NativeLines.location(location.fix(atSeconds: seconds, nanoseconds: nanoseconds, index: index))]
        }
    }

    /// Says how many observations there are, of the compass, of radios and indoors.
    func writeObservations() throws(FileError) -> Int {
        guard options.hasObservations else { return 0 }
        let phone = PhoneObservations(trajectory: schedule.trajectory, options: options)
        let headings = try writeLines(NativeFiles.headings, rateHertz: 5) {
            [NativeLines.heading(phone.heading(atSeconds: $0, nanoseconds: $1, index: $2))]
        }
        let radio = try writeLines(NativeFiles.radio, rateHertz: 2) {
            phone.radio(atSeconds: $0, nanoseconds: $1, index: $2)
        }
        let indoor = try writeLines(NativeFiles.indoor, rateHertz: 1) {
            [NativeLines.indoor(phone.indoor(atSeconds: $0, nanoseconds: $1, index: $2))]
        }
        return headings + radio + indoor
    }

    /// Writes lines at a rate, and says how many.
    private func writeLines(
        _ name: String,
        rateHertz: Double,
        _ lines: (_ seconds: Double, _ nanoseconds: Int64, _ index: Int) -> [JSONLine]
    ) throws(FileError) -> Int {
        let file = try OutputFile(creating: folder.root.appending(name))
        var count = 0
        try schedule.eachTick(rateHertz: rateHertz) { seconds, nanoseconds, index throws(FileError) in
            for line in lines(seconds, nanoseconds, index) {
                try file.append(line.closed + [UInt8(ascii: "\n")])
                count += 1
            }
        }
        try file.finish()
        return count
    }

    func writeTruth(room: Room, relativeDepth: [(a: Double, b: Double)]) throws(FileError) {
        let file = try OutputFile(creating: folder.path(TruthDocument.file))
        let truth = TruthDocument(options: options, room: room, schedule: schedule, relativeDepth: relativeDepth)
        try truth.write(to: file)
        try file.finish()
        guard options.hasTags else { return }
        try OutputFile.write(Array(TagTruthText.text(room.tags).utf8), to: folder.path(TruthDocument.tagFile))
    }

    func writeMetadata() throws(FileError) {
        // Readers distrust metadata whose sessionID is not the name of its folder.
        var metadata = NativeMetadata(
            sessionID: folder.name,
            start: Timestamp(nanoseconds: SampleSchedule.startNanoseconds),
            end: Timestamp(nanoseconds: schedule.endNanoseconds)
        )
        metadata.deviceModel = "Synthetic"
        metadata.osVersion = "Version 18.2 (Build 22C152)"
        metadata.startUnixNanoseconds = SampleSchedule.startUnixNanoseconds
        metadata.frameCount = schedule.frameCount
        // The synthetic world's x is east, its z south.
        metadata.worldAlignment = .gravityAndHeading
        metadata.imageSize = options.imageSize
        if options.hasLidar { metadata.depthSize = LidarModel.grid }
        if options.hasRelativeDepth {
            metadata.relativeDepth = (RelativeDepthModel.grid, .inverseDepth, "synthetic")
        }
        try OutputFile.write(metadata.bytes, to: folder.root.appending(NativeFiles.metadata))
    }
}

/// One line of `frames.jsonl`, with the keys of the app's newest generation.
struct RenderedFrameLine {
    let options: SampleOptions
    let trajectory: Trajectory
    let intrinsics: CameraIntrinsics

    /// - Parameter pose: World from camera as it is recorded.
    func line(_ frame: SampleFrame, _ pose: Transform) -> JSONLine {
        var reference = FrameReference(
            index: frame.index,
            line: frame.index + 1,
            time: Timestamp(nanoseconds: frame.timestampNanoseconds),
            worldFromCamera: pose,
            intrinsics: intrinsics,
            tracking: .normal,
            depthSize: options.hasLidar ? LidarModel.grid : nil,
            relativeDepthSize: options.hasRelativeDepth ? RelativeDepthModel.grid : nil,
            exposureSeconds: 0.01 + 0.004 * sine(0.2 * frame.seconds)
        )
        if options.orientation != .unrecorded {
            reference.declaredOrientation = frame.orientation
            reference.sharpness = (420 + 90 * sine(0.37 * frame.seconds)).inSinglePrecision
        }
        var line = NativeLines.frame(reference, inSinglePrecision: true)
        line.add("exposure_offset", 0)
        line.add("feature_point_count", 180 + frame.index % 37)
        line.add("ambient_intensity", 1000 + 25 * sine(0.11 * frame.seconds))
        line.add("ambient_color_temperature", 4900 + 40 * sine(0.07 * frame.seconds))
        if options.imuRateHertz > 0 { addMotion(frame, to: &line) }
        return line
    }

    /// The app asks for the newest sample only when the JPEG is encoded, so that it is later than the frame.
    private func addMotion(_ frame: SampleFrame, to line: inout JSONLine) {
        let delayNanoseconds: Int64 = 24_000_000
        let sample = PhoneMotion(trajectory: trajectory).sample(
            atSeconds: frame.seconds + 0.024,
            nanoseconds: frame.timestampNanoseconds + delayNanoseconds
        )
        NativeLines.add(sample, time: "imu_timestamp", to: &line)
        if let attitude = sample.attitude { line.add("attitude_euler", PhoneMotion.eulerAngles(attitude)) }
    }
}
