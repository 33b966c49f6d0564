import Recording

/// Decides between the two poses that corners alone allow, by the other sightings of the tag.
///
/// Seen from several places, the right directions agree in the world; the wrong ones turn with the camera. Where the walk
/// saw the tag from one place only, both stay possible, and the sighting says little of the direction.
struct TagFlips {
    private typealias Sighting = TagSightings.Sighting

    /// How sure the camera's own direction is, and beyond how many deviations a direction is another one.
    private static let poseRadians = 1 * Double.pi / 180
    private static let farSquared = 9.0
    /// Half of it is the logarithm of how much likelier the one direction is than the other.
    private static let clearSquared = 9.0
    /// Directions that are no farther apart are the same.
    private static let sameRadians = 3 * Double.pi / 180

    /// A direction that a sighting allows: the tag's normal in the world.
    private struct Candidate {
        var normal: Vector3
        var sigmaRadians: Double

        func squared(_ other: Vector3) -> Double {
            let angle = arcTangent(cross(normal, other).length, dot(normal, other))
            return min(TagFlips.farSquared, angle * angle / (sigmaRadians * sigmaRadians))
        }
    }

    /// The sightings of one tag, those that are now certain with the pose and the covariance that they have alone.
    static func resolved(_ sightings: [TagSightings.Sighting], _ walk: RawTagMap) -> [TagSightings.Sighting] {
        let poses = sightings.map { possible($0, walk) }
        let candidates = zip(sightings, poses).map { sighting, poses in
            poses.map { candidate($0, walk.poses[walk.detections[sighting.detection].pose].worldFromCamera) }
        }
        // Of hundreds of sightings some say it all.
        let step = max(1, candidates.count / 60)
        let sample = stride(from: 0, to: candidates.count, by: step).map { candidates[$0] }
        func cost(_ normal: Vector3) -> Double {
            sample.reduce(0) { sum, candidates in sum + (candidates.map { $0.squared(normal) }.min() ?? 0) }
        }
        let scored = sample.flatMap(\.self).map { (normal: $0.normal, cost: cost($0.normal)) }
        guard let best = scored.min(by: { $0.cost < $1.cost }) else { return sightings }
        let isClear = scored.allSatisfy { other in
            other.cost > best.cost + clearSquared
                || arcTangent(cross(other.normal, best.normal).length, dot(other.normal, best.normal)) < sameRadians
        }
        guard isClear else { return sightings }
        return sightings.indices.map { index in
            let costs = candidates[index].map { $0.squared(best.normal) }
            guard costs.count == 2, abs(costs[0] - costs[1]) > 1 else { return sightings[index] }
            return poses[index][costs[0] < costs[1] ? 0 : 1]
        }
    }

    /// The poses that a sighting allows, each with the covariance that it has alone.
    private static func possible(_ sighting: Sighting, _ walk: RawTagMap) -> [Sighting] {
        guard let other = walk.detections[sighting.detection].cameraFromTagOther else { return [sighting] }
        let between = (sighting.cameraFromTag.inverse * other).rotation.rotationVector
        var alone = sighting
        alone.covariance.rr = alone.covariance.rr - Matrix3(outer: between, between)
        guard alone.covariance.cholesky != nil else { return [sighting] }
        var second = alone
        second.cameraFromTag = other
        return [alone, second]
    }

    private static func candidate(_ sighting: Sighting, _ worldFromCamera: Transform) -> Candidate {
        let variances = sighting.covariance.rr.diagonal
        return Candidate(
            normal: (worldFromCamera * sighting.cameraFromTag).rotation.rotating(Vector3(0, 0, 1)),
            // The turn about the normal does not count.
            sigmaRadians: (max(variances.x, variances.y) + poseRadians * poseRadians).squareRoot()
        )
    }
}
