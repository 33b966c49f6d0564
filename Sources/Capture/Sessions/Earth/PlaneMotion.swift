import Recording

/// A place of a track, by the track's own axes and by a location fix.
package struct TrackPoint: Sendable {
    package var seconds: Double
    /// In the level axes of the track, in metres: x to the right of y.
    package var track: SIMD2<Double>
    /// East and north of some place, in metres.
    package var fix: SIMD2<Double>
    /// The standard deviation of the fix along one axis, in metres.
    package var sigmaMetres: Double

    /// No fix is believed to be better than this.
    package static let leastSigmaMetres = 0.01

    package init(seconds: Double, track: SIMD2<Double>, fix: SIMD2<Double>, sigmaMetres: Double) {
        self.seconds = seconds
        self.track = track
        self.fix = fix
        self.sigmaMetres = max(sigmaMetres, Self.leastSigmaMetres)
    }
}

/// A turn about the centre of a track, which lies at the centre of its fixes.
struct PlaneMotion {
    private(set) var trackCentre = SIMD2<Double>.zero
    private(set) var fixCentre = SIMD2<Double>.zero
    /// Cosine and sine of the turn from the track's axes to east and north, to the left.
    private(set) var turn = SIMD2(1.0, 0)

    var yawRadians: Double { arcTangent(turn.y, turn.x) }

    /// A place of the track, from the centre, in axes that point east and north.
    func turned(_ point: TrackPoint) -> SIMD2<Double> {
        let p = point.track - trackCentre
        return SIMD2(turn.x * p.x - turn.y * p.y, turn.y * p.x + turn.x * p.y)
    }

    /// The same with a further turn to the left about the centre.
    func turned(byRadians angle: Double) -> PlaneMotion {
        var motion = self
        let (c, s) = (cosine(angle), sine(angle))
        motion.turn = SIMD2(c * turn.x - s * turn.y, s * turn.x + c * turn.y)
        return motion
    }

    /// From the turned track to the fix.
    func residual(_ point: TrackPoint) -> SIMD2<Double> { point.fix - fixCentre - turned(point) }

    /// The length of the residual, squared, in standard deviations of the fix.
    func squaredDeviation(_ point: TrackPoint) -> Double {
        squaredLength(residual(point)) / (point.sigmaMetres * point.sigmaMetres)
    }

    /// The closed form of weighted least squares in the plane; weights of 0 alone give no turn.
    static func leastSquares(_ points: [TrackPoint], weight: (TrackPoint) -> Double) -> PlaneMotion {
        var motion = PlaneMotion()
        var sum = 0.0
        for point in points {
            let weight = weight(point)
            sum += weight
            motion.trackCentre += weight * point.track
            motion.fixCentre += weight * point.fix
        }
        guard sum > 0 else { return PlaneMotion() }
        motion.trackCentre /= sum
        motion.fixCentre /= sum
        var along = 0.0
        var across = 0.0
        for point in points {
            let weight = weight(point)
            let (p, g) = (point.track - motion.trackCentre, point.fix - motion.fixCentre)
            along += weight * (p.x * g.x + p.y * g.y)
            across += weight * (p.x * g.y - p.y * g.x)
        }
        let norm = (along * along + across * across).squareRoot()
        if norm > 0 { motion.turn = SIMD2(along, across) / norm }
        return motion
    }
}

// The robust fit: a start that no wild fix can spoil, then weights that hardly count what is far off.
extension PlaneMotion {
    /// Residuals of this many standard deviations have half the weight (95 % efficiency on normal noise).
    private static let cauchyScale = 2.385
    /// A fix counts as wild from this many standard deviations on, for the start.
    private static let truncation = 4.0
    private static let startPoints = 24
    private static let judgedPoints = 512
    private static let mostSteps = 40

    /// Least squares with Cauchy weights, from the best of the motions that pairs of points determine.
    static func robust(_ points: [TrackPoint]) -> PlaneMotion {
        var motion = start(points)
        for _ in 0..<mostSteps {
            let last = motion
            motion = leastSquares(points) { point in
                let deviation = last.squaredDeviation(point) / (cauchyScale * cauchyScale)
                return 1 / ((1 + deviation) * point.sigmaMetres * point.sigmaMetres)
            }
            let moved = squaredLength(motion.fixCentre - last.fixCentre) + squaredLength(motion.turn - last.turn)
            if moved < 1e-20 { break }
        }
        return motion
    }

    /// RANSAC with the pairs of a fixed selection: the same points give the same start.
    private static func start(_ points: [TrackPoint]) -> PlaneMotion {
        let judged = spread(points, judgedPoints)
        var best = leastSquares(points) { 1 / ($0.sigmaMetres * $0.sigmaMetres) }
        var bestCost = cost(judged, best)
        let chosen = spread(points, startPoints)
        for (index, first) in chosen.enumerated() {
            for second in chosen[(index + 1)...] where squaredLength(second.track - first.track) > 0.01 {
                let pair = leastSquares([first, second]) { _ in 1 }
                let pairCost = cost(judged, pair)
                if pairCost < bestCost { (best, bestCost) = (pair, pairCost) }
            }
        }
        return best
    }

    private static func cost(_ points: [TrackPoint], _ motion: PlaneMotion) -> Double {
        points.reduce(0) { $0 + min(motion.squaredDeviation($1), truncation * truncation) }
    }

    /// Some of the points, spread by the golden ratio, so that no rhythm of wild fixes meets that of the selection.
    private static func spread(_ points: [TrackPoint], _ count: Int) -> [TrackPoint] {
        guard points.count > count else { return points }
        return (0..<count).map { index in
            let place = (Double(index) * 0.618_033_988_749_895).truncatingRemainder(dividingBy: 1)
            return points[min(points.count - 1, Int(place * Double(points.count)))]
        }
    }
}

func squaredLength(_ v: SIMD2<Double>) -> Double { (v * v).sum() }

/// The effect of lasting noise of fixes on an estimate by weighted least squares.
///
/// Neighbouring fixes err alike: with standard deviations s_i the covariance of two errors along one axis is taken as
/// s_i s_j exp(-|t_i - t_j| / 60 s), besides an error that each fix has for itself. For rows u_i, those of the Jacobian
/// over s_i, the normal matrix is A = sum of u_i u_i', and the estimate has the covariance A⁻¹ B A⁻¹ with B = sum over all
/// pairs of u_i u_j' exp(-|t_i - t_j| / 60 s) (the sandwich of a linear estimator). As the correlation is that of a
/// first-order process, B is a running sum.
struct FixNoise {
    /// GPS errors last for minutes; this is the time in which their correlation falls to 1/e.
    static let correlationSeconds = 60.0

    /// A fix, by its own standard deviation.
    struct Row {
        var seconds: Double
        /// 1 over the standard deviation.
        var weight: Double
        /// From the centre to the place, east and north, over the standard deviation; zero where no turn is sought.
        var arm = SIMD2<Double>.zero
        /// The residual over the standard deviation.
        var deviation: SIMD2<Double>
    }

    /// The covariance of a motion in the plane: yaw against yaw, yaw against east and north, and one axis of the place against itself.
    ///
    /// Yaw and place are not coupled in A, as the place is that of the centre; east and north are not coupled in B, as
    /// their errors are independent.
    private struct Sums {
        var yaw = 0.0
        var yawPlace = SIMD2<Double>.zero
        var place = 0.0
    }

    private let count: Double
    private let axes: Double
    /// A, which is also B for errors without any correlation.
    private var normal = Sums()
    /// B.
    private var lasting = Sums()
    /// The sum of squared residuals, and that of squared differences of neighbours, in standard deviations.
    private var squaredDeviations = 0.0
    private var squaredSteps = 0.0
    /// From the first row to the last.
    private var seconds = 0.0

    /// - Parameters:
    ///   - axes: 2 for places, 1 for heights.
    ///   - rows: at least one, in the order of their times.
    init(axes: Int, _ rows: [Row]) {
        (count, self.axes) = (Double(rows.count), Double(axes))
        guard let first = rows.first, let last = rows.last else { return }
        seconds = last.seconds - first.seconds
        var before = first
        var arms = SIMD2<Double>.zero
        var weights = 0.0
        for row in rows {
            let kept = exponential((before.seconds - row.seconds) / Self.correlationSeconds)
            (arms, weights) = (arms * kept, weights * kept)
            normal.yaw += squaredLength(row.arm)
            normal.place += row.weight * row.weight
            lasting.yaw += squaredLength(row.arm) + 2 * (row.arm * arms).sum()
            lasting.place += row.weight * row.weight + 2 * row.weight * weights
            // A turn to the left moves a place by (-y, x).
            let crossed = row.arm * (row.weight + weights) + arms * row.weight
            lasting.yawPlace += SIMD2(-crossed.y, crossed.x)
            squaredDeviations += squaredLength(row.deviation)
            squaredSteps += squaredLength(row.deviation - before.deviation)
            arms += row.arm
            weights += row.weight
            before = row
        }
    }

    /// The noise of places around a motion in the plane.
    init(_ points: [TrackPoint], around motion: PlaneMotion) {
        self.init(
            axes: 2,
            points.map { point in
                let weight = 1 / point.sigmaMetres
                return Row(
                    seconds: point.seconds,
                    weight: weight,
                    arm: motion.turned(point) * weight,
                    deviation: motion.residual(point) * weight
                )
            }
        )
    }

    /// How many independent fixes would fix the place as well.
    var effectiveCount: Double { count * normal.place / lasting.place }

    /// The variance along one axis of an error that is common to all fixes, which no residual shows: as large as they
    /// claim theirs to be.
    var biasVariance: Double { count / normal.place }

    /// The covariance of yaw, east and north at the centre, in rad² and m²; the yaw's is `nil` where there are no arms.
    var covariance: (yaw: Double?, yawPlace: SIMD2<Double>, place: Double) {
        let (a, w) = (normal.yaw, normal.place)
        let (lastingVariance, ownVariance) = variances
        let place = (lastingVariance * lasting.place / w + ownVariance) / w
        guard a > 0 else { return (nil, .zero, place) }
        return (
            (lastingVariance * lasting.yaw / a + ownVariance) / a,
            lastingVariance * lasting.yawPlace / (a * w),
            place
        )
    }

    /// The claimed accuracy counts like this many degrees of freedom.
    private static let claimedFreedom = 4.0

    /// The variances of the error that lasts and of that which each fix has for itself, by what was claimed.
    ///
    /// Neighbours share the former, so that half the squared difference of their residuals is the latter. The rest of the
    /// residuals, against what the fit leaves of errors that last (their sum less the trace of A⁻¹ B), says how large
    /// those are; what was claimed counts too, by how little that can be known. Residuals of errors that last longer than
    /// the track are Brownian bridges, of about 2.5 degrees of freedom an axis; each further correlation time adds one.
    private var variances: (lasting: Double, own: Double) {
        let turns = normal.yaw > 0 ? 1.0 : 0
        let degrees = axes * (count - 1) - turns
        guard degrees >= 1 else { return (1, 0) }
        let own = squaredSteps / (2 * axes * (count - 1))
        let turned = turns > 0 ? lasting.yaw / normal.yaw : 0
        let expected = axes * (count - lasting.place / normal.place) - turned
        guard expected > 1e-9 else { return (1, own) }
        let freedom = min(degrees, axes * (2.5 + seconds / Self.correlationSeconds))
        let seen = max(0, squaredDeviations - degrees * own) / expected
        // Of an estimate with a variance of n degrees of freedom the error is Student's, wider by n / (n - 2).
        return ((Self.claimedFreedom + freedom * seen) / (Self.claimedFreedom + freedom - 2), own)
    }
}
