import JSONText
import Recording

/// What is wrong with single lines although they are used: optional values that do not read, and unlikely ones.
///
/// Lines that are no frame or sample were counted when the session was opened; of a stream that a better one replaces,
/// they are counted here.
struct LineCheck {
    private(set) var found = LineExamination()

    private let names: FrameNames

    init(files: any SessionFiles, summary: SessionSummary) {
        names = summary.frameNames
        readFrames(files, summary)
        read(.motion, files, \.motionLines)
        read(.locations, files, \.locationLines)
        for stream in [SampleStream.headings, .radio, .indoor] { read(stream, files, \.observationLines) }
        readTable(files, summary)
        readMotionTimes(files, summary)
        if files.size(of: LoggerMetadata.file) == nil {
            found.diagnostics.record(
                Problem(.missingMetadata, file: LoggerMetadata.file, expected: "a file", found: "none")
            )
        }
    }

    private mutating func readFrames(_ files: any SessionFiles, _ summary: SessionSummary) {
        var angles = EulerAngleCheck()
        defer { if let problem = angles.problem(names) { found.diagnostics.record(problem) } }
        forEachLine(FrameLine.file, files) { check, bytes, number in
            check.found.examined.frameLines += 1
            guard let bytes, let parsed = try? FrameLine.parse(bytes, line: number) else { return }
            for problem in FrameLine.optionalProblems(bytes, line: number) { check.found.diagnostics.record(problem) }
            if let problem = IntrinsicsCheck.problem(parsed.frame, check.names) {
                check.found.diagnostics.record(problem)
            }
            check.found.addSpeed(parsed.frame)
            if let given = FrameLine.eulerAngles(bytes, line: number) { angles.add(parsed.frame, angles: given) }
            if summary.motionSource == .frames, let sample = parsed.motion { check.found.addMotion(sample.time) }
        }
    }

    private mutating func read(
        _ stream: SampleStream,
        _ files: any SessionFiles,
        _ count: WritableKeyPath<ExaminedSession, Int>
    ) {
        guard files.size(of: stream.file) != nil else { return }
        forEachLine(stream.file, files) { check, bytes, number in
            check.found.examined[keyPath: count] += 1
            guard let bytes else { return }
            for problem in stream.optionalProblems(bytes, number) { check.found.diagnostics.record(problem) }
        }
    }

    /// imu.csv counts only where it is used, but its lines are read in any case.
    private mutating func readTable(_ files: any SessionFiles, _ summary: SessionSummary) {
        guard files.size(of: MotionCSVLine.file) ?? 0 > 0 else { return }
        var source = SampleReader(.motionCSV, files)
        while source.next() != nil { found.examined.motionLines += 1 }
        if summary.motionSource != .table { found.diagnostics.append(source.diagnostics) }
    }

    private mutating func readMotionTimes(_ files: any SessionFiles, _ summary: SessionSummary) {
        guard let stream = SampleStream.source(of: .motion, summary) else { return }
        var source = SampleReader(stream, files)
        while let record = source.next() { found.addMotion(record.time) }
    }

    /// Passes every line with its number, and `nil` for one that is too long.
    private mutating func forEachLine(
        _ file: String,
        _ files: any SessionFiles,
        _ body: (inout LineCheck, UnsafeRawBufferPointer?, Int) -> Void
    ) {
        // A stream that cannot be read was counted when the session was opened.
        guard var reader = (try? files.stream(file)).map({ LineReader($0) }) else { return }
        while let line = try? reader.next() {
            switch line {
            case .tooLong(let number, _): body(&self, nil, number)
            case .text(let number, _): reader.withLine { body(&self, $0, number) }
            }
        }
    }
}
