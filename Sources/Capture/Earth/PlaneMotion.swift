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
