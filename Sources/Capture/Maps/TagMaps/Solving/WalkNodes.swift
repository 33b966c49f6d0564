import Recording

/// Which nodes of a graph are the poses of a walk.
struct WalkNodes {
    /// The key poses, as indices into the walk's poses, ascending; each is the node after that of the one before.
    let keys: [Int]
    let first: Int
    var jumps = 0

    /// The node of a pose; nil where it is no key pose.
    func node(_ pose: Int) -> Int? {
        guard let place = place(atOrBefore: pose), keys[place] == pose else { return nil }
        return first + place
    }

    /// The place in `keys` of the last key pose that is not after a pose.
    func place(atOrBefore pose: Int) -> Int? {
        let next = keys.sortedIndex(where: { $0 > pose })
        return next > 0 ? next - 1 : nil
    }

    /// All poses of the walk: those between two key poses move as both of them do, by time.
    ///
    /// - Parameter nodes: The poses of the graph's nodes.
    func poses(_ recorded: [RawTagMap.Pose], _ nodes: [Transform]) -> [Transform] {
        guard !keys.isEmpty else { return [] }
        func moved(_ place: Int, _ pose: Int) -> Transform {
            nodes[first + place] * recorded[keys[place]].worldFromCamera.inverse * recorded[pose].worldFromCamera
        }
        var place = 0
        return recorded.indices.map { pose in
            while place + 1 < keys.count, keys[place + 1] <= pose { place += 1 }
            guard keys[place] < pose, place + 1 < keys.count else { return moved(place, pose) }
            let (a, b) = (recorded[keys[place]].seconds, recorded[keys[place + 1]].seconds)
            let fraction = b > a ? max(0, min(1, (recorded[pose].seconds - a) / (b - a))) : 0
            return moved(place, pose).interpolated(to: moved(place + 1, pose), fraction: fraction)
        }
    }
}

/// Which poses of a walk the graph has: enough to follow it, and all that tell something new of a tag.
struct KeyPoses {
    private static let metres = 0.1
    private static let radians = 5 * Double.pi / 180
    private static let seconds = 0.5

    /// Ascending; the first and the last pose are always there.
    private(set) var indices: [Int] = []

    /// - Parameters:
    ///   - tags: the tags that are seen from each pose.
    ///   - wanted: Poses that are there whatever they see.
    init(_ poses: [RawTagMap.Pose], tags: [Int: [Int64]], wanted: Set<Int> = []) {
        var lastSeen: [Int64: Int] = [:]
        func isNew(_ pose: Int, since other: Int) -> Bool {
            let step = poses[other].worldFromCamera.inverse * poses[pose].worldFromCamera
            return step.translation.length >= Self.metres || step.rotation.angleRadians >= Self.radians
                || poses[pose].seconds - poses[other].seconds >= Self.seconds - 1e-6
        }
        for pose in poses.indices {
            let seen = tags[pose] ?? []
            // What a standing camera sees again and again is one sighting, not hundreds.
            let showsNew = seen.contains { tag in lastSeen[tag].map { isNew(pose, since: $0) } ?? true }
            let isKey = indices.last.map { isNew(pose, since: $0) } ?? true
            guard isKey || showsNew || wanted.contains(pose) || pose == poses.count - 1 else { continue }
            indices.append(pose)
            for tag in seen { lastSeen[tag] = pose }
        }
    }
}

/// Where several walks begin in one map: each is set onto those before it by the tags that they share.
struct WalkPlacement {
    /// The map's world from that of each walk.
    private(set) var mapFromWorld: [Int: Transform] = [:]

    init(_ walks: [RawTagMap], _ sightings: [TagSightings], _ members: [Int]) {
        var tags: [Int64: Transform] = [:]
        var waiting = members
        while !waiting.isEmpty {
            // The walk that shares the most tags with the map; the first of equal ones.
            let own = waiting.map { Self.tags(walks[$0], sightings[$0]) }
            let shared = own.map { $0.keys.filter { tags[$0] != nil }.count }
            let next = shared.indices.max { (shared[$0], -$0) < (shared[$1], -$1) } ?? 0
            let motion = tags.isEmpty ? .identity : Self.motion(own[next], onto: tags)
            mapFromWorld[waiting[next]] = motion
            for (tag, pose) in own[next] where tags[tag] == nil { tags[tag] = motion * pose }
            waiting.remove(at: next)
        }
    }

    /// World from tag by the sighting that has the most company within a metre, the first of equal ones.
    private static func tags(_ walk: RawTagMap, _ sightings: TagSightings) -> [Int64: Transform] {
        let grouped = Dictionary(grouping: sightings.sightings) { walk.detections[$0.detection].tag }
        return grouped.compactMapValues { sightings in
            let poses = sightings.prefix(200).map {
                walk.poses[walk.detections[$0.detection].pose].worldFromCamera * $0.cameraFromTag
            }
            func company(_ pose: Transform) -> Int {
                poses.count { ($0.translation - pose.translation).length < 1 }
            }
            let counts = poses.map(company)
            return counts.indices.max { (counts[$0], -$0) < (counts[$1], -$1) }.map { poses[$0] }
        }
    }

    /// The upright motion on which most shared tags agree.
    private static func motion(_ own: [Int64: Transform], onto map: [Int64: Transform]) -> Transform {
        let shared = own.keys.filter { map[$0] != nil }.sorted()
        let pairs = shared.compactMap { id in own[id].flatMap { pose in map[id].map { (pose, $0) } } }
        // A heading by one tag's own direction, or by the line between two.
        var motions = pairs.map { pair in
            upright(heading((pair.1 * pair.0.inverse).rotation), pair.0.translation, to: pair.1.translation)
        }
        for (first, second) in zip(pairs, pairs.dropFirst()) {
            let (a, b) = (second.0.translation - first.0.translation, second.1.translation - first.1.translation)
            guard (a.x * a.x + a.z * a.z) > 1, (b.x * b.x + b.z * b.z) > 1 else { continue }
            let turn = arcTangent(b.x, b.z) - arcTangent(a.x, a.z)
            motions.append(upright(turn, first.0.translation, to: first.1.translation))
        }
        func error(_ motion: Transform) -> Double {
            pairs.reduce(0) { $0 + min(3, (motion * $1.0.translation - $1.1.translation).length) }
        }
        return motions.min { error($0) < error($1) } ?? .identity
    }

    private static func heading(_ rotation: Quaternion) -> Double { 2 * arcTangent(rotation.y, rotation.w) }

    private static func upright(_ radians: Double, _ point: Vector3, to target: Vector3) -> Transform {
        let rotation = Quaternion(angleRadians: radians, axis: Vector3(0, 1, 0))
        return Transform(rotation: rotation, translation: target - rotation.rotating(point))
    }
}
