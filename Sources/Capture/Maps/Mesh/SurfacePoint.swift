package import Recording
import Text

/// A point of the surface, where an edge between two neighbouring voxels crosses it.
package struct SurfacePoint: Sendable, Hashable {
    private var x: Float
    private var y: Float
    private var z: Float
    private var normalX: Float
    private var normalY: Float
    private var normalZ: Float
    /// 0x00RRGGBB, or `uncoloured`.
    private var paint: UInt32
    /// The sum of the samples' weights: 1 is one sample of high confidence at one metre.
    package var weight: Float
    /// How many frames saw the surface here, up to 32767; 0 in a map without colours.
    package var count: UInt32

    private static let uncoloured: UInt32 = 0x1FF_FFFF

    /// - Parameter colour: `nil` where no image showed the point.
    package init(position: SIMD3<Float>, normal: SIMD3<Float>, colour: UInt32?, weight: Float, count: UInt32) {
        (x, y, z) = (position.x, position.y, position.z)
        (normalX, normalY, normalZ) = (normal.x, normal.y, normal.z)
        paint = colour ?? Self.uncoloured
        self.weight = weight
        self.count = count
    }

    /// 0x00RRGGBB; white where no image showed the point.
    package var colour: UInt32 { paint & 0xFF_FFFF }
    package var hasColour: Bool { paint != Self.uncoloured }

    /// The point in another colour, 0x00RRGGBB.
    func painted(_ colour: UInt32) -> SurfacePoint {
        var point = self
        point.paint = colour
        return point
    }

    /// World axes, metres, from the mesh's origin.
    package var position: SIMD3<Float> { SIMD3(x, y, z) }

    /// A unit vector towards the place of the camera.
    package var normal: SIMD3<Float> { SIMD3(normalX, normalY, normalZ) }
}

/// A triangle mesh whose triangles share their corners; counterclockwise seen from outside.
package struct SurfaceMesh: Sendable, Hashable {
    /// The numbers of a triangle's corners in `points`.
    package struct Triangle: Sendable, Hashable {
        package var a: UInt32
        package var b: UInt32
        package var c: UInt32

        package init(_ a: UInt32, _ b: UInt32, _ c: UInt32) { (self.a, self.b, self.c) = (a, b, c) }
    }

    package var points: [SurfacePoint]
    package var triangles: [Triangle]
    private var start: MapOrigin
    /// Where positions count from; far from the world's origin a Float would be too coarse.
    package var origin: Vector3 {
        get { start.vector }
        set { start = MapOrigin(newValue) }
    }
    /// The triangles of pieces that were left out because they are small.
    package var droppedTriangles = 0
    package var droppedSquareMetres = 0.0

    package init(points: [SurfacePoint] = [], triangles: [Triangle] = [], origin: Vector3 = .zero) {
        self.points = points
        self.triangles = triangles
        start = MapOrigin(origin)
    }

    /// True if a picture showed any of it.
    package var hasColours: Bool { points.isEmpty || points.contains(where: \.hasColour) }

    /// What is said where colours are those of heights.
    package static let byHeight = "by height: no image showed the surface"

    /// The mesh with heights as colours where no picture showed any of it: for eyes, not for what learns.
    ///
    /// - Parameter axis: The one that is up: 1 for y, 2 for z.
    package func colouredByHeight(axis: Int = 1) -> SurfaceMesh {
        guard !hasColours else { return self }
        let heights = HeightColours(points.map { $0.position[axis] }.filter(\.isFinite))
        var mesh = self
        mesh.points = points.map { $0.painted(heights.colour($0.position[axis])) }
        return mesh
    }

    package var bounds: (low: SIMD3<Float>, high: SIMD3<Float>)? {
        guard let first = points.first?.position else { return nil }
        return points.reduce((first, first)) { bounds, point in
            let place = point.position
            return (
                bounds.0.replacing(with: place, where: place .< bounds.0),
                bounds.1.replacing(with: place, where: place .> bounds.1)
            )
        }
    }
}

extension [SurfacePoint] {
    /// The points counted from elsewhere.
    func moved(by way: Vector3) -> [SurfacePoint] {
        guard way != .zero else { return self }
        return map { point in
            SurfacePoint(
                position: SIMD3<Float>(Vector3(point.position) + way),
                normal: point.normal,
                colour: point.hasColour ? point.colour : nil,
                weight: point.weight,
                count: point.count
            )
        }
    }
}

extension SurfaceMesh {
    /// The mesh with positions that count from the world's origin, as coarse as a Float is there.
    package var fromOrigin: SurfaceMesh {
        var mesh = self
        mesh.points = points.moved(by: origin)
        mesh.origin = .zero
        return mesh
    }

    /// The mesh in other axes, of which `transform` says where the mesh's own are.
    package func transformed(by transform: Transform) -> SurfaceMesh {
        var turned = self
        if origin != .zero { turned.origin = transform * origin }
        for index in turned.points.indices {
            let point = points[index]
            turned.points[index] = SurfacePoint(
                position: SIMD3<Float>(
                    origin == .zero
                        ? transform * Vector3(point.position) : transform.rotation.rotating(Vector3(point.position))
                ),
                normal: SIMD3<Float>(transform.rotation.rotating(Vector3(point.normal))),
                colour: point.hasColour ? point.colour : nil,
                weight: point.weight,
                count: point.count
            )
        }
        return turned
    }
}

/// A small disc of the surface: the points on the edges of one voxel, taken together.
package struct Surfel: Sendable, Hashable {
    /// World axes, metres.
    package var position: SIMD3<Float>
    /// A unit vector towards the place of the camera.
    package var normal: SIMD3<Float>
    package var radiusMetres: Float
    /// 0.2 for what one frame saw, and 0.04 more with each further one, up to 1.
    package var confidence: Float
    /// 0x00RRGGBB.
    package var colour: UInt32
    /// How many frames saw the surface here.
    package var count: UInt32

    /// The radius as a part of a voxel's edge.
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
        for triangle in triangles { indices.append(triangle) }
        return (vertices.bytes, indices.bytes)
    }
}
