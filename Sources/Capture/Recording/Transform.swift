/// A rigid motion: a rotation, then a translation.
///
/// Named `targetFromSource`: `worldFromCamera * pointInCamera` is the point in the world, and products read by matching
/// neighbours, `mapFromWorld * worldFromCamera`.
package struct Transform: Hashable, Sendable, BitwiseCopyable {
    package var rotation: Quaternion
    package var translation: Vector3

    package init(rotation: Quaternion, translation: Vector3 = .zero) {
        self.rotation = rotation
        self.translation = translation
    }

    package static let identity = Transform(rotation: .identity)

    package static func * (left: Transform, right: Transform) -> Transform {
        Transform(
            rotation: (left.rotation * right.rotation).normalized,
            translation: left.rotation.rotating(right.translation) + left.translation
        )
    }

    package static func * (transform: Transform, point: Vector3) -> Vector3 {
        transform.rotation.rotating(point) + transform.translation
    }

    package var inverse: Transform {
        let inverseRotation = rotation.inverse
        return Transform(rotation: inverseRotation, translation: -inverseRotation.rotating(translation))
    }

    /// Between this pose (fraction 0) and another (fraction 1): slerp and straight line.
    package func interpolated(to other: Transform, fraction: Double) -> Transform {
        Transform(
            rotation: rotation.interpolated(to: other.rotation, fraction: fraction),
            translation: translation + (other.translation - translation) * fraction
        )
    }

    /// Why sixteen numbers are no rigid motion.
    package enum MatrixProblem: Error, Hashable, Sendable {
        case notFinite(index: Int)
        case notOrthonormal(deviation: Double)
        case mirrored
        case lastRow
        case farAway(metres: Double)
    }

    /// A rigid motion from a column-major 4x4 matrix, as ARKit writes `camera_transform`.
    ///
    /// The rotation may deviate from orthonormal by `tolerance` (phones write single precision); it is normalised.
    /// Translations beyond 100 km are refused: they overflow grids and are never a walk.
    package init(columnMajor m: [Double], tolerance: Double = 1e-3) throws(MatrixProblem) {
        precondition(m.count == 16)
        for index in 0..<16 where !m[index].isFinite { throw .notFinite(index: index) }
        let c0 = Vector3(m[0], m[1], m[2])
        let c1 = Vector3(m[4], m[5], m[6])
        let c2 = Vector3(m[8], m[9], m[10])
        let deviation = [
            abs(dot(c0, c0) - 1), abs(dot(c1, c1) - 1), abs(dot(c2, c2) - 1),
            abs(dot(c0, c1)), abs(dot(c0, c2)), abs(dot(c1, c2)),
        ].reduce(0, max)
        guard deviation <= tolerance else { throw .notOrthonormal(deviation: deviation) }
        guard dot(cross(c0, c1), c2) > 0 else { throw .mirrored }
        guard max(abs(m[3]), abs(m[7]), abs(m[11])) <= tolerance, abs(m[15] - 1) <= tolerance else { throw .lastRow }
        let translation = Vector3(m[12], m[13], m[14])
        guard translation.length <= 100_000 else { throw .farAway(metres: translation.length) }
        self.init(rotation: Quaternion(columns: c0, c1, c2), translation: translation)
    }

    /// The column-major 4x4 matrix of this motion.
    package var columnMajor: [Double] {
        let (c0, c1, c2) = rotation.columns
        let t = translation
        return [c0.x, c0.y, c0.z, 0, c1.x, c1.y, c1.z, 0, c2.x, c2.y, c2.z, 0, t.x, t.y, t.z, 1]
    }
}

/// The group of rigid motions: exponential, logarithm, and their derivatives.
///
/// Tangent vectors are a translation and a rotation vector, both in the frame on the right of the motion. Formulas: Barfoot,
/// "State Estimation for Robotics", 7.1 and 7.86, written for right perturbations.
extension Transform {
    /// The motion whose logarithm this is.
    package init(exponential v: Vector6) {
        let angle = v.rotation.length
        let rotation =
            angle > 1e-12
            ? Quaternion(angleRadians: angle, axis: v.rotation / angle)
            : Quaternion(x: v.rotation.x / 2, y: v.rotation.y / 2, z: v.rotation.z / 2, w: 1).normalized
        self.init(rotation: rotation, translation: Rotations.leftJacobian(v.rotation) * v.translation)
    }

    package var logarithm: Vector6 {
        let rotation = self.rotation.rotationVector
        return Vector6(Rotations.inverseLeftJacobian(rotation) * translation, rotation)
    }

    /// This motion, turned and moved by small amounts in its own frame: the translation first, with the rotation as it was.
    package func moved(by v: Vector6) -> Transform {
        Transform(
            rotation: (rotation * Transform(exponential: Vector6(.zero, v.rotation)).rotation).normalized,
            translation: translation + rotation.rotating(v.translation)
        )
    }

    /// This motion, moved and turned about its own place by small amounts in the axes of its target.
    package func moved(inWorldBy v: Vector6) -> Transform {
        Transform(
            rotation: (Transform(exponential: Vector6(.zero, v.rotation)).rotation * rotation).normalized,
            translation: translation + v.translation
        )
    }

    /// The derivative of `(self * exp(v)).logarithm` by `v` at zero, given the logarithm of `self`.
    package static func inverseRightJacobian(_ log: Vector6) -> Matrix6 {
        // The right Jacobian is the left one of the opposite vector.
        let (r, t) = (-log.rotation, -log.translation)
        let inverse = Rotations.inverseLeftJacobian(r)
        return Matrix6(tt: inverse, tr: -(inverse * Rotations.mixed(t, r) * inverse), rr: inverse)
    }
}

/// Jacobians of rotation vectors.
private enum Rotations {
    /// (1 - cos a) / a^2, (a - sin a) / a^3, as series where the formulas lose their digits.
    private static func coefficients(_ squared: Double) -> (Double, Double) {
        guard squared > 1e-2 else {
            return (
                0.5 - squared * (1 / 24.0 - squared * (1 / 720.0 - squared * (1 / 40320.0 - squared / 3_628_800))),
                1 / 6.0 - squared
                    * (1 / 120.0 - squared * (1 / 5040.0 - squared * (1 / 362_880.0 - squared / 39_916_800)))
            )
        }
        let angle = squared.squareRoot()
        return ((1 - cosine(angle)) / squared, (angle - sine(angle)) / (squared * angle))
    }

    static func leftJacobian(_ v: Vector3) -> Matrix3 {
        let (b, c) = coefficients(dot(v, v))
        let k = Matrix3(crossing: v)
        return .identity + k * b + (k * k) * c
    }

    static func inverseLeftJacobian(_ v: Vector3) -> Matrix3 {
        let squared = dot(v, v)
        let k = Matrix3(crossing: v)
        let factor: Double
        if squared > 1e-2 {
            let angle = squared.squareRoot()
            factor = 1 / squared - (1 + cosine(angle)) / (2 * angle * sine(angle))
        } else {
            factor =
                1 / 12.0 + squared
                * (1 / 720.0 + squared * (1 / 30240.0 + squared * (1 / 1_209_600.0 + squared / 47_900_160)))
        }
        return .identity - k * 0.5 + (k * k) * factor
    }

    /// Barfoot's Q: what the translation adds to the left Jacobian.
    static func mixed(_ t: Vector3, _ r: Vector3) -> Matrix3 {
        let squared = dot(r, r)
        let (_, c) = coefficients(squared)
        let d: Double
        let e: Double
        if squared > 1e-2 {
            let angle = squared.squareRoot()
            d = (squared / 2 + cosine(angle) - 1) / (squared * squared)
            e = (angle - sine(angle) - squared * angle / 6) / (squared * squared * angle)
        } else {
            d = 1 / 24.0 - squared * (1 / 720.0 - squared * (1 / 40320.0 - squared / 3_628_800))
            e = -1 / 120.0 + squared * (1 / 5040.0 - squared * (1 / 362_880.0 - squared / 39_916_800))
        }
        // With P = [t]x and F = [r]x: F P = t rT - (t.r) 1, P F = r tT - (t.r) 1, and so F P F = -(t.r) F.
        let along = dot(t, r)
        let across = cross(r, t)
        let f = Matrix3(crossing: r)
        let one = Matrix3(diagonal: Vector3(repeating: 2 * along))
        let first = Matrix3(crossing: t) * 0.5
        let second = (Matrix3(outer: t, r) + Matrix3(outer: r, t) - one - f * along) * c
        let third = (Matrix3(outer: across, r) - Matrix3(outer: r, across) + f * along) * d
        let squares = Matrix3(outer: r, r) - Matrix3(diagonal: Vector3(repeating: squared))
        let fourth = squares * (-along * (d + 3 * e))
        return first + second + third + fourth
    }
}
