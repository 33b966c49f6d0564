package import Codecs
import Platform
package import Recording

/// A location fix, and the camera's pose at its time.
package struct PlacedFix: Sendable {
    package var fix: LocationSample
    package var worldFromCamera: Transform

    package init(fix: LocationSample, worldFromCamera: Transform) {
        self.fix = fix
        self.worldFromCamera = worldFromCamera
    }
}

/// The location fixes of a session, each with where the camera was at that time.
///
/// An even selection of many fixes is kept, so memory does not grow with the session.
package struct FixTrack: Sendable {
    /// The horizontal accuracy (radius of 68 %) that an origin must have.
    package static let originAccuracyMetres = 25.0
    private static let frozenMetres = 2.0
    /// More than an hour of one fix a second.
    private static let keptPlaces = 4096

    package let heights: FixHeights
    /// At most 4096, evenly spread, in the order in which they came.
    package private(set) var places: [PlacedFix] = []
    package private(set) var fixCount = 0
    /// Fixes that are accurate enough for an origin; and of those, the ones that have a trusted pose.
    package private(set) var accurateCount = 0
    package private(set) var accurateWithPoseCount = 0
    /// Fixes whose height above the ellipsoid is not known.
    package private(set) var heightlessCount = 0
    /// The first fix that is accurate, has a trusted pose, and a height above the ellipsoid.
    package private(set) var origin: PlacedFix?
    /// The first that would be ``origin`` if a geoid gave its height above the ellipsoid.
    package private(set) var withoutGeoid: LocationSample?
    /// The readings of the compass along the way.
    package var compass = CompassTrack()
    /// Fixes at the very place of the one before, although the camera had moved on: the receiver had stopped, and they say
    /// nothing of the way.
    package private(set) var frozenCount = 0
    private var placedCount = 0
    private var lastNew: PlacedFix?
    private var stride = 1

    package init(heights: FixHeights = FixHeights()) {
        self.heights = heights
    }

    /// - Parameter worldFromCamera: `nil` where no trusted pose is near the fix.
    package mutating func add(_ fix: LocationSample, worldFromCamera: Transform?) {
        fixCount += 1
        let hasHeight = heights.height(of: fix) != nil
        if !hasHeight { heightlessCount += 1 }
        let isAccurate = fix.horizontalAccuracyMetres.map { $0 <= Self.originAccuracyMetres } ?? false
        if isAccurate { accurateCount += 1 }
        guard let worldFromCamera else { return }
        let place = PlacedFix(fix: fix, worldFromCamera: worldFromCamera)
        if isAccurate {
            accurateWithPoseCount += 1
            if origin == nil {
                if hasHeight {
                    origin = place
                } else if withoutGeoid == nil, fix.altitudeMetres != nil {
                    withoutGeoid = fix
                }
            }
        }
        if isFrozen(place) {
            frozenCount += 1
        } else {
            keep(place)
        }
    }

    /// A phone that stands still gives one place again and again; one that walks does not.
    private mutating func isFrozen(_ place: PlacedFix) -> Bool {
        if let last = lastNew, last.fix.latitudeDegrees == place.fix.latitudeDegrees,
            last.fix.longitudeDegrees == place.fix.longitudeDegrees
        {
            return (place.worldFromCamera.translation - last.worldFromCamera.translation).length > Self.frozenMetres
        }
        lastNew = place
        return false
    }

    /// Keeps every place, then every second, and so on.
    private mutating func keep(_ place: PlacedFix) {
        defer { placedCount += 1 }
        if placedCount % stride == 0, places.count == Self.keptPlaces {
            places = places.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            stride *= 2
        }
        if placedCount % stride == 0 { places.append(place) }
    }

    /// The contradiction of a receiver that stopped for a while; a few repeated fixes are usual.
    var frozen: Contradiction? {
        guard frozenCount >= 10, 5 * frozenCount >= fixCount else { return nil }
        return Contradiction(
            field: "latitude",
            expected: "fixes that move on with the camera",
            found: "\(frozenCount) of \(fixCount) at the place of the one before; they are not used"
        )
    }

    /// How many fixes are without a height above the ellipsoid, and why; `nil` where all have one.
    var heightless: String? {
        guard heightlessCount > 0 else { return nil }
        let way =
            heights.geoid.map { "the geoid grid \($0.name) does not give it" }
            ?? "--geoid FILE gives it from that above sea level"
        return "\(heightlessCount) of \(fixCount) fixes without a height above the ellipsoid (\(way))"
    }

    /// Why no fix can be the origin.
    var reasonForNoOrigin: String {
        if fixCount == 0 { return "the session has no GPS fixes" }
        if accurateCount == 0 { return "no fix is accurate to \(Int(Self.originAccuracyMetres)) m" }
        if accurateWithPoseCount == 0 { return "no accurate fix has a pose of normal tracking near it" }
        guard let fix = withoutGeoid else { return "no height above the ellipsoid, nor one above sea level" }
        guard let geoid = heights.geoid else {
            return "no height above the ellipsoid; --geoid FILE gives it from that above sea level"
        }
        let place = [fix.latitudeDegrees, fix.longitudeDegrees].map { "\(($0 * 1e4).rounded() / 1e4)" }
        return "the geoid grid \(geoid.name) does not cover the place (\(place.joined(separator: ", ")))"
    }
}

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
    package func altitude(ellipsoidalMetres: Double, latitudeDegrees: Double, longitudeDegrees: Double) -> Double? {
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
