import Recording

/// What noise of fixes that lasts does to an estimate by weighted least squares.
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

    /// Of a motion in the plane: yaw against yaw, yaw against east and north, and one axis of the place against itself.
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

    /// Of places around a motion in the plane.
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
