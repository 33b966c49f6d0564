import JSONText
import Recording

/// What is wrong with single lines although they are used: optional values that do not read, and unlikely ones.
///
/// Lines that are no frame or sample were counted when the session was opened; of a stream that a better one replaces,
/// they are counted here.
struct LineCheck {
    private(set) var diagnostics = Diagnostics()
    private(set) var examined = ExaminedSession()
    /// Of the stream that is used.
    private(set) var motionIntervals = IntervalHistogram()

    /// Of the camera from one line to the next, in m/s.
    private(set) var speeds = SpeedHistogram()

    private var lastMotion: Timestamp?
    private var lastFrame: FrameReference?

    init(files: any SessionFiles, summary: SessionSummary) {
        readFrames(files, summary)
        read(.motion, files, \.motionLines)
        read(.locations, files, \.locationLines)
        for stream in [SampleStream.headings, .radio, .indoor] { read(stream, files, \.observationLines) }
        readTable(files, summary)
        readMotionTimes(files, summary)
    }

    private mutating func readFrames(_ files: any SessionFiles, _ summary: SessionSummary) {
        forEachLine(FrameLine.file, files) { check, bytes, number in
            check.examined.frameLines += 1
            guard let bytes, let parsed = try? FrameLine.parse(bytes, line: number) else { return }
            for problem in FrameLine.optionalProblems(bytes, line: number) { check.diagnostics.record(problem) }
            if let problem = IntrinsicsCheck.problem(parsed.frame) { check.diagnostics.record(problem) }
            check.addSpeed(parsed.frame)
            if summary.motionSource == .frames, let sample = parsed.motion { check.addMotion(sample.time) }
        }
    }

    private mutating func read(
        _ stream: SampleStream,
        _ files: any SessionFiles,
        _ count: WritableKeyPath<ExaminedSession, Int>
    ) {
        guard files.size(of: stream.file) != nil else { return }
        forEachLine(stream.file, files) { check, bytes, number in
            check.examined[keyPath: count] += 1
            guard let bytes else { return }
            for problem in stream.optionalProblems(bytes, number) { check.diagnostics.record(problem) }
        }
    }

    /// imu.csv counts only where it is used, but its lines are read in any case.
    private mutating func readTable(_ files: any SessionFiles, _ summary: SessionSummary) {
        guard files.size(of: MotionCSVLine.file) ?? 0 > 0 else { return }
        var source = SampleReader(.motionCSV, files)
        while source.next() != nil { examined.motionLines += 1 }
        if summary.motionSource != .table { diagnostics.append(source.diagnostics) }
    }

    private mutating func readMotionTimes(_ files: any SessionFiles, _ summary: SessionSummary) {
        guard let stream = SampleStream.source(of: .motion, summary) else { return }
        var source = SampleReader(stream, files)
        while let record = source.next() { addMotion(record.time) }
    }

    private mutating func addMotion(_ time: Timestamp) {
        if let lastMotion { motionIntervals.add(time.seconds(since: lastMotion)) }
        lastMotion = time
    }

    private mutating func addSpeed(_ frame: FrameReference) {
        defer { lastFrame = frame }
        guard let lastFrame else { return }
        let seconds = frame.time.seconds(since: lastFrame.time)
        guard seconds > 0 else { return }
        speeds.add((frame.worldFromCamera.translation - lastFrame.worldFromCamera.translation).length / seconds)
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

/// Whether intrinsics are those of a phone's camera; impossible ones cost the frame when it is read.
enum IntrinsicsCheck {
    static func problem(_ frame: FrameReference) -> Problem? {
        let k = frame.intrinsics
        let (width, height) = (Double(k.width), Double(k.height))
        let isLikely =
            (0.95...1.05).contains(k.fx / k.fy) && (0.3...3).contains(k.fx / width)
            && abs(k.cx / width - 0.5) < 0.15 && abs(k.cy / height - 0.5) < 0.15
        guard !isLikely else { return nil }
        // Central in an image so many times as large as this one; a wrong number alone is off on one side only.
        let scale = k.cx / width + k.cy / height
        let isOfAnotherSize = abs(k.cx / width - k.cy / height) < 0.05 && abs(scale - 1) > 0.25
        return Problem(
            isOfAnotherSize ? .intrinsicsOfAnotherSize : .oddIntrinsics,
            file: FrameLine.file,
            line: frame.line,
            field: FrameLine.intrinsics.key,
            expected: "square pixels and a central principal point of a \(k.width)x\(k.height) image",
            found: "fx \(k.fx), fy \(k.fy), cx \(k.cx), cy \(k.cy)"
        )
    }
}
