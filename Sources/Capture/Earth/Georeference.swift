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

/// What is known of a session's place besides its fixes.
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
    /// Of east, north, up in metres and the yaw (to the left) in radians: 4x4, by rows; the variance of the yaw is NaN
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
/// what follows.
package struct Georeference: Sendable {
    package let mode: GeoreferenceMode
    package let heading: WorldHeading
    /// Only where ``earthFromWorld`` exists.
    package let origin: GeoreferenceOrigin?
    /// ECEF from ARKit's world.
    package let earthFromWorld: Transform?
    /// Why there is no ``earthFromWorld``; `nil` where there is one.
    package let reasonForAbsence: String?
    /// What the fixes along the track say; `nil` where there are too few, or the world is not level.
    package let alignment: TrackAlignment?
    package let contradictions: [Contradiction]
    private let frozenCount: Int

    package init(_ track: FixTrack, _ request: GeoreferenceRequest) {
        let placement = request.worldAlignment == .camera ? nil : TrackPlacement(track)
        let heading = WorldHeading(request, track: placement?.alignment)
        mode = request.mode
        self.heading = heading
        alignment = placement?.alignment
        frozenCount = track.frozenCount
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
