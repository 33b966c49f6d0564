package import Platform
import Recording
package import Sessions
import SystemPackage
import Text
package import Translation

/// The results of writing a LeRobot data set.
package struct LeRobotReport: Sendable {
    /// What was made of one recording.
    package struct Recording: Sendable {
        package var name: String
        package var frames = 0
        package var episodes = 0
        package var steps = 0
        package var passedOver = 0
        package var limitedTracking = 0
        /// Frames without a picture, depth or IMU sample that the data set has.
        package var incomplete = 0
        package var lonely = 0
        package var repeated = 0
        package var counts = FrameCounts()
    }

    package var recordings: [Recording] = []
    package var counts = EpisodeCounts()
    package var features: LeRobotFeatures
    package var steps = 0
    package var videoBytes = 0
    /// True if data sets were merged.
    package var isMerged = false
    /// Of what was found, what was not taken, and how much of it cannot be used.
    package var leftOut: [LeftOut] = []
    package var unusableCount = 0
    package var warnings: [String] = []
}

/// Recordings as one LeRobot data set (v3.0), an episode for each part of a recording without a gap.
package struct LeRobotExport: Sendable {
    private var recordings: [OpenedRecording] = []
    private let plan: LeRobotPlan
    private var spans: [ClosedRange<Timestamp>] = []
    private var surveys: [RecordingSurvey] = []
    package let features: LeRobotFeatures
    /// Of several, those that cannot be used.
    package private(set) var leftOut: [LeftOut] = []
    /// What single recordings cost the others, and what changes that.
    package let warnings: [String]
    private let ffmpeg: ExternalProgram?

    /// Walks through the recordings once, and refuses what cannot be exported before anything is written.
    ///
    /// - Parameter recordings: with the paths that name them.
    /// - Throws: a ``LeRobotError``, or an `EmptySpanError`.
    package init(_ recordings: [(path: String, recording: OpenedRecording)], _ plan: LeRobotPlan) throws {
        self.plan = plan
        for (path, recording) in recordings {
            do {
                let span = try recording.times(plan.span)
                surveys.append(try RecordingSurvey(recording.session, at: path, span: span, plan))
                self.recordings.append(recording)
                spans.append(span)
            } catch {
                guard recordings.count > 1, !(error is CancellationError) else { throw error }
                leftOut.append(LeftOut(path: path, reason: "\(error)"))
            }
        }
        guard !surveys.isEmpty else {
            throw LeRobotError.noEpisode(reasons: leftOut.map(\.description).someNames)
        }
        // A recording of which nothing can be used does not decide what the others give.
        let used = surveys.filter { $0.frameCount > 0 }
        features = (used.isEmpty ? surveys : used).features(plan)
        warnings = used.warnings(features, plan)
        guard features.image != nil || features.depth != nil else {
            ffmpeg = nil
            return
        }
        guard let program = ExternalProgram(named: "ffmpeg") else { throw LeRobotError.missingProgram(name: "ffmpeg") }
        if features.image != nil { try VideoWriter.examine(program, depth: false) }
        if features.depth != nil { try VideoWriter.examine(program, depth: true) }
        ffmpeg = program
    }

    /// Writes the data set into a new folder, whose name the caller shows at the end.
    @concurrent
    package func run(into folder: OutputFolder, progress: ProgressHandler = { _ in }) async throws -> LeRobotReport {
        var report = LeRobotReport(features: features)
        let dataset = try LeRobotDataset(folder, features, tasks: [plan.task], ffmpeg: ffmpeg)
        let total = surveys.reduce(0) { $0 + $1.frameCount }
        var done = 0
        var origins: [JSONValue] = []
        for (index, recording) in self.recordings.enumerated() {
            let firstEpisode = dataset.episodes.count
            let builder = EpisodeBuilder(dataset, features, recording.clock)
            let walk = try EpisodeWalk(recording.session, surveys[index], spans[index], plan, features)
            let (features, session, limits) = (features, recording.session, plan.depth)
            try await forEachOrdered(
                workers: plan.jobs,
                window: 3 * plan.jobs,
                next: { try walk.next() },
                makeWorker: { EpisodeFramePreparer(session, features, limits) },
                transform: { $0.prepare($1) },
                deliver: { frame in
                    try builder.add(frame)
                    progress(WorkProgress("writing", done + walk.frameCount, of: total, .frames))
                }
            )
            try builder.endEpisode()
            done += surveys[index].frameCount
            var counts = builder.report
            counts.diagnostics = walk.diagnostics(with: counts.diagnostics)
            report.counts.append(counts)
            let written = walk.report(surveys[index], counts)
            report.recordings.append(written)
            origins.append(origin(of: recording, written, firstEpisode: firstEpisode))
        }
        guard !dataset.episodes.isEmpty else { throw LeRobotError.noEpisode(reasons: reasons(report)) }
        try dataset.finish(recordings: origins, version: plan.toolVersion)
        report.warnings = warnings
        report.steps = dataset.episodes.reduce(0) { $0 + $1.length }
        report.videoBytes = dataset.videoBytes
        try LeRobotReading.check(folder, dataset)
        return report
    }

    /// What the data set says of a recording.
    private func origin(
        of opened: OpenedRecording,
        _ recording: LeRobotReport.Recording,
        firstEpisode: Int
    ) -> JSONValue {
        let (summary, anchor) = (opened.summary, opened.clock)
        return [
            "session": .string(summary.name), "session_format": .string(summary.format),
            "device": .string(summary.deviceModel), "depth": .string(features.depth == nil ? nil : summary.depthOrigin),
            "first_episode": .integer(firstEpisode), "episodes": .integer(recording.episodes),
            "steps": .integer(recording.steps), "epoch_offset_ns": .integer(anchor.offsetNanoseconds),
            "epoch_source": .string(anchor.source.rawValue),
            "left_out": [
                "limited_tracking": .integer(recording.limitedTracking),
                "between_steps": .integer(recording.passedOver), "incomplete": .integer(recording.incomplete),
                "lonely": .integer(recording.lonely),
            ],
        ]
    }

    private func reasons(_ report: LeRobotReport) -> String {
        report.recordings.prefix(5).map { one in
            "\(one.name): \(one.counts.text(limitedTracking: one.limitedTracking)), \(one.incomplete) of them without a picture, "
                + "depth or IMU sample, \(one.lonely) alone for more than a second"
        }.joined(separator: "; ") + (report.recordings.count > 5 ? "; \(report.recordings.count - 5) more" : "")
    }
}

/// The second walk over a recording: the frames that stand for steps, and the IMU samples between them.
private final class EpisodeWalk {
    private let walk: FrameWalk
    private let grid: EpisodeGrid
    /// Of the frames that can be used, among those that the rule keeps.
    private let places: [Int]
    private var usable = 0
    private var motion: MotionWindow
    /// Frames that the rule has kept.
    private(set) var frameCount = 0

    init(
        _ session: any Session,
        _ survey: RecordingSurvey,
        _ span: ClosedRange<Timestamp>,
        _ plan: LeRobotPlan,
        _ features: LeRobotFeatures
    ) throws {
        let frames = survey.usable(features)
        grid = EpisodeGrid(frames.times, framesPerSecond: features.framesPerSecond)
        places = frames.places
        motion = MotionWindow(count: features.motionSamples, framesPerSecond: features.framesPerSecond)
        let streams: Set<RecordStream> = features.motionSamples > 0 ? [.frames, .motion] : [.frames]
        walk = try FrameWalk(session, RecordRequest(span: span, streams: streams), plan.rule)
    }

    /// The next frame that stands for a step.
    func next() throws -> TakenFrame? {
        while let record = try walk.next() {
            switch record {
            case .motion(let sample): motion.add(sample)
            case .frame(let frame) where walk.keeps(frame):
                defer { frameCount += 1 }
                guard usable < places.count, places[usable] == frameCount else { continue }
                defer { usable += 1 }
                guard grid.steps[usable] > 0 else { continue }
                return TakenFrame(
                    walked: walk.take(frame),
                    steps: Int(grid.steps[usable]),
                    beginsEpisode: grid.begins[usable],
                    motion: motion.values(before: frame.time)
                )
            default: break
            }
        }
        return nil
    }

    func diagnostics(with frames: Diagnostics) -> Diagnostics { walk.diagnostics(with: frames) }

    func report(_ survey: RecordingSurvey, _ counts: EpisodeCounts) -> LeRobotReport.Recording {
        var report = LeRobotReport.Recording(name: survey.name)
        report.frames = survey.frameCount
        report.episodes = counts.episodes
        report.steps = grid.stepCount - counts.missingSteps - counts.lonelySteps
        report.passedOver = grid.passedOver
        report.limitedTracking = survey.limitedTracking
        report.incomplete = survey.frameCount - places.count
        report.lonely = grid.lonely
        report.repeated = grid.repeated
        report.counts = survey.counts
        return report
    }
}
