/// A matrix of three rows and columns in double precision.
///
/// Kept as nine numbers: with three vectors, which are aligned to 32 bytes, Swift 6.3's optimiser loses parts of the
/// matrices that are made of this one.
package struct Matrix3: Hashable, Sendable {
    @usableFromInline var m00: Double
    @usableFromInline var m10: Double
    @usableFromInline var m20: Double
    @usableFromInline var m01: Double
    @usableFromInline var m11: Double
    @usableFromInline var m21: Double
    @usableFromInline var m02: Double
    @usableFromInline var m12: Double
    @usableFromInline var m22: Double

    @inlinable @inline(__always)
    package init(columns c0: Vector3, _ c1: Vector3, _ c2: Vector3) {
        (m00, m10, m20) = (c0.x, c0.y, c0.z)
        (m01, m11, m21) = (c1.x, c1.y, c1.z)
        (m02, m12, m22) = (c2.x, c2.y, c2.z)
    }

    /// Row by row.
    @inlinable @inline(__always)
    package init(
        _ m00: Double,
        _ m01: Double,
        _ m02: Double,
        _ m10: Double,
        _ m11: Double,
        _ m12: Double,
        _ m20: Double,
        _ m21: Double,
        _ m22: Double
    ) {
        (self.m00, self.m01, self.m02) = (m00, m01, m02)
        (self.m10, self.m11, self.m12) = (m10, m11, m12)
        (self.m20, self.m21, self.m22) = (m20, m21, m22)
    }

    @inlinable @inline(__always)
    package var c0: Vector3 { Vector3(m00, m10, m20) }
    @inlinable @inline(__always)
    package var c1: Vector3 { Vector3(m01, m11, m21) }
    @inlinable @inline(__always)
    package var c2: Vector3 { Vector3(m02, m12, m22) }

    package init(_ rotation: Quaternion) {
        let (c0, c1, c2) = rotation.columns
        self.init(columns: c0, c1, c2)
    }

    @inlinable @inline(__always)
    package init(diagonal d: Vector3) {
        self.init(columns: Vector3(d.x, 0, 0), Vector3(0, d.y, 0), Vector3(0, 0, d.z))
    }

    /// The matrix whose product with a vector is `cross(v, _)`.
    @inlinable @inline(__always)
    package init(crossing v: Vector3) {
        self.init(columns: Vector3(0, v.z, -v.y), Vector3(-v.z, 0, v.x), Vector3(v.y, -v.x, 0))
    }

    /// a bᵀ.
    @inlinable @inline(__always)
    package init(outer a: Vector3, _ b: Vector3) { self.init(columns: a * b.x, a * b.y, a * b.z) }

    @inlinable @inline(__always)
    package static var zero: Matrix3 { Matrix3(columns: .zero, .zero, .zero) }
    @inlinable @inline(__always)
    package static var identity: Matrix3 { Matrix3(diagonal: Vector3(1, 1, 1)) }

    @inlinable @inline(__always)
    package var transposed: Matrix3 { Matrix3(m00, m10, m20, m01, m11, m21, m02, m12, m22) }

    @inlinable @inline(__always)
    package var diagonal: Vector3 { Vector3(m00, m11, m22) }

    @inlinable @inline(__always)
    package static func * (a: Matrix3, v: Vector3) -> Vector3 {
        Vector3(
            a.m00 * v.x + a.m01 * v.y + a.m02 * v.z,
            a.m10 * v.x + a.m11 * v.y + a.m12 * v.z,
            a.m20 * v.x + a.m21 * v.y + a.m22 * v.z
        )
    }

    @inlinable @inline(__always)
    package static func * (a: Matrix3, b: Matrix3) -> Matrix3 {
        Matrix3(
            a.m00 * b.m00 + a.m01 * b.m10 + a.m02 * b.m20,
            a.m00 * b.m01 + a.m01 * b.m11 + a.m02 * b.m21,
            a.m00 * b.m02 + a.m01 * b.m12 + a.m02 * b.m22,
            a.m10 * b.m00 + a.m11 * b.m10 + a.m12 * b.m20,
            a.m10 * b.m01 + a.m11 * b.m11 + a.m12 * b.m21,
            a.m10 * b.m02 + a.m11 * b.m12 + a.m12 * b.m22,
            a.m20 * b.m00 + a.m21 * b.m10 + a.m22 * b.m20,
            a.m20 * b.m01 + a.m21 * b.m11 + a.m22 * b.m21,
            a.m20 * b.m02 + a.m21 * b.m12 + a.m22 * b.m22
        )
    }

    @inlinable @inline(__always)
    package static func * (a: Matrix3, s: Double) -> Matrix3 {
        Matrix3(a.m00 * s, a.m01 * s, a.m02 * s, a.m10 * s, a.m11 * s, a.m12 * s, a.m20 * s, a.m21 * s, a.m22 * s)
    }

    @inlinable @inline(__always)
    package static func + (a: Matrix3, b: Matrix3) -> Matrix3 {
        Matrix3(
            a.m00 + b.m00,
            a.m01 + b.m01,
            a.m02 + b.m02,
            a.m10 + b.m10,
            a.m11 + b.m11,
            a.m12 + b.m12,
            a.m20 + b.m20,
            a.m21 + b.m21,
            a.m22 + b.m22
        )
    }

    @inlinable @inline(__always)
    package static func - (a: Matrix3, b: Matrix3) -> Matrix3 { a + -b }

    @inlinable @inline(__always)
    package static prefix func - (a: Matrix3) -> Matrix3 {
        Matrix3(-a.m00, -a.m01, -a.m02, -a.m10, -a.m11, -a.m12, -a.m20, -a.m21, -a.m22)
    }

    /// The lower triangular L with L Lᵀ equal to this symmetric matrix, of which only the lower half is read; nil where it
    /// is not positive definite.
    @inlinable
    package var cholesky: Matrix3? {
        guard m00 > 0 else { return nil }
        let a = m00.squareRoot()
        let (b, c) = (m10 / a, m20 / a)
        let dd = m11 - b * b
        guard dd > 0 else { return nil }
        let d = dd.squareRoot()
        let e = (m21 - c * b) / d
        let ff = m22 - c * c - e * e
        // Also false for what is no number.
        guard ff > 0, ff.isFinite, dd.isFinite, a.isFinite else { return nil }
        return Matrix3(a, 0, 0, b, d, 0, c, e, ff.squareRoot())
    }

    /// The inverse of a symmetric positive definite matrix; nil of others.
    @inlinable
    package var symmetricInverse: Matrix3? {
        guard let inverse = cholesky?.lowerInverse else { return nil }
        return inverse.transposed * inverse
    }

    /// The inverse of a lower triangular matrix with a diagonal that is not zero.
    @inlinable
    package var lowerInverse: Matrix3 {
        let (a, d, f) = (1 / m00, 1 / m11, 1 / m22)
        let b = -m10 * a * d
        let e = -m21 * d * f
        let c = -(m20 * a + m21 * b) * f
        return Matrix3(a, 0, 0, b, d, 0, c, e, f)
    }
}

/// Eigenvectors of small symmetric matrices.
package enum SymmetricMatrix {
    /// The eigenvector of the largest eigenvalue, by Jacobi's rotations, which turn the largest element outside of the diagonal to zero.
    package static func largestEigenvector(_ matrix: [[Double]]) -> [Double] { eigenvectors(matrix).last?.vector ?? [] }

    /// Eigenvalues with their eigenvectors, in ascending order.
    package static func eigenvectors(_ matrix: Matrix3) -> [(value: Double, vector: Vector3)] {
        let rows = (0..<3).map { [matrix.c0[$0], matrix.c1[$0], matrix.c2[$0]] }
        return eigenvectors(rows).map { ($0.value, Vector3($0.vector[0], $0.vector[1], $0.vector[2])) }
    }

    private static func eigenvectors(_ matrix: [[Double]]) -> [(value: Double, vector: [Double])] {
        let size = matrix.count
        var a = matrix
        var vectors = (0..<size).map { row in (0..<size).map { $0 == row ? 1.0 : 0.0 } }
        // A hundred rotations are many times what four rows need.
        for _ in 0..<100 {
            var (p, q, largest) = (0, 1, 0.0)
            for row in 0..<size {
                for column in row + 1..<size where abs(a[row][column]) > largest {
                    (p, q, largest) = (row, column, abs(a[row][column]))
                }
            }
            guard largest > 1e-300 else { break }
            let theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
            let t = (theta < 0 ? -1 : 1) / (abs(theta) + (theta * theta + 1).squareRoot())
            let c = 1 / (t * t + 1).squareRoot()
            let s = t * c
            for k in 0..<size {
                let (kp, kq) = (a[k][p], a[k][q])
                (a[k][p], a[k][q]) = (c * kp - s * kq, s * kp + c * kq)
            }
            for k in 0..<size {
                let (pk, qk) = (a[p][k], a[q][k])
                (a[p][k], a[q][k]) = (c * pk - s * qk, s * pk + c * qk)
                let (vp, vq) = (vectors[k][p], vectors[k][q])
                (vectors[k][p], vectors[k][q]) = (c * vp - s * vq, s * vp + c * vq)
            }
        }
        return (0..<size).sorted { a[$0][$0] < a[$1][$1] }.map { place in (a[place][place], vectors.map { $0[place] }) }
    }
}
