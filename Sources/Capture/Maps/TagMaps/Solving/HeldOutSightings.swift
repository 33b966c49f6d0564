import Perception
import Platform
import Recording

/// Which sightings are kept back from a map that others judge: fifths of them, each of stretches of the walk.
///
/// Sightings of one tag in one go agree whatever the map is, so they stay together. Stretches are left out as a whole, as
/// sightings just before and after tell where the walk was even in a map that is bent elsewhere.
struct HeldOutSightings {
    typealias Key = SolvedTagMap.SightingKey

    private static let folds = 5
    private static let stretches = 15
    /// A tag that is not seen for longer is passed again.
    private static let gapSeconds = 10.0

    /// The passes of each fold, and the sightings of each pass.
    private(set) var folds = [[[Key]]](repeating: [], count: folds)

    init(_ walks: [RawTagMap], _ sightings: [TagSightings], _ members: [Int]) {
        var passes: [[Key]] = []
        for walk in members {
            var last: [Int64: (pass: Int, seconds: Double)] = [:]
            for (place, sighting) in sightings[walk].sightings.enumerated() {
                let detection = walks[walk].detections[sighting.detection]
                let seconds = walks[walk].poses[detection.pose].seconds
                let before = last[detection.tag].flatMap { abs(seconds - $0.seconds) > Self.gapSeconds ? nil : $0.pass }
                if before == nil { passes.append([]) }
                let pass = before ?? passes.count - 1
                passes[pass].append(Key(walk: walk, sighting: place))
                last[detection.tag] = (pass, seconds)
            }
        }
        let count = min(Self.stretches, passes.count)
        for (index, pass) in passes.enumerated() { folds[index * count / passes.count % Self.folds].append(pass) }
    }
}

extension SolvedTagMap.Prediction {
    /// True if maps predict so much better that it cannot be chance: by half, or at all where the tracking jumped, so that
    /// the recorded poses are wrong for certain.
    func isClear(jumps: Int) -> Bool { mapMetres.map { $0 < recordedMetres * (jumps > 0 ? 1 : 0.5) } ?? false }

    /// - Parameter errors: The errors of each pass, by recorded poses and by a map.
    init?(_ errors: [(recorded: Double, map: Double?)]) {
        guard !errors.isEmpty else { return nil }
        // What both miss by most may be a wild detection, or a number that hangs in two places: it says nothing of either.
        func least(_ error: (recorded: Double, map: Double?)) -> Double {
            min(error.recorded, error.map ?? error.recorded)
        }
        let sorted = errors.sorted { least($0) < least($1) }
        let limit = max(1, 10 * (sorted.map(least).quantile(0.5) ?? 0))
        let most = sorted.count < 5 ? sorted.count : sorted.count - (sorted.count + 9) / 10
        let counted = sorted.prefix(most).filter { least($0) <= limit }
        passes = errors.count
        recordedMetres = counted.reduce(0) { $0 + $1.recorded } / Double(counted.count)
        let maps = counted.compactMap(\.map)
        if maps.count == counted.count { mapMetres = maps.reduce(0, +) / Double(maps.count) }
    }
}

/// How well a map, or the recording, agrees with what was seen.
extension TagMapBuild {
    /// How far passes of tags that were left out are from where the map has the tags, in metres, by pass; nil for tags that
    /// it does not have.
    ///
    /// - Parameter keepsPoses: As they were recorded.
    func errors(of passes: [[SolvedTagMap.SightingKey]], keepsPoses: Bool) -> [Double?] {
        var solver = PoseGraphSolver(graph)
        if !keepsPoses { _ = solver.solve() }
        let graph = keepsPoses ? holdingPoses() : solver.solved
        return passes.map { pass in
            pass.compactMap { key -> Double? in
                let sighting = sightings[key.walk].sightings[key.sighting]
                let pose = walks[key.walk].detections[sighting.detection].pose
                guard let tag = tagNodes[tag(key)], let from = walkNodes[key.walk]?.node(pose) else { return nil }
                return (graph.nodes[from] * sighting.cameraFromTag.translation - graph.nodes[tag].translation).length
            }.median
        }
    }

    /// Numbers of which two rejected sightings agree with each other on another place.
    func conflicts(
        _ far: [(edge: Int, key: SolvedTagMap.SightingKey, tag: TagKey)],
        _ graph: PoseGraph
    ) -> [SolvedTagMap.Conflict] {
        Dictionary(grouping: far) { $0.tag }.sorted { $0.key < $1.key }.compactMap { tag, entries in
            guard let node = tagNodes[tag] else { return nil }
            let places = entries.map { entry in
                (graph.nodes[graph.edges[entry.edge].from] * graph.edges[entry.edge].measured).translation
            }
            let distant = entries.indices.filter { (places[$0] - graph.nodes[node].translation).length > 0.5 }
            // The largest group about one of them; the first of equal ones.
            let groups = distant.map { middle in distant.filter { (places[$0] - places[middle]).length < 0.5 } }
            guard let group = groups.enumerated().max(by: { ($0.1.count, -$0.0) < ($1.1.count, -$1.0) })?.element,
                group.count >= 2
            else { return nil }
            return SolvedTagMap.Conflict(
                id: tag.id,
                metres: (places[group[0]] - graph.nodes[node].translation).length,
                others: group.map { entries[$0].key }
            )
        }
    }

    func agreement(_ graph: PoseGraph, without far: Set<Int>) -> SolvedTagMap.Agreement {
        let repeated = Dictionary(grouping: sightingEdges.filter { !far.contains($0.edge) }) { $0.tag }
        var (squares, count) = (0.0, 0)
        for entries in repeated.values.map({ $0.sorted { $0.edge < $1.edge } }).filter({ $0.count > 1 })
            .sorted(by: { $0[0].edge < $1[0].edge })
        {
            let places = entries.map { entry in
                (graph.nodes[graph.edges[entry.edge].from] * graph.edges[entry.edge].measured).translation
            }
            let mean = places.reduce(.zero, +) / Double(places.count)
            squares += places.reduce(0) { $0 + dot($1 - mean, $1 - mean) }
            count += places.count
        }
        return SolvedTagMap.Agreement(
            costs: graph.costs,
            spreadMetres: count > 0 ? (squares / Double(count)).squareRoot() : nil,
            reprojectionPixels: reprojection(graph)
        )
    }

    /// Over the corners that were measured.
    private func reprojection(_ graph: PoseGraph) -> Double? {
        var distances: [Double] = []
        for entry in sightingEdges {
            let index = sightings[entry.key.walk].sightings[entry.key.sighting].detection
            let detection = walks[entry.key.walk].detections[index]
            guard let camera = detection.camera, let node = tagNodes[entry.tag],
                let edge = sightings[entry.key.walk].edgeMetres[detection.tag],
                TagSquare(detection)?.isComputed == false
            else { continue }
            let cameraFromTag = graph.nodes[graph.edges[entry.edge].from].inverse * graph.nodes[node]
            for (corner, point) in zip(detection.corners, SquarePose.corners(edgeMetres: edge)) {
                guard let pixel = camera.pixel(cameraFromTag * point) else { continue }
                distances.append(((pixel - corner) * (pixel - corner)).sum().squareRoot())
            }
        }
        return distances.median
    }
}
