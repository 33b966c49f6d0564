package import Platform
import Recording
package import Sessions

/// How a session lies in the world of another one of the same place.
package struct SessionAlignment: Sendable {
    package enum Verdict: Sendable, Hashable {
        case aligned
        /// Nothing of the one is seen in the other.
        case apart(String)
        /// Several ways of lying together fit alike, or what was found contradicts itself.
        case doubtful(String)
    }

    package var verdict = Verdict.apart("")
    /// The poses of the other session in the world of the first; `nil` where it is not known.
    package var correction: PoseCorrection?
    /// Ways of lying together that were tried.
    package var candidateCount = 0
    /// How well the best of them and the next best one fit: the share of the other's surface that lies on the first's, times
    /// the share of what is near it that does.
    package var bestFit = 0.0
    package var nextFit = 0.0
    /// Submaps of the other session that were found in the first, and that were looked for.
    package var foundCount = 0
    package var triedCount = 0
    package var first = PoseRefinement()
    package var other = PoseRefinement()
}

extension SessionRefiner {
    /// Brings a session into the world of another one of the same place, by the surfaces that both show.
    ///
    /// Both are refined first. Where they lie together is looked for everywhere; then the submaps of the other one are aligned
    /// with those of the first.
    @concurrent
    package func align(
        _ other: any Session,
        to first: any Session,
        progress: ProgressHandler = { _ in }
    ) async throws -> SessionAlignment {
        let a = try await refined(first, first.summary.span, progress)
        let b = try await refined(other, other.summary.span, progress)
        let aligner = try WalkAligner(a, b)
        guard let models = aligner.models else { return aligner.result }
        let candidates = aligner.candidates
        progress(WorkProgress("comparing", 0, of: candidates.count, .steps))
        let fits = await mapOrdered(candidates.count, workers: jobs) { models.fit(candidates[$0]) }
        guard aligner.choose(fits) else { return aligner.result }
        let tried = aligner.tried
        var found: [LoopSearch.Found] = []
        for start in stride(from: 0, to: tried.count, by: WalkAligner.batch) {
            let batch = tried[start..<min(start + WalkAligner.batch, tried.count)]
            found += try await aligner.found(batch, jobs: jobs).compactMap { $0 }
            progress(WorkProgress("aligning", batch.endIndex, of: tried.count, .steps))
        }
        aligner.finish(found, origin: "in \(first.summary.name)")
        return aligner.result
    }
}

/// Two walks on their way into one world.
///
/// A class, as an async function must not keep poses across an `await` (decision 014).
private final class WalkAligner {
    /// The surfaces of both.
    struct Models: Sendable {
        var first: PlaceModel
        var other: PlaceModel

        func fit(_ candidate: PlaceModel.Candidate) -> SubmapAlignment? {
            SubmapRegistration.align(
                other.surface,
                to: first.surface,
                from: candidate.targetFromSource,
                distances: WalkAligner.coarseDistances
            )
        }
    }

    static let batch = 32
    private static let coarseDistances: [Float] = [0.5, 0.25, 0.12]
    private static let mostCandidates = 60
    private static let leastInliers = 0.3
    private static let leastAgreement = 0.6
    /// The next best way must fit so much less.
    private static let clearShare = 0.85
    /// Ways that differ by less are one.
    private static let (sameMetres, sameRadians) = (0.4, 8 * Double.pi / 180)
    private static let mostTried = 150
    /// A submap is looked for where so much of it has surfaces of the first walk near it.
    private static let leastNear = 0.5
    /// How wrong the place of a submap is before it is aligned.
    private static let (doubtMetres, doubtRadians) = (0.15, 0.05)
    private static let leastFound = 4
    private static let leastFoundShare = 0.6

    let models: Models?
    private let first: LoopSearch
    private let other: LoopSearch
    private var firstFromOther = Transform.identity
    private(set) var result: SessionAlignment
    /// Ways of lying together that are tried.
    let candidates: [PlaceModel.Candidate]

    init(_ first: RefinedWalk, _ other: RefinedWalk) throws {
        (self.first, self.other) = (first.search, other.search)
        result = SessionAlignment(first: first.result, other: other.result)
        let (a, b) = (PlaceModel(try self.first.place()), PlaceModel(try self.other.place()))
        models = a.flatMap { a in b.map { Models(first: a, other: $0) } }
        candidates = models.map { Array($0.first.candidates(for: $0.other).prefix(Self.mostCandidates)) } ?? []
        result.candidateCount = candidates.count
        if models == nil { result.verdict = .apart("one of them shows too little depth") }
    }

    /// Takes the way that fits best, where no other one fits nearly as well.
    func choose(_ fits: [SubmapAlignment?]) -> Bool {
        let good = fits.compactMap { $0 }.map { (fit: $0.inlierShare * $0.agreement, alignment: $0) }
            .sorted { $0.fit > $1.fit }
        guard let best = good.first, best.alignment.inlierShare >= Self.leastInliers,
            best.alignment.agreement >= Self.leastAgreement
        else {
            result.bestFit = good.first?.fit ?? 0
            result.verdict = .apart("no way of lying together fits")
            return false
        }
        result.bestFit = best.fit
        let next = good.first { entry in
            let step = best.alignment.targetFromSource.inverse * entry.alignment.targetFromSource
            return step.translation.length > Self.sameMetres || step.rotation.angleRadians > Self.sameRadians
        }
        result.nextFit = next?.fit ?? 0
        firstFromOther = best.alignment.targetFromSource
        guard result.nextFit < Self.clearShare * best.fit else {
            result.verdict = .doubtful("two ways of lying together fit alike")
            return false
        }
        return true
    }

    /// The numbers of the other walk's submaps that may be found, spread over it.
    var tried: [Int] {
        let count = other.graph.anchors.count
        let step = max(1, (count + Self.mostTried - 1) / Self.mostTried)
        return Array(stride(from: 0, to: count, by: step))
    }

    /// Looks for submaps of the other walk in the first; nil for one that shows other places.
    func found(_ tried: ArraySlice<Int>, jobs: Int) async throws -> [LoopSearch.Found?] {
        let (submaps, pairs) = (try tried.map { try other.store[$0] }, tried.map { pair(to: $0) })
        guard let place = models?.first.surface else { return [] }
        return await mapOrdered(pairs.count, workers: jobs) { index in
            guard SubmapRegistration.nearShare(submaps[index], place, pairs[index].start) >= Self.leastNear else {
                return nil
            }
            return LoopSearch.align(pairs[index], submaps[index], place)
        }
    }

    private func pair(to: Int) -> LoopSearch.Pair {
        LoopSearch.Pair(
            from: 0,
            to: to,
            start: firstFromOther * other.graph.poses[to],
            up: Vector3(0, 1, 0),
            doubtMetres: Self.doubtMetres,
            doubtRadians: Self.doubtRadians,
            round: .first
        )
    }

    /// The poses of the other walk, held by the submaps that were found in the first.
    func finish(_ found: [LoopSearch.Found], origin: String) {
        result.triedCount = found.count
        let links = found.compactMap { found in
            if case .loop(let loop) = found { loop } else { nil }
        }
        let (poses, world) = other.graph.solved(other.loops, onto: links, startingFrom: firstFromOther.inverse)
        let agreeing = links.filter { $0.residual(world, poses[$0.to]).sigmas <= LoopGraph.mostSigmas }
        result.foundCount = agreeing.count
        guard agreeing.count >= Self.leastFound,
            Double(agreeing.count) >= Self.leastFoundShare * Double(result.triedCount),
            2 * agreeing.count > links.count
        else {
            result.verdict = .doubtful(
                "\(agreeing.count) of \(result.triedCount) submaps were found where the others say"
            )
            return
        }
        let (last, lastWorld) = other.graph.solved(other.loops, onto: agreeing, startingFrom: world)
        let walk = other.graph.walk
        let knots = other.graph.anchors.enumerated().map { place, anchor in
            PoseCorrection.Knot(
                time: walk.poses[anchor].time,
                recorded: walk.poses[anchor].worldFromCamera,
                corrected: lastWorld.inverse * last[place]
            )
        }
        result.correction = PoseCorrection(knots, jumps: walk.jumps.map { walk.poses[$0.pose].time }, origin: origin)
        result.verdict = .aligned
    }
}
