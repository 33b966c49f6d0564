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
        let rotation = rotation(source.map { $0 - from }, to: target.map { $0 - to })
        return Transform(rotation: rotation, translation: to - rotation.rotating(from))
    }

    /// The rotation that brings vectors nearest to others, about the origin; as many of each.
    package static func rotation(_ source: [Vector3], to target: [Vector3]) -> Quaternion {
        // Sums of products of coordinates: s[row of the source][column of the target].
        var s = [[Double]](repeating: [0, 0, 0], count: 3)
        for (p, q) in zip(source, target) {
            for row in 0..<3 { for column in 0..<3 { s[row][column] += p[row] * q[column] } }
        }
        let n: [[Double]] = [
            [s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]],
            [s[1][2] - s[2][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]],
            [s[2][0] - s[0][2], s[0][1] + s[1][0], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]],
            [s[0][1] - s[1][0], s[2][0] + s[0][2], s[1][2] + s[2][1], s[2][2] - s[0][0] - s[1][1]],
        ]
        let q = SymmetricMatrix.largestEigenvector(n)
        return Quaternion(x: q[1], y: q[2], z: q[3], w: q[0]).normalized
    }
}
