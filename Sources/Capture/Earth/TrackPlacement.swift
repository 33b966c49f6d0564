import Numbers
import Recording

/// The alignment of a whole track on the Earth: the plane in which it was done, and the heights of its fixes.
struct TrackPlacement {
    /// The heading is that at the centre of the track.
    let alignment: TrackAlignment
    private let inliers: [PlacedFix]
    private let latitudeDegrees: Double
    private let longitudeDegrees: Double

    /// Fixes of worse accuracy than this say nothing about a walk.
    private static let worstSigmaMetres = 1000.0
    /// No walk goes farther from one place; beyond, a plane does not stand for the Earth.
    private static let reachMetres = 100_000.0

    /// - Returns: `nil` where fewer than three fixes of known accuracy have a trusted pose, or most lie nowhere near each
    ///   other.
    init?(_ track: FixTrack) {
        let places = track.places.filter { ($0.fix.horizontalSigmaMetres ?? .infinity) <= Self.worstSigmaMetres }
        guard let reference = Self.middle(places) else { return nil }
        let earthFromPlane = Self.plane(reference.fix.latitudeDegrees, reference.fix.longitudeDegrees)
        let planeFromEarth = earthFromPlane.inverse
        var near: [(place: PlacedFix, point: TrackPoint)] = []
        for place in places {
            let fix = place.fix
            let local =
                planeFromEarth
                * Geodesy.earthPosition(
                    latitudeDegrees: fix.latitudeDegrees,
                    longitudeDegrees: fix.longitudeDegrees,
                    heightMetres: 0
                )
            guard local.length <= Self.reachMetres, let sigma = fix.horizontalSigmaMetres else { continue }
            let position = place.worldFromCamera.translation
            let point = TrackPoint(
                seconds: fix.time.seconds(since: reference.fix.time),
                track: SIMD2(position.x, -position.z),
                fix: SIMD2(local.x, local.y),
                sigmaMetres: sigma
            )
            near.append((place, point))
        }
        guard var found = TrackAlignment(near.map(\.point), distantCount: places.count - near.count) else { return nil }
        inliers = near.filter { found.isInlier($0.point) }.map(\.place)
        let centre = Geodesy.place(earthFromPlane * Vector3(found.fixCentre.x, found.fixCentre.y, 0))
        (latitudeDegrees, longitudeDegrees) = (centre.latitudeDegrees, centre.longitudeDegrees)
        // North at the centre is not north at the reference: near a pole by any angle.
        let north = Self.plane(latitudeDegrees, longitudeDegrees).inverse.rotation
            .rotating(earthFromPlane.rotation.rotating(Vector3(0, 1, 0)))
        found.turnAxes(byDegrees: arcTangent(north.x, north.y) * 180 / .pi)
        alignment = found
    }

    /// The centre of the track, where its place is known as well as that of an accurate fix.
    func origin(_ heights: FixHeights, _ heading: WorldHeading) -> GeoreferenceOrigin? {
        guard !alignment.isContradicted, 2 * alignment.inlierCount > alignment.pointCount,
            let height = heights.fit(inliers, latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees)
        else { return nil }
        var covariance = [Double](repeating: 0, count: 16)
        (covariance[0], covariance[5], covariance[10]) = (
            alignment.placeVariance, alignment.placeVariance, height.variance
        )
        covariance[15] = heading.yawVariance
        if heading.chosen?.source == .track {
            let coupling = alignment.placeYawCovariance
            (covariance[3], covariance[7], covariance[12], covariance[13]) = (
                coupling.x, coupling.y, coupling.x, coupling.y
            )
        }
        let origin = GeoreferenceOrigin(
            latitudeDegrees: latitudeDegrees,
            longitudeDegrees: longitudeDegrees,
            heightMetres: height.metres + height.upMetres,
            heightSource: height.source,
            world: Vector3(alignment.trackCentre.x, height.upMetres, -alignment.trackCentre.y),
            covariance: covariance
        )
        return origin.horizontalAccuracyMetres <= FixTrack.originAccuracyMetres ? origin : nil
    }

    private static func plane(_ latitudeDegrees: Double, _ longitudeDegrees: Double) -> Transform {
        Geodesy.earthFromLocal(
            latitudeDegrees: latitudeDegrees,
            longitudeDegrees: longitudeDegrees,
            heightMetres: 0
        )
    }

    /// The fix nearest to the median of all, which no minority of wild ones can move far.
    private static func middle(_ places: [PlacedFix]) -> PlacedFix? {
        let positions = places.map {
            Geodesy.earthPosition(
                latitudeDegrees: $0.fix.latitudeDegrees,
                longitudeDegrees: $0.fix.longitudeDegrees,
                heightMetres: 0
            )
        }
        let medians = (0..<3).map { axis in positions.map { $0[axis] }.median() ?? 0 }
        let median = Vector3(medians[0], medians[1], medians[2])
        return zip(places, positions).min { ($0.1 - median).length < ($1.1 - median).length }?.0
    }
}
