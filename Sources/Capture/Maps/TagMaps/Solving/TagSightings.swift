import Perception
package import Recording

/// The places of tags by the detections of a walk, each with its noise.
///
/// A phone that was told the wrong size of a tag sees it too near or too far. Where it measured the distance by LiDAR, the
/// rays of the corners give the true size, and all detections of a tag together a good one; a detection whose distance
/// does not agree with that size hit another plane than the tag's.
package struct TagSightings: Sendable {
    package struct Sighting: Sendable {
        /// The index into the walk's detections.
        package var detection: Int
        package var cameraFromTag: Transform
        package var covariance: Matrix6
    }

    package private(set) var sightings: [Sighting] = []
    /// The median edge of each tag that has measured corners, in metres.
    package private(set) var edgeMetres: [Int64: Double] = [:]
    /// Detections whose plane was another than the tag's, by the size of the tag.
    package private(set) var otherPlanes = 0
    /// Sightings of two possible poses that the tag's other sightings decided.
    package private(set) var decidedFlips = 0

    package init(_ walk: RawTagMap, noise: TagMapNoise) {
        let squares = walk.detections.map { TagSquare($0) }
        var edges: [Int64: [Double]] = [:]
        for (detection, square) in zip(walk.detections, squares) {
            guard let square, !square.isComputed else { continue }
            edges[detection.tag, default: []].append(square.edgeMetres)
        }
        // Where a tag's edges disagree, some are of another plane: those that are like the edges of all tags count.
        let typical = edges.values.compactMap(\.median).median ?? 0
        edgeMetres = edges.compactMapValues { edges in
            let best = edges.min { abs($0 - typical) < abs($1 - typical) } ?? typical
            let isMixed = (edges.max() ?? 0) > 1.15 * (edges.min() ?? 0)
            return (isMixed ? edges.filter { abs($0 / best - 1) < 0.15 } : edges).median
        }
        for (index, detection) in walk.detections.enumerated() {
            let isMeasured = squares[index].map { !$0.isComputed } ?? false
            sightings.append(sighting(index, detection, isMeasured: isMeasured, noise))
        }
        decideFlips(walk)
    }

    /// Tags with a sighting that allows two poses, by all of their sightings.
    private mutating func decideFlips(_ walk: RawTagMap) {
        let flipped = Set(walk.detections.filter { $0.cameraFromTagOther != nil }.map(\.tag))
        for tag in flipped.sorted() {
            let places = sightings.indices.filter { walk.detections[sightings[$0].detection].tag == tag }
            let resolved = TagFlips.resolved(places.map { sightings[$0] }, walk)
            for (place, sighting) in zip(places, resolved) {
                if sightings[place].covariance != sighting.covariance { decidedFlips += 1 }
                sightings[place] = sighting
            }
        }
    }

    private mutating func sighting(
        _ index: Int,
        _ detection: RawTagMap.Detection,
        isMeasured: Bool,
        _ noise: TagMapNoise
    ) -> Sighting {
        if let covariance = detection.covariance {
            let extra = TagMapNoise.isotropic(metres: noise.poseMetres, radians: noise.poseRadians)
            return Sighting(detection: index, cameraFromTag: detection.cameraFromTag, covariance: covariance + extra)
        }
        var pose = detection.cameraFromTag
        guard isMeasured, let edge = edgeMetres[detection.tag], let camera = detection.camera,
            let seen = nearest(detection, edge, camera, noise)
        else {
            let covariance = TagMapNoise.isotropic(metres: noise.blindMetres, radians: noise.blindRadians)
            return Sighting(detection: index, cameraFromTag: pose, covariance: covariance)
        }
        if abs(pose.translation.length / seen.cameraFromTag.translation.length - 1) > 0.15 {
            otherPlanes += 1
            pose = seen.cameraFromTag
        }
        var covariance = seen.covariance
        covariance = covariance + TagMapNoise.isotropic(metres: noise.sightingMetres, radians: noise.sightingRadians)
        let ray = pose.rotation.inverse.rotating(pose.translation)
        covariance.tt = covariance.tt + Matrix3(outer: ray, ray) * (noise.sightingRange * noise.sightingRange)
        return Sighting(detection: index, cameraFromTag: pose, covariance: covariance)
    }

    /// The pose by the corners that is turned most like the detection's own.
    private func nearest(
        _ detection: RawTagMap.Detection,
        _ edge: Double,
        _ camera: CameraIntrinsics,
        _ noise: TagMapNoise
    ) -> SquarePose? {
        let own = detection.cameraFromTagBefore ?? detection.cameraFromTag
        func angle(_ pose: SquarePose) -> Double { (own.inverse * pose.cameraFromTag).rotation.angleRadians }
        return SquarePose.solve(
            corners: detection.corners,
            edgeMetres: edge,
            camera: camera,
            sigmaPixels: noise.cornerPixels
        ).min { angle($0) < angle($1) }
    }
}

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
