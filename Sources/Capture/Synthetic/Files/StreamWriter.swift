import Files
import Recording
import SessionLines
import SystemPackage

/// Writes the text files of a session: frames, motion, locations, observations, metadata, truth.
struct StreamWriter {
    let schedule: SampleSchedule
    let folder: SessionFolder

    private var options: SampleOptions { schedule.options }

    func writeFrames() throws(FileError) {
        let lines = FrameLine(
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
        _ lines: (_ seconds: Double, _ nanoseconds: Int64, _ index: Int) -> [JSONObject]
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
