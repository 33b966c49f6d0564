package import Codecs
import Numbers
package import Recording

/// Where heights of fixes above the WGS 84 ellipsoid come from: as recorded, or from those above sea level and a geoid.
package struct FixHeights: Sendable {
    package var geoid: GeoidGrid?
    /// Takes the height above sea level for that above the ellipsoid where nothing better is known, as the app does.
    package var takesSeaLevel: Bool

    package init(geoid: GeoidGrid? = nil, takesSeaLevel: Bool = false) {
        self.geoid = geoid
        self.takesSeaLevel = takesSeaLevel
    }

    /// The height of one fix, and how it is known.
    package func height(of fix: LocationSample) -> (metres: Double, source: String)? {
        if let height = fix.ellipsoidalAltitudeMetres { return (height, Self.recorded) }
        if let altitude = fix.altitudeMetres, let sea = seaLevel(fix.latitudeDegrees, fix.longitudeDegrees) {
            return (altitude + sea.metres, sea.source)
        }
        return takesSeaLevel ? (0, Self.asTheApp) : nil
    }

    /// The height above sea level of a place whose height above the ellipsoid is known; `nil` without a geoid.
    package func altitude(
        ellipsoidalMetres: Double,
        latitudeDegrees: Double,
        longitudeDegrees: Double
    ) -> Double? {
        guard geoid != nil, let sea = seaLevel(latitudeDegrees, longitudeDegrees) else { return nil }
        return ellipsoidalMetres - sea.metres
    }

    private static let recorded = "as recorded"
    private static let asTheApp = "altitude above sea level, as the app takes it"

    /// The height of sea level above the ellipsoid at a place.
    private func seaLevel(_ latitudeDegrees: Double, _ longitudeDegrees: Double) -> (metres: Double, source: String)? {
        if let geoid,
            // The grid was sound when it was opened; if it can no longer be read, there is no height.
            let metres = try? geoid.heightMetres(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees)
        {
            return (metres, "altitude and geoid \(geoid.name)")
        }
        return takesSeaLevel ? (0, Self.asTheApp) : nil
    }

    /// The height of the world's origin above the ellipsoid, from all fixes of a track.
    ///
    /// Recorded heights only, where there are any; the geoid is taken at one place of the track.
    func fit(_ places: [PlacedFix], latitudeDegrees: Double, longitudeDegrees: Double) -> HeightFit? {
        let recorded = places.compactMap { HeightFit.Point($0, height: $0.fix.ellipsoidalAltitudeMetres) }
        if !recorded.isEmpty { return HeightFit(recorded, source: Self.recorded) }
        guard let sea = seaLevel(latitudeDegrees, longitudeDegrees) else { return nil }
        let points = places.compactMap { place in
            HeightFit.Point(place, height: place.fix.altitudeMetres.map { $0 + sea.metres })
        }
        return HeightFit(points, source: sea.source)
    }
}

/// The height of the world's origin above the ellipsoid, by a robust weighted mean over a track.
struct HeightFit {
    /// The height that one fix gives.
    struct Point {
        var seconds: Double
        var metres: Double
        var sigmaMetres: Double
        /// The height of the camera above the world's origin.
        var upMetres: Double

        /// - Returns: `nil` without a height.
        init?(_ place: PlacedFix, height: Double?) {
            guard let height else { return nil }
            let fix = place.fix
            upMetres = place.worldFromCamera.translation.y
            metres = height - upMetres
            seconds = fix.time.seconds
            sigmaMetres = max(fix.verticalSigmaMetres ?? FixTrack.originAccuracyMetres, TrackPoint.leastSigmaMetres)
        }
    }

    let metres: Double
    /// In m², an error common to all fixes included.
    let variance: Double
    /// The mean height of the camera above the world's origin.
    let upMetres: Double
    let source: String

    /// - Returns: `nil` of no points.
    init?(_ points: [Point], source: String) {
        guard let middle = points.map(\.metres).median() else { return nil }
        let deviations = points.map { abs($0.metres - middle) / $0.sigmaMetres }
        // The median of a normal distribution's absolute value is 0.674 standard deviations.
        let limit = 4 * max(1, (deviations.median() ?? 0) / 0.674)
        let inliers = zip(points, deviations).filter { $1 <= limit }.map(\.0).sorted { $0.seconds < $1.seconds }
        var (sum, weights, ups) = (0.0, 0.0, 0.0)
        for point in inliers {
            let weight = 1 / (point.sigmaMetres * point.sigmaMetres)
            sum += weight * point.metres
            ups += weight * point.upMetres
            weights += weight
        }
        let mean = sum / weights
        let noise = FixNoise(
            axes: 1,
            inliers.map { point in
                FixNoise.Row(
                    seconds: point.seconds,
                    weight: 1 / point.sigmaMetres,
                    deviation: SIMD2((point.metres - mean) / point.sigmaMetres, 0)
                )
            }
        )
        metres = mean
        variance = noise.covariance.place + noise.biasVariance
        upMetres = ups / weights
        self.source = source
    }
}
