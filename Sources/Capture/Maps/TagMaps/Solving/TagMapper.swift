package import Recording

/// Makes one map of walks that saw the same tags.
///
/// Walks that share no tag with the others are pieces of their own: where they lie to each other is unknown.
///
/// This library makes maps of tags. Begin reading here; a walk is a ``RawTagMap``, of a file or a session, ``TagMapBuild``
/// makes a ``PoseGraph`` of walks and decides which of its solutions is the map, Graph has the sparse solver.
package struct TagMapper: Sendable {
    package var noise = TagMapNoise()
    /// True if a number that hangs in two places is kept as two tags.
    package var allowsDuplicates = false
    /// True if the covariances of poses are wanted.
    package var givesPoseCovariances = false
    /// True if maps are judged by sightings that they are not given; without, the most likely one is the map.
    package var isJudged = true

    package init() {}

    /// One map for each piece, in the order of their first walks.
    ///
    /// - Parameter walks: Each in a world of its own, y up.
    package func maps(of walks: [RawTagMap]) -> [SolvedTagMap] {
        let sightings = walks.map { TagSightings($0, noise: noise) }
        return pieces(walks).map { members in
            var map = map(walks, sightings, members, duplicates: [])
            if allowsDuplicates, !map.conflicts.isEmpty {
                let conflicts = map.conflicts
                map = self.map(walks, sightings, members, duplicates: conflicts.flatMap(\.others))
                map.conflicts = conflicts
            }
            return map
        }
    }

    /// The map of a piece: of the most likely poses where they predict what they were not given clearly better than the
    /// recorded ones do.
    private func map(
        _ walks: [RawTagMap],
        _ sightings: [TagSightings],
        _ members: [Int],
        duplicates: [SolvedTagMap.SightingKey]
    ) -> SolvedTagMap {
        var build = TagMapBuild(walks, sightings, members, noise, duplicates: duplicates)
        let isContradicted = build.isContradicted
        let errors =
            !isJudged
            ? []
            : HeldOutSightings(walks, sightings, members).folds.flatMap { fold in
                let rest = TagMapBuild(
                    walks,
                    sightings,
                    members,
                    noise,
                    duplicates: duplicates,
                    without: fold.flatMap(\.self)
                )
                let recorded = rest.errors(of: fold, keepsPoses: true)
                let solved = isContradicted ? rest.errors(of: fold, keepsPoses: false) : recorded.map { _ in nil }
                return zip(recorded, solved).compactMap { recorded, map in recorded.map { (recorded: $0, map: map) } }
            }
        let prediction = SolvedTagMap.Prediction(errors)
        var choice = SolvedTagMap.Choice.solved
        if build.mayKeepPoses {
            let isClear = prediction?.isClear(jumps: build.jumps) ?? !isJudged
            choice = !isContradicted ? .uncontradicted : isClear ? .solved : .unproven
        }
        var map = build.solve(choice, poseCovariances: givesPoseCovariances)
        map.prediction = prediction
        return map
    }

    /// The walks that hang together by their tags.
    private func pieces(_ walks: [RawTagMap]) -> [[Int]] {
        var firsts: [Int64: Int] = [:]
        var links: [(Int, Int)] = []
        for (index, walk) in walks.enumerated() {
            for tag in walk.detections.map(\.tag) {
                links.append((firsts[tag, default: index], index))
                firsts[tag] = firsts[tag] ?? index
            }
        }
        let roots = DisjointSets.roots(count: walks.count, joining: links)
        return walks.indices.filter { roots[$0] == $0 }.map { piece in walks.indices.filter { roots[$0] == piece } }
    }
}

/// A tag of a map: its number, and which of those that share it.
package struct TagKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    package var id: Int64
    /// 0, or above where one number hangs in several places.
    package var copy = 0

    package static func < (a: TagKey, b: TagKey) -> Bool { (a.id, a.copy) < (b.id, b.copy) }
    package var description: String { copy == 0 ? "\(id)" : "\(id)_\(copy + 1)" }
}

/// Finds where a walk was in a map that was made before.
package struct TagLocator: Sendable {
    package struct Location: Sendable {
        /// Map from camera, by pose of the walk.
        package var poses: [Transform]
        /// The covariances of key poses, in the camera's axes.
        package var covariances: [(pose: Int, covariance: Matrix6)]
        /// Tags of the map that the walk saw.
        package var sharedTags: [Int64]
        package var sightings: Int
        package var rejected: Int
    }

    /// The covariance of tags of maps that do not say it.
    private static let covariance = TagMapNoise.isotropic(metres: 0.02, radians: 0.02)

    private let map: RawTagMap
    package var mapper = TagMapper()

    /// The map takes part as a walk of one pose from which all of its tags are seen: the first walk holds the world.
    package init(_ tags: [Int64: Transform], covariances: [Int64: Matrix6] = [:]) {
        var map = RawTagMap(name: "map")
        map.poses = [RawTagMap.Pose(id: 0, seconds: 0, worldFromCamera: .identity)]
        map.detections = tags.sorted { $0.key < $1.key }.map { id, pose in
            var detection = RawTagMap.Detection(tag: id, pose: 0, cameraFromTag: pose)
            detection.covariance = covariances[id] ?? Self.covariance
            return detection
        }
        self.map = map
        mapper.givesPoseCovariances = true
        mapper.isJudged = false
    }

    /// Nil where the walk saw no tag of the map.
    package func location(of walk: RawTagMap) -> Location? {
        let seen = Set(walk.detections.map(\.tag))
        let shared = map.detections.map(\.tag).filter(seen.contains)
        guard !shared.isEmpty, let solved = mapper.maps(of: [map, walk]).first,
            let found = solved.walks.first(where: { $0.index == 1 })
        else { return nil }
        let known = solved.tags.filter { shared.contains($0.key.id) }
        return Location(
            poses: found.poses,
            covariances: found.covariances,
            sharedTags: shared,
            // The map's own of each tag is one of them.
            sightings: known.reduce(0) { $0 + $1.sightings - 1 },
            rejected: known.reduce(0) { $0 + $1.rejected }
        )
    }
}
