package import Recording

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
