import Recording

/// What there is to mend in a session: found without changing anything.
struct RepairPlan {
    let session: LoggerSession
    private(set) var mended = Diagnostics()
    /// The streams that have to be written anew.
    private(set) var streams: [SessionRepairReport.Stream] = []
    /// Payloads to leave out, sorted.
    private(set) var leftOutFiles: [String] = []
    private(set) var metadata: MetadataMending

    var isEmpty: Bool { streams.isEmpty && leftOutFiles.isEmpty && metadata.outcome == .kept }

    /// - Throws: a ``Problem`` when a stream cannot be read to its end.
    init(_ session: LoggerSession) throws {
        self.session = session
        let mender = FrameLineMender(session)
        var frames = Self.mending(of: FrameFields.file, mender, session.files)
        try frames.run(session.files)
        metadata = MetadataMending(session, frameLines: frames.kept)
        note(frames, FrameFields.file)
        for file in Self.sampleFiles where session.files.size(of: file) != nil {
            var samples = Self.mending(of: file, mender, session.files)
            // Samples are never worth a session: a file that cannot be read stays as it is.
            guard (try? samples.run(session.files)) != nil else { continue }
            note(samples, file)
        }
        mended.append(metadata.mended)
        let orphans = OrphanSearch.names(files: session.files, known: mender.indices)
        for name in orphans { mended.record(OrphanSearch.problem(name)) }
        leftOutFiles = (orphans + mender.uselessFiles).sorted()
    }

    /// The same passage over a stream for finding out and for writing.
    func mending(of file: String) -> LineMending {
        Self.mending(of: file, FrameLineMender(session), session.files)
    }

    private mutating func note(_ mending: LineMending, _ file: String) {
        guard mending.changesAnything else { return }
        mended.append(mending.mended)
        streams.append(
            SessionRepairReport.Stream(file: file, keptLines: mending.kept, leftOutLines: mending.leftOut)
        )
    }

    private static let sampleFiles = [MotionLine.file, MotionCSVLine.file, LocationLine.file]

    private static func mending(
        of file: String,
        _ mender: FrameLineMender,
        _ files: any SessionFiles
    ) -> LineMending {
        LineMending(file: file) { bytes, line in
            do throws(Problem) {
                switch file {
                case MotionLine.file: _ = try MotionLine.parse(bytes, line: line)
                case LocationLine.file: _ = try LocationLine.parse(bytes, line: line)
                case MotionCSVLine.file:
                    if !MotionCSVLine.isHeader(bytes) { _ = try MotionCSVLine.parse(bytes, line: line) }
                default: return mender.outcome(of: bytes, line: line)
                }
                return .kept
            } catch {
                return .leftOut(error)
            }
        }
    }
}
