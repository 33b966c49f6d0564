import Capture

/// What one pass over frames.jsonl finds: the summary, the problems of single lines, and the lines that a later one replaces.
struct LoggerIndex {
    var summary: SessionSummary
    var diagnostics = Diagnostics()
    /// Lines whose frame_index comes again further down.
    var supersededLines: Set<Int> = []
    var firstProblem: Problem?
    var framesHaveMotion = false

    private var previousTime: Timestamp?
    private var intervals = IntervalHistogram()
    private var previousOrientation: ImageOrientation?
    private var largestIndex = -1
    private var hasRepeatedIndex = false
    private var sawHasDepthField = false
    private var sawOrientationField = false

    init(files: any SessionFiles, summary: SessionSummary) throws {
        self.summary = summary
        try readFrames(files)
        if hasRepeatedIndex { try findSuperseded(files) }
        self.summary.generation = sawOrientationField ? 2 : (sawHasDepthField ? 1 : 0)
        self.summary.frameCount -= supersededLines.count
        self.summary.medianIntervalSeconds = intervals.median
    }

    /// A line that does not read is only known to be the last one, cut by a crash, when no other follows.
    private mutating func readFrames(_ files: any SessionFiles) throws {
        var reader = LineReader(try files.stream(FrameFields.file))
        var pending: Problem?
        while let line = try reader.next() {
            if let problem = pending.take() { record(problem) }
            summary.lineCount += 1
            switch line {
            case .tooLong(let number, let bytes):
                pending = Problem(
                    .unreadableLine,
                    file: FrameFields.file,
                    line: number,
                    expected: "a line of at most \(LineReader.maximumLineBytes) bytes",
                    found: "\(bytes) bytes"
                )
            case .text(let number, _):
                do throws(Problem) {
                    let parsed = try reader.withLine { bytes throws(Problem) in
                        try FrameParser.parse(bytes, line: number)
                    }
                    add(parsed)
                } catch {
                    pending = error
                }
            }
        }
        if var problem = pending {
            if problem.kind == .unreadableLine { problem.kind = .cutLastLine }
            record(problem)
        }
    }

    private mutating func record(_ problem: Problem) {
        if firstProblem == nil { firstProblem = problem }
        diagnostics.record(problem)
    }

    private mutating func add(_ parsed: ParsedFrame) {
        let frame = parsed.frame
        summary.frameCount += 1
        if frame.index <= largestIndex { hasRepeatedIndex = true }
        largestIndex = max(largestIndex, frame.index)
        addTime(frame)
        if summary.sensorSize == nil {
            summary.sensorSize = GridSize(width: frame.intrinsics.width, height: frame.intrinsics.height)
        }
        summary.orientations[frame.declaredOrientation?.rawValue ?? "not rotated", default: 0] += 1
        if let orientation = frame.declaredOrientation {
            sawOrientationField = true
            if let previousOrientation, previousOrientation != orientation { summary.orientationChanges += 1 }
            previousOrientation = orientation
        }
        summary.tracking[frame.tracking, default: 0] += 1
        if parsed.hasDepth != nil { sawHasDepthField = true }
        if parsed.hasDepth != false {
            summary.framesThatMayHaveDepth += 1
            if summary.depthSize == nil { summary.depthSize = parsed.depthResolution }
        }
        if summary.relativeDepthSize == nil { summary.relativeDepthSize = parsed.relativeDepthResolution }
        if parsed.motion != nil { framesHaveMotion = true }
        if let problem = parsed.motionProblem { record(problem) }
    }

    private mutating func addTime(_ frame: FrameReference) {
        if let previousTime {
            if frame.time < previousTime {
                diagnostics.record(
                    Problem(
                        .timeStepsBack,
                        file: FrameFields.file,
                        line: frame.line,
                        field: "timestamp",
                        expected: "at least \(previousTime.seconds)",
                        found: "\(frame.time.seconds)"
                    )
                )
            }
            if frame.time <= previousTime { summary.isTimeOrdered = false }
            let gap = frame.time.seconds(since: previousTime)
            intervals.add(gap)
            if gap > summary.largestGapSeconds {
                summary.largestGapSeconds = gap
                summary.largestGapStart = previousTime
            }
        }
        previousTime = frame.time
        summary.firstTime = min(summary.firstTime, frame.time)
        summary.lastTime = max(summary.lastTime, frame.time)
    }

    /// The second pass that only a session with repeated indices needs: of equal ones the last stays.
    private mutating func findSuperseded(_ files: any SessionFiles) throws {
        var lineByIndex: [Int: Int] = [:]
        var reader = LineReader(try files.stream(FrameFields.file))
        while let line = try reader.next() {
            guard case .text(let number, _) = line else { continue }
            let index = reader.withLine { bytes in (try? FrameParser.parse(bytes, line: number))?.frame.index }
            guard let index else { continue }
            if let earlier = lineByIndex.updateValue(number, forKey: index) {
                supersededLines.insert(earlier)
                diagnostics.record(
                    Problem(
                        .duplicateFrame,
                        file: FrameFields.file,
                        line: earlier,
                        field: "frame_index",
                        expected: "\(index) once",
                        found: "it again in line \(number)"
                    )
                )
            }
        }
    }
}

/// Counts intervals in bins of a quarter of a millisecond up to two seconds, so that a median needs no list.
private struct IntervalHistogram {
    private static let binSeconds = 0.000_25
    private var bins: [Int32] = []
    private var count: Int32 = 0

    mutating func add(_ seconds: Double) {
        guard seconds > 0 else { return }
        if bins.isEmpty { bins = [Int32](repeating: 0, count: 8000) }
        bins[min(bins.count - 1, Int(min(seconds, 2) / Self.binSeconds))] += 1
        count += 1
    }

    var median: Double? {
        var seen: Int32 = 0
        for (index, inBin) in bins.enumerated() {
            seen += inBin
            if seen > count / 2 { return (Double(index) + 0.5) * Self.binSeconds }
        }
        return nil
    }
}

extension Optional {
    /// Takes the value out and leaves `nil`.
    fileprivate mutating func take() -> Wrapped? {
        defer { self = nil }
        return self
    }
}
