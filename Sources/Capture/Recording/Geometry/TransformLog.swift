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

    /// How tangent vectors on the right of the inverse's left turn: Ad of this motion, for (translation, rotation).
    package var adjoint: Matrix6 {
        let turn = Matrix3(rotation)
        return Matrix6(tt: turn, tr: Matrix3(crossing: translation) * turn, rr: turn)
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
        guard squared > 1e-4 else {
            return (0.5 - squared / 24 + squared * squared / 720, 1 / 6.0 - squared / 120 + squared * squared / 5040)
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
        if squared > 1e-4 {
            let angle = squared.squareRoot()
            factor = 1 / squared - (1 + cosine(angle)) / (2 * angle * sine(angle))
        } else {
            factor = 1 / 12.0 + squared / 720 + squared * squared / 30240
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
            d = 1 / 24.0 - squared / 720 + squared * squared / 40320
            e = -1 / 120.0 + squared / 5040 - squared * squared / 362_880
        }
        let (p, f) = (Matrix3(crossing: t), Matrix3(crossing: r))
        let (fp, pf) = (f * p, p * f)
        let fpf = fp * f
        let first = p * 0.5
        let second = (fp + pf + fpf) * c
        let third = (f * fp + pf * f - fpf * 3) * d
        let fourth = (fpf * f + f * fpf) * ((d + 3 * e) / 2)
        return first + second + third + fourth
    }
}
