import Maps
import Recording
import TestSupport

/// A walk round and round a hall with tags on its walls, and what a phone would record of it.
struct SyntheticWalk {
    private(set) var truePoses: [Transform] = []
    private(set) var trueTags: [Int64: Transform] = [:]
    /// With poses that drift, and sightings with noise.
    private(set) var map = RawTagMap(name: "walk")
    /// Of all of it, with odometry and sightings as they were measured.
    private(set) var graph = PoseGraph()

    /// - Parameters:
    ///   - drift: By how much of the way walked the places are wrong, and a fifth of it, in radians, the heading for each metre.
    ///   - sigmaMetres: The noise of sightings.
    init(
        seed: UInt64,
        poses count: Int,
        tags: Int,
        drift: Double = 0.01,
        sigmaMetres: Double = 0.01,
        sigmaRadians: Double = 0.01,
        world: Transform = .identity
    ) {
        var generator = SeededRandomNumbers(seed: seed)
        func normal() -> Double {
            (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
        }
        func vector(_ size: Double) -> Vector3 { Vector3(normal(), normal(), normal()) * size }
        func up(_ radians: Double) -> Quaternion { Quaternion(angleRadians: radians, axis: Vector3(0, 1, 0)) }
        for id in 0..<tags {
            // On a circle of 6 m, looking inwards.
            let angle = 2 * Double.pi * Double(id) / Double(tags)
            let place = up(angle).rotating(Vector3(0, 0, -6)) + Vector3(0, 1.5, 0)
            trueTags[Int64(id)] = Transform(rotation: up(angle), translation: place)
        }
        for index in 0..<count {
            // On a circle of 4 m, a step of a quarter of a metre, looking outwards.
            let angle = 0.25 * Double(index) / 4
            let place = up(angle).rotating(Vector3(0, 0, -4)) + Vector3(0, 1.4, 0)
            truePoses.append(Transform(rotation: up(angle), translation: place))
        }
        let noise = TagMapNoise()
        var drifted = world * truePoses[0]
        for index in truePoses.indices {
            if index > 0 {
                let step = truePoses[index - 1].inverse * truePoses[index]
                let turn = up(drift * 0.2 * step.translation.length)
                let wrong = Transform(
                    rotation: (step.rotation * turn).normalized,
                    translation: step.translation * (1 + drift) + vector(0.001)
                )
                drifted = drifted * wrong
            }
            map.poses.append(
                RawTagMap.Pose(id: Int64(index), seconds: Double(index) / 2, worldFromCamera: drifted)
            )
            _ = graph.add(drifted)
            guard index > 0 else { continue }
            let step = map.poses[index - 1].worldFromCamera.inverse * drifted
            let edge = PoseGraph.Edge(
                .odometry,
                from: index - 1,
                to: index,
                measured: step,
                covariance: noise.odometry(step, seconds: 0.5, up: Vector3(0, 1, 0))
            )
            if let edge { graph.edges.append(edge) }
        }
        var nodes: [Int64: Int] = [:]
        let covariance = Matrix6(
            diagonal: Vector6(
                Vector3(repeating: sigmaMetres * sigmaMetres),
                Vector3(repeating: sigmaRadians * sigmaRadians)
            )
        )
        for index in truePoses.indices {
            for (id, tag) in trueTags.sorted(by: { $0.key < $1.key }) {
                let seen = truePoses[index].inverse * tag
                guard seen.translation.length < 3 else { continue }
                let measured = seen.moved(by: Vector6(vector(sigmaMetres), vector(sigmaRadians)))
                var detection = RawTagMap.Detection(tag: id, pose: index, cameraFromTag: measured)
                detection.covariance = covariance
                map.detections.append(detection)
                let to = nodes[id] ?? graph.add(graph.nodes[index] * measured)
                nodes[id] = to
                let edge = PoseGraph.Edge(
                    .tag,
                    from: index,
                    to: to,
                    measured: measured,
                    covariance: covariance,
                    kernel: 1
                )
                if let edge { graph.edges.append(edge) }
            }
        }
    }

    /// How far the tags of a map are from the truth, after one rigid motion.
    func tagErrors(_ solved: SolvedTagMap) -> [Double] {
        let known = solved.tags.filter { $0.key.copy == 0 && trueTags[$0.key.id] != nil }
        let (found, truth) = (
            known.map(\.worldFromTag.translation), known.compactMap { trueTags[$0.key.id]?.translation }
        )
        guard let motion = RigidAlignment.transform(found, to: truth) else { return [] }
        return zip(found, truth).map { (motion * $0 - $1).length }
    }

    mutating func change(_ body: (inout RawTagMap) -> Void) { body(&map) }
}
