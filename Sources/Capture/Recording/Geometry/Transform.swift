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
