import Perception
package import Platform
package import Recording
package import Sessions

/// The better poses of a session, and why they are believed, or not.
package struct PoseRefinement: Sendable {
    package enum Verdict: Sendable, Hashable {
        case improved
        /// The recorded poses stay, as nothing says that they are wrong.
        case unchanged(String)
        /// The recorded poses stay, as what was found contradicts itself.
        case doubtful(String)

        package var word: String {
            switch self {
            case .improved: "improved"
            case .unchanged: "unchanged"
            case .doubtful: "doubtful"
            }
        }

        package var reason: String? {
            switch self {
            case .improved: nil
            case .unchanged(let reason), .doubtful(let reason): reason
            }
        }
    }

    /// A place that was seen again.
    package struct Loop: Sendable {
        /// The times of the earlier and of the later sight.
        package var from: Timestamp
        package var to: Timestamp
        /// How far the poses are from what the depth says, as recorded and as refined.
        package var metresBefore: Double
        package var metresAfter: Double
        package var radiansBefore: Double
        package var radiansAfter: Double
        package var inlierShare: Double
        /// Directions that the depth leaves open: 2 and an axis before a bare wall, 1 in a corridor.
        package var freeDirections: Int
        /// True if tags say it, and not the depth.
        package var isTag: Bool
    }

    package struct Jump: Sendable {
        package var time: Timestamp
        package var metres: Double
        package var radians: Double
    }

    /// How far loops are off that were held out, in standard deviations, by the recorded poses and by those of the other loops.
    package struct CrossCheck: Sendable {
        package var recordedSigmas = 0.0
        package var refinedSigmas = 0.0
    }

    package var verdict = Verdict.unchanged("")
    /// `nil` where the recorded poses stay.
    package var correction: PoseCorrection?
    package var loops: [Loop] = []
    package var jumps: [Jump] = []
    package var crossCheck: CrossCheck?
    /// How the depth lies on itself before and after; `nil` where the poses stay, or too few views see the same.
    package var comparison: PoseComparison?
    package var frameCount = 0
    package var depthFrameCount = 0
    package var keyFrameCount = 0
    package var submapCount = 0
    package var pairsTried = 0
    package var pairsUnlike = 0
    package var pairsImpossible = 0
    /// Frames without a usable pose, or whose time does not go on.
    package var skippedFrames = 0
    package var limitedTracking = 0
    package var wayMetres = 0.0
    /// How far frames moved.
    package var movedMedianMetres = 0.0
    package var movedMostMetres = 0.0
    package var diagnostics = Diagnostics()

    /// Drops a correction by which the depth lies on itself less well than by the recorded poses.
    mutating func compare(_ session: any Session) throws {
        guard let correction else { return }
        comparison = try PoseComparison(session, correction)
        self.correction?.surfaceMetres = comparison.map { ($0.recordedMetres, $0.correctedMetres) }
        guard comparison?.isWorse == true else { return }
        verdict = .doubtful("views fit less well by the corrected poses")
        self.correction = nil
    }
}

/// Corrects the poses of a session by the places that its depth shows again: submaps, generalised ICP, a pose graph.
///
/// The recorded steps are kept as measurements: over a second or two nothing in a recording is better. What is corrected
/// is drift and jumps, where the walk returns. Begin reading here; ``Submap`` is what is aligned, ``LoopSearch`` finds where,
/// ``LoopGraph`` says how sure everything is, and ``LoopCheck`` decides whether it is believed.
package struct SessionRefiner: Sendable {
    /// Key frames are so many a second at most, and so many make a submap.
    private static let keyFramesPerSecond = 5.5
    static let submapFrames = 8
    static let submapMetres = 2.0

    /// How many frames and pairs are worked on at a time; the result does not depend on it.
    package var jobs = 1
    /// Tags and location fixes that take part.
    package var landmarks: Landmarks?

    package init() {}

    /// - Throws: what reading throws, and `CancellationError`.
    @concurrent
    package func refine(
        _ session: any Session,
        span: ClosedRange<Timestamp>,
        progress: ProgressHandler = { _ in }
    ) async throws -> PoseRefinement {
        try await refined(session, span, progress).result
    }

    /// The same, with the walk as it is refined, for the alignment of walks.
    func refined(
        _ session: any Session,
        _ span: ClosedRange<Timestamp>,
        _ progress: ProgressHandler
    ) async throws -> RefinedWalk {
        let walk = try await search(session, span, progress)
        walk.report()
        progress(WorkProgress("comparing", 0, of: 1, .steps))
        try walk.compare(session)
        return walk
    }

    /// Reads the depth, and looks for places that were seen again.
    private func search(
        _ session: any Session,
        _ span: ClosedRange<Timestamp>,
        _ progress: ProgressHandler
    ) async throws -> RefinedWalk {
        let reading = try SubmapReading(session, span, keyFrames)
        let walk = FrameWalk(session, frames: reading.keyFrames, withPicture: reading.keyFrames.map { _ in false })
        var done = 0
        let count = reading.keyFrames.count
        try await walk.forEachFrame(jobs: jobs, takesPicture: false) {
            FrameWorker(session)
        } prepare: { worker, walked in
            Self.surface(walked, worker)
        } deliver: { prepared in
            try reading.take(prepared)
            done += 1
            progress(WorkProgress("reading depth", done, of: count, .frames))
        }
        try reading.finish()
        let refined = RefinedWalk(LoopSearch(reading.walk, reading.submaps, landmarks, jobs: jobs), reading.result)
        try await refined.search.run(progress)
        return refined
    }

    private var keyFrames: FrameRule {
        var rule = FrameRule()
        rule.depth = .needed
        rule.framesPerSecond = Self.keyFramesPerSecond
        var keys = KeyFrameRule()
        (keys.metres, keys.radians, keys.seconds) = (0.03, 2 * .pi / 180, 1)
        rule.keyFrames = keys
        return rule
    }

    private static func surface(_ walked: WalkedFrame, _ worker: FrameWorker) -> PreparedSurface {
        let frame = walked.frame
        var prepared = PreparedSurface()
        guard let depth = worker.loader.depth(of: frame, &prepared.diagnostics) else { return prepared }
        let samples = worker.samples(
            depth,
            of: frame,
            worldFromCamera: frame.worldFromCamera,
            colours: nil,
            CloudParameters(),
            &prepared.diagnostics
        )
        prepared.surface = samples.map { DepthSurface($0) }
        return prepared
    }
}

/// A walk whose loops are looked for, and what is said of it.
///
/// A class, as an async function must not keep poses across an `await` (decision 014).
final class RefinedWalk {
    fileprivate(set) var search: LoopSearch
    private(set) var result: PoseRefinement

    init(_ search: LoopSearch, _ result: PoseRefinement) {
        (self.search, self.result) = (search, result)
    }

    /// Whether the loops are believed.
    fileprivate func report() {
        search.report(into: &result)
        if result.depthFrameCount == 0 {
            result.verdict = .unchanged("no depth, of which submaps are made; tags map corrects poses by tags alone")
        }
    }

    /// Whether the depth lies on itself better than by the recorded poses, which stay where it does not.
    fileprivate func compare(_ session: any Session) throws {
        try result.compare(session)
        if result.correction == nil { search.keepRecorded() }
    }
}

/// What a key frame shows; no surface where its depth cannot be used.
private struct PreparedSurface: Sendable {
    var surface: DepthSurface?
    var diagnostics = Diagnostics()
}

/// Gathers key frames into submaps.
///
/// A class, as an async function must not keep poses across an `await` (decision 014).
private final class SubmapReading {
    let walk: RecordedWalk
    private(set) var keyFrames: [FrameReference] = []
    let submaps = SubmapStore()
    private(set) var result = PoseRefinement()
    private var waiting: [(place: Int, pose: Transform, surface: DepthSurface)] = []
    private var places: [Int] = []
    private var next = 0

    /// Reads all poses, and chooses the key frames.
    init(
        _ session: any Session,
        _ span: ClosedRange<Timestamp>,
        _ rule: FrameRule
    ) throws {
        let frames = try FrameWalk(session, span, rule)
        var walk = RecordedWalk()
        while let walked = try frames.nextFrame(takesPicture: false, judges: false) {
            let frame = walked.frame
            let pose = RecordedWalk.Pose(time: frame.time, worldFromCamera: frame.worldFromCamera)
            let isKey = frames.keeps(frame)
            guard walk.add(pose), isKey else { continue }
            keyFrames.append(frame)
            places.append(walk.poses.count - 1)
        }
        self.walk = walk
        result.frameCount = walk.poses.count
        result.skippedFrames = walk.skipped
        result.depthFrameCount = frames.counts.withDepth
        result.keyFrameCount = keyFrames.count
        result.limitedTracking = frames.limitedTracking
        result.wayMetres = walk.metres.last ?? 0
        result.diagnostics = frames.diagnostics()
        result.jumps = walk.jumps.map {
            PoseRefinement.Jump(time: walk.poses[$0.pose].time, metres: $0.metres, radians: $0.radians)
        }
    }

    /// Takes what a key frame shows; they come in their order.
    func take(_ prepared: PreparedSurface) throws {
        result.diagnostics.append(prepared.diagnostics)
        let place = places[next]
        next += 1
        if let first = waiting.first, let last = waiting.last {
            let isFar = walk.metres[place] - walk.metres[first.place] > SessionRefiner.submapMetres
            let isLate = walk.poses[place].time.seconds(since: walk.poses[last.place].time) > 2
            let hasJumped = !walk.jumps(after: last.place, upTo: place).isEmpty
            if isFar || isLate || hasJumped || waiting.count == SessionRefiner.submapFrames { try finish() }
        }
        guard let surface = prepared.surface else { return }
        waiting.append((place, walk.smooth[place], surface))
    }

    func finish() throws {
        let frames = waiting
        waiting = []
        guard let submap = Submap(frames.map { ($0.pose, $0.surface) }) else { return }
        try submaps.append(submap, anchor: frames[frames.count / 2].place)
        result.submapCount = submaps.count
    }
}
