import Recording

/// Merges the streams of a session in the native layout.
///
/// Streams that are slightly out of order are put in order inside a window; what comes later than that is counted and
/// skipped, since what was already handed out cannot be taken back. Memory does not grow with the session.
final class NativeCursor: RecordCursor {
    private(set) var diagnostics = Diagnostics()
    private(set) var limitedTrackingCount = 0

    private let request: RecordRequest
    private var frames: FrameReader
    private var waiting = TimeHeap<FrameReader.Content>()
    /// The streams of their own files.
    private var samples: SampleMerge
    private var lastFrameTime = Timestamp(nanoseconds: .min)
    /// For IMU samples inside of frames.jsonl.
    private var gate: SampleGate
    private var isFinished = false
    private let windowSize: Int
    /// Frames of times beyond were counted as not of this session.
    private let framesSpan: ClosedRange<Timestamp>
    /// True if nothing behind the span is read.
    private let canEndEarly: Bool

    init(
        files: any SessionFiles,
        summary: SessionSummary,
        supersededLines: Set<Int>,
        lines: LineIndex = LineIndex(),
        request: RecordRequest
    ) throws {
        self.request = request
        let isOrdered = summary.isTimeOrdered && supersededLines.isEmpty
        canEndEarly = request.jumps && isOrdered
        // Samples of a little before are needed to put those of the span in order.
        let start = request.jumps ? request.span.lowerBound.advanced(byNanoseconds: -2_000_000_000) : nil
        let readsMotion = request.streams.contains(.motion) && summary.motionSource == .frames
        frames = FrameReader(
            reader: try Self.reader(files, isOrdered ? start.flatMap(lines.last) : nil),
            supersededLines: supersededLines,
            readsMotion: readsMotion,
            resolver: PayloadResolver(files: files, summary: summary)
        )
        gate = SampleGate(span: summary.sampleSpan, file: FrameLine.file, field: FrameLine.motionTime)
        // Where the lines carry IMU samples, each is two records.
        let window = TimeHeap<FrameReader.Content>.window * (readsMotion ? 2 : 1)
        let isNeeded = request.streams.contains(.frames) || readsMotion
        windowSize = isNeeded ? (summary.isTimeOrdered && !readsMotion ? 1 : window) : 0
        framesSpan = summary.firstTime...summary.lastTime
        let streams = RecordStream.allCases.filter(request.streams.contains)
        samples = SampleMerge(
            streams.compactMap { stream in
                SampleStream.source(of: stream, summary).map { source in
                    (stream, OrderedSamples(source, files, summary: summary, after: start))
                }
            }
        )
    }

    private static func reader(_ files: any SessionFiles, _ place: LineIndex.Place?) throws -> LineReader {
        if let place, let stream = try files.stream(FrameLine.file, from: place.offset) {
            return LineReader(stream, offset: place.offset, line: place.line)
        }
        return LineReader(try files.stream(FrameLine.file))
    }

    var upcomingLocationTime: Timestamp? { samples.upcomingLocationTime }

    func next(isFrameWanted: (Timestamp) -> Bool) throws -> Record? {
        while true {
            while waiting.count < windowSize, let entry = try frames.next() { waiting.insert(entry) }
            let sample = samples.upcomingTime
            if canEndEarly, let next = [sample, waiting.firstTime].compactMap(\.self).min(),
                next > request.span.upperBound
            {
                return finish()
            }
            if let sample, waiting.firstTime.map({ sample < $0 }) ?? true {
                if let record = samples.next(), isRequested(record) { return record }
            } else if let entry = waiting.removeFirst() {
                if let record = take(entry, isFrameWanted) { return record }
            } else {
                return finish()
            }
        }
    }

    private func isRequested(_ record: Record) -> Bool { request.span.contains(record.time) }

    private func take(_ entry: FrameReader.Entry, _ isFrameWanted: (Timestamp) -> Bool) -> Record? {
        switch entry.content {
        case .motion(let sample, let line):
            guard gate.judge(sample.time, line: line) == .kept else { return nil }
            let record = Record.motion(sample)
            return isRequested(record) ? record : nil
        case .line(let bytes, let number, let isTrusted):
            guard request.streams.contains(.frames), request.span.contains(entry.time) else { return nil }
            guard entry.time >= lastFrameTime else {
                let (expected, found) = ("a time not before what was already handed out", "\(entry.time.seconds)")
                diagnostics.record(FrameLine.time.problem(.frameTooLate, number, expected, found))
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

    private func finish() -> Record? {
        guard !isFinished else { return nil }
        isFinished = true
        let found = samples.finish()
        if !request.jumps {
            diagnostics.append(found)
            diagnostics.append(gate.diagnostics)
        }
        return nil
    }
}

/// Reads frames.jsonl from front to back: each line with its time, read as a whole only when it is asked for.
struct FrameReader {
    var reader: LineReader
    let supersededLines: Set<Int>
    /// True if the IMU samples inside the lines are wanted as records of their own.
    let readsMotion: Bool
    let resolver: PayloadResolver
    private var pendingMotion: Entry?

    typealias Entry = TimeHeap<Content>.Entry

    enum Content {
        /// A line that may be a frame; `isTrusted` is what it says of its pose.
        case line([UInt8], number: Int, isTrusted: Bool)
        /// The IMU sample of a line.
        case motion(MotionSample, number: Int)
    }

    init(reader: LineReader, supersededLines: Set<Int>, readsMotion: Bool, resolver: PayloadResolver) {
        self.reader = reader
        self.supersededLines = supersededLines
        self.readsMotion = readsMotion
        self.resolver = resolver
    }

    mutating func next() throws -> Entry? {
        if let sample = pendingMotion {
            pendingMotion = nil
            return sample
        }
        while let line = try reader.next() {
            guard case .text(let number, _) = line, !supersededLines.contains(number) else { continue }
            let wantsMotion = readsMotion
            let (entry, motion) = reader.withLine { bytes -> (Entry?, MotionSample?) in
                guard let head = FrameLine.head(bytes) else { return (nil, nil) }
                let motion = wantsMotion ? (try? FrameLine.parse(bytes, line: number))?.motion : nil
                let content = Content.line(Array(bytes), number: number, isTrusted: head.isTrusted)
                return (Entry(time: head.time, content: content), motion)
            }
            pendingMotion = motion.map { Entry(time: $0.time, content: .motion($0, number: number)) }
            if let entry { return entry }
            reader.countBroken()
        }
        return nil
    }

    /// The frame of a line as the line says it; `nil` where it does not read.
    func parse(_ bytes: [UInt8], line: Int) -> ParsedFrame? {
        bytes.withUnsafeBytes { try? FrameLine.parse($0, line: line) }
    }
}
