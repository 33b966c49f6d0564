import Recording

/// What noise of fixes that lasts does to an estimate by weighted least squares.
///
/// Neighbouring fixes err alike: with standard deviations s_i the covariance of two errors along one axis is taken as
/// s_i s_j exp(-|t_i - t_j| / 60 s). For rows u_i, those of the Jacobian over s_i, the normal matrix is A = sum of
/// u_i u_i', and the estimate has the covariance A⁻¹ B A⁻¹ with B = sum over all pairs of u_i u_j' exp(-|t_i - t_j| / 60 s)
/// (the sandwich of a linear estimator). As the correlation is that of a first-order process, B is a running sum.
struct FixNoise {
    /// GPS errors last for minutes; this is the time in which their correlation falls to 1/e.
    static let correlationSeconds = 60.0

    /// Of a motion in the plane: yaw against yaw, yaw against east and north, and one place axis against itself.
    ///
    /// Yaw and place are not coupled in A, as the place is that of the centre; east and north are not coupled in B, as
    /// their errors are independent.
    struct Sums {
        var yaw = 0.0
        var yawPlace = SIMD2<Double>.zero
        var place = 0.0
    }

    private let count: Int
    /// A, which is also B for errors without any correlation.
    private(set) var normal = Sums()
    /// B.
    private var lasting = Sums()
    /// The sum of squared residuals, and that of squared differences of neighbours, in standard deviations.
    private var squaredDeviations = 0.0
    private var squaredSteps = 0.0
    /// From the first point to the last.
    private var seconds = 0.0

    /// - Parameter points: in the order of their times.
    init(_ points: [TrackPoint], around motion: PlaneMotion) {
        count = points.count
        guard let first = points.first, let last = points.last else { return }
        seconds = last.seconds - first.seconds
        var before = (seconds: first.seconds, deviation: motion.residual(first) / first.sigmaMetres)
        var arms = SIMD2<Double>.zero
        var weights = 0.0
        for point in points {
            let kept = exponential((before.seconds - point.seconds) / Self.correlationSeconds)
            (arms, weights) = (arms * kept, weights * kept)
            let weight = 1 / point.sigmaMetres
            let arm = motion.turned(point) * weight
            normal.yaw += squaredLength(arm)
            normal.place += weight * weight
            lasting.yaw += squaredLength(arm) + 2 * (arm * arms).sum()
            lasting.place += weight * weight + 2 * weight * weights
            // A turn to the left moves a place by (-y, x).
            let crossed = arm * weight + arm * weights + arms * weight
            lasting.yawPlace += SIMD2(-crossed.y, crossed.x)
            arms += arm
            weights += weight
            let deviation = motion.residual(point) * weight
            squaredDeviations += squaredLength(deviation)
            squaredSteps += squaredLength(deviation - before.deviation)
            before = (point.seconds, deviation)
        }
    }

    /// How many independent fixes would fix the place as well.
    var effectiveCount: Double { lasting.place > 0 ? Double(count) * normal.place / lasting.place : 0 }

    /// The covariance of yaw, east and north at the centre, in rad² and m².
    ///
    /// - Returns: `nil` where the track has no extent, or there are too few points.
    var covariance: (yaw: Double, yawPlace: SIMD2<Double>, place: Double)? {
        guard count > 1, normal.yaw > 0, normal.place > 0 else { return nil }
        let (a, w) = (normal.yaw, normal.place)
        let (lastingVariance, ownVariance) = variances
        return (
            (lastingVariance * lasting.yaw / a + ownVariance) / a,
            lastingVariance * lasting.yawPlace / (a * w),
            (lastingVariance * lasting.place / w + ownVariance) / w
        )
    }

    /// The claimed accuracy counts like this many degrees of freedom.
    private static let claimedFreedom = 4.0

    /// The variances of the error that lasts and of that which each fix has for itself, by what was claimed.
    ///
    /// Neighbours share the former, so that half the squared difference of their residuals is the latter. The rest of the
    /// residuals, against what the fit leaves of errors that last (the trace of B - A⁻¹ B in each row), says how large
    /// those are; what was claimed counts too, by how little that can be known. Residuals of errors that last longer than
    /// the track are Brownian bridges, of about 2.5 degrees of freedom an axis; each further correlation time adds one.
    private var variances: (lasting: Double, own: Double) {
        let degrees = 2 * Double(count) - 3
        let own = squaredSteps / (4 * Double(count - 1))
        let expected = 2 * Double(count) - lasting.yaw / normal.yaw - 2 * lasting.place / normal.place
        guard expected > 1e-9 else { return (1, own) }
        let freedom = min(degrees, 5 + 2 * seconds / Self.correlationSeconds)
        let seen = max(0, squaredDeviations - degrees * own) / expected
        // Of an estimate with a variance of n degrees of freedom the error is Student's, wider by n / (n - 2).
        return ((Self.claimedFreedom + freedom * seen) / (Self.claimedFreedom + freedom - 2), own)
    }
}
