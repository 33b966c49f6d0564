import Platform
import Recording

/// Looks for submaps that see what earlier ones saw, and aligns them.
struct LoopSearch: Sendable {
    /// How often submaps are looked for, and how near correspondences must be in the end.
    enum Round: Int, CaseIterable, Sendable {
        /// As the way goes on: what was found corrects where the rest is looked for.
        case first
        case second
        case last
    }

    /// Two submaps to align, and from where.
    struct Pair: Sendable {
        var from: Int
        var to: Int
        var start: Transform
        /// Up in the axes of `from`.
        var up: Vector3
        var doubtMetres: Double
        var doubtRadians: Double
        var round: Round
    }

    struct Counts: Sendable {
        var tried = 0
        /// Too few points met, or on other surfaces.
        var unlike = 0
        /// They met where the recorded way cannot have led, or upright where gravity says otherwise.
        var impossible = 0
    }

    private static let nearestPairs = 9
    private static let oldestPairs = 3
    private static let reachMetres = 1.2
    private static let reachRadians = 50 * Double.pi / 180
    /// Floors that look alike: heights are known better than places.
    private static let heightMetres = 0.35
    /// Of all tried points, and of those that have the other submap near them.
    private static let leastInliers = 0.3
    private static let leastAgreement = 0.65
    private static let mostSurfaceMetres = 0.03
    private static let mostTiltRadians = 2 * Double.pi / 180
    /// In how many submaps at a time the first round goes ahead.
    private static let batchCount = 4

    let submaps: [Submap]
    private let jobs: Int
    private(set) var graph: LoopGraph
    private(set) var loops: [LoopClosure] = []
    /// Loops that tags close, which no round looks for.
    private let tagLoops: [LoopClosure]
    private(set) var counts = Counts()
    /// How far was walked at each submap since one that was found again.
    private var sinceLoop: [Double] = []

    init(_ walk: RecordedWalk, _ submaps: [Submap], _ landmarks: Landmarks?, jobs: Int) {
        self.submaps = submaps
        self.jobs = jobs
        graph = LoopGraph(walk)
        let found = landmarks.map { LandmarkLoops($0, walk, anchors: submaps.map(\.anchor)) }
        tagLoops = found?.loops ?? []
        graph.fixes = found?.fixes ?? []
    }

    /// Closes loops in three rounds.
    mutating func run(_ progress: ProgressHandler) async throws {
        let total = submaps.count * Round.allCases.count
        for round in Round.allCases {
            loops = round == .first ? [] : tagLoops
            var next = 0
            while next < submaps.count {
                try Task.checkCancellation()
                let batch = next..<(round == .first ? min(next + Self.batchCount, submaps.count) : submaps.count)
                next = batch.upperBound
                if round == .first {
                    for place in batch { add(place) }
                    takeTags(of: batch)
                }
                let pairs = batch.flatMap { self.pairs(to: $0, round) }
                let submaps = submaps
                let found = await mapOrdered(pairs.count, workers: jobs) { Self.align(pairs[$0], submaps) }
                take(found, pairs)
                progress(WorkProgress("aligning", round.rawValue * submaps.count + next, of: total, .steps))
            }
            if round != .first { graph.solve(loops) }
        }
        // What the others contradict.
        let agreeing = loops.filter { sigmas($0, graph.poses) <= LoopGraph.mostSigmas }
        guard agreeing.count < loops.count else { return }
        counts.impossible += loops.count - agreeing.count
        loops = agreeing
        graph.solve(loops)
    }

    private mutating func add(_ place: Int) {
        graph.add(anchor: submaps[place].anchor)
        guard place > 0 else { return sinceLoop = [0] }
        let way = graph.walk.metres[submaps[place].anchor] - graph.walk.metres[submaps[place - 1].anchor]
        sinceLoop.append(sinceLoop[place - 1] + way)
    }

    /// Takes the loops that tags close at submaps that were just added.
    private mutating func takeTags(of batch: Range<Int>) {
        let new = tagLoops.filter { batch.contains($0.to) }
        guard !new.isEmpty else { return }
        loops += new
        for loop in new { sinceLoop[loop.to] = min(sinceLoop[loop.to], sinceLoop[loop.from], 0.3) }
        graph.solve(loops)
    }

    private func sigmas(_ loop: LoopClosure, _ poses: [Transform]) -> Double {
        loop.residual(poses[loop.from], poses[loop.to]).sigmas
    }

    private mutating func take(_ found: [Found], _ pairs: [Pair]) {
        counts.tried += pairs.count
        var isFirst = false
        for (found, pair) in zip(found, pairs) {
            switch found {
            case .unlike: counts.unlike += 1
            case .impossible: counts.impossible += 1
            case .loop(let loop):
                loops.append(loop)
                guard pair.round == .first else { continue }
                isFirst = true
                sinceLoop[pair.to] = min(sinceLoop[pair.to], sinceLoop[pair.from], 0.3)
            }
        }
        guard isFirst else { return }
        graph.solve(loops)
    }

    // MARK: - Pairs

    /// The earlier submaps that a submap may see.
    private func pairs(to: Int, _ round: Round) -> [Pair] {
        var found: [(score: Double, pair: Pair)] = []
        let isJump = to > 0 && !graph.walk.jumps(after: submaps[to - 1].anchor, upTo: submaps[to].anchor).isEmpty
        for from in 0..<to where from <= to - LoopGraph.leastApart || isJump {
            let start = graph.poses[from].inverse * graph.poses[to]
            let doubt = graph.doubt(from, to, sinceLoop: sinceLoop)
            let place = graph.poses[to].translation - graph.poses[from].translation
            guard abs(place.y) < Self.heightMetres + 0.1 * doubt.metres else { continue }
            let distance = (place.x * place.x + place.z * place.z).squareRoot()
            guard distance < Self.reachMetres + doubt.metres else { continue }
            let ahead = Vector3(0, 0, -1)
            let angle = arcCosine(dot(ahead, start.rotation.rotating(ahead)))
            guard angle < Self.reachRadians + min(doubt.radians, 0.5) else { continue }
            let pair = Pair(
                from: from,
                to: to,
                start: start,
                up: graph.poses[from].rotation.inverse.rotating(Vector3(0, 1, 0)),
                doubtMetres: doubt.metres,
                doubtRadians: doubt.radians,
                round: round
            )
            found.append((distance / Self.reachMetres + angle / Self.reachRadians, pair))
        }
        found.sort { ($0.score, $0.pair.from) < ($1.score, $1.pair.from) }
        // The oldest ones, too: those that lie best may all be of the last minute.
        let rest = found.dropFirst(Self.nearestPairs).sorted { $0.pair.from < $1.pair.from }
        return (found.prefix(Self.nearestPairs) + rest.prefix(Self.oldestPairs)).map(\.pair)
    }

    // MARK: - Alignment

    private enum Found: Sendable {
        case loop(LoopClosure)
        case unlike
        case impossible
    }

    private static func align(_ pair: Pair, _ submaps: [Submap]) -> Found {
        let (source, target) = (submaps[pair.to], submaps[pair.from])
        let best: SubmapAlignment? =
            switch pair.round {
            case .first: firstAlignment(pair, source, target)
            case .second:
                SubmapRegistration.align(source, to: target, from: pair.start, distances: [0.15, 0.1])
            case .last: SubmapRegistration.align(source, to: target, from: pair.start, distances: [0.1])
            }
        guard let best, best.inlierShare >= leastInliers, best.agreement >= leastAgreement,
            best.surfaceMetres <= mostSurfaceMetres
        else { return .unlike }
        let off = pair.start.inverse * best.targetFromSource
        let (mostMetres, mostRadians) =
            pair.round == .first ? (0.2 + 2.5 * pair.doubtMetres, 0.08 + 2.5 * pair.doubtRadians) : (0.2, 0.08)
        // Roll and pitch are known by gravity: what turns must turn about the vertical.
        let (up, turn) = (pair.start.rotation.inverse.rotating(pair.up), off.rotation.rotationVector)
        guard off.translation.length < mostMetres, off.rotation.angleRadians < mostRadians,
            (turn - up * dot(turn, up)).length < mostTiltRadians
        else { return .impossible }
        return .loop(
            LoopClosure(
                from: pair.from,
                to: pair.to,
                measured: best.targetFromSource,
                covariance: best.covariance,
                inlierShare: best.inlierShare,
                surfaceMetres: best.surfaceMetres,
                freeDirections: best.freeDirections
            )
        )
    }

    /// From farther away, and turned to either side where the heading is in doubt.
    private static func firstAlignment(_ pair: Pair, _ source: Submap, _ target: Submap) -> SubmapAlignment? {
        let reach = Float(max(0.3, min(1, 0.2 + 1.5 * pair.doubtMetres)))
        let distances: [Float] = reach > 0.45 ? [reach, reach / 2, 0.2, 0.12] : [reach, 0.15]
        let turn = pair.doubtRadians > 0.12 ? pair.doubtRadians * 0.7 : 0
        let turns = turn > 0 ? [0, -turn, turn] : [0]
        var best: SubmapAlignment?
        for turn in turns {
            var start = pair.start
            start.rotation = (Quaternion(angleRadians: turn, axis: pair.up) * start.rotation).normalized
            let found = SubmapRegistration.align(source, to: target, from: start, distances: distances)
            guard let found, found.inlierShare > (best?.inlierShare ?? 0) else { continue }
            best = found
            // Nothing is better than nearly all of it.
            if found.inlierShare > 0.7, found.surfaceMetres < 0.012 { break }
        }
        return best
    }
}
