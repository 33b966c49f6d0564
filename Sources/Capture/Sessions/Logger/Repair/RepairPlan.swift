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
        streams.append(
            SessionRepairReport.Stream(file: file, keptLines: mending.kept, leftOutLines: mending.leftOut)
        )
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
