import Perception
import Platform
import Recording
import Sessions

/// A walk over the key-frames of a session whose depth goes into a map: which are taken, how far it is, what is reported.
struct KeyFramePass {
    let walk: FrameWalk
    private let firstTime: Timestamp
    private let start: Timestamp
    private let seconds: Double

    /// - Parameters:
    ///   - span: the part of the session; `nil` for all of it.
    ///   - prefersPictures: true to wait a little for a key-frame with a picture.
    init(
        _ session: any Session,
        span: ClosedRange<Timestamp>?,
        _ rule: KeyFrameRule,
        keepsLimitedTracking: Bool,
        prefersPictures: Bool
    ) throws {
        let summary = session.summary
        let times = span ?? summary.span
        var frames = FrameRule()
        frames.keepsLimitedTracking = keepsLimitedTracking
        frames.depth = .needed
        frames.keyFrames = rule
        frames.prefersPictures = prefersPictures
        walk = try FrameWalk(session, times, frames)
        firstTime = summary.firstTime
        start = max(times.lowerBound, summary.firstTime)
        seconds = max(0, min(times.upperBound, summary.lastTime).seconds(since: start))
    }

    /// How far a pass is whose last frame has this time.
    func progress(_ stage: String, at time: Timestamp) -> WorkProgress {
        WorkProgress(stage, min(seconds, time.seconds(since: start)), of: seconds, .seconds)
    }

    /// Adds to a report what the walk knows at its end.
    func finish(_ report: inout MapReport) {
        let counts = walk.counts
        (report.frameCount, report.depthFrameCount) = (counts.trusted, counts.withDepth)
        report.limitedTracking = walk.limitedTracking
        report.jumpCount = counts.jumpCount
        report.firstJumpSeconds = counts.firstJump.map { $0.seconds(since: firstTime) }
        report.diagnostics = walk.diagnostics(with: report.diagnostics)
    }
}

/// A key-frame that was read; without a frame nothing of its depth could be used.
struct KeyFrame: Sendable {
    let time: Timestamp
    private(set) var frame: MapFrame?
    private(set) var hasColours = false
    private(set) var diagnostics = Diagnostics()

    /// Reads a frame's depth and makes the samples that go into a map.
    ///
    /// - Parameters:
    ///   - worldFromCamera: the pose of the samples.
    ///   - readsImage: false where neither colours nor depth are made of it.
    ///   - hasColours: whether samples have colours.
    init(
        _ walked: WalkedFrame,
        _ worker: FrameWorker,
        _ limits: CloudParameters,
        worldFromCamera: Transform,
        readsImage: Bool,
        hasColours: Bool
    ) {
        let frame = walked.frame
        time = frame.time
        // The image first: dense depth is made by it.
        let stored = readsImage ? worker.loader.image(of: frame, walked.picture, &diagnostics) : nil
        guard let depth = worker.loader.depth(of: frame, &diagnostics) else { return }
        let colours = hasColours ? worker.colours(stored, of: frame, for: depth.size, &diagnostics) : nil
        let samples = worker.samples(
            depth,
            of: frame,
            worldFromCamera: worldFromCamera,
            colours: colours,
            limits,
            &diagnostics
        )
        self.frame = samples.flatMap { MapFrame($0, worldFromCamera: worldFromCamera) }
        self.hasColours = colours != nil
    }
}
