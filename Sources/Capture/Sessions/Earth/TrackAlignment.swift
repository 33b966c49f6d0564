import Platform
import Recording

/// The turn and shift in the plane that bring a track of known scale onto location fixes along it, robustly.
///
/// A start from pairs of fixes, Cauchy weights, then least squares over what lies within four standard deviations: a
/// third of the fixes may be wild. The uncertainty is that of noise which lasts (``FixNoise``).
package struct TrackAlignment: Sendable {
    /// Fewer fixes determine nothing.
    package static let fewestPoints = 3
    /// Below this standard deviation the heading of the track counts as known.
    package static let knownHeadingSigmaDegrees = 5.0
    /// A wider uncertainty says nothing about the heading, and contradicts nothing.
    package static let usefulHeadingSigmaDegrees = 30.0

    package let pointCount: Int
    /// Fixes that are not wild.
    package let inlierCount: Int
    /// How many fixes of independent errors would fix the place as well.
    package let effectiveCount: Double
    /// The azimuth of the track's y axis, clockwise from north, 0 to 360.
    package private(set) var headingDegrees: Double
    /// One standard deviation, 180 at most.
    package let headingSigmaDegrees: Double
    /// The centre of the inliers, on the track and on the Earth (east and north of some place).
    package let trackCentre: SIMD2<Double>
    package let fixCentre: SIMD2<Double>
    /// The variance of the centre's place along one axis in m², a bias common to all fixes included; its covariances with
    /// the yaw (to the left) in m rad, east and north.
    package let placeVariance: Double
    package private(set) var placeYawCovariance: SIMD2<Double>
    /// The length of the fixes' walk over that of the track, told and never applied, and its standard deviation.
    package let scale: Double
    package let scaleSigma: Double
    /// Distances of the inliers from the track.
    package let medianResidualMetres: Double
    package let highResidualMetres: Double
    package let worstResidualMetres: Double
    /// The median of the standard deviations that the fixes claim along one axis.
    package let medianSigmaMetres: Double
    /// The diagonal of the box around the track at the inliers.
    package let extentMetres: Double
    /// True if no turn and shift brings the track near the fixes, by their own accuracy.
    package let isContradicted: Bool
    private let motion: PlaneMotion
    private let inliers: [TrackPoint]
    /// From here on a fix is wild, in its standard deviations.
    private let limit: Double

    /// - Parameters:
    ///   - points: in any order of times.
    ///   - distantCount: fixes so far off that they have no place in the plane; they count as wild.
    /// - Returns: `nil` for fewer than ``fewestPoints``.
    package init?(_ points: [TrackPoint], distantCount: Int = 0) {
        guard points.count >= Self.fewestPoints else { return nil }
        let points = points.sorted { $0.seconds < $1.seconds }
        (motion, limit) = Self.solve(points)
        let motion = motion
        inliers = Self.inliers(points, motion, limit)
        let noise = FixNoise(inliers, around: motion)
        let covariance = noise.covariance
        let distances = inliers.map { squaredLength(motion.residual($0)).squareRoot() }.sorted()
        let sigma = points.map(\.sigmaMetres).median() ?? 0
        let medianOfAll = points.map { squaredLength(motion.residual($0)).squareRoot() }.median() ?? 0
        pointCount = points.count + distantCount
        inlierCount = inliers.count
        effectiveCount = noise.effectiveCount
        // A turn to the left by the yaw takes the track's y axis to the left of north.
        headingDegrees = Geodesy.azimuthDegrees(-motion.yawRadians * 180 / .pi)
        let yawSigma = covariance.yaw?.squareRoot() ?? .pi
        headingSigmaDegrees = min(180, yawSigma * 180 / .pi)
        (trackCentre, fixCentre) = (motion.trackCentre, motion.fixCentre)
        placeVariance = noise.biasVariance + covariance.place
        placeYawCovariance = covariance.yawPlace
        scale = Self.scale(inliers, motion)
        // A longer walk and a turn are the same at a right angle.
        scaleSigma = yawSigma
        medianResidualMetres = distances.quantile(0.5) ?? 0
        highResidualMetres = distances.quantile(0.9) ?? 0
        worstResidualMetres = distances.last ?? 0
        medianSigmaMetres = sigma
        extentMetres = Self.extent(inliers)
        isContradicted = points.count >= 5 && medianOfAll > max(5, 4 * Self.medianOfRayleigh * sigma)
    }

    /// True if most fixes follow the track, and it is long against their accuracy.
    private var isObservable: Bool {
        let sigma = max(medianSigmaMetres, medianResidualMetres / Self.medianOfRayleigh)
        return !isContradicted && 2 * inlierCount > pointCount && inlierCount >= Self.fewestForHeading
            && extentMetres >= Self.sigmasInExtent * sigma
    }

    /// True if the track tells its heading well enough to be used.
    package var knowsHeading: Bool { isObservable && headingSigmaDegrees < Self.knownHeadingSigmaDegrees }

    /// True if the track tells enough to contradict a heading.
    package var tellsHeading: Bool { isObservable && headingSigmaDegrees <= Self.usefulHeadingSigmaDegrees }

    /// The median distance of the inliers from the track, if it had another heading and the same centre.
    package func medianResidualMetres(headingDegrees other: Double) -> Double {
        // An azimuth grows to the right, a turn to the left.
        let motion = motion.turned(byRadians: (headingDegrees - other) * .pi / 180)
        return inliers.map { squaredLength(motion.residual($0)).squareRoot() }.median() ?? 0
    }

    /// True if the fixes lie so much farther from the track with a heading than with their own that it is not the right one.
    ///
    /// A short walk leaves the heading uncertain, while fixes that follow every turn of it leave no doubt.
    func excludes(headingDegrees other: Double) -> Bool {
        guard inlierCount >= Self.fewestForHeading, 2 * inlierCount > pointCount, !isContradicted else { return false }
        let limit = max(Self.leastExclusionMetres, Self.exclusionRatio * medianResidualMetres, medianSigmaMetres)
        return medianResidualMetres(headingDegrees: other) > limit
    }

    private static let leastExclusionMetres = 5.0
    private static let exclusionRatio = 4.0

    /// Among fewer fixes none can be told to be wild.
    private static let fewestForHeading = 10
    /// The noise of fixes within a small place is not known well enough to tell a heading, however long it is walked about.
    private static let sigmasInExtent = 5.0
    /// The median distance from the centre, in standard deviations of one axis.
    private static let medianOfRayleigh = 1.177
    private static let sigmasOfInliers = 4.0
    private static let mostRounds = 10

    /// Least squares over the inliers, which are chosen anew until they stay; and the limit that chose them.
    private static func solve(_ points: [TrackPoint]) -> (PlaneMotion, Double) {
        var motion = PlaneMotion.robust(points)
        var limit = 0.0
        var chosen: [Bool] = []
        for _ in 0..<mostRounds {
            let deviations = points.map { motion.squaredDeviation($0) }
            // Where fixes are worse than they claim, all the same half of them is near the track.
            limit = sigmasOfInliers * max(1, (deviations.median() ?? 0).squareRoot() / medianOfRayleigh)
            let next = deviations.map { $0 <= limit * limit }
            if next == chosen { break }
            chosen = next
            motion = PlaneMotion.leastSquares(inliers(points, motion, limit)) { 1 / ($0.sigmaMetres * $0.sigmaMetres) }
        }
        return (motion, limit)
    }

    private static func inliers(_ points: [TrackPoint], _ motion: PlaneMotion, _ limit: Double) -> [TrackPoint] {
        points.filter { motion.squaredDeviation($0) <= limit * limit }
    }

    /// True if a point is none of the wild ones.
    func isInlier(_ point: TrackPoint) -> Bool { motion.squaredDeviation(point) <= limit * limit }

    /// Turns the axes that are called east and north: the old north has this azimuth among the new ones.
    mutating func turnAxes(byDegrees degrees: Double) {
        headingDegrees = Geodesy.azimuthDegrees(headingDegrees + degrees)
        let (s, c) = (sine(degrees * .pi / 180), cosine(degrees * .pi / 180))
        let old = placeYawCovariance
        placeYawCovariance = SIMD2(c * old.x + s * old.y, c * old.y - s * old.x)
    }

    private static func scale(_ points: [TrackPoint], _ motion: PlaneMotion) -> Double {
        var along = 0.0
        var square = 0.0
        for point in points {
            let arm = motion.turned(point)
            let weight = 1 / (point.sigmaMetres * point.sigmaMetres)
            along += weight * (arm * (arm + motion.residual(point))).sum()
            square += weight * squaredLength(arm)
        }
        return square > 0 ? along / square : 1
    }

    private static func extent(_ points: [TrackPoint]) -> Double {
        let low = points.reduce(points.first?.track ?? .zero) { pointwiseMin($0, $1.track) }
        let high = points.reduce(low) { pointwiseMax($0, $1.track) }
        return squaredLength(high - low).squareRoot()
    }
}
