/// A place of a track, by the track's own axes and by a location fix.
package struct TrackPoint: Sendable {
    package var seconds: Double
    /// In the level axes of the track, in metres: x to the right of y.
    package var track: SIMD2<Double>
    /// East and north of some place, in metres.
    package var fix: SIMD2<Double>
    /// The standard deviation of the fix along one axis, in metres.
    package var sigmaMetres: Double

    package init(seconds: Double, track: SIMD2<Double>, fix: SIMD2<Double>, sigmaMetres: Double) {
        self.seconds = seconds
        self.track = track
        self.fix = fix
        self.sigmaMetres = sigmaMetres
    }
}

/// The turn and shift in the plane that bring a track of known scale onto location fixes along it, robustly.
///
/// A start from pairs of fixes, then weighted least squares with Cauchy weights, so that a third of the fixes may be
/// wild. Errors of fixes last for about a minute, so a minute of them counts as one observation.
package struct TrackAlignment: Sendable {
    /// Fewer fixes determine nothing.
    package static let fewestPoints = 3
    /// A wider uncertainty says nothing about the heading.
    package static let usefulHeadingSigmaDegrees = 30.0

    package let pointCount: Int
    /// Fixes within three standard deviations of the track.
    package let inlierCount: Int
    /// The azimuth of the track's y axis, clockwise from north, 0 to 360.
    package let headingDegrees: Double
    /// One standard deviation, 180 at most.
    package let headingSigmaDegrees: Double
    package let medianResidualMetres: Double
    package let worstResidualMetres: Double
    /// The median of the fixes' standard deviations along one axis.
    package let medianSigmaMetres: Double
    /// The diagonal of the box around the track at the fixes.
    package let extentMetres: Double

    /// Whether the track is long enough against the accuracy of the fixes to tell its heading.
    package var tellsHeading: Bool {
        headingSigmaDegrees <= Self.usefulHeadingSigmaDegrees && 2 * inlierCount > pointCount
    }

    /// Whether no turn and shift brings the track near the fixes, by their own accuracy.
    package var isContradicted: Bool {
        pointCount >= 5 && medianResidualMetres > max(5, 4 * Self.medianOfRayleigh * medianSigmaMetres)
    }

    /// The median distance from the centre, in standard deviations of one axis.
    private static let medianOfRayleigh = 1.177
    private static let correlationSeconds = 60.0

    /// - Returns: `nil` for fewer than ``fewestPoints``.
    package init?(_ points: [TrackPoint]) {
        guard points.count >= Self.fewestPoints else { return nil }
        var motion = PlaneMotion.start(points)
        for _ in 0..<40 { motion = PlaneMotion.weighted(points, around: motion) }
        let residuals = points.map { motion.residual($0) }
        let inliers = zip(points, residuals).filter { $1 <= 3 * $0.sigmaMetres }.map(\.0)
        pointCount = points.count
        inlierCount = inliers.count
        medianResidualMetres = Self.median(residuals)
        worstResidualMetres = residuals.max() ?? 0
        medianSigmaMetres = Self.median(points.map(\.sigmaMetres))
        // A turn to the left by the yaw takes the track's y axis to the left of north.
        headingDegrees = Geodesy.azimuthDegrees(-motion.yawRadians * 180 / .pi)
        let low = points.reduce(points[0].track) { pointwiseMin($0, $1.track) }
        let high = points.reduce(points[0].track) { pointwiseMax($0, $1.track) }
        extentMetres = length(high - low)
        // The residuals count where they are larger than the accuracy that the fixes claim.
        let sigma = max(medianSigmaMetres, medianResidualMetres / Self.medianOfRayleigh)
        headingSigmaDegrees = Self.headingSigmaDegrees(inliers, sigmaMetres: sigma)
    }

    private static func headingSigmaDegrees(_ points: [TrackPoint], sigmaMetres: Double) -> Double {
        guard let first = points.first?.seconds, let last = points.last?.seconds else { return 180 }
        let count = Double(points.count)
        let centre = points.reduce(SIMD2.zero) { $0 + $1.track } / count
        let spread = points.reduce(0) { $0 + squaredLength($1.track - centre) } / count
        let effectiveCount = min(count, 1 + max(0, last - first) / correlationSeconds)
        guard spread > 0 else { return 180 }
        return min(180, sigmaMetres / (effectiveCount * spread).squareRoot() * 180 / .pi)
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

/// A turn and a shift in the plane.
private struct PlaneMotion {
    var yawRadians: Double
    var shift: SIMD2<Double>

    func residual(_ point: TrackPoint) -> Double {
        length(rotate(point.track, by: yawRadians) + shift - point.fix)
    }

    /// Residuals of this many standard deviations have half the weight.
    private static let cauchyScale = 2.385

    private static func cost(_ points: [TrackPoint], _ motion: PlaneMotion) -> Double {
        points.reduce(0) { sum, point in
            let scaled = motion.residual(point) / (cauchyScale * point.sigmaMetres)
            return sum + naturalLogarithm(1 + scaled * scaled)
        }
    }

    /// The best of the motions that pairs of points determine, and of the one that all do.
    static func start(_ points: [TrackPoint]) -> PlaneMotion {
        var best = leastSquares(points, weights: points.map { 1 / ($0.sigmaMetres * $0.sigmaMetres) })
        var bestCost = cost(points, best)
        let step = (points.count + 23) / 24
        let chosen = stride(from: 0, to: points.count, by: step).map { points[$0] }
        for (index, first) in chosen.enumerated() {
            for second in chosen[(index + 1)...] where length(second.track - first.track) > 0.1 {
                let pair = leastSquares([first, second], weights: [1, 1])
                let pairCost = cost(points, pair)
                if pairCost < bestCost { (best, bestCost) = (pair, pairCost) }
            }
        }
        return best
    }

    static func weighted(_ points: [TrackPoint], around motion: PlaneMotion) -> PlaneMotion {
        leastSquares(
            points,
            weights: points.map { point in
                let scaled = motion.residual(point) / (cauchyScale * point.sigmaMetres)
                return 1 / ((1 + scaled * scaled) * point.sigmaMetres * point.sigmaMetres)
            }
        )
    }

    /// The closed form of weighted least squares in the plane.
    private static func leastSquares(_ points: [TrackPoint], weights: [Double]) -> PlaneMotion {
        let sum = weights.reduce(0, +)
        var trackCentre = SIMD2<Double>.zero
        var fixCentre = SIMD2<Double>.zero
        for (point, weight) in zip(points, weights) {
            trackCentre += weight / sum * point.track
            fixCentre += weight / sum * point.fix
        }
        var along = 0.0
        var across = 0.0
        for (point, weight) in zip(points, weights) {
            let (p, g) = (point.track - trackCentre, point.fix - fixCentre)
            along += weight * (p.x * g.x + p.y * g.y)
            across += weight * (p.x * g.y - p.y * g.x)
        }
        let yaw = arcTangent(across, along)
        return PlaneMotion(yawRadians: yaw, shift: fixCentre - rotate(trackCentre, by: yaw))
    }
}

private func rotate(_ v: SIMD2<Double>, by radians: Double) -> SIMD2<Double> {
    let (s, c) = (sine(radians), cosine(radians))
    return SIMD2(c * v.x - s * v.y, s * v.x + c * v.y)
}

private func squaredLength(_ v: SIMD2<Double>) -> Double { (v * v).sum() }

private func length(_ v: SIMD2<Double>) -> Double { squaredLength(v).squareRoot() }
