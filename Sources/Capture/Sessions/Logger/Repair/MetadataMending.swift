import JSONText
import Recording

/// What metadata.json has to be for the lines that are kept.
struct MetadataMending {
    private(set) var outcome = SessionRepairReport.Metadata.kept
    /// The new text, unless the file is kept.
    private(set) var text: [UInt8] = []
    private(set) var mended = Diagnostics()

    init(_ session: LoggerSession, frameLines: Int) {
        let entries = session.diagnostics.entries
        let refused = entries.first { [.metadataUnreadable, .metadataOfAnotherSession].contains($0.kind) }
        if let problem = refused?.examples.first {
            mended.record(problem)
            write(session.summary, frameLines)
        } else if session.files.size(of: LoggerMetadata.file) == nil {
            mended.record(Problem(.missingMetadata, file: LoggerMetadata.file, expected: "a file", found: "none"))
            write(session.summary, frameLines)
        } else {
            correct(session.files, frameLines)
        }
    }

    private mutating func correct(_ files: any SessionFiles, _ frameLines: Int) {
        guard let bytes = try? files.readText(LoggerMetadata.file, maximumBytes: 1 << 20),
            let count = (try? LoggerMetadata(bytes))?.frameCount, count != frameLines
        else { return }
        outcome = .corrected
        text = bytes.withUnsafeBytes { JSONEditing.replacing(["frameCount": Array("\(frameLines)".utf8)], in: $0) }
        mended.record(
            Problem(
                .frameCountDiffers,
                file: LoggerMetadata.file,
                field: "frameCount",
                expected: "\(frameLines)",
                found: "\(count)"
            )
        )
    }

    /// What the phone writes at a clean stop, as far as the frames tell it.
    private mutating func write(_ summary: SessionSummary, _ frameLines: Int) {
        outcome = .written
        var text = "{\"sessionID\":"
        var name: [UInt8] = []
        JSONAppend.string(summary.name, to: &name)
        text += String(decoding: name, as: UTF8.self)
        text += ",\"startTimestamp\":\(Self.seconds(summary.firstTime))"
        text += ",\"endTimestamp\":\(Self.seconds(summary.lastTime)),\"frameCount\":\(frameLines)"
        text += ",\"hasDepth\":\(summary.hasDepth)"
        if let size = summary.sensorSize { text += ",\"rgbResolution\":[\(size.width),\(size.height)]" }
        if let size = summary.depthSize { text += ",\"depthResolution\":[\(size.width),\(size.height)]" }
        text += ",\"writtenByRepair\":true}\n"
        self.text = Array(text.utf8)
    }

    /// All nine decimals, as a JSON number.
    private static func seconds(_ time: Timestamp) -> String {
        let fraction = String(time.nanoseconds % 1_000_000_000)
        return "\(time.nanoseconds / 1_000_000_000)." + String(repeating: "0", count: 9 - fraction.utf8.count)
            + fraction
    }
}
