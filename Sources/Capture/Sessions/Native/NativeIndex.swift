import Recording

/// The result of one pass over frames.jsonl: the summary, the problems of single lines, and the lines that a later one replaces.
struct NativeIndex {
    var summary: SessionSummary
    var diagnostics = Diagnostics()
    /// Lines whose frame_index comes again further down.
    var supersededLines: Set<Int> = []
    var firstProblem: Problem?
    /// The index of frames.jsonl, which is of use where its lines are in time order.
    private(set) var lines = LineIndex()
    var framesHaveMotion = false
    /// The counts of frames that say whether they have a file, and of those that do not say it.
    private var images = PayloadAccount(.each)
    private var depth = PayloadAccount(.each)
    private var unsaidDepth = PayloadAccount(.free)
    private var confidence = PayloadAccount(.free)
    private var listing: FolderListing

    private var previousTime: Timestamp?
    private var timeline = FrameTimeline()
    private var isAfterBrokenLine = false
    private var previousOrientation: ImageOrientation?
    private var largestIndex = -1
    private var hasRepeatedIndex = false
    private var sawHasDepthField = false
    private var sawOrientationField = false

    init(files: any SessionFiles, summary: SessionSummary) throws {
        self.summary = summary
        listing = FolderListing(files)
        try readFrames(files)
        if hasRepeatedIndex { try findSuperseded(files) }
        finishTimes()
        self.summary.generation = sawOrientationField ? 2 : (sawHasDepthField ? 1 : 0)
        self.summary.frameCount -= supersededLines.count
    }

    /// A line that does not read is only known to be the last one, cut by a crash, when no other follows.
    private mutating func readFrames(_ files: any SessionFiles) throws {
        var reader = LineReader(try files.stream(FrameLine.file))
        var pending: Problem?
        while let line = try reader.next() {
            isAfterBrokenLine = pending != nil
            if let problem = pending { record(problem) }
            pending = nil
            summary.lineCount += 1
            switch line {
            case .tooLong(let number, let bytes):
                pending = LineReader.tooLong(FrameLine.file, line: number, bytes: bytes)
            case .text(let number, _):
                do throws(Problem) {
                    let parsed = try reader.withLine { bytes throws(Problem) in
                        try FrameLine.parse(bytes, line: number)
                    }
                    add(parsed)
                    lines.add(.init(offset: reader.lineOffset, line: number - 1, time: parsed.frame.time))
                } catch {
                    pending = error
                    reader.countBroken()
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
        addIndex(frame)
        addTime(frame)
        if summary.sensorSize == nil {
            summary.sensorSize = GridSize(width: frame.intrinsics.width, height: frame.intrinsics.height)
        }
        // A frame without a picture has none that could be turned.
        if parsed.hasImage != false {
            summary.orientations[frame.declaredOrientation?.rawValue ?? "not rotated", default: 0] += 1
        }
        if let orientation = frame.declaredOrientation {
            sawOrientationField = true
            if let previousOrientation, previousOrientation != orientation { summary.orientationChanges += 1 }
            previousOrientation = orientation
        }
        summary.tracking[frame.tracking, default: 0] += 1
        countPayloads(parsed)
        if parsed.hasDepth != nil { sawHasDepthField = true }
        if parsed.hasDepth != false {
            summary.framesThatMayHaveDepth += 1
            if summary.depthSize == nil { summary.depthSize = parsed.depthResolution }
        }
        if summary.relativeDepthSize == nil { summary.relativeDepthSize = parsed.relativeDepthResolution }
        if parsed.motion != nil { framesHaveMotion = true }
        if let problem = parsed.motionProblem { record(problem) }
    }

    private mutating func countPayloads(_ parsed: ParsedFrame) {
        let names = PayloadNames(index: parsed.frame.index)
        if parsed.hasImage != false { images.count(listing.contains(names.image)) }
        guard parsed.hasDepth != false else { return }
        let hasDepth = listing.contains(names.depth)
        if parsed.hasDepth == true { depth.count(hasDepth) } else { unsaidDepth.count(hasDepth) }
        if hasDepth { confidence.count(listing.contains(names.confidence)) }
    }

    /// How many frames should have files, and how many have them.
    ///
    /// - Parameter promisesDepth: True if metadata.json says that there is depth, for lines that do not say it.
    func payloads(promisesDepth: Bool) -> [PayloadKind: PayloadAccount] {
        var depth = depth
        if depth.possible == 0 {
            depth = unsaidDepth
            depth.promise = promisesDepth ? .any : .free
        }
        return [.images: images, .depth: depth, .confidence: confidence]
    }

    /// Frames are numbered from 0 without gaps; only a line that was lost excuses one.
    private mutating func addIndex(_ frame: FrameReference) {
        if frame.index > largestIndex + 1, largestIndex >= 0, !isAfterBrokenLine {
            let (expected, found) = ("\(largestIndex + 1)", "\(frame.index)")
            diagnostics.record(FrameLine.index.problem(.indexNotConsecutive, frame.line, expected, found))
        }
        if frame.index <= largestIndex { hasRepeatedIndex = true }
        largestIndex = max(largestIndex, frame.index)
    }

    private mutating func addTime(_ frame: FrameReference) {
        if let previousTime, frame.time <= previousTime { summary.isTimeOrdered = false }
        if let previousTime, frame.time < previousTime {
            let expected = "at least \(previousTime.seconds)"
            diagnostics.record(FrameLine.time.problem(.timeStepsBack, frame.line, expected, "\(frame.time.seconds)"))
        }
        previousTime = frame.time
        timeline.add(frame.time, line: frame.line)
    }

    private mutating func finishTimes() {
        timeline.finish()
        summary.medianIntervalSeconds = timeline.medianIntervalSeconds
        guard let stretch = timeline.session else { return }
        summary.firstTime = stretch.first
        summary.lastTime = stretch.last
        summary.largestGapSeconds = stretch.largestGapSeconds
        summary.largestGapStart = stretch.largestGapStart
        summary.frameCount -= timeline.strayCount + timeline.lateCount
        for (place, stray) in timeline.strays.enumerated() {
            // The last one that is named stands for those that are not.
            let unnamed = place == timeline.strays.count - 1 ? timeline.strayCount - timeline.strays.count : 0
            let expected = "a time within a day of \(stretch.first.seconds) to \(stretch.last.seconds)"
            let found = "\(stray.time.seconds)"
            let problem = FrameLine.time.problem(.timeOutOfSession, stray.number, expected, found)
            diagnostics.record(problem, count: 1 + unnamed)
        }
    }

    /// The second pass that only a session with repeated indices needs: of equal ones the last stays.
    private mutating func findSuperseded(_ files: any SessionFiles) throws {
        var lineByIndex: [Int: Int] = [:]
        var reader = LineReader(try files.stream(FrameLine.file))
        while let line = try reader.next() {
            guard case .text(let number, _) = line else { continue }
            let index = reader.withLine { bytes in (try? FrameLine.parse(bytes, line: number))?.frame.index }
            guard let index else {
                reader.countBroken()
                continue
            }
            if let earlier = lineByIndex.updateValue(number, forKey: index) {
                supersededLines.insert(earlier)
                let found = "it again in line \(number)"
                diagnostics.record(FrameLine.index.problem(.duplicateFrame, earlier, "\(index) once", found))
            }
        }
    }
}
