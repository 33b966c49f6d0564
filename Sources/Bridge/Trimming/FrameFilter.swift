import Maps
package import Recording
import Replay

/// Which frames of a session are kept: the phone app's filter, with limits to choose.
package struct FrameFilter: Sendable, Hashable {
    /// Kept at most; `nil` keeps all.
    package var framesPerSecond: Double?
    /// Keeps each n-th of the frames that pass everything else.
    package var every = 1
    /// Frames are kept after this way, or this turn, whichever comes first; 0 keeps all.
    package var minimumMetres = 0.0
    package var minimumRadians = 0.0
    /// Of the camera since the frame before; `nil` keeps all.
    package var maximumMetresPerSecond: Double?
    package var maximumRadiansPerSecond: Double?
    /// Variance of the Laplacian (``Sharpness``).
    package var minimumSharpness: Double?
    package var keepsLimitedTracking = false

    package init() {}
}

/// What is decided about a frame, in the order in which it is asked.
package enum FrameVerdict: String, Sendable, Hashable, CaseIterable {
    case kept
    /// The native layout's times are from 0 to 9.2e9 seconds.
    case impossibleTime = "impossible_time"
    case limitedTracking = "limited_tracking"
    case blurred = "not_sharp"
    case fast = "too_fast"
    case early = "above_rate"
    case near = "too_near"
    case passedOver = "not_nth"
}

/// Applies a filter to the frames of a session, in the order of their times.
///
/// The app compares each frame with the last one that it kept, and drops what is more than 5 cm or 0.1 rad from it: once
/// the phone is that far away, it keeps nothing until the phone comes back. Here the speed is that from the frame before,
/// kept or not; what is dropped never decides about what comes later.
package struct FrameGate: Sendable {
    private let filter: FrameFilter
    private var rate: RateGate
    private var rule: KeyFrameRule
    private var latest: (time: Timestamp, pose: Transform)?
    private var passed = 0

    /// - Parameter nominalIntervalSeconds: how far apart the frames usually are.
    package init(_ filter: FrameFilter, nominalIntervalSeconds: Double?) {
        self.filter = filter
        rate = RateGate(rateHertz: filter.framesPerSecond, nominalIntervalSeconds: nominalIntervalSeconds)
        rule = KeyFrameRule(afterMetres: filter.minimumMetres, orRadians: filter.minimumRadians)
    }

    /// - Parameter sharpness: `nil` where it is not known, which passes.
    package mutating func judge(_ frame: FrameReference, sharpness: Double?) -> FrameVerdict {
        let before = latest
        latest = (frame.time, frame.worldFromCamera)
        guard Self.canBeWritten(frame.time) else { return .impossibleTime }
        guard filter.keepsLimitedTracking || frame.tracking.isNormal else { return .limitedTracking }
        if let least = filter.minimumSharpness, let sharpness, sharpness < least { return .blurred }
        if let before, isFast(frame, since: before) { return .fast }
        if filter.framesPerSecond != nil, !rate.isDue(frame.time) { return .early }
        guard rule.takes(frame.time, frame.worldFromCamera) else { return .near }
        if filter.framesPerSecond != nil { rate.pass(frame.time) }
        passed += 1
        return (passed - 1) % max(1, filter.every) == 0 ? .kept : .passedOver
    }

    private func isFast(_ frame: FrameReference, since before: (time: Timestamp, pose: Transform)) -> Bool {
        let elapsed = frame.time.seconds(since: before.time)
        guard elapsed > 0 else { return false }
        let pose = frame.worldFromCamera
        if let limit = filter.maximumMetresPerSecond,
            (pose.translation - before.pose.translation).length > limit * elapsed
        {
            return true
        }
        guard let limit = filter.maximumRadiansPerSecond else { return false }
        return (before.pose.rotation.inverse * pose.rotation).angleRadians > limit * elapsed
    }

    /// Whether the native layout has such a time.
    static func canBeWritten(_ time: Timestamp) -> Bool { (0...9_200_000_000_000_000_000).contains(time.nanoseconds) }
}
