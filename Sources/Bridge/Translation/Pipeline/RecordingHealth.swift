package import Recording

/// How a recording did up to a record: how its poses were tracked, its gaps, and its last fix.
package struct RecordingHealth: Sendable {
    /// The state of the last frame, and how many frames had which.
    package private(set) var lastTracking: TrackingState?
    package private(set) var frameCount = 0
    package private(set) var limitedFrameCount = 0
    /// The longest time between neighbouring frames.
    package private(set) var longestGapSeconds = 0.0
    package private(set) var lastFix: LocationSample?
    package private(set) var fixCount = 0
    private var lastFrameTime: Timestamp?

    package mutating func add(_ record: Record) {
        switch record {
        case .frame(let frame):
            frameCount += 1
            lastTracking = frame.tracking
            if !frame.tracking.isNormal { limitedFrameCount += 1 }
            let gap = lastFrameTime.map { frame.time.seconds(since: $0) } ?? 0
            longestGapSeconds = max(longestGapSeconds, gap)
            lastFrameTime = frame.time
        case .location(let fix):
            lastFix = fix
            fixCount += 1
        case .motion, .heading, .radio, .indoor: break
        }
    }
}
