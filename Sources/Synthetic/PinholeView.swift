import Capture

/// Rays of a camera at a pose through the pixel centres of a grid.
struct PinholeView {
    let intrinsics: CameraIntrinsics
    let origin: Vector3
    private let right: SIMD3<Float>
    private let up: SIMD3<Float>
    private let forward: SIMD3<Float>
    private let worldFromCamera: Transform

    init(worldFromCamera: Transform, intrinsics: CameraIntrinsics) {
        self.intrinsics = intrinsics
        self.worldFromCamera = worldFromCamera
        origin = worldFromCamera.translation
        let (c0, c1, c2) = worldFromCamera.rotation.columns
        right = SIMD3<Float>(c0)
        up = SIMD3<Float>(c1)
        // The camera looks along its negative z axis.
        forward = SIMD3<Float>(-c2)
    }

    /// What is the same for a whole row: the direction of the column at the principal point.
    @inline(__always)
    func rowDirection(_ row: Int) -> SIMD3<Float> {
        let y = -Float((Double(row) + 0.5 - intrinsics.cy) / intrinsics.fy)
        return forward + up * y
    }

    /// The directions of four neighbouring columns, with a length of 1 along the optical axis.
    @inline(__always)
    func directions(_ row: SIMD3<Float>, fromColumn column: Int) -> LaneTriple {
        let start = Lanes(0.5, 1.5, 2.5, 3.5) + Float(column)
        let x = (start - Float(intrinsics.cx)) * Float(1 / intrinsics.fx)
        return LaneTriple(row.x + right.x * x, row.y + right.y * x, row.z + right.z * x)
    }

    /// The columns and rows that a box in the world may cover: all of them where it comes near the camera's plane.
    func pixelBounds(_ low: Vector3, _ high: Vector3) -> (columns: ClosedRange<Int>, rows: ClosedRange<Int>) {
        var (left, top) = (Double.infinity, Double.infinity)
        var (rightmost, bottom) = (-Double.infinity, -Double.infinity)
        let cameraFromWorld = worldFromCamera.inverse
        for corner in 0..<8 {
            let point = Vector3(
                corner & 1 == 0 ? low.x : high.x,
                corner & 2 == 0 ? low.y : high.y,
                corner & 4 == 0 ? low.z : high.z
            )
            let p = cameraFromWorld * point
            guard p.z < -0.05 else { return (0...intrinsics.width, 0...intrinsics.height) }
            let x = intrinsics.cx - intrinsics.fx * p.x / p.z
            let y = intrinsics.cy + intrinsics.fy * p.y / p.z
            (left, rightmost) = (min(left, x), max(rightmost, x))
            (top, bottom) = (min(top, y), max(bottom, y))
        }
        func bounded(_ value: Double) -> Int { Int(max(-2, min(1e6, value))) }
        return (bounded(left - 2)...bounded(rightmost + 2), bounded(top - 2)...bounded(bottom + 2))
    }
}
