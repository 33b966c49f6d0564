import Glibc

/// A three-dimensional vector in double precision: metres, or whatever the name at hand says.
package typealias Vector3 = SIMD3<Double>

/// A rotation as a unit quaternion, Hamilton convention, right-handed.
///
/// `a * b` rotates by `b` first. `q` and `-q` are the same rotation.
package struct Quaternion: Hashable, Sendable, BitwiseCopyable {
    package var x: Double
    package var y: Double
    package var z: Double
    package var w: Double

    package init(x: Double, y: Double, z: Double, w: Double) {
        self.x = x
        self.y = y
        self.z = z
        self.w = w
    }

    package static let identity = Quaternion(x: 0, y: 0, z: 0, w: 1)

    /// A rotation by an angle in radians about a unit axis.
    package init(angleRadians angle: Double, axis: Vector3) {
        let half = sine(angle / 2)
        self.init(x: axis.x * half, y: axis.y * half, z: axis.z * half, w: cosine(angle / 2))
    }

    /// The rotation whose matrix has the given columns, which must be orthonormal and right-handed.
    ///
    /// Shepperd's method: the largest of the four components is found first, so no division is by a small number.
    package init(columns c0: Vector3, _ c1: Vector3, _ c2: Vector3) {
        let trace = c0.x + c1.y + c2.z
        let q: Quaternion
        if trace > 0 {
            let s = (trace + 1).squareRoot() * 2
            q = Quaternion(x: (c1.z - c2.y) / s, y: (c2.x - c0.z) / s, z: (c0.y - c1.x) / s, w: s / 4)
        } else if c0.x > c1.y && c0.x > c2.z {
            let s = (1 + c0.x - c1.y - c2.z).squareRoot() * 2
            q = Quaternion(x: s / 4, y: (c1.x + c0.y) / s, z: (c2.x + c0.z) / s, w: (c1.z - c2.y) / s)
        } else if c1.y > c2.z {
            let s = (1 + c1.y - c0.x - c2.z).squareRoot() * 2
            q = Quaternion(x: (c1.x + c0.y) / s, y: s / 4, z: (c2.y + c1.z) / s, w: (c2.x - c0.z) / s)
        } else {
            let s = (1 + c2.z - c0.x - c1.y).squareRoot() * 2
            q = Quaternion(x: (c2.x + c0.z) / s, y: (c2.y + c1.z) / s, z: s / 4, w: (c0.y - c1.x) / s)
        }
        self = q.normalized
    }

    package var norm: Double { (x * x + y * y + z * z + w * w).squareRoot() }

    package var normalized: Quaternion {
        let n = norm
        return Quaternion(x: x / n, y: y / n, z: z / n, w: w / n)
    }

    /// The opposite rotation (of a unit quaternion).
    package var inverse: Quaternion { Quaternion(x: -x, y: -y, z: -z, w: w) }

    /// The angle of the rotation, about whatever axis: 0 to pi.
    package var angleRadians: Double { 2 * arcTangent(Vector3(x, y, z).length, abs(w)) }

    package static func * (a: Quaternion, b: Quaternion) -> Quaternion {
        Quaternion(
            x: a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            y: a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            z: a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
            w: a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z
        )
    }

    /// The vector `v` rotated.
    package func rotating(_ v: Vector3) -> Vector3 {
        let u = Vector3(x, y, z)
        let t = 2 * cross(u, v)
        return v + w * t + cross(u, t)
    }

    /// The columns of the rotation matrix: the images of the three unit vectors.
    package var columns: (Vector3, Vector3, Vector3) {
        (rotating(Vector3(1, 0, 0)), rotating(Vector3(0, 1, 0)), rotating(Vector3(0, 0, 1)))
    }

    /// The rotation as an axis times an angle in radians, the angle in 0...pi.
    package var rotationVector: Vector3 {
        let sign: Double = w < 0 ? -1 : 1
        let v = sign * Vector3(x, y, z)
        let length = v.length
        guard length > 1e-12 else { return 2 * v }
        return v * (2 * arcTangent(length, sign * w) / length)
    }

    /// Spherical interpolation by the shorter way; `fraction` 0 gives this rotation, 1 the other.
    package func interpolated(to other: Quaternion, fraction: Double) -> Quaternion {
        let step = (inverse * other).rotationVector * fraction
        let angle = step.length
        guard angle > 1e-12 else { return self }
        return (self * Quaternion(angleRadians: angle, axis: step / angle)).normalized
    }
}

/// The vector product of a right-handed frame.
package func cross(_ a: Vector3, _ b: Vector3) -> Vector3 {
    Vector3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

/// The scalar product.
package func dot(_ a: Vector3, _ b: Vector3) -> Double {
    (a * b).sum()
}

extension SIMD3<Double> {
    /// The Euclidean length.
    package var length: Double { (self * self).sum().squareRoot() }
}

// The C library's functions by name, so that no other file of the capture world needs a platform import for them.
package func sine(_ radians: Double) -> Double { Glibc.sin(radians) }
package func cosine(_ radians: Double) -> Double { Glibc.cos(radians) }
package func tangent(_ radians: Double) -> Double { Glibc.tan(radians) }
package func arcTangent(_ y: Double, _ x: Double) -> Double { Glibc.atan2(y, x) }
/// A value just outside of -1 to 1, as rounding leaves it, counts as the limit.
package func arcSine(_ value: Double) -> Double { Glibc.asin(max(-1, min(1, value))) }
package func exponential(_ power: Double) -> Double { Glibc.exp(power) }
package func naturalLogarithm(_ value: Double) -> Double { Glibc.log(value) }
func hyperbolicSine(_ value: Double) -> Double { Glibc.sinh(value) }
/// The same for a cosine.
package func arcCosine(_ value: Double) -> Double { Glibc.acos(max(-1, min(1, value))) }
