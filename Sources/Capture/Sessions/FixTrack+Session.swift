import Recording

extension Georeference {
    /// Where the world of a session lies on the Earth, by one pass over its fixes, its compass and the poses near them.
    package init(
        _ session: any Session,
        _ request: GeoreferenceRequest = GeoreferenceRequest(),
        heights: FixHeights = FixHeights()
    ) throws {
        var request = request
        request.worldAlignment = session.summary.worldAlignment
        let track = request.mode == .off ? FixTrack(heights: heights) : try FixTrack(session, heights: heights)
        if request.compass == nil { request.compass = track.compass.observation }
        self.init(track, request)
    }
}

extension Problem {
    /// - Parameter file: what the fixes were read from.
    package init(_ contradiction: Contradiction, file: String) {
        self.init(
            .fixesContradictPoses,
            file: file,
            field: contradiction.field,
            expected: contradiction.expected,
            found: contradiction.found
        )
    }
}

extension FixTrack {
    /// Walks through a session.
    ///
    /// A pose is trusted with normal tracking, and belongs to a fix if it is not farther from it than 0.25 s or two frame
    /// intervals, at most 1 s. Between two such frames it is interpolated.
    package init(_ session: any Session, heights: FixHeights = FixHeights()) throws {
        self.init(heights: heights)
        guard session.summary.location.count > 0 else { return }
        var walk = FixWalk(track: self, intervalSeconds: session.summary.medianIntervalSeconds ?? 1)
        let cursor = try session.records(
            RecordRequest(streams: [.frames, .location, .heading], resolvesPayloads: false)
        )
        while let record = try cursor.next(isFrameWanted: {
            walk.wantsFrame($0, upcomingFix: cursor.upcomingLocationTime)
        }) {
            switch record {
            case .frame(let frame): walk.add(frame)
            case .location(let fix): walk.add(fix)
            case .heading(let sample): walk.add(sample)
            case .motion, .radio, .indoor: break
            }
        }
        walk.finish()
        self = walk.track
    }
}

/// The pass over a session that makes a `FixTrack`.
private struct FixWalk {
    private(set) var track: FixTrack
    private let reachNanoseconds: Int64
    private var lastFix: Timestamp?
    private var before: FrameReference?
    /// Fixes after ``before`` that wait for the frame after them.
    private var pending: [LocationSample] = []

    /// A sample of the compass that waits for the frame after it; one a second is taken.
    private var heading: HeadingSample?
    private var lastHeading: Timestamp?

    private static let keptPending = 64

    init(track: FixTrack, intervalSeconds: Double) {
        self.track = track
        reachNanoseconds = Int64(min(1, max(0.25, 2 * intervalSeconds)) * 1e9)
    }

    func wantsFrame(_ time: Timestamp, upcomingFix: Timestamp?) -> Bool {
        isNear(time, lastFix) || isNear(time, upcomingFix) || isNear(time, heading?.time)
    }

    private func isNear(_ time: Timestamp, _ other: Timestamp?) -> Bool {
        guard let other else { return false }
        let first = other.advanced(byNanoseconds: -reachNanoseconds)
        return first <= time && time <= other.advanced(byNanoseconds: reachNanoseconds)
    }

    mutating func add(_ fix: LocationSample) {
        lastFix = fix.time
        if pending.count == Self.keptPending { place(pending.removeFirst(), after: nil) }
        pending.append(fix)
    }

    mutating func add(_ sample: HeadingSample) {
        guard lastHeading.map({ sample.time.seconds(since: $0) >= 1 }) ?? true else { return }
        lastHeading = sample.time
        heading = sample
    }

    mutating func add(_ frame: FrameReference) {
        // Where tracking was lost between two frames, nothing is known of the way between them.
        let trusted = frame.tracking.isNormal ? frame : nil
        for fix in pending { place(fix, after: trusted) }
        pending = []
        if let heading, let pose = pose(at: heading.time, trusted) {
            track.compass.add(heading, worldFromCamera: pose)
        }
        heading = nil
        before = trusted
    }

    mutating func finish() {
        for fix in pending { place(fix, after: nil) }
        pending = []
    }

    private mutating func place(_ fix: LocationSample, after: FrameReference?) {
        track.add(fix, worldFromCamera: pose(at: fix.time, after))
    }

    private func pose(at time: Timestamp, _ after: FrameReference?) -> Transform? {
        let earlier = before.flatMap { isNear($0.time, time) ? $0 : nil }
        let later = after.flatMap { isNear($0.time, time) ? $0 : nil }
        guard let earlier, let later else { return (earlier ?? later)?.worldFromCamera }
        let interval = later.time.seconds(since: earlier.time)
        guard interval > 0 else { return earlier.worldFromCamera }
        return earlier.worldFromCamera.interpolated(
            to: later.worldFromCamera,
            fraction: time.seconds(since: earlier.time) / interval
        )
    }
}
