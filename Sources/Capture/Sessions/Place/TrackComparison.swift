package import Earth
import Recording

/// The track of the camera against the location fixes along it: whether they tell the same walk, and which heading of
/// the world makes them agree.
package enum TrackComparison {
    /// Fixes of worse accuracy than this say nothing about a walk.
    private static let worstRadiusMetres = 1000.0

    /// The best turn and shift of the track, seen from above: x to the right, y along -z of ARKit's world.
    ///
    /// - Returns: `nil` where fewer than three fixes of known accuracy have a trusted pose.
    package static func alignment(_ track: FixTrack) -> TrackAlignment? {
        guard let first = track.places.first else { return nil }
        let localFromEarth = Geodesy.earthFromLocal(
            latitudeDegrees: first.fix.latitudeDegrees,
            longitudeDegrees: first.fix.longitudeDegrees,
            heightMetres: 0
        ).inverse
        let points = track.places.compactMap { place -> TrackPoint? in
            let fix = place.fix
            guard let sigma = fix.horizontalSigmaMetres, sigma <= worstRadiusMetres else { return nil }
            let local =
                localFromEarth
                * Geodesy.earthPosition(
                    latitudeDegrees: fix.latitudeDegrees,
                    longitudeDegrees: fix.longitudeDegrees,
                    heightMetres: 0
                )
            let position = place.worldFromCamera.translation
            return TrackPoint(
                seconds: fix.time.seconds(since: first.fix.time),
                track: SIMD2(position.x, -position.z),
                fix: SIMD2(local.x, local.y),
                sigmaMetres: max(sigma, 0.01)
            )
        }
        return TrackAlignment(points)
    }

    /// What contradicts: the walk as a whole, or a heading that is claimed to be known.
    ///
    /// - Parameters:
    ///   - file: what the fixes were read from.
    ///   - headingDegrees: the azimuth of -z of ARKit's world, where it is claimed to be known, and by whom.
    package static func problem(
        _ alignment: TrackAlignment,
        file: String,
        headingDegrees: (value: Double, source: String)?
    ) -> Problem? {
        let walk = "\(alignment.pointCount) fixes over \(rounded(alignment.extentMetres)) m"
        if alignment.isContradicted {
            return Problem(
                .fixesContradictPoses,
                file: file,
                field: "latitude",
                expected: "fixes within some \(rounded(3 * alignment.medianSigmaMetres)) m of the camera's track",
                found: "a median of \(rounded(alignment.medianResidualMetres)) m over \(walk), however they are turned"
            )
        }
        guard let heading = headingDegrees, alignment.tellsHeading else { return nil }
        let difference = abs(turn(from: heading.value, to: alignment.headingDegrees))
        guard difference > max(fewestDegrees, 3 * alignment.headingSigmaDegrees) else { return nil }
        let sigma = rounded(alignment.headingSigmaDegrees)
        return Problem(
            .fixesContradictPoses,
            file: file,
            field: "course of the fixes",
            expected: "a heading of \(rounded(heading.value)) degrees (\(heading.source))",
            found: "\(rounded(alignment.headingDegrees)) degrees, uncertain by \(sigma), from \(walk)"
        )
    }

    /// A compass in a building is easily this far off.
    private static let fewestDegrees = 15.0

    /// From -180 to 180 degrees.
    private static func turn(from first: Double, to second: Double) -> Double {
        let degrees = (second - first).truncatingRemainder(dividingBy: 360)
        return degrees > 180 ? degrees - 360 : degrees < -180 ? degrees + 360 : degrees
    }

    private static func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
