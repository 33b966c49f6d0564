package import Recording

/// The rotation and translation that bring points nearest to others, in the mean of squares (Horn 1987, "Closed-form
/// solution of absolute orientation using unit quaternions").
package enum RigidAlignment {
    /// Target from source; nil for fewer than three points, or where a number is not finite.
    package static func transform(_ source: [Vector3], to target: [Vector3]) -> Transform? {
        guard source.count == target.count, source.count >= 3,
            (source + target).allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.z.isFinite })
        else { return nil }
        let count = Double(source.count)
        let (from, to) = (source.reduce(.zero, +) / count, target.reduce(.zero, +) / count)
        // Sums of products of coordinates: s[row of the source][column of the target].
        var s = [[Double]](repeating: [0, 0, 0], count: 3)
        for (a, b) in zip(source, target) {
            let (p, q) = (a - from, b - to)
            for row in 0..<3 { for column in 0..<3 { s[row][column] += p[row] * q[column] } }
        }
        let n: [[Double]] = [
            [s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]],
            [s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]],
            [s[2][0] - s[0][2], s[0][1] + s[1][0], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]],
            [s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], s[2][2] - s[0][0] - s[1][1]],
        ]
        let q = SymmetricMatrix.largestEigenvector(n)
        let rotation = Quaternion(x: q[1], y: q[2], z: q[3], w: q[0]).normalized
        return Transform(rotation: rotation, translation: to - rotation.rotating(from))
    }
}

/// Eigenvectors of small symmetric matrices.
enum SymmetricMatrix {
    /// By Jacobi's rotations, which turn the largest element outside of the diagonal to zero until none is left.
    static func largestEigenvector(_ matrix: [[Double]]) -> [Double] {
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
        let best = (0..<size).max { a[$0][$0] < a[$1][$1] } ?? 0
        return vectors.map { $0[best] }
    }
}
