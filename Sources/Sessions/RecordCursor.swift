package import Capture

/// Walks through a session's records in time order: the merge of its frames, IMU samples and location fixes.
///
/// Streams that are slightly out of order are put in order inside a window; what comes later than that is counted and
/// skipped, since what was already handed out cannot be taken back. Memory does not grow with the session.
package final class RecordCursor {
    package private(set) var diagnostics = Diagnostics()

    private let request: RecordRequest
    private var frames: FrameSource
    private var waiting = TimeHeap()
    private var motion: SampleSource?
    private var location: SampleSource?
    private var nextMotion: Record?
    private var nextLocation: Record?
    private var lastFrameTime = Timestamp(nanoseconds: .min)
    private var lastMotionTime = Timestamp(nanoseconds: .min)
    private var lastLocationTime = Timestamp(nanoseconds: .min)
    private let windowSize: Int
    /// Frames of times beyond were counted as not of this session.
    private let framesSpan: ClosedRange<Timestamp>

    init(
        files: any SessionFiles,
        summary: SessionSummary,
        supersededLines: Set<Int>,
        request: RecordRequest
    ) throws {
        self.request = request
        let motionInFrames = request.includesMotion && summary.motionSource == .frames
        frames = FrameSource(
            reader: LineReader(try files.stream(FrameFields.file)),
            supersededLines: supersededLines,
            readsMotion: motionInFrames,
            resolver: PayloadResolver(files: files, summary: summary)
        )
        // Where the lines carry IMU samples, each is two records.
        let window = FrameTimeline.window * (motionInFrames ? 2 : 1)
        windowSize = summary.isTimeOrdered && !motionInFrames ? 1 : window
        framesSpan = summary.firstTime...summary.lastTime
        if request.includesMotion { motion = Self.motionSource(files, summary.motionSource) }
        if request.includesLocation, summary.location.count > 0 { location = .locations(files) }
        nextMotion = motion?.next()
        nextLocation = location?.next()
    }

    /// The next record of the span, or `nil` at the end.
    ///
    /// - Parameter isFrameWanted: asked with a frame's time before its line is read as a whole; frames that are not
    ///   wanted cost next to nothing. A frame that turns out to be broken is passed over as if it were not there.
    package func next(isFrameWanted: (Timestamp) -> Bool = { _ in true }) throws -> Record? {
        while true {
            while waiting.count < windowSize, let entry = try frames.next() { waiting.insert(entry) }
            guard let kind = earliest() else { return finish() }
            switch kind {
            case .motion(let record):
                let place = motion.map { ($0.file, $0.line) }
                nextMotion = motion?.next()
                if let record = accept(record, after: &lastMotionTime, place) { return record }
            case .location(let record):
                let place = location.map { ($0.file, $0.line) }
                nextLocation = location?.next()
                if let record = accept(record, after: &lastLocationTime, place) { return record }
            case .fromFrames:
                guard let entry = waiting.removeFirst() else { continue }
                if let record = take(entry, isFrameWanted) { return record }
            }
        }
    }

    private enum Earliest {
        case fromFrames
        case motion(Record)
        case location(Record)
    }

    /// Which stream is next; at equal times frames come first.
    private func earliest() -> Earliest? {
        var best: (time: Timestamp, stream: Earliest)?
        if let time = waiting.firstTime { best = (time, .fromFrames) }
        if let record = nextMotion, best.map({ record.time < $0.time }) ?? true {
            best = (record.time, .motion(record))
        }
        if let record = nextLocation, best.map({ record.time < $0.time }) ?? true {
            best = (record.time, .location(record))
        }
        return best?.stream
    }

    private func take(_ entry: TimeHeap.Entry, _ isFrameWanted: (Timestamp) -> Bool) -> Record? {
        switch entry.content {
        case .motion(let sample): return accept(.motion(sample), after: &lastMotionTime, nil)
        case .line(let bytes, let number):
            guard request.span.contains(entry.time) else { return nil }
            guard entry.time >= lastFrameTime else {
                recordLate(entry.time, FrameFields.file, "timestamp", line: number)
                return nil
            }
            guard framesSpan.contains(entry.time), isFrameWanted(entry.time) else { return nil }
            // What does not read was counted when the session was opened.
            guard let frame = frames.frame(of: bytes, line: number, &diagnostics) else { return nil }
            lastFrameTime = entry.time
            return .frame(frame)
        }
    }

    /// A sample that repeats the one before it (the phone stores the newest with each frame) is passed over.
    private func accept(
        _ record: Record,
        after last: inout Timestamp,
        _ place: (file: String, line: Int)?
    ) -> Record? {
        guard record.time > last else {
            if record.time < last {
                let field = place == nil ? "imu_timestamp" : "timestamp"
                recordLate(record.time, place?.file ?? FrameFields.file, field, line: place?.line)
            }
            return nil
        }
        last = record.time
        return request.span.contains(record.time) ? record : nil
    }

    private func recordLate(_ time: Timestamp, _ file: String, _ field: String, line: Int?) {
        diagnostics.record(
            Problem(
                .frameTooLate,
                file: file,
                line: line,
                field: field,
                expected: "a time not before what was already handed out",
                found: "\(time.seconds)"
            )
        )
    }

    private func finish() -> Record? {
        if let motion { diagnostics.append(motion.diagnostics) }
        motion = nil
        // The fixes were counted when the session was opened.
        location = nil
        return nil
    }

    /// The IMU samples of a session that has them in a file of their own.
    static func motionSource(
        _ files: any SessionFiles,
        _ source: SessionSummary.MotionSource
    ) -> SampleSource? {
        switch source {
        case .none, .frames: nil
        case .samplesFile:
            SampleSource(file: MotionLine.file, files) { bytes, line throws(Problem) in
                .motion(try MotionLine.parse(bytes, line: line))
            }
        case .table: motionTable(files)
        }
    }

    /// The IMU samples of the oldest generation.
    static func motionTable(_ files: any SessionFiles) -> SampleSource {
        SampleSource(file: MotionCSVLine.file, files) { bytes, line throws(Problem) in
            if MotionCSVLine.isHeader(bytes) { return nil }
            return .motion(try MotionCSVLine.parse(bytes, line: line))
        }
    }
}
