import Recording
import Text

/// The plan of a repair: the things to mend in a session, found without changing anything.
struct RepairPlan {
    let session: NativeSession
    private(set) var mended = Diagnostics()
    /// The streams that have to be written anew.
    private(set) var streams: [SessionRepairReport.Stream] = []
    /// Payloads to leave out, sorted.
    private(set) var leftOutFiles: [String] = []
    private(set) var metadata: MetadataMending

    var isEmpty: Bool { streams.isEmpty && leftOutFiles.isEmpty && metadata.outcome == .kept }

    /// - Throws: a ``Problem`` when a stream cannot be read to its end.
    init(_ session: NativeSession) throws {
        self.session = session
        let mender = FrameLineMender(session)
        var frames = Self.mending(of: FrameLine.file, mender)
        try frames.run(session.files)
        metadata = MetadataMending(session, frameLines: frames.kept)
        note(frames, FrameLine.file)
        for stream in SampleStream.all where session.files.size(of: stream.file) != nil {
            var samples = Self.mending(of: stream.file, mender)
            // No session is refused for its samples: a file that cannot be read stays as it is.
            guard (try? samples.run(session.files)) != nil else { continue }
            note(samples, stream.file)
        }
        mended.append(metadata.mended)
        let orphans = OrphanSearch.names(files: session.files, known: mender.indices)
        for name in orphans { mended.record(OrphanSearch.problem(name)) }
        leftOutFiles = (orphans + mender.uselessFiles).sorted()
    }

    /// The same passage over a stream for finding out and for writing.
    func mending(of file: String) -> LineMending {
        Self.mending(of: file, FrameLineMender(session))
    }

    private mutating func note(_ mending: LineMending, _ file: String) {
        guard mending.changesAnything else { return }
        mended.append(mending.mended)
        streams.append(SessionRepairReport.Stream(file: file, keptLines: mending.kept, leftOutLines: mending.leftOut))
    }

    private static func mending(of file: String, _ mender: FrameLineMender) -> LineMending {
        guard let stream = SampleStream.all.first(where: { $0.file == file }) else {
            return LineMending(file: file) { bytes, line in mender.outcome(of: bytes, line: line) }
        }
        return LineMending(file: file) { bytes, line in
            do throws(Problem) {
                _ = try stream.parse(bytes, line)
                return .kept
            } catch {
                return .leftOut(error)
            }
        }
    }
}

/// The metadata.json that belongs to the lines that are kept.
struct MetadataMending {
    private(set) var outcome = SessionRepairReport.Metadata.kept
    /// The new text, unless the file is kept.
    private(set) var text: [UInt8] = []
    private(set) var mended = Diagnostics()

    init(_ session: NativeSession, frameLines: Int) {
        let entries = session.diagnostics.entries
        let refused = entries.first { [.metadataUnreadable, .metadataOfAnotherSession].contains($0.kind) }
        if let problem = refused?.examples.first {
            mended.record(problem)
            write(session.summary, frameLines)
        } else if session.files.size(of: RecordedMetadata.file) == nil {
            mended.record(Problem(.missingMetadata, file: RecordedMetadata.file, expected: "a file", found: "none"))
            write(session.summary, frameLines)
        } else {
            correct(session.files, frameLines)
        }
    }

    private mutating func correct(_ files: any SessionFiles, _ frameLines: Int) {
        guard let bytes = try? files.readText(RecordedMetadata.file, maximumBytes: 1 << 20),
            let count = (try? RecordedMetadata(bytes))?.frameCount, count != frameLines
        else { return }
        outcome = .corrected
        text = bytes.withUnsafeBytes { JSONEditing.replacing(["frameCount": Array("\(frameLines)".utf8)], in: $0) }
        mended.record(
            Problem(
                .frameCountDiffers,
                file: RecordedMetadata.file,
                field: "frameCount",
                expected: "\(frameLines)",
                found: "\(count)"
            )
        )
    }

    /// Writes the metadata of a clean stop, as far as the frames tell it.
    private mutating func write(_ summary: SessionSummary, _ frameLines: Int) {
        outcome = .written
        var text = "{\"sessionID\":"
        var name: [UInt8] = []
        JSONAppend.string(summary.name, to: &name)
        text += String(decoding: name, as: UTF8.self)
        text += ",\"startTimestamp\":\(decimalSeconds(summary.firstTime.nanoseconds))"
        text += ",\"endTimestamp\":\(decimalSeconds(summary.lastTime.nanoseconds)),\"frameCount\":\(frameLines)"
        text += ",\"hasDepth\":\(summary.hasDepth)"
        if let size = summary.sensorSize { text += ",\"rgbResolution\":[\(size.width),\(size.height)]" }
        if let size = summary.depthSize { text += ",\"depthResolution\":[\(size.width),\(size.height)]" }
        text += ",\"writtenByRepair\":true}\n"
        self.text = Array(text.utf8)
    }
}
