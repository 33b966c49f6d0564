import Recording

/// A walk as visual odometry records it: each step a little too long, a heading that turns away slowly, and jumps.
///
/// Roll and pitch stay right, as gravity holds them.
struct PoseErrors {
    /// A jump of the tracking, as after a relocalisation: to the side, and about the vertical.
    struct Jump: Hashable, Sendable {
        var frame: Int
        var metres: Vector3
        var turnRadians: Double
    }

    /// The errors of a metre: of the heading in radians, of its length, and upward.
    private struct Rates {
        var turn: Double
        var length: Double
        var climb = 0.0
        /// How much of `turn` comes and goes over the way, in metres of a period.
        var swing = 0.0
        var phase = 0.0
    }

    let jumps: [Jump]
    private let rates: Rates?
    private var before: (pose: Transform, recorded: Transform)?
    private var way = 0.0
    private var place = 0

    init(_ options: SampleOptions) {
        var random = SeededRandom(seed: options.seed, stream: 6 << 60)
        func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * Double(random.uniform()) }
        func sign() -> Double { random.uniform() < 0.5 ? -1 : 1 }
        switch options.drift {
        case .percent(...0): rates = nil
        case .percent(let percent) where options.walk == .room:
            // Half of a radian over the share of a hundred metres.
            rates = Rates(turn: percent / 100 * 0.5, length: percent / 100 * 0.7)
        case .percent(let percent):
            let share = percent / 100
            var found = Rates(turn: sign() * share * between(0.35, 0.65), length: sign() * share * between(0.5, 0.9))
            found.climb = sign() * share * between(0, 0.2)
            (found.swing, found.phase) = (between(4, 9), between(0, 2 * .pi))
            rates = found
        case .phone:
            var found = Rates(turn: sign() * between(0.03, 0.07) * .pi / 180, length: sign() * between(0.003, 0.01))
            found.climb = sign() * between(0, 0.001)
            (found.swing, found.phase) = (between(15, 40), between(0, 2 * .pi))
            rates = found
        }
        let count = options.jumpCount
        jumps = (0..<count).map { index in
            let at = (Double(index) + between(0.3, 0.7)) / Double(count) * Double(options.frameCount)
            let (bearing, metres) = (between(0, 2 * .pi), between(0.1, 0.5))
            return Jump(
                frame: max(1, Int(at)),
                metres: Vector3(metres * cosine(bearing), 0, metres * sine(bearing)),
                turnRadians: between(-8, 8) * .pi / 180
            )
        }
    }

    /// The pose that is recorded; poses come in the order of time.
    mutating func recorded(_ pose: Transform) -> Transform {
        defer { place += 1 }
        guard rates != nil || !jumps.isEmpty, let before else {
            before = (pose, pose)
            return pose
        }
        var recorded = before.recorded * drifted(before.pose.inverse * pose, before.pose.rotation)
        if let rates { recorded.translation.y += rates.climb * (pose.translation - before.pose.translation).length }
        for jump in jumps where jump.frame == place {
            let turn = Quaternion(angleRadians: jump.turnRadians, axis: Vector3(0, 1, 0))
            recorded.rotation = (turn * recorded.rotation).normalized
            recorded.translation += jump.metres
        }
        self.before = (pose, recorded)
        return recorded
    }

    private mutating func drifted(_ step: Transform, _ rotation: Quaternion) -> Transform {
        guard let rates else { return step }
        let metres = step.translation.length
        way += metres
        let swing = rates.swing > 0 ? 1 + 0.8 * sine(2 * .pi * way / rates.swing + rates.phase) : 1
        let turn =
            rotation.inverse * Quaternion(angleRadians: rates.turn * swing * metres, axis: Vector3(0, 1, 0)) * rotation
        return Transform(
            rotation: (turn * step.rotation).normalized,
            translation: step.translation * (1 + rates.length)
        )
    }
}
