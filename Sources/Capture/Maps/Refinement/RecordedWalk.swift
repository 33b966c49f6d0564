import Recording

/// All poses of a recording in the order of time, and where they jump.
struct RecordedWalk: Sendable {
    struct Pose: Sendable {
        var time: Timestamp
        var worldFromCamera: Transform
    }

    /// A step that no hand makes.
    struct Jump: Sendable {
        /// The pose after it.
        var pose: Int
        /// The time of the step.
        var seconds: Double
        /// How far the step is from what the movement before it lets expect.
        var metres: Double
        var radians: Double
    }

    private static let fastestMetresPerSecond = 3.0
    private static let fastestRadiansPerSecond = 8.0
    /// From one frame to the next a movement changes by less than this, beside what an acceleration does.
    private static let leastMetres = 0.04
    private static let leastRadians = 2.5 * Double.pi / 180
    private static let strongestMetres = 20.0
    private static let strongestRadians = 60.0
    /// Over a longer time the movement says nothing about the step.
    private static let bridgedSeconds = 0.5

    private(set) var poses: [Pose] = []
    private(set) var jumps: [Jump] = []
    /// The poses without their jumps, where the way would have led; over gaps of more than half a second they keep their step.
    private(set) var smooth: [Transform] = []
    /// How far was walked up to each pose, in metres.
    private(set) var metres: [Double] = []
    /// Poses without a number in them, or whose time goes back, which are left out.
    private(set) var skipped = 0
    private var bridge = Transform.identity

    /// Adds a pose; says whether it could be.
    @discardableResult
    mutating func add(_ pose: Pose) -> Bool {
        let place = pose.worldFromCamera
        let isNumber = place.translation.x.isFinite && place.translation.y.isFinite && place.translation.z.isFinite
        guard isNumber, place.rotation.norm.isFinite, poses.last.map({ $0.time < pose.time }) ?? true else {
            skipped += 1
            return false
        }
        append(pose)
        return true
    }

    private mutating func append(_ pose: Pose) {
        guard let last = poses.last, let lastSmooth = smooth.last else {
            (poses, smooth, metres) = ([pose], [pose.worldFromCamera], [0])
            return
        }
        let step = last.worldFromCamera.inverse * pose.worldFromCamera
        let seconds = pose.time.seconds(since: last.time)
        let expected = expectedStep(seconds)
        let off = expected.inverse * step
        if isJump(step, off, seconds) {
            jumps.append(
                Jump(
                    pose: poses.count,
                    seconds: seconds,
                    metres: off.translation.length,
                    radians: off.rotation.angleRadians
                )
            )
            if seconds <= Self.bridgedSeconds {
                // Gravity holds roll and pitch through a jump: only the heading and the place are bridged.
                let target = lastSmooth * expected
                let turn = target.rotation * pose.worldFromCamera.rotation.inverse
                let heading = Quaternion(angleRadians: 2 * arcTangent(turn.y, turn.w), axis: Vector3(0, 1, 0))
                bridge = Transform(
                    rotation: heading,
                    translation: target.translation - heading.rotating(pose.worldFromCamera.translation)
                )
            }
        }
        let next = bridge * pose.worldFromCamera
        metres.append((metres.last ?? 0) + (next.translation - lastSmooth.translation).length)
        smooth.append(next)
        poses.append(pose)
    }

    /// The step of so many seconds, if the movement goes on as it was.
    private func expectedStep(_ seconds: Double) -> Transform {
        guard smooth.count >= 2, let last = poses.last else { return .identity }
        let before = smooth.count - 2
        let elapsed = last.time.seconds(since: poses[before].time)
        guard elapsed > 1e-4, elapsed < Self.bridgedSeconds, seconds < Self.bridgedSeconds else { return .identity }
        let step = (smooth[before].inverse * smooth[before + 1]).logarithm
        return Transform(exponential: step * (seconds / elapsed))
    }

    private func isJump(_ step: Transform, _ off: Transform, _ seconds: Double) -> Bool {
        let (distance, angle) = (step.translation.length, step.rotation.angleRadians)
        if distance > Self.fastestMetresPerSecond * max(seconds, 0.02) + 0.05 { return true }
        if angle > Self.fastestRadiansPerSecond * max(seconds, 0.02) + 0.05, seconds < Self.bridgedSeconds {
            return true
        }
        guard smooth.count >= 2, seconds < Self.bridgedSeconds else { return false }
        let squared = seconds * seconds
        return off.translation.length > Self.leastMetres + Self.strongestMetres * squared
            || off.rotation.angleRadians > Self.leastRadians + Self.strongestRadians * squared
    }

    /// The jumps after one pose and up to another.
    func jumps(after first: Int, upTo last: Int) -> ArraySlice<Jump> {
        let low = jumps.sortedIndex { $0.pose > first }
        let high = jumps.sortedIndex { $0.pose > last }
        return jumps[low..<max(low, high)]
    }
}
