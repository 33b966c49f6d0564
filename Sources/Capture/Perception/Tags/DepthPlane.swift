package import Recording

/// The plane of a tag as LiDAR sees it, in the camera's axes.
package struct DepthPlane: Sendable {
    /// A unit vector towards the camera.
    package var normal: Vector3
    /// The distance of the camera from the plane, in metres.
    package var distance: Double
    package var inliers: Int
    package var points: Int
    package var residualMetres: Double
    /// How wide the inliers lie, root mean square along the narrower side.
    package var widthMetres: Double

    private static let growth = 1.6
    private static let leastInliers = 30
    private static let leastShare = 0.7

    /// The plane through the depth within a quadrilateral that is made 1.6 times as large; nil where there is too little, or
    /// no plane.
    ///
    /// RANSAC (Fischler and Bolles 1981) over triples that follow from the number of points alone, then total least squares.
    ///
    /// - Parameters:
    ///   - corners: In pixels of `camera`, whose image covers the same view as the depth.
    package init?(_ depth: DepthMap, corners: [SIMD2<Double>], camera: CameraIntrinsics) {
        guard corners.count == 4, depth.width > 0, depth.height > 0, camera.width > 0, camera.height > 0 else {
            return nil
        }
        // Confidence 2 first; 1 where that is too little.
        let found = [UInt8(2), 1].lazy.compactMap { Self(depth, corners, camera, confidence: $0) }.first
        guard let found else { return nil }
        self = found
    }

    private init?(_ depth: DepthMap, _ corners: [SIMD2<Double>], _ camera: CameraIntrinsics, confidence: UInt8) {
        let points = Self.points(depth, corners, camera, confidence)
        guard points.count >= Self.leastInliers, let best = Self.consensus(points) else { return nil }
        guard best.count >= Self.leastInliers, Double(best.count) >= Self.leastShare * Double(points.count) else {
            return nil
        }
        let middle = best.reduce(.zero, +) / Double(best.count)
        var sums = Matrix3.zero
        for point in best {
            let d = point - middle
            sums = sums + Matrix3(outer: d, d)
        }
        let axes = SymmetricMatrix.eigenvectors(sums)
        let normal = dot(axes[0].vector, middle) > 0 ? -axes[0].vector : axes[0].vector
        self.normal = normal
        distance = -dot(normal, middle)
        inliers = best.count
        self.points = points.count
        residualMetres = (max(0, axes[0].value) / Double(best.count)).squareRoot()
        widthMetres = (max(0, axes[1].value) / Double(best.count)).squareRoot()
        guard distance > 0.05, distance.isFinite, widthMetres > 1e-3 else { return nil }
    }

    private static func points(
        _ depth: DepthMap,
        _ corners: [SIMD2<Double>],
        _ camera: CameraIntrinsics,
        _ confidence: UInt8
    ) -> [Vector3] {
        let grid = camera.scaled(toWidth: depth.width, height: depth.height)
        let scale = SIMD2(Double(depth.width) / Double(camera.width), Double(depth.height) / Double(camera.height))
        let middle = corners.reduce(SIMD2<Double>.zero, +) / 4
        let quad = corners.map { corner in
            (middle + (corner - middle) * growth + 0.5) * scale - 0.5
        }
        guard quad.allSatisfy({ abs($0.x) < 1e6 && abs($0.y) < 1e6 }) else { return [] }
        let (left, right) = (quad.map(\.x).min() ?? 0, quad.map(\.x).max() ?? -1)
        let (top, bottom) = (quad.map(\.y).min() ?? 0, quad.map(\.y).max() ?? -1)
        let first = (column: max(0, Int(left.rounded(.up))), row: max(0, Int(top.rounded(.up))))
        let last = (
            column: min(depth.width - 1, Int(right.rounded(.down))),
            row: min(depth.height - 1, Int(bottom.rounded(.down)))
        )
        guard first.column <= last.column, first.row <= last.row else { return [] }
        var points: [Vector3] = []
        for row in first.row...last.row {
            for column in first.column...last.column where contains(quad, SIMD2(Double(column), Double(row))) {
                let index = row * depth.width + column
                let z = Double(depth.metres[index])
                guard z > 0.05, z < 20, depth.confidence.map({ $0[index] >= confidence }) ?? true else { continue }
                points.append(grid.ray(SIMD2(Double(column), Double(row))) * z)
            }
        }
        return points
    }

    /// True if a convex quadrilateral has a point in it, whichever way round it goes.
    private static func contains(_ quad: [SIMD2<Double>], _ point: SIMD2<Double>) -> Bool {
        var signs = (false, false)
        for index in 0..<4 {
            let (side, to) = (quad[(index + 1) % 4] - quad[index], point - quad[index])
            let turn = side.x * to.y - side.y * to.x
            if turn > 0 { signs.0 = true } else if turn < 0 { signs.1 = true }
        }
        return !(signs.0 && signs.1)
    }

    /// The points near the plane of three of them on which most agree.
    private static func consensus(_ points: [Vector3]) -> [Vector3]? {
        var state = UInt64(points.count)
        func next(_ bound: Int) -> Int {
            // Steele and others 2014, "SplitMix".
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return Int((z ^ (z >> 31)) % UInt64(bound))
        }
        var best: (count: Int, normal: Vector3, offset: Double) = (0, .zero, 0)
        for _ in 0..<60 {
            let (a, b, c) = (points[next(points.count)], points[next(points.count)], points[next(points.count)])
            let across = cross(b - a, c - a)
            guard across.length > 1e-9 else { continue }
            let normal = across / across.length
            let offset = dot(normal, a)
            let count = points.count { isNear($0, normal, offset) }
            if count > best.count { best = (count, normal, offset) }
        }
        return best.count > 0 ? points.filter { isNear($0, best.normal, best.offset) } : nil
    }

    private static func isNear(_ point: Vector3, _ normal: Vector3, _ offset: Double) -> Bool {
        abs(dot(normal, point) - offset) <= max(0.008, -0.01 * point.z)
    }

    /// Where the ray of a pixel meets the plane; nil beside it.
    package func point(_ pixel: SIMD2<Double>, _ camera: CameraIntrinsics) -> Vector3? {
        let ray = camera.ray(pixel)
        let slope = dot(normal, ray)
        guard slope < -1e-3 else { return nil }
        return ray * (-distance / slope)
    }
}

/// The camera in ARKit's axes: x right, y up, z back.
extension CameraIntrinsics {
    /// The direction in which a pixel looks, one metre deep.
    package func ray(_ pixel: SIMD2<Double>) -> Vector3 {
        let (x, y) = ((pixel.x - cx) / fx, (pixel.y - cy) / fy)
        guard let distortion else { return Vector3(x, -y, -1) }
        let ray = distortion.undistorted(x: x, y: y, reach: distortion.reach(of: self))
        return Vector3(ray.x, -ray.y, -1)
    }

    /// Where a pinhole sees a point; nil behind the camera.
    package func pixel(_ point: Vector3) -> SIMD2<Double>? {
        guard point.z < -1e-6 else { return nil }
        return SIMD2(cx - fx * point.x / point.z, cy + fy * point.y / point.z)
    }
}
