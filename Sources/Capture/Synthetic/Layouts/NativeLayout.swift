import Codecs
import SessionLines

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
        ],
        folders: ["relative_depth"] + SampleTiles.folders.reversed()
    )

    var folders: [String] { ["rgb", "depth", "confidence"] + (options.hasRelativeDepth ? ["relative_depth"] : []) }

    var files: SampleFiles {
        SampleFiles(
            picture: { NativeFiles.picture($0.index) },
            depth: .init(name: { NativeFiles.depth($0.index) }, encode: { NativeFiles.floats($0) }),
            confidence: .init(name: { NativeFiles.confidence($0.index) }, encode: { $0 }),
            relativeDepth: .init(
                name: { NativeFiles.relativeDepth($0.index) },
                encode: { NativeFiles.floats($0) }
            )
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
