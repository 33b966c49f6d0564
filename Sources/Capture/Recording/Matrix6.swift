/// A vector of six numbers: a translation, then a rotation vector.
package struct Vector6: Hashable, Sendable {
    package var translation: Vector3
    package var rotation: Vector3

    @inlinable
    package init(_ translation: Vector3, _ rotation: Vector3) {
        self.translation = translation
        self.rotation = rotation
    }

    @inlinable package static var zero: Vector6 { Vector6(.zero, .zero) }

    @inlinable
    package static func + (a: Vector6, b: Vector6) -> Vector6 {
        Vector6(a.translation + b.translation, a.rotation + b.rotation)
    }

    @inlinable
    package static func - (a: Vector6, b: Vector6) -> Vector6 {
        Vector6(a.translation - b.translation, a.rotation - b.rotation)
    }

    @inlinable
    package static func * (a: Vector6, s: Double) -> Vector6 { Vector6(a.translation * s, a.rotation * s) }

    @inlinable
    package func dot(_ other: Vector6) -> Double {
        (translation * other.translation).sum() + (rotation * other.rotation).sum()
    }
}

/// A matrix of six rows and columns in four parts of three: those of translations first, then those of rotations.
package struct Matrix6: Hashable, Sendable {
    /// Rows of the translation, columns of the translation, and so on.
    package var tt: Matrix3
    package var tr: Matrix3
    package var rt: Matrix3
    package var rr: Matrix3

    @inlinable
    package init(tt: Matrix3, tr: Matrix3 = .zero, rt: Matrix3 = .zero, rr: Matrix3) {
        self.tt = tt
        self.tr = tr
        self.rt = rt
        self.rr = rr
    }

    /// The diagonal matrix of these numbers.
    @inlinable
    package init(diagonal d: Vector6) {
        self.init(tt: Matrix3(diagonal: d.translation), rr: Matrix3(diagonal: d.rotation))
    }

    /// v vᵀ.
    @inlinable
    package init(outer v: Vector6) {
        self.init(
            tt: Matrix3(outer: v.translation, v.translation),
            tr: Matrix3(outer: v.translation, v.rotation),
            rt: Matrix3(outer: v.rotation, v.translation),
            rr: Matrix3(outer: v.rotation, v.rotation)
        )
    }

    @inlinable package static var zero: Matrix6 { Matrix6(tt: .zero, rr: .zero) }
    @inlinable package static var identity: Matrix6 { Matrix6(tt: .identity, rr: .identity) }

    @inlinable package var transposed: Matrix6 {
        Matrix6(tt: tt.transposed, tr: rt.transposed, rt: tr.transposed, rr: rr.transposed)
    }

    @inlinable package var diagonal: Vector6 { Vector6(tt.diagonal, rr.diagonal) }

    @inlinable
    package static func * (a: Matrix6, v: Vector6) -> Vector6 {
        Vector6(a.tt * v.translation + a.tr * v.rotation, a.rt * v.translation + a.rr * v.rotation)
    }

    @inlinable
    package static func * (a: Matrix6, b: Matrix6) -> Matrix6 {
        Matrix6(
            tt: a.tt * b.tt + a.tr * b.rt,
            tr: a.tt * b.tr + a.tr * b.rr,
            rt: a.rt * b.tt + a.rr * b.rt,
            rr: a.rt * b.tr + a.rr * b.rr
        )
    }

    /// The product with a rotation of both halves.
    @inlinable
    package func times(turn: Matrix3) -> Matrix6 { Matrix6(tt: tt * turn, tr: tr * turn, rt: rt * turn, rr: rr * turn) }

    /// The product of this matrix, whose upper right part is zero, with one whose lower left part is.
    @inlinable
    package func lowerTimes(upper b: Matrix6) -> Matrix6 {
        Matrix6(tt: tt * b.tt, tr: tt * b.tr, rt: rt * b.tt, rr: rt * b.tr + rr * b.rr)
    }

    /// The product of this matrix, whose upper right part is zero, with a vector.
    @inlinable
    package func lowerTimes(_ v: Vector6) -> Vector6 {
        Vector6(tt * v.translation, rt * v.translation + rr * v.rotation)
    }

    /// This matrix times its own transposed.
    @inlinable
    package var timesTransposed: Matrix6 {
        let (a, b) = (rt.transposed, rr.transposed)
        let upper = tt * a + tr * b
        return Matrix6(
            tt: tt * tt.transposed + tr * tr.transposed,
            tr: upper,
            rt: upper.transposed,
            rr: rt * a + rr * b
        )
    }

    @inlinable
    package static func * (a: Matrix6, s: Double) -> Matrix6 {
        Matrix6(tt: a.tt * s, tr: a.tr * s, rt: a.rt * s, rr: a.rr * s)
    }

    @inlinable
    package static func + (a: Matrix6, b: Matrix6) -> Matrix6 {
        Matrix6(tt: a.tt + b.tt, tr: a.tr + b.tr, rt: a.rt + b.rt, rr: a.rr + b.rr)
    }

    @inlinable
    package static func - (a: Matrix6, b: Matrix6) -> Matrix6 {
        Matrix6(tt: a.tt - b.tt, tr: a.tr - b.tr, rt: a.rt - b.rt, rr: a.rr - b.rr)
    }

    /// The lower triangular L with L Lᵀ equal to this symmetric matrix, of which only the lower half is read; nil where it
    /// is not positive definite.
    @inlinable
    package var cholesky: Matrix6? {
        guard let first = tt.cholesky else { return nil }
        let below = rt * first.lowerInverse.transposed
        guard let second = (rr - below * below.transposed).cholesky else { return nil }
        return Matrix6(tt: first, rt: below, rr: second)
    }

    /// The inverse of a lower triangular matrix with a diagonal that is not zero.
    @inlinable
    package var lowerInverse: Matrix6 {
        let (a, d) = (tt.lowerInverse, rr.lowerInverse)
        return Matrix6(tt: a, rt: -(d * rt * a), rr: d)
    }

    /// The inverse of a symmetric positive definite matrix; nil of others.
    @inlinable
    package var symmetricInverse: Matrix6? {
        guard let inverse = cholesky?.lowerInverse else { return nil }
        return inverse.transposed * inverse
    }

    /// From 36 numbers row by row.
    package init(rowMajor m: [Double]) {
        precondition(m.count == 36)
        func part(_ row: Int, _ column: Int) -> Matrix3 {
            func at(_ j: Int) -> Vector3 {
                Vector3(m[6 * row + column + j], m[6 * (row + 1) + column + j], m[6 * (row + 2) + column + j])
            }
            return Matrix3(columns: at(0), at(1), at(2))
        }
        self.init(tt: part(0, 0), tr: part(0, 3), rt: part(3, 0), rr: part(3, 3))
    }

    package var rows: [[Double]] {
        func row(_ left: Matrix3, _ right: Matrix3, _ index: Int) -> [Double] {
            [left.c0, left.c1, left.c2, right.c0, right.c1, right.c2].map { $0[index] }
        }
        return (0..<3).map { row(tt, tr, $0) } + (0..<3).map { row(rt, rr, $0) }
    }
}
