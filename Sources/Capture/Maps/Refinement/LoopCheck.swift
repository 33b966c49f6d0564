import Recording
import Sessions

/// Decides whether loops are believed: each half of them is predicted by the other half.
struct LoopCheck {
    /// Fewer loops than these confirm nothing.
    private static let leastLoops = 3
    /// What is farther off than so many standard deviations counts as that far.
    private static let mostSigmas = 10.0
    /// Held-out loops must be off by less than this share of what they are off by the recorded poses.
    private static let clearShare = 0.8
    /// Recorded poses that are off by no more than this agree with the loops.
    private static let agreementSigmas = 1.5

    let graph: LoopGraph
    let loops: [LoopClosure]

    private var recorded: [Transform] { graph.anchors.map { graph.walk.poses[$0].worldFromCamera } }

    func verdict(_ check: PoseRefinement.CrossCheck?) -> PoseRefinement.Verdict {
        guard !loops.isEmpty else { return .unchanged("no loop: no place was seen again") }
        // Across a jump neighbours are aligned, too: where the walk does not return, either side may be right.
        guard loops.contains(where: { $0.to - $0.from >= LoopGraph.leastApart }) else {
            return .unchanged("no loop: no place was seen again after a jump")
        }
        let recorded = recorded
        let isAgreed = loops.reduce(0) { $0 + sigmas($1, recorded) } <= Self.agreementSigmas * Double(loops.count)
        if isAgreed { return .unchanged("the loops agree with the recorded poses") }
        guard let check else { return .doubtful("\(loops.count) loops are too few to confirm each other") }
        guard check.refinedSigmas < Self.clearShare * check.recordedSigmas else {
            return .doubtful("the loops do not confirm each other")
        }
        return .improved
    }

    /// How far off loops are that a graph was not given.
    var crossCheck: PoseRefinement.CrossCheck? {
        guard loops.count >= Self.leastLoops else { return nil }
        let order = loops.indices.sorted { (loops[$0].to, loops[$0].from) < (loops[$1].to, loops[$1].from) }
        let recorded = recorded
        var check = PoseRefinement.CrossCheck()
        for half in 0..<2 {
            let given = order.enumerated().filter { $0.offset % 2 == half }.map { loops[$0.element] }
            let heldOut = order.enumerated().filter { $0.offset % 2 != half }.map { loops[$0.element] }
            let poses = graph.solved(given)
            check.recordedSigmas += heldOut.reduce(0) { $0 + sigmas($1, recorded) }
            check.refinedSigmas += heldOut.reduce(0) { $0 + sigmas($1, poses) }
        }
        check.recordedSigmas /= Double(loops.count)
        check.refinedSigmas /= Double(loops.count)
        return check
    }

    /// How much larger covariances are than what the graph was told, by how far off held-out loops are.
    static func varianceFactor(_ check: PoseRefinement.CrossCheck?) -> Double {
        let sigmas = check?.refinedSigmas ?? 0
        // Six components; not below a quarter, as loops share the errors of their sensor.
        return max(0.25, sigmas * sigmas / 6)
    }

    private func sigmas(_ loop: LoopClosure, _ poses: [Transform]) -> Double {
        min(loop.residual(poses[loop.from], poses[loop.to]).sigmas, Self.mostSigmas)
    }
}

extension LoopSearch {
    /// The verdict, the correction and the figures.
    func report(into result: inout PoseRefinement) {
        let check = LoopCheck(graph: graph, loops: loops)
        result.crossCheck = check.crossCheck
        result.verdict = check.verdict(result.crossCheck)
        (result.pairsTried, result.pairsUnlike) = (counts.tried, counts.unlike)
        result.pairsImpossible = counts.impossible
        let walk = graph.walk
        func recorded(_ place: Int) -> Transform { walk.poses[graph.anchors[place]].worldFromCamera }
        result.loops = loops.sorted { ($0.to, $0.from) < ($1.to, $1.from) }.map { loop in
            let before = loop.residual(recorded(loop.from), recorded(loop.to))
            let after = loop.residual(graph.poses[loop.from], graph.poses[loop.to])
            return PoseRefinement.Loop(
                from: walk.poses[graph.anchors[loop.from]].time,
                to: walk.poses[graph.anchors[loop.to]].time,
                metresBefore: before.metres,
                metresAfter: after.metres,
                radiansBefore: before.radians,
                radiansAfter: after.radians,
                inlierShare: loop.inlierShare,
                freeDirections: loop.freeDirections,
                isTag: loop.isTag
            )
        }
        guard result.verdict == .improved else { return }
        let varianceFactor = LoopCheck.varianceFactor(result.crossCheck)
        let (covariances, ofRecorded) = (graph.covariances(loops), graph.covariances([]))
        let knots = graph.anchors.indices.map { place in
            var knot = PoseCorrection.Knot(
                time: walk.poses[graph.anchors[place]].time,
                recorded: recorded(place),
                corrected: graph.poses[place]
            )
            if place < covariances.count { knot.covariance = covariances[place] * varianceFactor }
            if place < ofRecorded.count { knot.recordedCovariance = ofRecorded[place] }
            return knot
        }
        let jumps = walk.jumps.map { walk.poses[$0.pose].time }
        var correction = PoseCorrection(knots, jumps: jumps, origin: "refined")
        correction.loops = result.loops.map { ($0.from, $0.to) }
        var moved = walk.poses.map { pose in
            (correction.corrected(pose.worldFromCamera, at: pose.time).translation - pose.worldFromCamera.translation)
                .length
        }
        moved.sort()
        result.correction = correction
        result.movedMedianMetres = moved.isEmpty ? 0 : moved[moved.count / 2]
        result.movedMostMetres = moved.last ?? 0
    }
}
