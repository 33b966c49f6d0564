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
        await surface(sortedBlocks).points.moved(by: field.origin)
    }

    /// One surfel for each voxel whose edges the surface crosses, in the order of blocks.
    package func surfels() async -> [Surfel] {
        var chunk = await surface(sortedBlocks)
        chunk.points = chunk.points.moved(by: field.origin)
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
        let count = max(points.map(\.count).max() ?? 0, 1)
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

extension Surfel {
    /// The surest of too many, in their order; of equally sure ones the first.
    package static func surest(_ surfels: [Surfel], atMost most: Int) -> [Surfel] {
        guard surfels.count > most else { return surfels }
        let order = surfels.indices.sorted { (surfels[$1].confidence, $0) < (surfels[$0].confidence, $1) }
        return order.prefix(most).sorted().map { surfels[$0] }
    }

    /// 40 bytes each, little-endian: position, normal, radius, confidence as Float32; 0x00RRGGBB; the count.
    package static func packed(_ surfels: [Surfel]) -> [UInt8] {
        var writer = ByteWriter(reserving: 40 * surfels.count)
        for surfel in surfels {
            writer.append(surfel.position)
            writer.append(surfel.normal)
            writer.append(surfel.radiusMetres)
            writer.append(surfel.confidence)
            writer.append(surfel.colour)
            writer.append(surfel.count)
        }
        return writer.bytes
    }
}

extension SurfaceMesh {
    /// Corners as x, y, z in Float32, and three UInt32 a triangle, little-endian.
    package var packed: (vertices: [UInt8], indices: [UInt8]) {
        var vertices = ByteWriter(reserving: 12 * points.count)
        for point in points { vertices.append(point.position) }
        var indices = ByteWriter(reserving: 12 * triangles.count)
        for triangle in triangles {
            indices.append(triangle.a)
            indices.append(triangle.b)
            indices.append(triangle.c)
        }
        return (vertices.bytes, indices.bytes)
    }
}
