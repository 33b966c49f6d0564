import Perception
import Recording

/// One piece of a map on its way: the graph, and which node is what.
struct TagMapBuild {
    let walks: [RawTagMap]
    let sightings: [TagSightings]
    private let members: [Int]
    private let noise: TagMapNoise
    private let duplicates: Set<SolvedTagMap.SightingKey>
    private let heldOut: Set<SolvedTagMap.SightingKey>
    private(set) var graph = PoseGraph()
    private(set) var walkNodes: [Int: WalkNodes] = [:]
    private(set) var tagNodes: [TagKey: Int] = [:]
    private var waypointNodes: [(name: String, node: Int)] = []
    private(set) var sightingEdges: [(edge: Int, key: SolvedTagMap.SightingKey, tag: TagKey)] = []

    init(
        _ walks: [RawTagMap],
        _ sightings: [TagSightings],
        _ members: [Int],
        _ noise: TagMapNoise,
        duplicates: [SolvedTagMap.SightingKey],
        without heldOut: [SolvedTagMap.SightingKey] = []
    ) {
        self.walks = walks
        self.sightings = sightings
        self.members = members
        self.noise = noise
        self.duplicates = Set(duplicates)
        self.heldOut = Set(heldOut)
        let placement = WalkPlacement(walks, sightings, members)
        for walk in members { addWalk(walk, placement.mapFromWorld[walk] ?? .identity) }
        for walk in members { addSightings(walk) }
        for walk in members { addWaypoints(walk) }
        addFixes()
    }

    private mutating func addWalk(_ index: Int, _ mapFromWorld: Transform) {
        let walk = walks[index]
        let seen = Dictionary(grouping: sightings[index].sightings) { walk.detections[$0.detection].pose }
        let keys = KeyPoses(
            walk.poses,
            tags: seen.mapValues { $0.map { walk.detections[$0.detection].tag } },
            wanted: Set(walk.fixes.map(\.pose))
        ).indices
        var nodes = WalkNodes(keys: keys, first: graph.nodes.count)
        for (place, key) in keys.enumerated() {
            let pose = walk.poses[key]
            let up = pose.worldFromCamera.rotation.inverse.rotating(Vector3(0, 1, 0))
            let node = graph.add(mapFromWorld * pose.worldFromCamera)
            graph.uprights.append(PoseGraph.Upright(node: node, up: up, sigmaRadians: noise.gravityRadians))
            guard place > 0 else { continue }
            let before = walk.poses[keys[place - 1]]
            let step = before.worldFromCamera.inverse * pose.worldFromCamera
            let seconds = pose.seconds - before.seconds
            if noise.isJump(step, seconds: seconds) { nodes.jumps += 1 }
            let covariance = noise.odometry(step, seconds: seconds, up: up)
            let edge = PoseGraph.Edge(.odometry, from: node - 1, to: node, measured: step, covariance: covariance)
            if let edge { graph.edges.append(edge) }
        }
        walkNodes[index] = nodes
    }

    private mutating func addSightings(_ index: Int) {
        for (place, sighting) in sightings[index].sightings.enumerated() {
            let detection = walks[index].detections[sighting.detection]
            guard let from = walkNodes[index]?.node(detection.pose) else { continue }
            let key = SolvedTagMap.SightingKey(walk: index, sighting: place)
            guard !heldOut.contains(key) else { continue }
            let tag = tag(key)
            let to = tagNodes[tag] ?? graph.add(graph.nodes[from] * sighting.cameraFromTag)
            tagNodes[tag] = to
            let edge = PoseGraph.Edge(
                .tag,
                from: from,
                to: to,
                measured: sighting.cameraFromTag,
                covariance: sighting.covariance,
                kernel: noise.kernel
            )
            guard let edge else { continue }
            sightingEdges.append((graph.edges.count, key, tag))
            graph.edges.append(edge)
        }
    }

    func tag(_ key: SolvedTagMap.SightingKey) -> TagKey {
        let detection = sightings[key.walk].sightings[key.sighting].detection
        return TagKey(id: walks[key.walk].detections[detection].tag, copy: duplicates.contains(key) ? 1 : 0)
    }

    private mutating func addWaypoints(_ index: Int) {
        let covariance = TagMapNoise.isotropic(metres: noise.waypointMetres, radians: noise.waypointRadians)
        for waypoint in walks[index].waypoints {
            // The key pose at or before the one that it belongs to, and what the walk did since.
            guard let nodes = walkNodes[index], let place = nodes.place(atOrBefore: waypoint.pose) else { continue }
            let poses = walks[index].poses
            let since = poses[nodes.keys[place]].worldFromCamera.inverse * poses[waypoint.pose].worldFromCamera
            let measured = since * waypoint.cameraFromWaypoint
            let from = nodes.first + place
            let known = waypointNodes.first { $0.name == waypoint.name }
            let to = known?.node ?? graph.add(graph.nodes[from] * measured)
            if known == nil { waypointNodes.append((waypoint.name, to)) }
            let edge = PoseGraph.Edge(
                .waypoint,
                from: from,
                to: to,
                measured: measured,
                covariance: covariance,
                kernel: noise.kernel
            )
            if let edge { graph.edges.append(edge) }
        }
    }

    /// Ties poses to the Earth, whose place and heading in the map are looked for, too.
    private mutating func addFixes() {
        let fixes = members.flatMap { walk in
            walks[walk].fixes.compactMap { fix in walkNodes[walk]?.node(fix.pose).map { ($0, fix.sample) } }
        }
        graph.tie(fixes, noise)
    }

    /// True if the recorded poses may stay: those of one walk, which nothing else holds.
    var mayKeepPoses: Bool { members.count == 1 && graph.positions.isEmpty }
    var isContradicted: Bool { !contradictions(holdingPoses()).isEmpty }
    var jumps: Int { walkNodes.values.reduce(0) { $0 + $1.jumps } }

    /// Solves the graph, or keeps the recorded poses, and says how well everything agrees.
    mutating func solve(_ choice: SolvedTagMap.Choice, poseCovariances: Bool) -> SolvedTagMap {
        var map = SolvedTagMap()
        map.choice = choice
        let held = holdingPoses()
        var solver = PoseGraphSolver(graph)
        if !map.keptPoses {
            let result = solver.solve()
            (map.iterations, map.hasConverged) = (result.iterations, result.hasConverged)
        }
        let covariances = solver.covariances(of: tagNodes.sorted { $0.key < $1.key }.map(\.value))
        map.graph = map.keptPoses ? held : solver.solved
        map.startNodes = graph.nodes
        let far = contradictions(map.graph)
        let rejected = Set(far.map(\.edge))
        if map.keptPoses { placeAsRecorded(&map.graph, without: rejected) }
        map.before = agreement(held, without: rejected)
        map.after = agreement(map.graph, without: rejected)
        for (place, (key, node)) in tagNodes.sorted(by: { $0.key < $1.key }).enumerated() {
            map.tags.append(
                SolvedTagMap.Tag(
                    key: key,
                    worldFromTag: map.graph.nodes[node],
                    covariance: covariances?[place],
                    sightings: sightingEdges.count { $0.tag == key },
                    rejected: far.count { $0.tag == key }
                )
            )
        }
        map.conflicts = conflicts(far, map.graph)
        map.walks = members.compactMap { index in
            walkNodes[index].map { nodes in
                var walk = SolvedTagMap.Walk(
                    index: index,
                    poses: nodes.poses(walks[index].poses, map.graph.nodes),
                    jumps: nodes.jumps
                )
                if poseCovariances {
                    let found = solver.covariances(of: nodes.keys.indices.map { nodes.first + $0 }) ?? []
                    walk.covariances = Array(zip(nodes.keys, found))
                }
                return walk
            }
        }
        map.waypoints = waypointNodes.map { ($0.name, map.graph.nodes[$0.node]) }
        map.fixDistances = map.graph.positions.map { position in
            let off = map.graph.residual(position) * position.sigmaMetres
            return (off.x * off.x + off.y * off.y).squareRoot()
        }
        map.otherPlanes = members.reduce(0) { $0 + sightings[$1].otherPlanes }
        map.decidedFlips = members.reduce(0) { $0 + sightings[$1].decidedFlips }
        for member in members { map.edgeMetres.merge(sightings[member].edgeMetres) { first, _ in first } }
        return map
    }

    /// The graph with the tags where they fit best to the poses as they were recorded.
    func holdingPoses() -> PoseGraph {
        var result = graph
        for (_, node) in tagNodes.sorted(by: { $0.key < $1.key }) {
            // Poses that do not move are what one node is seen from: each sighting is seen from the world.
            var single = PoseGraph()
            let world = single.add(.identity)
            let tag = single.add(graph.nodes[node])
            for (index, _, _) in sightingEdges where graph.edges[index].to == node {
                var edge = graph.edges[index]
                edge.measured = graph.nodes[edge.from] * edge.measured
                (edge.from, edge.to) = (world, tag)
                single.edges.append(edge)
            }
            var solver = PoseGraphSolver(single)
            _ = solver.solve()
            result.nodes[node] = solver.poses[tag]
        }
        for (_, node) in waypointNodes {
            guard let edge = graph.edges.first(where: { $0.to == node && $0.kind == .waypoint }) else { continue }
            result.nodes[node] = result.nodes[edge.from] * edge.measured
        }
        return result
    }

    /// Sets tags of a phone's own map to where they were first seen, as its app does: how sure its sightings are is unknown,
    /// so that a mean is no better.
    private func placeAsRecorded(_ graph: inout PoseGraph, without rejected: Set<Int>) {
        var known: Set<Int> = []
        for (index, key, _) in sightingEdges where !rejected.contains(index) {
            let detection = walks[key.walk].detections[sightings[key.walk].sightings[key.sighting].detection]
            let edge = graph.edges[index]
            guard known.insert(edge.to).inserted, detection.covariance == nil else { continue }
            graph.nodes[edge.to] = graph.nodes[edge.from] * edge.measured
        }
    }

    /// Sightings that the map cannot explain by their noise: one in a thousand would be by chance.
    private func contradictions(_ graph: PoseGraph) -> [(edge: Int, key: SolvedTagMap.SightingKey, tag: TagKey)] {
        sightingEdges.filter { entry in
            let error = graph.residual(graph.edges[entry.edge])
            return error.dot(error) > 22.5
        }
    }
}
