package import Recording

/// One submap that was found again in another one.
package struct LoopClosure: Sendable {
    /// The submaps: `from` is the earlier one.
    package var from: Int
    package var to: Int
    /// The anchor of `from` from that of `to`.
    package var measured: Transform
    /// Of the alignment alone.
    package var covariance: Matrix6
    /// How wrong the scale of the depth may be, and with it what lies between the two places.
    var scaleSigma = 0.0
    package var inlierShare: Double
    package var surfaceMetres: Double
    package var freeDirections: Int
    /// True if tags say it, and not the depth.
    package var isTag = false

    /// The covariance of (translation, rotation) in the axes of `to`, with the scale of the depth.
    var noise: Matrix6 {
        var noise = covariance
        let along = between * scaleSigma
        noise.tt = noise.tt + Matrix3(outer: along, along)
        return noise
    }

    /// From one place to the other, in the axes of `to`.
    private var between: Vector3 { measured.rotation.inverse.rotating(measured.translation) }

    /// The parts of the least squares of the depth's scale: what is measured is so much longer than between two poses.
    func scale(_ from: Transform, _ to: Transform) -> (information: Double, excess: Double) {
        guard !isTag, let factor = covariance.cholesky else { return (0, 0) }
        let off = (from.inverse * to).inverse * measured
        let (along, excess) = (
            factor.lowerInverse * Vector6(between, .zero), factor.lowerInverse * Vector6(off.translation, .zero)
        )
        return (along.dot(along), along.dot(excess))
    }

    /// The loop as a depth of the right scale would have measured it.
    mutating func unscale(_ scale: Double, sigma: Double) {
        guard !isTag else { return }
        measured.translation = measured.translation / (1 + scale)
        scaleSigma = sigma
    }

    /// How far two poses are from what was measured, as far as it was: in metres, radians and standard deviations.
    package func residual(_ from: Transform, _ to: Transform) -> (metres: Double, radians: Double, sigmas: Double) {
        let error = (measured.inverse * (from.inverse * to)).logarithm
        guard let factor = noise.cholesky else { return (0, 0, 0) }
        let scaled = factor.lowerInverse * error
        return (error.translation.length, error.rotation.length, scaled.dot(scaled).squareRoot())
    }
}

/// Submaps, the recorded steps between them, and the loops that were closed.
struct LoopGraph: Sendable {
    /// The noise of the recorded way: a part of the way, of the heading, of each turn.
    private static let share = 0.02
    private static let leastMetres = 0.004
    private static let headingRadiansPerMetre = 0.7 * Double.pi / 180
    private static let leastHeadingRadians = 0.1 * Double.pi / 180
    private static let turnShare = 0.01
    private static let tiltRadians = 0.1 * Double.pi / 180
    private static let gravityRadians = 0.2 * Double.pi / 180
    /// What the movement says about a jump.
    private static let jumpMetres = 0.03
    private static let jumpRadians = 2 * Double.pi / 180
    private static let fastestMetresPerSecond = 1.5
    private static let kernel = 1.0
    /// A loop that the others contradict: one in a thousand would be so far off by chance.
    static let mostSigmas = 4.74
    /// Submaps that follow one another more closely are odometry, not loops.
    static let leastApart = 3

    let walk: RecordedWalk
    private(set) var anchors: [Int] = []
    /// World from anchor.
    private(set) var poses: [Transform] = []
    /// Where the Earth says submaps were.
    var fixes: [(place: Int, sample: LocationSample)] = []

    init(_ walk: RecordedWalk) { self.walk = walk }

    /// Adds a submap where the recorded way leads from the last one.
    mutating func add(anchor: Int) {
        if let last = anchors.last, let pose = poses.last {
            poses.append(pose * (walk.smooth[last].inverse * walk.smooth[anchor]))
        } else {
            poses.append(walk.smooth[anchor])
        }
        anchors.append(anchor)
    }

    /// Puts the submaps where they were recorded.
    mutating func keepRecorded() { poses = anchors.map { walk.poses[$0].worldFromCamera } }

    /// Moves the submaps to where their steps, gravity and the loops have them most likely.
    mutating func solve(_ loops: [LoopClosure]) { poses = solved(loops) }

    func solved(_ loops: [LoopClosure]) -> [Transform] {
        var solver = PoseGraphSolver(graph(loops))
        _ = solver.solve()
        return Array(solver.poses.prefix(anchors.count))
    }

    /// The poses, and the world of another walk in whose axes `links` have their submaps.
    func solved(
        _ loops: [LoopClosure],
        onto links: [LoopClosure],
        startingFrom world: Transform
    ) -> (poses: [Transform], world: Transform) {
        var graph = graph(loops)
        let node = graph.add(world)
        graph.uprights.append(PoseGraph.Upright(node: node, up: Vector3(0, 1, 0), sigmaRadians: Self.gravityRadians))
        for link in links { Self.add(link, from: node, to: &graph) }
        var solver = PoseGraphSolver(graph)
        _ = solver.solve()
        return (Array(solver.poses.prefix(anchors.count)), solver.poses[node])
    }

    /// The covariances of (translation, rotation) against the first submap, each in its own axes.
    func covariances(_ loops: [LoopClosure]) -> [Matrix6] {
        var solver = PoseGraphSolver(graph(loops))
        return solver.covariances(of: Array(anchors.indices)) ?? []
    }

    private func graph(_ loops: [LoopClosure]) -> PoseGraph {
        var graph = PoseGraph()
        for (place, anchor) in anchors.enumerated() {
            _ = graph.add(poses[place])
            let up = walk.poses[anchor].worldFromCamera.rotation.inverse.rotating(Vector3(0, 1, 0))
            graph.uprights.append(PoseGraph.Upright(node: place, up: up, sigmaRadians: Self.gravityRadians))
            guard place > 0 else { continue }
            let before = anchors[place - 1]
            let edge = PoseGraph.Edge(
                .odometry,
                from: place - 1,
                to: place,
                measured: walk.smooth[before].inverse * walk.smooth[anchor],
                covariance: covariance(from: before, to: anchor, up: up)
            )
            if let edge { graph.edges.append(edge) }
        }
        for loop in loops { Self.add(loop, from: loop.from, to: &graph) }
        graph.tie(fixes.filter { $0.place < anchors.count }.map { ($0.place, $0.sample) }, TagMapNoise())
        return graph
    }

    private static func add(_ loop: LoopClosure, from: Int, to graph: inout PoseGraph) {
        let edge = PoseGraph.Edge(
            .loop,
            from: from,
            to: loop.to,
            measured: loop.measured,
            covariance: loop.noise,
            kernel: kernel
        )
        if let edge { graph.edges.append(edge) }
    }

    /// How wrong the recorded way between two poses is.
    private func covariance(from: Int, to: Int, up: Vector3) -> Matrix6 {
        let metres = walk.metres[to] - walk.metres[from]
        let turn = (walk.smooth[from].rotation.inverse * walk.smooth[to].rotation).angleRadians
        var place = Self.leastMetres * Self.leastMetres + Self.share * Self.share * metres * metres
        let perMetre = Self.headingRadiansPerMetre * metres
        var heading =
            Self.leastHeadingRadians * Self.leastHeadingRadians + perMetre * perMetre
            + Self.turnShare * Self.turnShare * turn * turn
        for jump in walk.jumps(after: from, upTo: to) {
            let beyond = max(0, jump.seconds - 0.05)
            let (metres, radians) = (
                Self.jumpMetres + Self.fastestMetresPerSecond * beyond, Self.jumpRadians + 0.5 * beyond
            )
            place += metres * metres
            heading += radians * radians
        }
        let tilt = Self.tiltRadians * Self.tiltRadians
        return Matrix6(
            tt: Matrix3(diagonal: Vector3(repeating: place)),
            rr: Matrix3(diagonal: Vector3(repeating: tilt)) + Matrix3(outer: up, up) * max(0, min(heading, 10) - tilt)
        )
    }

    // MARK: - Where loops may be

    /// How wrong the way between two submaps may be, in metres and radians.
    ///
    /// - Parameter sinceLoop: How far was walked at each submap since one that was found again.
    func doubt(_ from: Int, _ to: Int, sinceLoop: [Double]) -> (metres: Double, radians: Double) {
        let way = walk.metres[anchors[to]] - walk.metres[anchors[from]]
        let open = min(way, sinceLoop[from] + sinceLoop[to])
        let jumped = walk.jumps(after: anchors[from], upTo: anchors[to]).reduce(0.0) { sum, jump in
            sum + (jump.seconds > 0.5 ? min(jump.seconds, 4) * 0.5 : 0.05)
        }
        return (
            Self.share * open + min(jumped, 2),
            Self.headingRadiansPerMetre * open.squareRoot() * 2 + min(jumped, 1) * 0.3
        )
    }
}
