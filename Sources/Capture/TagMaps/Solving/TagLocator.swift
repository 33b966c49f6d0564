package import Recording

/// Finds where a walk was in a map that was made before.
package struct TagLocator: Sendable {
    package struct Location: Sendable {
        /// Map from camera, by pose of the walk.
        package var poses: [Transform]
        /// Of key poses, by index of the pose, in the camera's axes.
        package var covariances: [(pose: Int, covariance: Matrix6)]
        /// Tags of the map that the walk saw.
        package var sharedTags: [Int64]
        package var sightings: Int
        package var rejected: Int
    }

    /// Of tags of maps that do not say it.
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
