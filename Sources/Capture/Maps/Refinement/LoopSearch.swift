import Platform
import Recording

/// Looks for submaps that see what earlier ones saw, and aligns them.
struct LoopSearch {
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
    private static let referenceMetres = 0.5
    private static let referenceRadians = 20 * Double.pi / 180
    private static let reachMetres = 1.2
    private static let reachRadians = 50 * Double.pi / 180
    /// Floors that look alike: heights are known better than places.
    private static let heightMetres = 0.35
    /// Of all tried points, and of those that have the other submap near them.
    private static let leastInliers = 0.3
    private static let leastAgreement = 0.65
    private static let mostSurfaceMetres = 0.03
    private static let mostTiltRadians = 2 * Double.pi / 180
    /// How wrong a LiDAR's distances may be as a whole, and how wrong they are as a rule.
    private static let (mostScale, usualScale) = (0.03, 0.012)
    /// So that alignments say nothing of how long the way is.
    private static let freeScale = 0.3
    /// In how many submaps at a time the first round goes ahead, and the others.
    private static let firstBatch = 4
    private static let laterBatch = 16
    /// New loops that are no farther off than this need no new solution.
    private static let calmSigmas = 1.0

    let store: SubmapStore
    private let jobs: Int
    private(set) var graph: LoopGraph
    private(set) var loops: [LoopClosure] = []
    /// Loops that tags close, which no round looks for.
    private let tagLoops: [LoopClosure]
    private(set) var counts = Counts()
    /// How far was walked at each submap since one that was found again.
    private var sinceLoop: [Double] = []
    /// The submaps that others are aligned with: the first ones that looked from a place in a direction.
    ///
    /// However long a walk goes on in one building, they are as many as it has places, and so is what fills up in the factors
    /// of the graph.
    private(set) var references: [Int] = []

    init(_ walk: RecordedWalk, _ store: SubmapStore, _ landmarks: Landmarks?, jobs: Int) {
        self.store = store
        self.jobs = jobs
        graph = LoopGraph(walk)
        let found = landmarks.map { LandmarkLoops($0, walk, anchors: store.anchors) }
        tagLoops = found?.loops ?? []
        graph.fixes = found?.fixes ?? []
    }

    /// Closes loops in three rounds.
    mutating func run(_ progress: ProgressHandler) async throws {
        let total = store.count * Round.allCases.count
        for round in Round.allCases {
            loops = round == .first ? [] : tagLoops
            var next = 0
            while next < store.count {
                try Task.checkCancellation()
                let batch = next..<min(next + (round == .first ? Self.firstBatch : Self.laterBatch), store.count)
                next = batch.upperBound
                if round == .first {
                    for place in batch { add(place) }
                    takeTags(of: batch)
                }
                let pairs = batch.flatMap { self.pairs(to: $0, round) }
                let places = Set(pairs.flatMap { [$0.from, $0.to] }).sorted()
                let submaps = Dictionary(uniqueKeysWithValues: try places.map { ($0, try store[$0]) })
                let found = await mapOrdered(pairs.count, workers: jobs) { Self.align(pairs[$0], submaps) }
                take(found, pairs)
                if round == .first { chooseReferences(batch) }
                progress(WorkProgress("aligning", round.rawValue * store.count + next, of: total, .steps))
            }
            graph.solve(loops)
        }
        // What the others contradict.
        let agreeing = loops.filter { sigmas($0, graph.poses) <= LoopGraph.mostSigmas }
        counts.impossible += loops.count - agreeing.count
        loops = agreeing
        correctScale()
    }

    /// Takes the scale of the depth out of the loops, as far as it is that of the depth.
    ///
    /// Steps and loops tell apart only how much longer the one is than the other. What depths as a rule are wrong by is taken for an
    /// error of the steps, and what is clearly more for one of the depth.
    private mutating func correctScale() {
        guard !loops.isEmpty else { return }
        var free = loops
        for index in free.indices { free[index].unscale(0, sigma: Self.freeScale) }
        let poses = graph.solved(free)
        let sums = loops.map { $0.scale(poses[$0.from], poses[$0.to]) }
        let information = sums.reduce(1 / (Self.mostScale * Self.mostScale)) { $0 + $1.information }
        let longer = sums.reduce(0) { $0 + $1.excess } / information
        let share = longer * longer / (longer * longer + Self.usualScale * Self.usualScale)
        for index in loops.indices { loops[index].unscale(longer * share, sigma: Self.usualScale) }
        graph.solve(loops)
    }

    private mutating func add(_ place: Int) {
        graph.add(anchor: store.anchors[place])
        guard place > 0 else { return sinceLoop = [0] }
        let way = graph.walk.metres[store.anchors[place]] - graph.walk.metres[store.anchors[place - 1]]
        sinceLoop.append(sinceLoop[place - 1] + way)
    }

    /// Takes the submaps that look from a new place, or in a new direction.
    private mutating func chooseReferences(_ batch: Range<Int>) {
        for place in batch {
            let pose = graph.poses[place]
            let isKnown = references.contains { reference in
                let step = graph.poses[reference].inverse * pose
                return step.translation.length < Self.referenceMetres
                    && step.rotation.angleRadians < Self.referenceRadians
            }
            if !isKnown { references.append(place) }
        }
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
        var isCalm = true
        for (found, pair) in zip(found, pairs) {
            switch found {
            case .unlike: counts.unlike += 1
            case .impossible: counts.impossible += 1
            case .loop(let loop):
                loops.append(loop)
                guard pair.round == .first else { continue }
                isCalm = isCalm && sigmas(loop, graph.poses) < Self.calmSigmas
                sinceLoop[pair.to] = min(sinceLoop[pair.to], sinceLoop[pair.from], 0.3)
            }
        }
        if !isCalm { graph.solve(loops) }
    }

    /// Takes the recorded poses, where the others are not believed.
    mutating func keepRecorded() {
        loops = []
        graph.keepRecorded()
    }

    /// The submaps that others are aligned with as one, in the world.
    func place() throws -> Submap? {
        var cells = SurfaceCells(cellMetres: Submap.cellMetres)
        for reference in references { cells.add(try store[reference].points, at: graph.poses[reference]) }
        return Submap(cells)
    }

    // MARK: - Pairs

    /// The earlier submaps that a submap may see.
    private func pairs(to: Int, _ round: Round) -> [Pair] {
        var found: [(score: Double, pair: Pair)] = []
        let isJump = to > 0 && !graph.walk.jumps(after: store.anchors[to - 1], upTo: store.anchors[to]).isEmpty
        // Across a jump neighbours are aligned, too.
        let neighbours = isJump ? Array(max(0, to - 2)..<to) : []
        let earlier = references.prefix { $0 <= to - (isJump ? 1 : LoopGraph.leastApart) }
        for from in earlier + neighbours.filter({ !earlier.contains($0) }) {
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

    enum Found: Sendable {
        case loop(LoopClosure)
        case unlike
        case impossible
    }

    private static func align(_ pair: Pair, _ submaps: [Int: Submap]) -> Found {
        guard let source = submaps[pair.to], let target = submaps[pair.from] else { return .unlike }
        let found = align(pair, source, target)
        guard case .loop(var loop) = found else { return found }
        loop.scaleSigma = mostScale
        return .loop(loop)
    }

    static func align(_ pair: Pair, _ source: Submap, _ target: Submap) -> Found {
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
