import Perception
import Recording

/// How a submap lies on another one.
struct SubmapAlignment: Sendable {
    /// The axes of the target's anchor from those of the source's.
    var targetFromSource: Transform
    /// The share of the tried points that lie on a surface of the target.
    var inlierShare: Double
    /// The share of those of the tried points that have the target within 0.3 m.
    var agreement: Double
    /// How far inliers are from the target's surfaces, along the normals; root mean square, in metres.
    var surfaceMetres: Double
    /// The covariance of (translation, rotation) in the source's anchor.
    var covariance: Matrix6
    /// Directions of translation and axes of rotation that nothing holds.
    var freeDirections: Int
}

/// Generalised ICP of submaps (Segal, Haehnel and Thrun 2009): each point is a small disc, and only what leads out of
/// the discs counts.
struct SubmapRegistration: Sendable {
    /// The deviation of a good alignment, and the least share of points that it needs.
    private static let placeMetres = 0.008
    private static let turnRadians = 0.25 * Double.pi / 180
    /// An inlier is so near, and its normal within 40 degrees.
    private static let inlierMetres: Float = 0.1
    private static let nearMetres: Float = 0.3
    private static let inlierCosine: Float = 0.766
    /// The thickness of a disc, as a share of its width squared.
    private static let flatness = 1e-3
    /// A direction of which less than this share is known is free: a wall, a corridor.
    private static let leastShare = 0.02
    private static let freeMetres = 3.0
    private static let freeRadians = 0.5
    private static let rounds = 12

    /// Aligns a source with a target; nil where too few points meet.
    ///
    /// - Parameter distances: How far correspondences may be apart, in metres, one after the other.
    static func align(
        _ source: Submap,
        to target: Submap,
        from start: Transform,
        distances: [Float]
    ) -> SubmapAlignment? {
        var pose = start
        for distance in distances {
            for _ in 0..<rounds {
                var system = System(centre: pose * Vector3(source.centre))
                system.fill(source, target, pose, distance)
                guard system.count >= 30, let step = system.step else { return nil }
                // The step turns about the centre of the source.
                let turn = Transform(exponential: Vector6(.zero, step.rotation)).rotation
                pose = Transform(
                    rotation: (turn * pose.rotation).normalized,
                    translation: turn.rotating(pose.translation - system.centre) + system.centre + step.translation
                )
                if step.translation.length < 2e-4, step.rotation.length < 1e-4 { break }
            }
        }
        return alignment(source, target, pose)
    }

    /// How well a source lies on a target at a pose.
    private static func alignment(_ source: Submap, _ target: Submap, _ pose: Transform) -> SubmapAlignment? {
        var system = System(centre: pose * Vector3(source.centre))
        system.fill(source, target, pose, inlierMetres)
        guard system.count >= 30 else { return nil }
        let known = system.known
        var free = 0
        func covariance(_ known: Matrix3, _ deviation: Double, _ most: Double) -> Matrix3 {
            let axes = SymmetricMatrix.eigenvectors(known)
            let largest = max(axes.map(\.value).max() ?? 0, 1e-12)
            // In the axes of the target; then in those of the source.
            return axes.reduce(Matrix3.zero) { sum, axis in
                let share = max(axis.value, 0) / largest
                if share < leastShare { free += 1 }
                let sigma = share < leastShare ? most : deviation * max(1, (0.1 / share).squareRoot())
                let vector = pose.rotation.inverse.rotating(axis.vector)
                return sum + Matrix3(outer: vector, vector) * (sigma * sigma)
            }
        }
        let place = covariance(known.tt, placeMetres, freeMetres)
        let turn = covariance(known.rr, turnRadians, freeRadians)
        let near = nearShare(source, target, pose)
        return SubmapAlignment(
            targetFromSource: pose,
            inlierShare: Double(system.count) / Double(source.triedCount),
            agreement: Double(system.count) / max(near * Double(source.triedCount), 1),
            surfaceMetres: (system.squares / Double(system.count)).squareRoot(),
            covariance: Matrix6(tt: place, rr: turn),
            freeDirections: free
        )
    }

    /// The share of the tried points that have the target near them at a pose.
    static func nearShare(_ source: Submap, _ target: Submap, _ pose: Transform) -> Double {
        let near = source.tried.count { index in
            let place = SIMD3<Float>(pose * Vector3(source.tree.points[index]))
            return target.tree.nearest(to: place, within: nearMetres) != nil
        }
        return Double(near) / Double(source.triedCount)
    }

    /// The normal equations of a step: a translation, and a turn about the centre, in the target's axes.
    private struct System {
        /// How much larger the diagonal is made, so that a step does not leave where nothing holds it.
        private static let damping = 1e-3

        let centre: Vector3
        var count = 0
        /// The squared distances along the normals.
        var squares = 0.0
        /// By row; of each the first six.
        private var rows = [SIMD8<Float>](repeating: .zero, count: 6)
        private var gradient = SIMD8<Float>.zero

        init(centre: Vector3) { self.centre = centre }

        mutating func fill(_ source: Submap, _ target: Submap, _ pose: Transform, _ distance: Float) {
            let turn = Matrix3(pose.rotation)
            let columns = (SIMD3<Float>(turn.c0), SIMD3<Float>(turn.c1), SIMD3<Float>(turn.c2))
            let shift = SIMD3<Float>(pose.translation)
            let middle = SIMD3<Float>(centre)
            let limit = distance * distance
            for index in source.tried {
                let (p, n) = (source.tree.points[index], source.normal(index))
                let place = columns.0 * p.x + columns.1 * p.y + columns.2 * p.z + shift
                guard let found = target.tree.nearest(to: place, within: distance) else { continue }
                let normal = columns.0 * n.x + columns.1 * n.y + columns.2 * n.z
                let other = target.normal(found.index)
                let agreement = (normal * other).sum()
                guard agreement > SubmapRegistration.inlierCosine else { continue }
                // Tukey's weight: what is far away counts less and less.
                let rest = 1 - found.squaredMetres / limit
                let weight = rest * rest * source.normals[index].w * target.normals[found.index].w
                let error = place - target.tree.points[found.index]
                add(error, normal, other, min(agreement, 1), arm: place - middle, weight)
            }
        }

        /// Adds a point that is off by an error.
        ///
        /// The inverse of the sum of both discs' covariances, without what it is in every direction: that holds a point to its
        /// nearest neighbour, not to the surface. The rest lies along the sum of the normals and along their difference.
        private mutating func add(
            _ error: SIMD3<Float>,
            _ normal: SIMD3<Float>,
            _ other: SIMD3<Float>,
            _ cosine: Float,
            arm: SIMD3<Float>,
            _ weight: Float
        ) {
            count += 1
            let thin = Float(1 - SubmapRegistration.flatness)
            let (sum, difference) = (normal + other, normal - other)
            let along = (1 / (2 - thin * (1 + cosine)) - 0.5) / (2 + 2 * cosine)
            let off = (error * sum).sum()
            squares += Double(off * off) / Double(2 + 2 * cosine)
            add(sum, off, along * weight, arm)
            guard cosine < 0.9999 else { return }
            let across = (1 / (2 - thin * (1 - cosine)) - 0.5) / (2 - 2 * cosine)
            add(difference, (error * difference).sum(), across * weight, arm)
        }

        private mutating func add(_ d: SIMD3<Float>, _ error: Float, _ weight: Float, _ arm: SIMD3<Float>) {
            let t = SIMD3(arm.y * d.z - arm.z * d.y, arm.z * d.x - arm.x * d.z, arm.x * d.y - arm.y * d.x)
            let row = SIMD8(d.x, d.y, d.z, t.x, t.y, t.z, 0, 0)
            let scaled = row * weight
            rows.withUnsafeMutableBufferPointer { rows in
                for axis in 0..<6 { rows[axis] += scaled * row[axis] }
            }
            gradient += scaled * error
        }

        /// What the points say, by translation and by turn.
        var known: Matrix6 {
            Matrix6(rowMajor: rows.flatMap { row in (0..<6).map { Double(row[$0]) } })
        }

        /// The step to where the errors are least; nil where the system is singular.
        var step: Vector6? {
            var damped = known
            let (places, turns) = (damped.tt.diagonal.max(), damped.rr.diagonal.max())
            guard places > 0, turns > 0, places.isFinite, turns.isFinite else { return nil }
            damped.tt = damped.tt + Matrix3(diagonal: Vector3(repeating: places * Self.damping))
            damped.rr = damped.rr + Matrix3(diagonal: Vector3(repeating: turns * Self.damping))
            guard let inverse = damped.symmetricInverse else { return nil }
            func part(_ from: Int) -> Vector3 {
                Vector3(Double(gradient[from]), Double(gradient[from + 1]), Double(gradient[from + 2]))
            }
            return inverse * Vector6(part(0), part(3)) * -1
        }
    }
}
