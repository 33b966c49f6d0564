/// A small disc of the surface: the points on the edges of one voxel, taken together.
package struct Surfel: Sendable, Hashable {
    /// World axes, metres.
    package var position: SIMD3<Float>
    /// Of length 1, towards where the camera was.
    package var normal: SIMD3<Float>
    package var radiusMetres: Float
    /// 0.2 for what one frame saw, and 0.04 more with each further one, up to 1.
    package var confidence: Float
    /// 0x00RRGGBB.
    package var colour: UInt32
    /// How many frames saw the surface here.
    package var count: UInt32

    /// Of the edge of a voxel.
    static let radiusPart: Float = 0.75

    static func confidence(_ count: UInt32) -> Float { min(1, 0.2 + 0.04 * Float(max(count, 1) - 1)) }
}

extension MeshExtractor {
    /// All points where the surface crosses edges of voxels, in the order of blocks.
    package func points() async -> [SurfacePoint] {
        await surface(sortedBlocks).points
    }

    /// One surfel for each voxel whose edges the surface crosses, in the order of blocks.
    package func surfels() async -> [Surfel] {
        let chunk = await surface(sortedBlocks)
        let radius = Surfel.radiusPart * Float(field.parameters.voxelSizeMetres)
        var result: [Surfel] = []
        for block in chunk.blocks {
            for row in chunk.rows[block.firstRow..<block.firstRow + 64] {
                for voxel in 0..<8 {
                    let points = (0..<3).filter { row.voxels($0) >> voxel & 1 == 1 }
                        .map { chunk.points[block.firstPoint + row.point(axis: $0, voxel: voxel)] }
                    if let surfel = Surfel(points, radiusMetres: radius) { result.append(surfel) }
                }
            }
        }
        return result
    }
}

extension Surfel {
    /// `nil` without points.
    fileprivate init?(_ points: [SurfacePoint], radiusMetres: Float) {
        guard let first = points.first else { return nil }
        let part = 1 / Float(points.count)
        let normal = points.reduce(SIMD3<Float>.zero) { $0 + $1.normal }
        let length = (normal * normal).sum().squareRoot()
        let colours = points.reduce(SIMD3<Float>.zero) { sum, point in
            sum + SIMD3(Float(point.colour >> 16 & 255), Float(point.colour >> 8 & 255), Float(point.colour & 255))
        }
        let mean = colours * part + 0.5
        let count = points.map(\.count).max() ?? 0
        self.init(
            position: points.reduce(SIMD3<Float>.zero) { $0 + $1.position } * part,
            normal: length > 1e-3 ? normal / length : first.normal,
            radiusMetres: radiusMetres,
            confidence: Surfel.confidence(count),
            colour: UInt32(mean.x) << 16 | UInt32(mean.y) << 8 | UInt32(mean.z),
            count: count
        )
    }
}
