import Platform
package import Recording

/// Compares gravity as the IMU has it with gravity as the camera's poses have it: wrong axes and signs show at once.
///
/// A sample is compared with the pose at its time: that of a frame at most 50 ms before or after it, or else, between
/// frames that are farther apart, the pose between theirs.
package struct GravityCheck: Sendable {
    /// A larger median is reported; the acceleration of the hand, where it is in the samples, takes as much again.
    package var limitDegrees: Double { separatesGravity ? 3 : 6 }
    /// True if all samples have gravity apart from the acceleration of the hand.
    package private(set) var separatesGravity = true
    /// A sample that is farther off is no matter of noise.
    package static let contradictionDegrees = 30.0
    /// A larger share of such samples is reported.
    private static let maximumShare = 0.05
    private static let maximumDistanceSeconds = 0.05
    /// Between frames farther apart than this the pose is unknown.
    private static let maximumGapSeconds = 2.5
    /// The same where the phone was turned by more than this.
    private static let maximumTurnDegrees = 20.0
    private static let binDegrees = 0.25
    /// The most that the length of an unseparated acceleration differs from a g: more is a push of the hand.
    private static let maximumPush = 0.05
    /// Where fewer of the samples are like that, nothing can be said.
    private static let minimumRestShare = 0.1

    private var pushedCount = 0

    private var angles = BinCounts()
    /// How many samples were compared.
    package var count: Int { angles.count }
    /// How many of them agree under another reading of the poses.
    private var agreeing: [RecordingVariant: Int] = [:]
    private var lastFrame: FrameReference?
    /// The last sample since that frame, if it could not be compared with it.
    private var waiting: MotionSample?

    package init() {}

    package mutating func add(_ record: Record) {
        switch record {
        case .location, .heading, .radio, .indoor: break
        case .motion(let sample):
            if let frame = lastFrame, sample.time.seconds(since: frame.time) <= Self.maximumDistanceSeconds {
                compare(sample, frame.worldFromCamera)
            } else {
                waiting = sample
            }
        case .frame(let frame):
            let frame = frame.tracking.isNormal ? frame : nil
            if let sample = waiting, let frame { compareWaiting(sample, next: frame) }
            waiting = nil
            lastFrame = frame
        }
    }

    private mutating func compareWaiting(_ sample: MotionSample, next: FrameReference) {
        let after = next.time.seconds(since: sample.time)
        if after <= Self.maximumDistanceSeconds { return compare(sample, next.worldFromCamera) }
        guard let last = lastFrame else { return }
        let gap = next.time.seconds(since: last.time)
        guard gap > 0, gap <= Self.maximumGapSeconds else { return }
        let turn = last.worldFromCamera.rotation.inverse * next.worldFromCamera.rotation
        guard turn.angleRadians * 180 / .pi <= Self.maximumTurnDegrees else { return }
        compare(sample, last.worldFromCamera.interpolated(to: next.worldFromCamera, fraction: 1 - after / gap))
    }

    private mutating func compare(_ sample: MotionSample, _ worldFromCamera: Transform) {
        if !sample.separatesGravity, abs((sample.gravity + sample.userAcceleration).length - 1) > Self.maximumPush {
            pushedCount += 1
            return
        }
        guard let degrees = DeviceAxes.gravityDisagreementDegrees(sample, worldFromCamera) else { return }
        if !sample.separatesGravity { separatesGravity = false }
        angles.add(toBin: Int(degrees / Self.binDegrees))
        for (variant, rotation) in RecordingVariant.rotations(worldFromCamera.rotation) {
            let pose = Transform(rotation: rotation)
            guard let degrees = DeviceAxes.gravityDisagreementDegrees(sample, pose), degrees <= 2 * limitDegrees
            else { continue }
            agreeing[variant, default: 0] += 1
        }
    }

    /// The mistake that explains nearly all samples, if there is one.
    private var cause: RecordingVariant? {
        RecordingVariant.all.first { Double(agreeing[$0] ?? 0) >= (1 - Self.maximumShare) * Double(count) }
    }

    /// The median angle, to a quarter of a degree; `nil` where nothing could be compared.
    package var medianDegrees: Double? {
        angles.bin(ofQuantile: 0.5).map { Double($0) * Self.binDegrees }
    }

    /// The share of samples that contradict the pose: 0 up to 1.
    package var contradictingShare: Double {
        angles.share(fromBin: Int(Self.contradictionDegrees / Self.binDegrees))
    }

    /// True if the samples as a whole, and nearly each of them, have gravity where the poses have it.
    package var agrees: Bool {
        if Double(count) < Self.minimumRestShare * Double(count + pushedCount) { return true }
        return (medianDegrees ?? 0) <= limitDegrees && contradictingShare <= Self.maximumShare
    }

    /// The problem to report where the two disagree.
    package var problem: Problem? {
        guard !agrees, let degrees = medianDegrees else { return nil }
        let percent = (contradictingShare * 1000).rounded() / 10
        return Problem(
            .gravityDisagrees,
            file: "imu samples",
            field: "gravity",
            expected: "at most \(limitDegrees) degrees from the camera's pose",
            found: "a median of \(degrees) degrees over \(count) samples, "
                + "more than \(Self.contradictionDegrees) in \(percent) % of them"
                + (cause.map { "; \($0.cause): read so, they agree" } ?? "")
        )
    }
}

extension AttitudeCheck {
    /// Passes over all IMU samples of a session, before the first of them is published.
    package init(_ session: any Session, isNeeded: Bool) throws {
        self.init()
        guard isNeeded, session.summary.motionSource != .none else { return }
        let cursor = try session.records(RecordRequest(streams: [.motion]))
        while case .motion(let sample)? = try cursor.next() { add(sample) }
    }

    /// The problem to report where attitudes and gravity disagree.
    package var problem: Problem? {
        guard !agrees, let residual else { return nil }
        let percent = (contradictingShare * 1000).rounded() / 10
        return Problem(
            .attitudeDisagrees,
            file: "imu samples",
            field: "attitude_quaternion",
            expected: "gravity as recorded, within \(Self.limit) g",
            found: "more in \(percent) % of \(count) samples, a median of \((residual * 1e4).rounded() / 1e4) g"
        )
    }
}
