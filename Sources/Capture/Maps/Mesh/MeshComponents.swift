import Recording

/// The connected pieces of a mesh.
enum MeshComponents {
    /// The mesh without its small pieces and without points that no triangle uses; the order of the rest stays.
    ///
    /// - Parameter joiner: makes one piece of small ones that lie side by side.
    static func mesh(
        _ points: consuming [SurfacePoint],
        _ triangles: consuming [SurfaceMesh.Triangle],
        minimumSquareMetres: Float,
        joiner: consuming PieceJoiner? = nil
    ) -> SurfaceMesh {
        var (points, triangles, joiner) = (points, triangles, joiner)
        let sets = DisjointSets(count: points.count)
        for triangle in triangles {
            sets.join(triangle.a, triangle.b)
            sets.join(triangle.a, triangle.c)
        }
        var areas = [Float](repeating: 0, count: points.count)
        for triangle in triangles {
            let root = Int(sets.root(triangle.a))
            // Large pieces need no further measuring.
            if areas[root] < minimumSquareMetres { areas[root] += area(triangle, points) }
        }
        joiner?.join(sets, &areas, least: minimumSquareMetres)
        // It holds the points, which are moved below.
        joiner = nil
        // The number of each point in the result, or `unused`.
        let unused = UInt32.max
        var numbers = [UInt32](repeating: unused, count: points.count)
        var dropped = (triangles: 0, squareMetres: 0.0)
        for triangle in triangles {
            guard areas[Int(sets.root(triangle.a))] >= minimumSquareMetres else {
                dropped.triangles += 1
                dropped.squareMetres += Double(area(triangle, points))
                continue
            }
            numbers[Int(triangle.a)] = 0
            numbers[Int(triangle.b)] = 0
            numbers[Int(triangle.c)] = 0
        }
        // In place: memory that was never touched costs more than the copy.
        var kept = 0
        for index in points.indices where numbers[index] != unused {
            numbers[index] = UInt32(kept)
            points[kept] = points[index]
            kept += 1
        }
        points.removeLast(points.count - kept)
        kept = 0
        for index in triangles.indices {
            let triangle = triangles[index]
            guard numbers[Int(triangle.a)] != unused else { continue }
            triangles[kept] = SurfaceMesh.Triangle(
                numbers[Int(triangle.a)],
                numbers[Int(triangle.b)],
                numbers[Int(triangle.c)]
            )
            kept += 1
        }
        triangles.removeLast(triangles.count - kept)
        var result = SurfaceMesh(points: points, triangles: triangles)
        result.droppedTriangles = dropped.triangles
        result.droppedSquareMetres = dropped.squareMetres
        return result
    }

    private static func area(_ triangle: SurfaceMesh.Triangle, _ points: [SurfacePoint]) -> Float {
        let origin = points[Int(triangle.a)].position
        let u = points[Int(triangle.b)].position - origin
        let v = points[Int(triangle.c)].position - origin
        let normal = SIMD3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)
        return 0.5 * (normal * normal).sum().squareRoot()
    }
}

/// Joins small pieces of a surface to what lies within two voxels of them.
///
/// A floor that is far away, or met at a low angle, comes in islands: each is too small to be believed alone, but they lie
/// side by side.
struct PieceJoiner {
    private let chunk: SurfaceChunk
    private let field: FieldSnapshot
    /// Where in the chunk a block is, by its number; -1 where it has no points.
    private let places: [Int32]
    private let reach: Float
    private let blockMetres: Float

    private static let reachVoxels: Float = 2

    init(_ chunk: SurfaceChunk, _ field: FieldSnapshot) {
        self.chunk = chunk
        self.field = field
        var places = [Int32](repeating: -1, count: field.table.count)
        for (place, block) in chunk.blocks.enumerated() { places[block.number] = Int32(place) }
        self.places = places
        reach = Self.reachVoxels * Float(field.parameters.voxelSizeMetres)
        blockMetres = 8 * Float(field.parameters.voxelSizeMetres)
    }

    private func points(_ place: Int) -> Range<Int> {
        let next = place + 1 < chunk.blocks.count ? chunk.blocks[place + 1].firstPoint : chunk.points.count
        return chunk.blocks[place].firstPoint..<next
    }

    /// Joins the pieces whose area, by their root, is above 0 and below the least; sums the areas.
    func join(_ sets: DisjointSets, _ areas: inout [Float], least: Float) {
        for place in chunk.blocks.indices {
            for point in points(place) {
                let root = Int(sets.root(UInt32(truncatingIfNeeded: point)))
                if areas[root] > 0 && areas[root] < least { join(point, sets, &areas, least) }
            }
        }
    }

    private func join(_ point: Int, _ sets: DisjointSets, _ areas: inout [Float], _ least: Float) {
        let position = chunk.points[point].position
        let low = SIMD3<Int32>(((position - reach) / blockMetres).rounded(.down))
        let high = SIMD3<Int32>(((position + reach) / blockMetres).rounded(.down))
        for z in low.z...high.z {
            for y in low.y...high.y {
                for x in low.x...high.x {
                    guard let number = field.table.number(of: BlockKey(x, y, z)), places[number] >= 0 else { continue }
                    for other in points(Int(places[number])) {
                        let way = chunk.points[other].position - position
                        guard (way * way).sum() < reach * reach else { continue }
                        let (own, its) = (
                            sets.root(UInt32(truncatingIfNeeded: point)), sets.root(UInt32(truncatingIfNeeded: other))
                        )
                        guard own != its, areas[Int(its)] > 0 else { continue }
                        let area = areas[Int(own)] + areas[Int(its)]
                        sets.join(own, its)
                        areas[Int(min(own, its))] = area
                        if area >= least { return }
                    }
                }
            }
        }
    }
}
