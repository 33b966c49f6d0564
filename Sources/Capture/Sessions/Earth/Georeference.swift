import Platform
package import Recording

/// How the place of a session on the Earth is looked for.
package enum GeoreferenceMode: String, Sendable, Hashable, CaseIterable {
    /// All fixes along the track, and where they do not suffice, the first accurate one; any source of the heading.
    case auto
    /// All fixes along the track, and nothing else.
    case track
    /// The first accurate fix, as the app does.
    case firstFix = "first-fix"
    case off
}

/// The knowledge of a session's place besides its fixes.
package struct GeoreferenceRequest: Sendable {
    package var mode: GeoreferenceMode
    /// The azimuth of -z of ARKit's world, where the user knows it.
    package var headingDegrees: Double?
    package var worldAlignment: WorldAlignment?
    /// The phone's compass, where its readings were recorded.
    package var compass: CompassObservation?
    /// Takes -z for north where nothing says otherwise, as the app does.
    package var assumesHeading: Bool

    package init(
        mode: GeoreferenceMode = .auto,
        headingDegrees: Double? = nil,
        worldAlignment: WorldAlignment? = nil,
        compass: CompassObservation? = nil,
        assumesHeading: Bool = false
    ) {
        self.mode = mode
        self.headingDegrees = headingDegrees
        self.worldAlignment = worldAlignment
        self.compass = compass
        self.assumesHeading = assumesHeading
    }
}

/// A place on the Earth and the point of ARKit's world that lies there.
package struct GeoreferenceOrigin: Sendable {
    package var latitudeDegrees: Double
    package var longitudeDegrees: Double
    /// Above the WGS 84 ellipsoid, and how that is known.
    package var heightMetres: Double
    package var heightSource: String
    package var world: Vector3
    /// The one fix that it was taken from; `nil` where all of them made it.
    package var fix: LocationSample?
    /// The covariance of east, north, up in metres and the yaw (to the left) in radians: 4x4, by rows; that of the yaw is NaN
    /// where its source does not say it.
    package var covariance: [Double]

    /// The radius that holds the place with 68 %.
    package var horizontalAccuracyMetres: Double {
        LocationSample.sigmasInRadius * ((covariance[0] + covariance[5]) / 2).squareRoot()
    }

    /// Level axes (x to the right, y along -z, z up) from those of ARKit's world.
    private static let levelFromWorld = Transform(
        rotation: Quaternion(x: (0.5).squareRoot(), y: 0, z: 0, w: (0.5).squareRoot())
    )

    /// ECEF from ARKit's world, of a heading.
    func earthFromWorld(headingDegrees: Double) -> Transform {
        // An azimuth turns to the right, an angle about the vertical to the left.
        let localFromLevel = Transform(
            rotation: Quaternion(angleRadians: -headingDegrees * .pi / 180, axis: Vector3(0, 0, 1))
        )
        return Geodesy.earthFromLocal(
            latitudeDegrees: latitudeDegrees,
            longitudeDegrees: longitudeDegrees,
            heightMetres: heightMetres
        ) * localFromLevel * Self.levelFromWorld * Transform(rotation: .identity, translation: -world)
    }
}

/// Where the world of a session lies on the Earth, and how that is known; none of it is guessed.
///
/// It needs an origin, the origin's height above the ellipsoid, and the heading of the world; docs/coordinates.md derives
/// the rest. This library decides all three from location fixes, compass and metadata. Begin reading here; the fixes come
/// from ``FixTrack``, ``TrackAlignment`` lays them over the camera's track, ``WorldHeading`` chooses among the claims, and
/// ``Geodesy`` has the formulas.
package struct Georeference: Sendable {
    package let mode: GeoreferenceMode
    package let heading: WorldHeading
    /// Only where ``earthFromWorld`` exists.
    package let origin: GeoreferenceOrigin?
    /// ECEF from ARKit's world.
    package let earthFromWorld: Transform?
    /// Why there is no ``earthFromWorld``; `nil` where there is one.
    package let reasonForAbsence: String?
    /// The alignment of the fixes with the track; `nil` where there are too few, or the world is not level.
    package let alignment: TrackAlignment?
    package let contradictions: [Contradiction]
    /// How many fixes have no height above the ellipsoid, of those that were looked at, and how one gets it.
    package let heightless: String?
    private let frozenCount: Int

    package init(_ track: FixTrack, _ request: GeoreferenceRequest) {
        let placement = request.worldAlignment == .camera ? nil : TrackPlacement(track)
        let heading = WorldHeading(request, track: placement?.alignment)
        mode = request.mode
        self.heading = heading
        alignment = placement?.alignment
        frozenCount = track.frozenCount
        heightless = track.heightless
        let ofTrack = placement.map { Contradiction.all($0.alignment, heading) } ?? []
        contradictions = ofTrack + [track.frozen].compactMap { $0 }
        let (found, reason) = Self.origin(track, placement, heading, request.mode)
        if let found, let degrees = heading.degrees {
            (origin, reasonForAbsence) = (found, nil)
            earthFromWorld = found.earthFromWorld(headingDegrees: degrees)
        } else {
            (origin, earthFromWorld) = (nil, nil)
            reasonForAbsence = found == nil ? reason : "heading \(heading.text)"
        }
    }

    /// How the origin was found, in a few words.
    package var method: String? {
        guard let origin else { return nil }
        if origin.fix != nil { return "the first accurate fix" }
        let frozen = frozenCount > 0 ? "; \(frozenCount) more repeat the place before them, and are not used" : ""
        return "\(alignment?.inlierCount ?? 0) of \(alignment?.pointCount ?? 0) fixes along the track" + frozen
    }

    private static func origin(
        _ track: FixTrack,
        _ placement: TrackPlacement?,
        _ heading: WorldHeading,
        _ mode: GeoreferenceMode
    ) -> (GeoreferenceOrigin?, String) {
        let reason = track.reasonForNoOrigin
        switch mode {
        case .off: return (nil, "--georeference off")
        case .track:
            guard let placement else { return (nil, track.fixCount > 0 ? "heading \(heading.text)" : reason) }
            let isPlaced = track.origin != nil
            return (placement.origin(track.heights, heading), isPlaced ? "the fixes do not follow the track" : reason)
        case .firstFix: return (firstFix(track, heading), reason)
        case .auto: return (placement?.origin(track.heights, heading) ?? firstFix(track, heading), reason)
        }
    }

    private static func firstFix(_ track: FixTrack, _ heading: WorldHeading) -> GeoreferenceOrigin? {
        guard let place = track.origin, let height = track.heights.height(of: place.fix) else { return nil }
        let fix = place.fix
        var covariance = [Double](repeating: 0, count: 16)
        let sigma = fix.horizontalSigmaMetres ?? FixTrack.originAccuracyMetres
        let vertical = fix.verticalSigmaMetres ?? sigma
        (covariance[0], covariance[5], covariance[10]) = (sigma * sigma, sigma * sigma, vertical * vertical)
        covariance[15] = heading.yawVariance
        return GeoreferenceOrigin(
            latitudeDegrees: fix.latitudeDegrees,
            longitudeDegrees: fix.longitudeDegrees,
            heightMetres: height.metres,
            heightSource: height.source,
            world: place.worldFromCamera.translation,
            fix: fix,
            covariance: covariance
        )
    }
}

extension WorldHeading {
    /// In rad²; NaN where nothing says it.
    var yawVariance: Double {
        guard let sigma = chosen?.sigmaDegrees else { return .nan }
        return (sigma * .pi / 180) * (sigma * .pi / 180)
    }
}

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
            let local = planeFromEarth * fix.earthPosition()
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
        Geodesy.earthFromLocal(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees, heightMetres: 0)
    }

    /// The fix nearest to the median of all, which no minority of wild ones can move far.
    private static func middle(_ places: [PlacedFix]) -> PlacedFix? {
        let positions = places.map { $0.fix.earthPosition() }
        let medians = (0..<3).map { axis in positions.map { $0[axis] }.median() ?? 0 }
        let median = Vector3(medians[0], medians[1], medians[2])
        return zip(places, positions).min { ($0.1 - median).length < ($1.1 - median).length }?.0
    }
}
