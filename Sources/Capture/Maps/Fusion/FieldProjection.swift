import Recording

/// How voxels fall onto the depth grid: three numbers that grow linearly with the voxel's place.
///
/// Lanes: across, down, depth, 0. `across / depth` is the column, `down / depth` the row, and `depth` in metres along
/// the optical axis.
struct FieldProjection {
    /// From a voxel to the next one along each axis.
    let alongX: SIMD4<Float>
    let alongY: SIMD4<Float>
    let alongZ: SIMD4<Float>
    private let across: Vector3
    private let down: Vector3
    private let forward: Vector3
    private let origin: Vector3
    private let voxelMetres: Double

    init(_ frame: MapFrame, voxelMetres: Double) {
        let camera = frame.camera
        let (right, up, back) = frame.worldFromCamera.rotation.columns
        let (across, down) = (camera.fx * right - camera.cx * back, -camera.fy * up - camera.cy * back)
        func step(_ axis: Int) -> SIMD4<Float> {
            SIMD4<Float>(SIMD4(across[axis], down[axis], -back[axis], 0) * voxelMetres)
        }
        alongX = step(0)
        alongY = step(1)
        alongZ = step(2)
        self.across = across
        self.down = down
        forward = -back
        origin = frame.worldFromCamera.translation
        self.voxelMetres = voxelMetres
    }

    /// The numbers of a block's first voxel, in double precision up to the last step.
    func start(_ key: BlockKey) -> SIMD4<Float> {
        let point = Vector3(key.place) * (8 * voxelMetres) - origin
        return SIMD4<Float>(SIMD4(dot(across, point), dot(down, point), dot(forward, point), 0))
    }
}
