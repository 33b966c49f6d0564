/// Eigenvectors of small symmetric matrices.
package enum SymmetricMatrix {
    /// By Jacobi's rotations, which turn the largest element outside of the diagonal to zero until none is left.
    package static func largestEigenvector(_ matrix: [[Double]]) -> [Double] { eigenvectors(matrix).last?.vector ?? [] }

    /// By value, the smallest first.
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
