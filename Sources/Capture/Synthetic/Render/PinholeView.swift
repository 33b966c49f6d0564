import Recording

/// Rays of a camera at a pose through the pixel centres of a grid.
struct PinholeView {
    let intrinsics: CameraIntrinsics
    let origin: Vector3
    /// The same in single precision.
    let singleOrigin: SIMD3<Float>
    /// How many pixels a metre has at a depth of one metre.
    let sharpness: Float
    private let right: SIMD3<Float>
    private let up: SIMD3<Float>
    private let forward: SIMD3<Float>
    private let worldFromCamera: Transform

    init(worldFromCamera: Transform, intrinsics: CameraIntrinsics) {
        self.intrinsics = intrinsics
        self.worldFromCamera = worldFromCamera
        origin = worldFromCamera.translation
        singleOrigin = SIMD3<Float>(origin)
        sharpness = Float(intrinsics.fx)
        let (c0, c1, c2) = worldFromCamera.rotation.columns
        right = SIMD3<Float>(c0)
        up = SIMD3<Float>(c1)
        // The camera looks along its negative z axis.
        forward = SIMD3<Float>(-c2)
    }

    /// The direction of a row's pixel in the column of the principal point.
    @inline(__always)
    func rowDirection(_ row: Int) -> SIMD3<Float> {
        let y = -Float((Double(row) - intrinsics.cy) / intrinsics.fy)
        return forward + up * y
    }

    /// The directions of four neighbouring columns, with a length of 1 along the optical axis.
    @inline(__always)
    func directions(_ row: SIMD3<Float>, fromColumn column: Int) -> LaneTriple {
        let start = Lanes(0, 1, 2, 3) + Float(column)
        let x = (start - Float(intrinsics.cx)) * Float(1 / intrinsics.fx)
        return LaneTriple(row.x + right.x * x, row.y + right.y * x, row.z + right.z * x)
    }

    /// The directions of the corner pixels of a part of the grid.
    func corners(columns: Range<Int>, rows: Range<Int>) -> LaneTriple {
        let top = rowDirection(rows.lowerBound)
        let bottom = rowDirection(rows.upperBound - 1)
        let upperLeft = directions(top, fromColumn: columns.lowerBound)
        let upperRight = directions(top, fromColumn: columns.upperBound - 1)
        let lowerLeft = directions(bottom, fromColumn: columns.lowerBound)
        let lowerRight = directions(bottom, fromColumn: columns.upperBound - 1)
        return LaneTriple(
            Lanes(upperLeft.x.x, upperRight.x.x, lowerLeft.x.x, lowerRight.x.x),
            Lanes(upperLeft.y.x, upperRight.y.x, lowerLeft.y.x, lowerRight.y.x),
            Lanes(upperLeft.z.x, upperRight.z.x, lowerLeft.z.x, lowerRight.z.x)
        )
    }

    /// The columns and rows that a box in the world may cover; `nil` where it is behind the camera.
    func pixelBounds(_ low: Vector3, _ high: Vector3) -> (columns: ClosedRange<Int>, rows: ClosedRange<Int>)? {
        let cameraFromWorld = worldFromCamera.inverse
        let corners = (0..<8).map { corner in
            cameraFromWorld
                * Vector3(
                    corner & 1 == 0 ? low.x : high.x,
                    corner & 2 == 0 ? low.y : high.y,
                    corner & 4 == 0 ? low.z : high.z
                )
        }
        var points = corners.filter { $0.z <= PinholeView.nearPlane }
        // Where an edge leads behind the camera, its part before the near plane counts.
        for corner in 0..<8 {
            for other in [corner | 1, corner | 2, corner | 4] where other != corner {
                let (a, b) = (corners[corner], corners[other])
                guard (a.z <= PinholeView.nearPlane) != (b.z <= PinholeView.nearPlane) else { continue }
                points.append(a + (b - a) * ((PinholeView.nearPlane - a.z) / (b.z - a.z)))
            }
        }
        let columns = points.map { intrinsics.cx - intrinsics.fx * $0.x / $0.z }
        let rows = points.map { intrinsics.cy + intrinsics.fy * $0.y / $0.z }
        guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max() else {
            return nil
        }
        func bounded(_ value: Double) -> Int { Int(max(-1e6, min(1e6, value))) }
        return (bounded(left - 2)...bounded(right + 2), bounded(top - 2)...bounded(bottom + 2))
    }

    /// Nothing comes nearer to the camera's plane than this; camera z, metres.
    private static let nearPlane = -0.01
}
