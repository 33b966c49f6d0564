package import Recording

/// A pose of a square that its four corners in an image allow.
///
/// Tags have x right, y up and z out of the wall; cameras have ARKit's axes.
package struct SquarePose: Sendable {
    package var cameraFromTag: Transform
    /// The root mean square of what the corners are off by, in pixels.
    package var reprojectionPixels: Double
    /// The covariance of (translation, rotation) in the tag's axes, in metres and radians, by the noise of the corners.
    package var covariance: Matrix6

    /// The corners of a square in its own axes: bottom left, bottom right, top right, top left.
    package static func corners(edgeMetres edge: Double) -> [Vector3] {
        let half = edge / 2
        return [Vector3(-half, -half, 0), Vector3(half, -half, 0), Vector3(half, half, 0), Vector3(-half, half, 0)]
    }

    /// Both poses that are nearest to the corners, the better one first: a square seen from afar can be turned about two
    /// axes with nearly the same picture.
    ///
    /// IPPE (Collins and Bartoli 2014, "Infinitesimal Plane-Based Pose Estimation"), each solution then brought to the
    /// least squares of the pixels. Empty where the corners are no convex square in front of the camera.
    ///
    /// - Parameters:
    ///   - corners: Bottom left, bottom right, top right, top left, in pixels.
    ///   - sigmaPixels: The noise of each coordinate of a corner.
    package static func solve(
        corners: [SIMD2<Double>],
        edgeMetres edge: Double,
        camera: CameraIntrinsics,
        sigmaPixels: Double
    ) -> [SquarePose] {
        guard corners.count == 4, edge > 0, edge.isFinite, camera.fx > 0, camera.fy > 0,
            corners.allSatisfy({ $0.x.isFinite && $0.y.isFinite }),
            let starts = InfinitesimalPose.solve(corners.map { SIMD2(camera.ray($0).x, -camera.ray($0).y) }, edge)
        else { return [] }
        let poses = starts.compactMap {
            refined($0, corners: corners, edgeMetres: edge, camera: camera, sigmaPixels: sigmaPixels)
        }
        let sorted = poses.sorted { $0.reprojectionPixels < $1.reprojectionPixels }
        guard let best = sorted.first else { return [] }
        // Both starts may lead to one place.
        let isOne = sorted.dropFirst().allSatisfy {
            (best.cameraFromTag.inverse * $0.cameraFromTag).rotation.angleRadians < 1e-4
        }
        return isOne ? [best] : sorted
    }

    /// The least squares of the pixels from a pose nearby, by Levenberg and Marquardt; nil where there are none.
    package static func refined(
        _ start: Transform,
        corners: [SIMD2<Double>],
        edgeMetres edge: Double,
        camera: CameraIntrinsics,
        sigmaPixels: Double
    ) -> SquarePose? {
        let square = Self.corners(edgeMetres: edge)
        var pose = start
        var system = NormalEquations(pose, square, corners, camera)
        guard system.squares.isFinite else { return nil }
        var damping = 1e-4
        for _ in 0..<100 {
            let damped = system.matrix + Matrix6(diagonal: system.matrix.diagonal * damping)
            guard let inverse = damped.symmetricInverse else { return nil }
            let step = inverse * system.gradient
            let moved = pose.moved(by: step * -1)
            let next = NormalEquations(moved, square, corners, camera)
            if next.squares <= system.squares {
                (pose, system, damping) = (moved, next, max(damping / 10, 1e-12))
                if step.dot(step) < 1e-20 { break }
            } else {
                damping *= 10
                guard damping < 1e8 else { break }
            }
        }
        guard let covariance = system.matrix.symmetricInverse else { return nil }
        return SquarePose(
            cameraFromTag: pose,
            reprojectionPixels: (system.squares / 4).squareRoot(),
            covariance: covariance * (sigmaPixels * sigmaPixels)
        )
    }
}

/// How the pixels of four corners change with the pose of their square.
private struct NormalEquations {
    var matrix = Matrix6.zero
    var gradient = Vector6.zero
    /// Infinite with a corner behind the camera.
    ///
    /// No optional, as it well could be: Swift 6.3's optimiser loses the beginning of an optional of this size.
    var squares = 0.0

    init(_ pose: Transform, _ square: [Vector3], _ corners: [SIMD2<Double>], _ camera: CameraIntrinsics) {
        let turn = Matrix3(pose.rotation)
        for (point, corner) in zip(square, corners) {
            let p = pose * point
            guard let pixel = camera.pixel(p) else {
                squares = .infinity
                return
            }
            let error = pixel - corner
            let inverse = 1 / p.z
            // Derivatives of the pixel by the point in the camera's axes; the third row is none.
            let squared = inverse * inverse
            let byDepth = Vector3(camera.fx * p.x * squared, -camera.fy * p.y * squared, 0)
            let byPoint = Matrix3(
                columns: Vector3(-camera.fx * inverse, 0, 0),
                Vector3(0, camera.fy * inverse, 0),
                byDepth
            )
            let byTranslation = byPoint * turn
            let byRotation = -(byTranslation * Matrix3(crossing: point))
            let jacobian = Matrix6(tt: byTranslation, tr: byRotation, rr: .zero)
            let turned = jacobian.transposed
            let square: Matrix6 = turned * jacobian
            let pull: Vector6 = turned * Vector6(Vector3(error.x, error.y, 0), .zero)
            matrix = matrix + square
            gradient = gradient + pull
            squares += (error * error).sum()
        }
    }
}

/// Both rotations of a plane by the first derivatives of its picture at the middle (Collins and Bartoli 2014).
private enum InfinitesimalPose {
    /// In ARKit's axes, from the corners' rays (x right, y down, one metre deep); nil for a picture that is no square.
    static func solve(_ rays: [SIMD2<Double>], _ edge: Double) -> [Transform]? {
        // From the top left, with y down.
        guard let map = SquareHomography([rays[3], rays[2], rays[1], rays[0]]) else { return nil }
        let (p0, first, second, g, h) = (map.origin, map.first, map.second, map.g, map.h)
        // At the middle: the point, and its derivatives by metres along both sides.
        let scale = 1 + g / 2 + h / 2
        guard scale > 1e-9 else { return nil }
        let middle = (p0 + first / 2 + second / 2) / scale
        let u = (first - middle * g) / (scale * edge)
        let v = (second - middle * h) / (scale * edge)
        return rotations(u, v, middle)?.compactMap { pose($0, rays, edge) }
    }

    private static func rotations(
        _ u: SIMD2<Double>,
        _ v: SIMD2<Double>,
        _ middle: SIMD2<Double>
    ) -> [(Vector3, Vector3, Vector3)]? {
        let (p, q) = (middle.x, middle.y)
        // The rotation that brings the optical axis to the ray of the middle.
        let s = (p * p + q * q + 1).squareRoot()
        let t = (p * p + q * q).squareRoot()
        let c = 1 / s
        let sn = (1 - c * c).squareRoot()
        let (kx, ky) = t > 1e-12 ? (p / t, q / t) : (1, 0)
        let r0 = Vector3((c - 1) * kx * kx + 1, kx * ky * (c - 1), -kx * sn)
        let r1 = Vector3(kx * ky * (c - 1), (c - 1) * ky * ky + 1, -ky * sn)
        let r2 = Vector3(kx * sn, ky * sn, c)
        // The plane's derivatives in the axes of that ray.
        let (b00, b01) = (r0.x - p * r0.z, r1.x - p * r1.z)
        let (b10, b11) = (r0.y - q * r0.z, r1.y - q * r1.z)
        let determinant = b00 * b11 - b01 * b10
        guard abs(determinant) > 1e-14 else { return nil }
        let a00 = (b11 * u.x - b01 * u.y) / determinant
        let a01 = (b11 * v.x - b01 * v.y) / determinant
        let a10 = (b00 * u.y - b10 * u.x) / determinant
        let a11 = (b00 * v.y - b10 * v.x) / determinant
        let (m00, m01, m11) = (a00 * a00 + a10 * a10, a00 * a01 + a10 * a11, a01 * a01 + a11 * a11)
        let gamma = ((m00 + m11 + ((m00 - m11) * (m00 - m11) + 4 * m01 * m01).squareRoot()) / 2).squareRoot()
        guard gamma > 1e-12, gamma.isFinite else { return nil }
        let (t00, t01, t10, t11) = (a00 / gamma, a01 / gamma, a10 / gamma, a11 / gamma)
        let b0 = max(0, 1 - t00 * t00 - t10 * t10).squareRoot()
        let size = max(0, 1 - t01 * t01 - t11 * t11).squareRoot()
        let b1 = -(t00 * t01 + t10 * t11) < 0 ? -size : size
        return [1.0, -1.0].map { sign in
            let x = Vector3(t00, t10, sign * b0)
            let y = Vector3(t01, t11, sign * b1)
            let z = cross(x, y)
            func turned(_ v: Vector3) -> Vector3 { r0 * v.x + r1 * v.y + r2 * v.z }
            return (turned(x), turned(y), turned(z))
        }
    }

    /// The translation that fits best to a rotation, both turned from y down to y up.
    private static func pose(
        _ axes: (Vector3, Vector3, Vector3),
        _ rays: [SIMD2<Double>],
        _ edge: Double
    ) -> Transform? {
        // Each corner says x = X/Z and y = Y/Z: linear in the translation.
        var matrix = Matrix3.zero
        var right = Vector3.zero
        let half = edge / 2
        for (ray, place) in zip(rays, [SIMD2(-half, half), SIMD2(half, half), SIMD2(half, -half), SIMD2(-half, -half)])
        {
            let point = axes.0 * place.x + axes.1 * place.y
            for (row, value) in [
                (Vector3(1, 0, -ray.x), ray.x * point.z - point.x), (Vector3(0, 1, -ray.y), ray.y * point.z - point.y),
            ] {
                matrix = matrix + Matrix3(outer: row, row)
                right += row * value
            }
        }
        guard let inverse = matrix.cholesky?.lowerInverse else { return nil }
        let translation = inverse.transposed * (inverse * right)
        guard translation.z > 1e-6, translation.length < 1e5 else { return nil }
        // y down and z away turn to y up and z towards the camera, of the tag and of the camera alike.
        func flipped(_ v: Vector3) -> Vector3 { Vector3(v.x, -v.y, -v.z) }
        let rotation = Quaternion(columns: flipped(axes.0), -flipped(axes.1), -flipped(axes.2))
        return Transform(rotation: rotation, translation: flipped(translation))
    }
}

/// The projective map of a square to four points (Heckbert 1989, "Fundamentals of Texture Mapping and Image Warping", 2.2.3).
package struct SquareHomography: Sendable {
    /// The image of (s, t) in the unit square: (origin + s first + t second) / (1 + s g + t h).
    let origin: SIMD2<Double>
    let first: SIMD2<Double>
    let second: SIMD2<Double>
    let g: Double
    let h: Double

    /// - Parameter points: The images of (0, 0), (1, 0), (1, 1), (0, 1); nil where three of them lie in a line.
    init?(_ points: [SIMD2<Double>]) {
        guard points.count == 4 else { return nil }
        let (p0, p1, p2, p3) = (points[0], points[1], points[2], points[3])
        let (d1, d2, d3) = (p1 - p2, p3 - p2, p0 - p1 + p2 - p3)
        let determinant = d1.x * d2.y - d2.x * d1.y
        guard abs(determinant) > 1e-14 else { return nil }
        g = (d3.x * d2.y - d2.x * d3.y) / determinant
        h = (d1.x * d3.y - d3.x * d1.y) / determinant
        origin = p0
        first = p1 - p0 + g * p1
        second = p3 - p0 + h * p3
    }

    /// The homography by rows from AprilTag's square, with the corners of a detection at (-1, 1), (1, 1), (1, -1), (-1, -1); nil where
    /// three of them lie in a line.
    package static func rows(_ corners: [SIMD2<Double>]) -> [Double]? {
        // The unit square from (-1, -1), which is the top left one: s = (x + 1) / 2, t = (y + 1) / 2.
        guard corners.count == 4, let map = SquareHomography([corners[3], corners[2], corners[1], corners[0]]) else {
            return nil
        }
        let middle = map.origin + (map.first + map.second) / 2
        return [
            map.first.x / 2, map.second.x / 2, middle.x, map.first.y / 2, map.second.y / 2, middle.y, map.g / 2,
            map.h / 2,
            1 + (map.g + map.h) / 2,
        ]
    }
}
