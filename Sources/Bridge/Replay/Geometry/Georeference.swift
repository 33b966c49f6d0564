import Codecs
package import Earth
package import Recording
package import Sessions

/// Where the map of a session lies on the Earth, and how that is known; none of it is guessed.
///
/// docs/coordinates.md derives `earth` -> `map`. It needs an origin (an accurate fix with a trusted pose), the origin's
/// height above the ellipsoid, and the heading of the map.
package struct Georeference: Sendable {
    /// The fix that fixes the map.
    package struct Origin: Sendable {
        package var fix: LocationSample
        package var worldFromCamera: Transform
        /// Above the WGS 84 ellipsoid, and how that is known.
        package var heightMetres: Double
        package var heightSource: String
    }

    package let heading: MapHeading
    /// Only where ``earthFromMap`` exists.
    package let origin: Origin?
    /// `earth` (ECEF) from `map`.
    package let earthFromMap: Transform?
    /// Why there is no ``earthFromMap``; `nil` where there is one.
    package let reasonForAbsence: String?
    /// What the fixes along the track say; `nil` where there are too few.
    package let alignment: TrackAlignment?
    /// Where fixes and poses contradict each other.
    package let problem: Problem?

    /// - Parameter axes: those of `map`.
    init(_ session: any Session, plan: ReplayPlan) throws {
        let conventions = plan.profile.conventions
        let heading = try MapHeading(
            given: plan.headingDegrees,
            alignment: session.summary.worldAlignment,
            convention: conventions.heading
        )
        let heights = OriginHeight(geoid: plan.geoid, convention: conventions.location)
        // A fix that would be the origin if a geoid gave its height above the ellipsoid.
        var withoutGeoid: LocationSample?
        let track = try FixTrack(session) { fix in
            if heights.height(of: fix) != nil { return true }
            if withoutGeoid == nil, fix.altitudeMetres != nil { withoutGeoid = fix }
            return false
        }
        self.heading = heading
        alignment = TrackComparison.alignment(track)
        // An assumed heading is not compared with the fixes.
        let claim = heading.isAssumed ? nil : heading.degrees.map { (value: $0, source: heading.source) }
        problem = alignment.flatMap {
            TrackComparison.problem($0, file: session.summary.location.file, headingDegrees: claim)
        }
        guard let place = track.origin, let height = heights.height(of: place.fix), let degrees = heading.degrees else {
            (origin, earthFromMap) = (nil, nil)
            reasonForAbsence = Self.reason(track, heading, plan.geoid, withoutGeoid: withoutGeoid)
            return
        }
        origin = Origin(
            fix: place.fix,
            worldFromCamera: place.worldFromCamera,
            heightMetres: height.metres,
            heightSource: height.source
        )
        reasonForAbsence = nil
        let earthFromLocal = Geodesy.earthFromLocal(
            latitudeDegrees: place.fix.latitudeDegrees,
            longitudeDegrees: place.fix.longitudeDegrees,
            heightMetres: height.metres
        )
        // An azimuth turns to the right, an angle about the vertical to the left.
        let localFromLevel = Transform(
            rotation: Quaternion(angleRadians: -degrees * .pi / 180, axis: Vector3(0, 0, 1))
        )
        let position = Coordinates.mapFromCamera(place.worldFromCamera, policy: conventions.axes).translation
        earthFromMap =
            earthFromLocal * localFromLevel * conventions.axes.levelFromMap
            * Transform(rotation: .identity, translation: -position)
    }

    private static func reason(
        _ track: FixTrack,
        _ heading: MapHeading,
        _ geoid: GeoidGrid?,
        withoutGeoid: LocationSample?
    ) -> String {
        if track.fixCount == 0 { return "the session has no GPS fixes" }
        let radius = Int(FixTrack.originAccuracyMetres)
        if track.accurateCount == 0 { return "no fix is accurate to \(radius) m" }
        if track.accurateWithPoseCount == 0 { return "no accurate fix has a pose of normal tracking near it" }
        guard track.origin == nil else { return "heading \(heading.text)" }
        guard let fix = withoutGeoid else { return "no height above the ellipsoid, nor one above sea level" }
        guard let geoid else { return "no height above the ellipsoid; --geoid FILE gives it from that above sea level" }
        let place = [fix.latitudeDegrees, fix.longitudeDegrees].map { "\(($0 * 1e4).rounded() / 1e4)" }
        return "the geoid grid \(geoid.name) does not cover the place (\(place.joined(separator: ", ")))"
    }
}

/// The azimuth of the map's +y axis (-z of ARKit's world), in degrees clockwise from true north.
package struct MapHeading: Sendable, Hashable {
    /// 0 up to 360; `nil` where it is not known.
    package let degrees: Double?
    /// How it is known, or why it is not.
    package let source: String
    package let isAssumed: Bool

    /// - Throws: ``PlanError/tiltedWorld`` where a heading is given for a world that is not level.
    init(given: Double?, alignment: WorldAlignment?, convention: HeadingConvention) throws(PlanError) {
        // A recorded `world_alignment` and a given heading count under every convention.
        isAssumed = given == nil && alignment == nil && convention == .assumed
        if let given {
            guard alignment != .camera else { throw .tiltedWorld }
            degrees = Geodesy.azimuthDegrees(given)
            source = "--heading"
            return
        }
        switch alignment {
        case .gravityAndHeading: (degrees, source) = (0, "world_alignment gravity_and_heading")
        case .gravity: (degrees, source) = (nil, "world_alignment gravity")
        case .camera: (degrees, source) = (nil, "world_alignment camera: the world is not level")
        case nil where convention == .assumed: (degrees, source) = (0, "assumed, as the app does")
        case nil: (degrees, source) = (nil, "no world_alignment in metadata.json")
        }
    }

    /// `unknown (...)`, or the degrees and where they come from.
    package var text: String {
        guard let degrees else { return "unknown (\(source))" }
        return "\(Geodesy.azimuthDegrees((degrees * 10).rounded() / 10)) degrees (\(source))"
    }
}

/// The height of a fix above the ellipsoid: as recorded, or from that above sea level and the geoid.
private struct OriginHeight {
    var geoid: GeoidGrid?
    var convention: LocationConvention

    func height(of fix: LocationSample) -> (metres: Double, source: String)? {
        if let height = fix.ellipsoidalAltitudeMetres { return (height, "as recorded") }
        if let geoid, let altitude = fix.altitudeMetres,
            // The grid was sound when it was opened; if it can no longer be read, the fix has no height.
            let undulation = try? geoid.heightMetres(
                latitudeDegrees: fix.latitudeDegrees,
                longitudeDegrees: fix.longitudeDegrees
            )
        {
            return (altitude + undulation, "altitude and geoid \(geoid.name)")
        }
        // The app uses the height above sea level as the height above the ellipsoid.
        return convention == .app ? (fix.altitudeMetres ?? 0, "altitude above sea level, as the app takes it") : nil
    }
}
