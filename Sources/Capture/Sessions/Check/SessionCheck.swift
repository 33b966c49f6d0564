package import Platform
import Recording

/// Looks at a whole session of any format: every line of every stream, every payload, and whether they fit together.
///
/// It also finds the problems that a replay counts on its way, and odd values that a replay would use as they are.
/// Memory does not grow with the session but for names of files; the findings do not depend on the number of jobs.
package struct SessionCheck: Sendable {
    /// How many places of each kind are named; the others are only counted.
    package static let placesPerKind = Diagnostics.examplesPerKind

    private let path: String
    private let jobs: Int
    /// Every so many-th image is decoded; of the others markers, tables and coded data are looked at.
    private let imageStep: Int

    /// - Parameters:
    ///   - jobs: how many frames are decoded at a time, at least one.
    ///   - imageStep: every so many-th image is decoded as a whole.
    package init(path: String, jobs: Int = 1, imageStep: Int = 1) {
        self.path = path
        self.jobs = max(1, jobs)
        self.imageStep = max(1, imageStep)
    }

    /// Reads the session from its first line to its last tile.
    ///
    /// - Parameter progress: is told the frames that are done.
    /// - Throws: a ``SessionError`` or ``Problem`` when there is no session, or no usable frame in it; a
    ///   `CancellationError` when the task is cancelled.
    package func run(progress: @escaping ProgressHandler = { _ in }) async throws -> SessionCheckReport {
        let session = try SessionFormats.open(path: path)
        var diagnostics = session.diagnostics
        diagnostics.append(session.orphans())
        var examined = ExaminedSession()
        let tell = { done in progress(WorkProgress("checking", done, of: session.summary.frameCount, .frames)) }
        tell(0)

        let lines = try session.examineLines()
        diagnostics.append(lines.diagnostics)
        examined.add(lines.examined)

        let records = RecordCheck(summary: session.summary, lines: lines)
        try await examine(session, records, &diagnostics, tell)
        examined.add(records.examined)
        if let problem = records.overlap.problem(session.summary.frameNames, session.makeLoader()) {
            diagnostics.record(problem)
        }
        try Task.checkCancellation()
        for contradiction in try Georeference(session).contradictions {
            diagnostics.record(Problem(contradiction, file: session.summary.location.file))
        }

        diagnostics.append(Self.judgeWhole(session.summary))
        let tiles = TileCheck(session.tiles, fixes: records.timeline.minutelyFixes)
        diagnostics.append(tiles.diagnostics)
        examined.tiles = tiles.count
        return SessionCheckReport(
            path: path,
            summary: session.summary,
            examined: examined,
            diagnostics: diagnostics,
            .files(imageStep: imageStep)
        )
    }

    /// Examines the records in their order, and the payloads of the frames side by side.
    private func examine(
        _ session: any Session,
        _ records: RecordCheck,
        _ diagnostics: inout Diagnostics,
        _ progress: (_ frames: Int) -> Void
    ) async throws {
        let walk = try FrameWalk(session, RecordRequest(), .everything)
        let imageStep = imageStep
        try await forEachOrdered(workers: jobs, window: 3 * jobs) { () -> WalkedFrame? in
            while let record = try walk.next() {
                records.add(record)
                if case .frame(let frame) = record { return walk.take(frame) }
            }
            return nil
        } makeWorker: {
            session.makeLoader()
        } transform: { loader, walked in
            PayloadCheck(walked, loader, of: session, imageStep: imageStep)
        } deliver: { payloads in
            records.add(payloads)
            progress(records.examined.frames)
        }
        records.finish()
        diagnostics.append(records.diagnostics)
        diagnostics.append(walk.damage)
    }

    /// Returns the findings that only the session as a whole shows.
    private static func judgeWhole(_ summary: SessionSummary) -> Diagnostics {
        var diagnostics = Diagnostics()
        if summary.orientations.count > 1 {
            let counts = summary.orientations.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
            diagnostics.record(
                Problem(
                    .mixedOrientations,
                    file: summary.frameFile,
                    field: summary.frameNames.orientation,
                    expected: "one orientation",
                    found: "\(counts.joined(separator: ", ")), in \(summary.orientationChanges) changes"
                )
            )
        }
        if let problem = ClockCheck.problem(summary) { diagnostics.record(problem) }
        diagnostics.append(judgeFrames(summary))
        return diagnostics
    }

    /// Returns the problems because of which nothing can come out of the frames.
    private static func judgeFrames(_ summary: SessionSummary) -> Diagnostics {
        var diagnostics = Diagnostics()
        if summary.frameCount > 1, summary.firstTime == summary.lastTime {
            diagnostics.record(
                Problem(
                    .noDuration,
                    file: summary.frameFile,
                    field: summary.frameNames.time,
                    expected: "times that go on",
                    found: "\(summary.firstTime.seconds) in all \(summary.frameCount) frames"
                )
            )
        }
        if !summary.tracking.isEmpty, !summary.tracking.contains(where: { $0.key.isNormal && $0.value > 0 }) {
            let counts = summary.tracking.sorted { $0.key.rawValue < $1.key.rawValue }
            diagnostics.record(
                Problem(
                    .noTrackedFrame,
                    file: summary.frameFile,
                    field: summary.frameNames.tracking,
                    expected: "frames of the state normal",
                    found: counts.map { "\($0.value) \($0.key.rawValue)" }.joined(separator: ", ")
                )
            )
        }
        return diagnostics
    }
}

/// Finds what is wrong with the records of a session, taken together in time order.
///
/// A class, as an async function must not keep poses across an `await` (decision 014).
final class RecordCheck {
    private(set) var diagnostics = Diagnostics()
    private(set) var examined = ExaminedSession()
    private(set) var timeline: TimelineCheck
    private(set) var overlap = OverlapCheck(looksForLateImages: true)
    private var poses: PoseCheck
    private var gravity: GravityCheck
    private var attitude = AttitudeCheck()
    private var turnRates: TurnRateCheck

    init(summary: SessionSummary, lines: LineExamination) {
        timeline = TimelineCheck(summary: summary, motionIntervals: lines.motionIntervals)
        gravity = GravityCheck()
        turnRates = TurnRateCheck(names: summary.frameNames)
        poses = PoseCheck(
            names: summary.frameNames,
            medianSpeed: lines.speeds.median,
            hasTimes: summary.assumedFramesPerSecond == nil
        )
    }

    func add(_ record: Record) {
        timeline.add(record)
        gravity.add(record)
        turnRates.add(record)
        switch record {
        case .frame(let frame):
            poses.add(frame)
            overlap.add(frame)
        case .motion(let sample): attitude.add(sample)
        case .location, .heading, .radio, .indoor: break
        }
    }

    func add(_ payloads: PayloadCheck) {
        examined.add(payloads.examined)
        diagnostics.append(payloads.diagnostics)
    }

    func finish() {
        diagnostics.append(timeline.diagnostics)
        diagnostics.append(poses.diagnostics)
        for case let problem? in [gravity.problem, attitude.problem, turnRates.problem] { diagnostics.record(problem) }
    }
}

/// The findings in the lines of a recording by themselves, used or not: their number, and odd values in them.
package struct LineExamination: Sendable {
    package var diagnostics = Diagnostics()
    package var examined = ExaminedSession()
    /// The intervals of the IMU samples that are used.
    private(set) var motionIntervals = IntervalHistogram()
    /// The speeds of the camera from one line to the next, in m/s.
    private(set) var speeds = SpeedHistogram()

    private var lastMotion: Timestamp?
    private var lastFrame: FrameReference?

    package init() {}

    /// Walks through the records of a session, whose lines hold nothing else.
    package init(_ session: any Session) throws {
        let names = session.summary.frameNames
        let cursor = try session.records(RecordRequest(resolvesPayloads: false))
        while let record = try cursor.next() {
            switch record {
            case .frame(let frame):
                examined.frameLines += 1
                if let problem = IntrinsicsCheck.problem(frame, names) { diagnostics.record(problem) }
                addSpeed(frame)
            case .motion(let sample):
                examined.motionLines += 1
                addMotion(sample.time)
            case .location: examined.locationLines += 1
            case .heading, .radio, .indoor: examined.observationLines += 1
            }
        }
    }

    mutating func addMotion(_ time: Timestamp) {
        if let lastMotion { motionIntervals.add(time.seconds(since: lastMotion)) }
        lastMotion = time
    }

    mutating func addSpeed(_ frame: FrameReference) {
        defer { lastFrame = frame }
        guard let lastFrame else { return }
        let seconds = frame.time.seconds(since: lastFrame.time)
        guard seconds > 0 else { return }
        speeds.add((frame.worldFromCamera.translation - lastFrame.worldFromCamera.translation).length / seconds)
    }
}
