import Recording

/// Merges the streams of a session in the native layout.
///
/// Streams that are slightly out of order are put in order inside a window; what comes later than that is counted and
/// skipped, since what was already handed out cannot be taken back. Memory does not grow with the session.
final class LoggerCursor: RecordCursor {
    private(set) var diagnostics = Diagnostics()
    private(set) var limitedTrackingCount = 0

    private let request: RecordRequest
    private var frames: FrameReader
    private var waiting = TimeHeap<FrameReader.Content>()
    private var motion: OrderedSamples?
    private var location: OrderedSamples?
    private var lastFrameTime = Timestamp(nanoseconds: .min)
    /// For IMU samples inside of frames.jsonl.
    private var gate: SampleGate
    private var isFinished = false
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
        let readsMotion = request.includesMotion && summary.motionSource == .frames
        frames = FrameReader(
            reader: LineReader(try files.stream(FrameLine.file)),
            supersededLines: supersededLines,
            readsMotion: readsMotion,
            resolver: PayloadResolver(files: files, summary: summary)
        )
        gate = SampleGate(
            span: summary.sampleSpan,
            file: FrameLine.file,
            field: FrameLine.motionTime
        )
        // Where the lines carry IMU samples, each is two records.
        let window = TimeHeap<FrameReader.Content>.window * (readsMotion ? 2 : 1)
        let isNeeded = request.includesFrames || readsMotion
        windowSize = isNeeded ? (summary.isTimeOrdered && !readsMotion ? 1 : window) : 0
        framesSpan = summary.firstTime...summary.lastTime
        if request.includesMotion {
            motion = SampleStream.motion(of: summary.motionSource).map { OrderedSamples($0, files, summary: summary) }
        }
        if request.includesLocation, summary.location.count > 0 {
            location = OrderedSamples(.locations, files, summary: summary)
        }
    }

    var upcomingLocationTime: Timestamp? { location?.upcoming?.record.time }

    func next(isFrameWanted: (Timestamp) -> Bool) throws -> Record? {
        while true {
            while waiting.count < windowSize, let entry = try frames.next() { waiting.insert(entry) }
            switch earliest() {
            case .none: return finish()
            case .motion: if let record = motion?.next()?.record, isRequested(record) { return record }
            case .location: if let record = location?.next()?.record, isRequested(record) { return record }
            case .frames:
                guard let entry = waiting.removeFirst() else { continue }
                if let record = take(entry, isFrameWanted) { return record }
            }
        }
    }

    private enum Stream {
        case none, frames, motion, location
    }

    /// Which stream is next; at equal times frames come first, and IMU samples before fixes.
    private func earliest() -> Stream {
        var best: (time: Timestamp?, stream: Stream) = (waiting.firstTime, waiting.firstTime == nil ? .none : .frames)
        let others = [(motion?.upcoming?.record.time, Stream.motion), (location?.upcoming?.record.time, .location)]
        for case (let time?, let stream) in others where best.time.map({ time < $0 }) ?? true { best = (time, stream) }
        return best.stream
    }

    private func isRequested(_ record: Record) -> Bool { request.span.contains(record.time) }

    private func take(_ entry: FrameReader.Entry, _ isFrameWanted: (Timestamp) -> Bool) -> Record? {
        switch entry.content {
        case .motion(let sample, let line):
            guard gate.judge(sample.time, line: line) == .kept else { return nil }
            let record = Record.motion(sample)
            return isRequested(record) ? record : nil
        case .line(let bytes, let number, let isTrusted):
            guard request.includesFrames, request.span.contains(entry.time) else { return nil }
            guard entry.time >= lastFrameTime else {
                recordLate(entry.time, line: number)
                return nil
            }
            guard framesSpan.contains(entry.time) else { return nil }
            let isWanted = isFrameWanted(entry.time)
            // What does not read was counted when the session was opened.
            guard isWanted || !isTrusted, let parsed = frames.parse(bytes, line: number) else { return nil }
            if !parsed.frame.tracking.isNormal { limitedTrackingCount += 1 }
            guard isWanted else { return nil }
            lastFrameTime = entry.time
            return .frame(request.resolvesPayloads ? frames.resolver.resolve(parsed, &diagnostics) : parsed.frame)
        }
    }

    private func recordLate(_ time: Timestamp, line: Int) {
        diagnostics.record(
            Problem(
                .frameTooLate,
                file: FrameLine.file,
                line: line,
                field: FrameLine.time.key,
                expected: "a time not before what was already handed out",
                found: "\(time.seconds)"
            )
        )
    }

    private func finish() -> Record? {
        guard !isFinished else { return nil }
        isFinished = true
        if let motion { diagnostics.append(motion.diagnostics) }
        diagnostics.append(gate.diagnostics)
        motion = nil
        // The fixes were counted when the session was opened.
        location = nil
        return nil
    }
}
