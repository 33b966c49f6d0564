package import Recording

/// Where a tag is, seen from the camera that saw it, and how sure that is.
package struct TagSighting: Sendable {
    package enum Source: String, Sendable, CaseIterable {
        /// The corners' direction, LiDAR's plane and distance.
        case lidar
        case corners
        /// The corners alone, and two poses explain them: the direction is a guess.
        case ambiguous
    }

    /// With corners where a pinhole has them.
    package var tag: TagDetection
    /// The edge that the pose by corners was made with, in metres.
    package var edgeMetres: Double
    /// As LiDAR's plane has it; nil without.
    package var measuredEdgeMetres: Double?
    /// The one or two poses that the corners allow, the better one first.
    package var poses: [SquarePose]
    /// Tag axes: x right, y up, z out of the wall; camera axes: ARKit's.
    package var cameraFromTag: Transform
    /// The covariance of (translation, rotation) in the tag's axes, in metres and radians.
    package var covariance: Matrix6
    package var source: Source
    /// True if LiDAR saw a plane that is not the tag's.
    package var hasOtherPlane = false
}

/// Turns detections into poses.
///
/// This library finds AprilTags in images and measures where they are. Begin reading here; detections come from
/// ``TagDetector``, ``SquarePose`` solves for the pose of four corners, and ``DepthPlane`` corrects it by LiDAR.
package struct TagMeasurer: Sendable {
    package var sizes: TagSizes
    /// The noise of a corner's coordinate.
    package var sigmaPixels = 0.3
    /// The error of LiDAR as a whole.
    package var lidarMetres = 0.007
    package var lidarRadians = 0.5 * Double.pi / 180
    /// A plane of the tag is no farther than this from a pose by corners.
    package var maximumTurnRadians = 20 * Double.pi / 180
    package var maximumRangeShare = 0.15

    package init(sizes: TagSizes) {
        self.sizes = sizes
    }

    /// Nil where the size is not known, or the corners are no square.
    ///
    /// - Parameter depth: Covers the same view as the camera's image.
    package func sighting(of tag: TagDetection, camera: CameraIntrinsics, depth: DepthMap?) -> TagSighting? {
        let plane = depth.flatMap { DepthPlane($0, corners: tag.corners, camera: camera) }
        // The depth has the lens's distortion as the picture has; all that follows is of a pinhole.
        var (tag, pinhole) = (tag, camera)
        pinhole.distortion = nil
        if camera.distortion != nil { tag.corners = tag.corners.map { pinhole.pixel(camera.ray($0)) ?? $0 } }
        return sighting(of: tag, pinhole: pinhole, plane)
    }

    private func sighting(of tag: TagDetection, pinhole camera: CameraIntrinsics, _ plane: DepthPlane?) -> TagSighting?
    {
        let measured = plane.flatMap { edge(tag, camera, $0) }
        guard let edge = sizes.metres(of: tag.id) ?? measured else { return nil }
        let poses = SquarePose.solve(corners: tag.corners, edgeMetres: edge, camera: camera, sigmaPixels: sigmaPixels)
        guard let best = poses.first else { return nil }
        var sighting = TagSighting(
            tag: tag,
            edgeMetres: edge,
            measuredEdgeMetres: measured,
            poses: poses,
            cameraFromTag: best.cameraFromTag,
            covariance: best.covariance,
            source: .corners
        )
        if let plane, onPlane(&sighting, plane, camera) { return sighting }
        sighting.hasOtherPlane = plane != nil
        guessed(&sighting)
        return sighting
    }

    /// The mean edge of the tag on a plane.
    private func edge(_ tag: TagDetection, _ camera: CameraIntrinsics, _ plane: DepthPlane) -> Double? {
        let points = tag.corners.compactMap { plane.point($0, camera) }
        guard points.count == 4 else { return nil }
        let edges: [Double] = (0..<4).map { (points[($0 + 1) % 4] - points[$0]).length }
        return edges.reduce(0, +) / 4
    }

    /// Puts the tag onto LiDAR's plane; its turn within the plane stays that of its corners.
    private func onPlane(_ sighting: inout TagSighting, _ plane: DepthPlane, _ camera: CameraIntrinsics) -> Bool {
        func angle(_ pose: SquarePose) -> Double {
            let normal = pose.cameraFromTag.rotation.rotating(Vector3(0, 0, 1))
            return arcTangent(cross(normal, plane.normal).length, dot(normal, plane.normal))
        }
        guard let pose = sighting.poses.min(by: { angle($0) < angle($1) }), angle(pose) <= maximumTurnRadians,
            let middle = Self.middle(sighting.tag.corners), let centre = plane.point(middle, camera)
        else { return false }
        guard abs(centre.length / pose.cameraFromTag.translation.length - 1) <= maximumRangeShare else { return false }
        let right = pose.cameraFromTag.rotation.rotating(Vector3(1, 0, 0))
        let across = right - plane.normal * dot(right, plane.normal)
        let x = across / across.length
        let share = 1 / Double(plane.inliers)
        let noise = plane.residualMetres * plane.residualMetres * share
        let range = lidarMetres * lidarMetres + noise
        let turn = lidarRadians * lidarRadians + noise / (plane.widthMetres * plane.widthMetres)
        // The corners know the direction better where they see the tag from the side, LiDAR where they see it from the front.
        let onPlane = Quaternion(columns: x, cross(plane.normal, x), plane.normal)
        let byCorners = pose.cameraFromTag.rotation
        let lidarInformation = Matrix3(diagonal: Vector3(1 / turn, 1 / turn, 0))
        guard let cornerInformation = pose.covariance.rr.symmetricInverse,
            let fused = (cornerInformation + lidarInformation).symmetricInverse
        else { return false }
        let step = fused * (lidarInformation * (byCorners.inverse * onPlane).rotationVector)
        sighting.cameraFromTag = Transform(
            rotation: Transform(rotation: byCorners).moved(by: Vector6(.zero, step)).rotation,
            translation: centre
        )
        let bearing = sigmaPixels * centre.length / camera.fx
        let ray = sighting.cameraFromTag.rotation.inverse.rotating(centre / centre.length)
        sighting.covariance = Matrix6(
            tt: Matrix3(diagonal: Vector3(repeating: bearing * bearing))
                + Matrix3(outer: ray, ray) * range,
            rr: fused
        )
        sighting.source = .lidar
        return true
    }

    /// Where two poses explain the corners nearly as well, the direction may be that of either.
    private func guessed(_ sighting: inout TagSighting) {
        guard sighting.poses.count == 2 else { return }
        let (first, second) = (sighting.poses[0], sighting.poses[1])
        let limit = max(2 * first.reprojectionPixels, first.reprojectionPixels + 3 * sigmaPixels)
        guard second.reprojectionPixels < limit else { return }
        sighting.source = .ambiguous
        let between = (first.cameraFromTag.inverse * second.cameraFromTag).rotation.rotationVector
        sighting.covariance.rr =
            sighting.covariance.rr + Matrix3(outer: between, between)
    }

    /// Where the diagonals of a quadrilateral cross: the picture of the square's middle.
    static func middle(_ corners: [SIMD2<Double>]) -> SIMD2<Double>? {
        let (a, b) = (corners[2] - corners[0], corners[3] - corners[1])
        let determinant = a.x * b.y - a.y * b.x
        guard abs(determinant) > 1e-9 else { return nil }
        let d = corners[1] - corners[0]
        return corners[0] + a * ((d.x * b.y - d.y * b.x) / determinant)
    }
}

/// How large tags are: one size for all, others by number, or as LiDAR measures them.
package struct TagSizes: Sendable {
    /// The edge of tags without an own size, in metres; nil where it is to be measured.
    package var commonMetres: Double?
    package var byRange: [(ids: ClosedRange<Int>, metres: Double)] = []

    /// As LiDAR measures them.
    package init() {}

    /// From words such as `0.152`, `1-7=0.173`, `12=0.2` or `auto`; nil for a word that is none of these.
    package init?(_ words: [String]) {
        for word in words.flatMap({ $0.split(separator: ",") }) {
            if word == "auto" {
                commonMetres = nil
                continue
            }
            let parts = word.split(separator: "=", omittingEmptySubsequences: false)
            guard let last = parts.last, let metres = Double(last), metres > 0.001, metres <= 10 else { return nil }
            switch parts.count {
            case 1: commonMetres = metres
            case 2:
                let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
                guard let first = ends.first ?? nil, let end = ends.last ?? nil, ends.count <= 2, first >= 0,
                    first <= end
                else { return nil }
                byRange.append((first...end, metres))
            default: return nil
            }
        }
    }

    /// In metres, by the last range that has the number; nil where it is to be measured.
    package func metres(of id: Int) -> Double? {
        byRange.last { $0.ids.contains(id) }?.metres ?? commonMetres
    }
}
