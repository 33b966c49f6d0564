package import Recording

/// The location fixes of a session, each with where the camera was by its poses at that time.
///
/// One pass over the session; of many fixes an even selection is kept, so memory does not grow with the session.
package struct FixTrack: Sendable {
    /// A fix, and the camera's pose at its time.
    package struct Place: Sendable {
        package var fix: LocationSample
        package var worldFromCamera: Transform
    }

    /// The horizontal accuracy that an origin must have.
    package static let originAccuracyMetres = 25.0

    /// At most 512, evenly spread, in time order.
    package fileprivate(set) var places: [Place] = []
    package fileprivate(set) var fixCount = 0
    /// Fixes that are accurate enough for an origin; and of those, the ones that have a trusted pose.
    package fileprivate(set) var accurateCount = 0
    package fileprivate(set) var accurateWithPoseCount = 0
    /// The first fix that is accurate, has a trusted pose, and is suitable otherwise.
    package fileprivate(set) var origin: Place?

    /// Walks through a session.
    ///
    /// A pose is trusted with normal tracking, and belongs to a fix if it is not farther from it than 0.25 s or two frame
    /// intervals, at most 1 s. Between two such frames it is interpolated.
    ///
    /// - Parameter isSuitable: whether a fix may be the origin, such as for its height.
    package init(_ session: any Session, isSuitable: (LocationSample) -> Bool = { _ in true }) throws {
        guard session.summary.location.count > 0 else { return }
        var walk = FixWalk(intervalSeconds: session.summary.medianIntervalSeconds ?? 1)
        let cursor = try session.records(RecordRequest(streams: [.frames, .location], resolvesPayloads: false))
        while let record = try cursor.next(isFrameWanted: {
            walk.wantsFrame($0, upcomingFix: cursor.upcomingLocationTime)
        }) {
            switch record {
            case .frame(let frame): walk.add(frame, isSuitable)
            case .location(let fix): walk.add(fix, isSuitable)
            case .motion, .heading, .radio, .indoor: break
            }
        }
        walk.finish(isSuitable)
        self = walk.track
    }

    fileprivate init() {}
}

/// The pass over a session that makes a ``FixTrack``.
private struct FixWalk {
    private(set) var track = FixTrack()
    private let reachNanoseconds: Int64
    private var stride = 1
    private var placedCount = 0
    private var lastFix: Timestamp?
    private var before: FrameReference?
    /// Fixes after ``before`` that wait for the frame after them.
    private var pending: [LocationSample] = []

    private static let keptPlaces = 512
    private static let keptPending = 64

    init(intervalSeconds: Double) {
        reachNanoseconds = Int64(min(1, max(0.25, 2 * intervalSeconds)) * 1e9)
    }

    func wantsFrame(_ time: Timestamp, upcomingFix: Timestamp?) -> Bool {
        isNear(time, lastFix) || isNear(time, upcomingFix)
    }

    private func isNear(_ time: Timestamp, _ other: Timestamp?) -> Bool {
        guard let other else { return false }
        let first = other.advanced(byNanoseconds: -reachNanoseconds)
        return first <= time && time <= other.advanced(byNanoseconds: reachNanoseconds)
    }

    mutating func add(_ fix: LocationSample, _ isSuitable: (LocationSample) -> Bool) {
        lastFix = fix.time
        if pending.count == Self.keptPending { place(pending.removeFirst(), after: nil, isSuitable) }
        pending.append(fix)
    }

    mutating func add(_ frame: FrameReference, _ isSuitable: (LocationSample) -> Bool) {
        // Where tracking was lost between two frames, nothing is known of the way between them.
        let trusted = frame.tracking.isNormal ? frame : nil
        for fix in pending { place(fix, after: trusted, isSuitable) }
        pending = []
        before = trusted
    }

    mutating func finish(_ isSuitable: (LocationSample) -> Bool) {
        for fix in pending { place(fix, after: nil, isSuitable) }
        pending = []
    }

    private mutating func place(
        _ fix: LocationSample,
        after: FrameReference?,
        _ isSuitable: (LocationSample) -> Bool
    ) {
        track.fixCount += 1
        let isAccurate = fix.horizontalAccuracyMetres.map { $0 <= FixTrack.originAccuracyMetres } ?? false
        if isAccurate { track.accurateCount += 1 }
        guard let pose = pose(at: fix.time, after) else { return }
        let place = FixTrack.Place(fix: fix, worldFromCamera: pose)
        if isAccurate {
            track.accurateWithPoseCount += 1
            if track.origin == nil, isSuitable(fix) { track.origin = place }
        }
        keep(place)
    }

    /// Keeps every place, then every second, and so on.
    private mutating func keep(_ place: FixTrack.Place) {
        defer { placedCount += 1 }
        if placedCount % stride == 0, track.places.count == Self.keptPlaces {
            track.places = track.places.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            stride *= 2
        }
        if placedCount % stride == 0 { track.places.append(place) }
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
