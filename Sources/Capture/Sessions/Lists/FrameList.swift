import Platform
package import Recording

/// Takes the frames of a recording that lists its poses, and what is wrong with the list; gives the summary of it.
///
/// A format reads its list once, from front to back, and adds each pose as a ``FrameReference`` in the axes and for the
/// grid of the sensor's landscape image; the list puts them in the order of time. How a format is added is described in
/// docs/formats/reader.md.
package struct FrameList {
    package private(set) var summary: SessionSummary
    package private(set) var diagnostics = Diagnostics()
    private(set) var firstProblem: Problem?

    /// Lines that give no frame and do not say which they would have given; known when the list is finished.
    private(set) var refusedLineCount = 0

    private var builder = FrameTableBuilder()
    private var lastTime: Timestamp?
    private var largestIndex = Int.min
    private var hasRepeatedIndex = false

    package init(_ summary: SessionSummary) {
        self.summary = summary
    }

    /// A line or file of the list that gives no frame.
    package mutating func record(_ problem: Problem, count: Int = 1) {
        if firstProblem == nil { firstProblem = problem }
        diagnostics.record(problem, count: count)
    }

    /// Something odd in a line or file that gives a frame all the same.
    package mutating func note(_ problem: Problem, count: Int = 1) { diagnostics.record(problem, count: count) }

    /// Why the recording has no images, where there is more to say than that.
    mutating func noteImageAbsence(_ reason: String) { summary.imageAbsence = reason }

    /// Counts a line or file that was looked at, whether or not it gives a frame.
    package mutating func countLine() { summary.lineCount += 1 }

    var lineCount: Int { summary.lineCount }

    /// Takes a frame of each line of a file, from front to back.
    ///
    /// - Parameter frame: gives the frame of a line, whose number counts from 1.
    /// - Throws: where the file cannot be read to its end; what is wrong with a line is recorded.
    mutating func addLines(
        of file: String,
        in files: any SessionFiles,
        frame: (UnsafeRawBufferPointer, _ line: Int, inout FrameList) throws(Problem) -> FrameReference
    ) throws {
        var reader = LineReader(try files.stream(file))
        while let line = try reader.next() {
            countLine()
            switch line {
            case .tooLong(let place, let bytes): record(LineReader.tooLong(file, line: place, bytes: bytes))
            case .text(let place, let isWhole):
                do throws(Problem) {
                    if !isWhole, let problem = reader.cutRow(file) { throw problem }
                    add(try reader.withLine { bytes throws(Problem) in try frame(bytes, place, &self) })
                } catch {
                    var problem = error
                    if !isWhole, problem.kind == .unreadableLine { problem.kind = .cutLastLine }
                    record(problem)
                    reader.countBroken()
                }
            }
        }
    }

    /// Takes the next frame of the list.
    package mutating func add(_ frame: FrameReference) {
        if let lastTime, frame.time <= lastTime { summary.isTimeOrdered = false }
        if let lastTime, frame.time < lastTime {
            diagnostics.record(
                summary.frameNames.problem(
                    .timeStepsBack,
                    frame,
                    \.time,
                    expected: "at least \(lastTime.seconds)",
                    found: "\(frame.time.seconds)"
                )
            )
        }
        lastTime = frame.time
        if frame.index <= largestIndex { hasRepeatedIndex = true }
        largestIndex = max(largestIndex, frame.index)
        builder.add(frame)
    }

    /// The frames in the order of time, with what there is to say of them as a whole.
    ///
    /// - Throws: a ``SessionError`` where there is none; a `FileError` where a long list finds no room in the folder for
    ///   temporary files.
    package mutating func finish(path: String) throws -> FrameTable {
        let all = try builder.finish()
        let dropped = try hasRepeatedIndex ? superseded(all) : []
        var timeline = FrameTimeline()
        try all.forEach { if !dropped.contains($0.line) { timeline.add($0.time, line: $0.line) } }
        timeline.finish()
        guard let stretch = timeline.session else {
            throw SessionError.noUsableFrame(
                path: path,
                file: summary.frameFile,
                lines: summary.lineCount,
                first: firstProblem
            )
        }
        (summary.firstTime, summary.lastTime) = (stretch.first, stretch.last)
        (summary.largestGapSeconds, summary.largestGapStart) = (stretch.largestGapSeconds, stretch.largestGapStart)
        summary.medianIntervalSeconds = timeline.medianIntervalSeconds
        defer { refusedLineCount = max(0, summary.lineCount - summary.frameCount - dropped.count) }
        if dropped.isEmpty, timeline.strayCount == 0 {
            try all.forEach { count($0) }
            return all
        }
        // Rare, and only then a second copy is made.
        var kept = FrameTableBuilder()
        let (first, last) = (stretch.first, stretch.last)
        try all.forEach { frame in
            guard !dropped.contains(frame.line) else { return }
            guard first <= frame.time, frame.time <= last else {
                record(stray(frame, first, last))
                return
            }
            kept.add(frame)
            count(frame)
        }
        return try kept.finish()
    }

    private func stray(_ frame: FrameReference, _ first: Timestamp, _ last: Timestamp) -> Problem {
        summary.frameNames.problem(
            .timeOutOfSession,
            frame,
            \.time,
            expected: "a time within a day of \(first.seconds) to \(last.seconds)",
            found: "\(frame.time.seconds)"
        )
    }

    /// The lines of frames whose number comes again further down the list.
    private mutating func superseded(_ table: FrameTable) throws -> Set<Int> {
        var lines: [Int: FrameReference] = [:]
        var dropped: Set<Int> = []
        var problems: [(line: Int, problem: Problem)] = []
        let names = summary.frameNames
        try table.forEach { frame in
            guard let other = lines[frame.index] else {
                lines[frame.index] = frame
                return
            }
            let (earlier, later) = frame.line < other.line ? (frame, other) : (other, frame)
            lines[frame.index] = later
            dropped.insert(earlier.line)
            let problem = names.problem(
                .duplicateFrame,
                earlier,
                expected: "frame \(frame.index) once",
                found: "it again in \(names.text(later))"
            )
            problems.append((earlier.line, problem))
        }
        for (_, problem) in problems.sorted(by: { $0.line < $1.line }) { diagnostics.record(problem) }
        return dropped
    }

    private mutating func count(_ frame: FrameReference) {
        summary.frameCount += 1
        if summary.sensorSize == nil {
            summary.sensorSize = GridSize(width: frame.intrinsics.width, height: frame.intrinsics.height)
        }
        summary.orientations[frame.declaredOrientation?.rawValue ?? "not rotated", default: 0] += 1
        summary.tracking[frame.tracking, default: 0] += 1
    }
}
