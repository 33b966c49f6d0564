import Recording

/// What visual odometry makes of a walk: each step a little too long, and a heading that turns away slowly.
///
/// Roll and pitch stay right, as gravity holds them.
struct OdometryDrift {
    /// By which share of the way walked places become wrong, about.
    private let share: Double
    private var before: (pose: Transform, recorded: Transform)?

    init(percent: Double) {
        share = percent / 100
    }

    /// The pose that is recorded; poses come in the order of time.
    mutating func recorded(_ pose: Transform) -> Transform {
        guard share > 0, let before else {
            before = (pose, pose)
            return pose
        }
        let step = before.pose.inverse * pose
        // Half of a radian over the share of a hundred metres.
        let turn =
            before.pose.rotation.inverse
            * Quaternion(angleRadians: share * 0.5 * step.translation.length, axis: Vector3(0, 1, 0))
            * before.pose.rotation
        let wrong = Transform(
            rotation: (turn * step.rotation).normalized,
            translation: step.translation * (1 + share * 0.7)
        )
        let recorded = before.recorded * wrong
        self.before = (pose, recorded)
        return recorded
    }
}
