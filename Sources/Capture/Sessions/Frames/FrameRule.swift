package import Recording

/// Which frames of a session a walk takes; a frame has to pass every condition that is set.
package struct FrameRule: Sendable {
    /// The depth that a frame needs to become a key-frame.
    package enum Depth: Sendable {
        case notNeeded
        /// The depth that maps are made of.
        case needed
    }

    package var keepsLimitedTracking = false
    /// Frames outside of these times are left out.
    package var times = Timestamp(nanoseconds: .min)...Timestamp(nanoseconds: .max)
    package var needsImage = false
    /// Takes only the first frame of a number, as files are named by numbers.
    package var needsNewNumber = false
    /// Takes only the first of neighbouring frames with the same time, for readers that know views by their times.
    package var needsNewTime = false
    /// The least variance of the Laplacian (``Sharpness``); frames of unknown sharpness pass.
    package var minimumSharpness: Double?
    /// The fastest motion of the camera since the frame before, taken or not; `nil` for any.
    package var maximumMetresPerSecond: Double?
    package var maximumRadiansPerSecond: Double?
    package var framesPerSecond: Double?
    /// Takes frames after a way, a turn or a time.
    package var keyFrames = KeyFrameRule(afterMetres: 0, orRadians: 0)
    package var depth = Depth.notNeeded
    /// A key-frame without a picture waits for one that has one; without, pictures play no part.
    package var prefersPictures = false
    /// Takes each n-th of the frames that pass everything else.
    package var every = 1

    package init() {}

    /// Takes every frame.
    package static var everything: FrameRule {
        var rule = FrameRule()
        rule.keepsLimitedTracking = true
        return rule
    }

    /// True if a frame has the files that the rule needs for a key-frame.
    func hasDepth(_ frame: FrameReference) -> Bool {
        switch depth {
        case .notNeeded: true
        case .needed: frame.hasDepth
        }
    }
}

/// `kept`, or the first condition that a frame failed; these stand in the order in which they are tested.
package enum FrameVerdict: String, Sendable, Hashable, CaseIterable {
    case kept
    case impossibleTime = "impossible_time"
    case limitedTracking = "limited_tracking"
    case withoutImage = "without_image"
    case repeated
    case blurred = "not_sharp"
    case fast = "too_fast"
    case early = "above_rate"
    case near = "too_near"
    case passedOver = "not_nth"
}

extension FrameVerdict {
    /// `nil` for a verdict that leaves nothing out of a trimmed session.
    package var words: String? {
        switch self {
        case .kept, .withoutImage, .repeated: nil
        case .impossibleTime: "frames of times below 0"
        case .limitedTracking: "frames of limited tracking (--keep-limited-tracking keeps them)"
        case .blurred: "frames below --min-sharpness"
        case .fast: "frames above --max-speed or --max-turn"
        case .early: "frames above --max-hz"
        case .near: "frames nearer than --min-distance and --min-angle"
        case .passedOver: "frames between those of --every"
        }
    }
}

/// How many frames there were of each verdict.
package struct FrameCounts: Sendable {
    package var verdicts: [FrameVerdict: Int] = [:]
    /// Frames of trusted tracking, and those of them that have the depth that the rule needs.
    package var trusted = 0
    package var withDepth = 0
    /// Poses of trusted frames that jumped, and the time of the first.
    package var jumpCount = 0
    package var firstJump: Timestamp?

    package init() {}

    package var total: Int { verdicts.values.reduce(0, +) }

    package subscript(verdict: FrameVerdict) -> Int { verdicts[verdict, default: 0] }
}

/// Applies a rule to the frames of a session, in the order of their times.
///
/// The speed of a frame is that from the frame before, kept or not.
package struct FrameGate: Sendable {
    private var tally = FrameCounts()
    private let rule: FrameRule
    private var rate: RateGate
    private var keyFrames: KeyFrameRule
    private var latest: (time: Timestamp, pose: Transform)?
    private var numbers: Set<Int> = []
    private var lastTime: Timestamp?
    private var passed = 0

    /// - Parameter nominalIntervalSeconds: how far apart the frames usually are.
    package init(_ rule: FrameRule, nominalIntervalSeconds: Double?) {
        self.rule = rule
        rate = RateGate(rateHertz: rule.framesPerSecond, nominalIntervalSeconds: nominalIntervalSeconds)
        keyFrames = rule.keyFrames
    }

    package var counts: FrameCounts {
        var counts = tally
        (counts.jumpCount, counts.firstJump) = (keyFrames.jumpCount, keyFrames.firstJump)
        return counts
    }

    /// - Parameter sharpness: `nil` where it is not known, which passes.
    package mutating func judge(_ frame: FrameReference, sharpness: Double?) -> FrameVerdict {
        let verdict = verdict(frame, sharpness)
        tally.verdicts[verdict, default: 0] += 1
        return verdict
    }

    private mutating func verdict(_ frame: FrameReference, _ sharpness: Double?) -> FrameVerdict {
        let before = latest
        latest = (frame.time, frame.worldFromCamera)
        guard rule.times.contains(frame.time) else { return .impossibleTime }
        guard rule.keepsLimitedTracking || frame.tracking.isNormal else { return .limitedTracking }
        tally.trusted += 1
        let hasDepth = rule.hasDepth(frame)
        if hasDepth { tally.withDepth += 1 }
        if rule.needsImage, !frame.hasImage { return .withoutImage }
        guard isNew(frame) else { return .repeated }
        if let least = rule.minimumSharpness, let sharpness, sharpness < least { return .blurred }
        if let before, isFast(frame, since: before) { return .fast }
        if rule.framesPerSecond != nil, !rate.isDue(frame.time) { return .early }
        guard
            keyFrames.takes(
                frame.time,
                frame.worldFromCamera,
                hasDepth: hasDepth,
                lacksPicture: rule.prefersPictures && !frame.hasImage
            )
        else { return .near }
        if rule.framesPerSecond != nil { rate.pass(frame.time) }
        passed += 1
        return (passed - 1) % max(1, rule.every) == 0 ? .kept : .passedOver
    }

    private mutating func isNew(_ frame: FrameReference) -> Bool {
        let isSameTime = rule.needsNewTime && frame.time == lastTime
        lastTime = frame.time
        guard rule.needsNewNumber else { return !isSameTime }
        return numbers.insert(frame.index).inserted && !isSameTime
    }

    private func isFast(_ frame: FrameReference, since before: (time: Timestamp, pose: Transform)) -> Bool {
        let elapsed = frame.time.seconds(since: before.time)
        guard elapsed > 0 else { return false }
        let pose = frame.worldFromCamera
        if let limit = rule.maximumMetresPerSecond,
            (pose.translation - before.pose.translation).length > limit * elapsed
        {
            return true
        }
        guard let limit = rule.maximumRadiansPerSecond else { return false }
        return (before.pose.rotation.inverse * pose.rotation).angleRadians > limit * elapsed
    }
}

/// Takes the frames that have seen something new since the last one that was taken: for maps, exports and `trim`.
package struct KeyFrameRule: Sendable {
    /// A frame is taken after this way, or this turn, or this time, whichever comes first.
    package var metres = 0.05
    package var radians = 3.0 * .pi / 180
    package var seconds = 0.5
    /// Every frame is taken.
    package var takesAll = false
    /// A frame without a picture waits so long for one that has one.
    package var pictureWaitSeconds = 0.5
    /// Faster than this between neighbouring frames no one walks: the pose has jumped.
    package var jumpMetresPerSecond = 3.0

    /// How many poses jumped against the frame before them, and where that was first.
    package private(set) var jumpCount = 0
    package private(set) var firstJump: Timestamp?

    private var taken: (time: Timestamp, pose: Transform)?
    /// Since when a picture is waited for.
    private var waitsSince: Timestamp?
    private var latest: (time: Timestamp, pose: Transform)?

    package init() {}

    /// Frames are taken after this way or this turn, whichever comes first, however long it takes; 0 asks for none of it,
    /// and both 0 take every frame.
    package init(afterMetres metres: Double, orRadians radians: Double) {
        self.metres = metres > 0 ? metres : .infinity
        self.radians = radians > 0 ? radians : .infinity
        seconds = .infinity
        takesAll = metres <= 0 && radians <= 0
    }

    /// True if a frame is taken; frames come in the order of their times, without those of limited tracking.
    ///
    /// - Parameters:
    ///   - hasDepth: false: the frame still counts for jumps, but is not taken.
    ///   - lacksPicture: whether the frame has no picture, in a recording that has pictures.
    package mutating func takes(
        _ time: Timestamp,
        _ pose: Transform,
        hasDepth: Bool = true,
        lacksPicture: Bool = false
    ) -> Bool {
        if let latest, hasJumped(since: latest, time, pose) {
            jumpCount += 1
            if firstJump == nil { firstJump = time }
        }
        latest = (time, pose)
        guard hasDepth, takesAll || isNew(time, pose) else { return false }
        if lacksPicture, !takesAll {
            let start = waitsSince ?? time
            waitsSince = start
            if (0..<pictureWaitSeconds).contains(time.seconds(since: start)) { return false }
        }
        waitsSince = nil
        taken = (time, pose)
        return true
    }

    private func isNew(_ time: Timestamp, _ pose: Transform) -> Bool {
        guard let taken else { return true }
        return (pose.translation - taken.pose.translation).length >= metres
            || (taken.pose.rotation.inverse * pose.rotation).angleRadians >= radians
            || time.seconds(since: taken.time) >= seconds
    }

    private func hasJumped(
        since latest: (time: Timestamp, pose: Transform),
        _ time: Timestamp,
        _ pose: Transform
    ) -> Bool {
        let elapsed = time.seconds(since: latest.time)
        guard elapsed > 0 else { return false }
        return (pose.translation - latest.pose.translation).length > jumpMetresPerSecond * elapsed
    }
}
