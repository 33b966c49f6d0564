import Recording

/// Joins small pieces of a surface to what lies within two voxels of them.
///
/// A floor that is far away, or met at a low angle, comes in islands: each is too small to be believed alone, but they lie
/// side by side.
struct PieceJoiner {
    private let surface: SurfaceParts
    private let field: FieldSnapshot
    /// Where in the surface a block is, by its number; -1 where it has no points.
    private let places: [Int32]
    private let reach: Float
    private let blockMetres: Float

    private static let reachVoxels: Float = 2

    init(_ surface: SurfaceParts, _ field: FieldSnapshot) {
        self.surface = surface
        self.field = field
        var places = [Int32](repeating: -1, count: field.table.count)
        for (place, block) in surface.chunk.blocks.enumerated() { places[block.number] = Int32(place) }
        self.places = places
        reach = Self.reachVoxels * Float(field.parameters.voxelSizeMetres)
        blockMetres = 8 * Float(field.parameters.voxelSizeMetres)
    }

    /// Joins the pieces whose area, by their root, is above 0 and below the least; sums the areas.
    ///
    /// - Parameter points: all that such pieces have, ascending; others may be among them.
    func join(_ points: [Int], _ sets: DisjointSets, _ areas: inout [Float], least: Float) {
        for point in points {
            let root = Int(sets.root(UInt32(truncatingIfNeeded: point)))
            if areas[root] > 0 && areas[root] < least { join(point, sets, &areas, least) }
        }
    }

    private func join(_ point: Int, _ sets: DisjointSets, _ areas: inout [Float], _ least: Float) {
        let position = surface[point].position
        let low = SIMD3<Int32>(((position - reach) / blockMetres).rounded(.down))
        let high = SIMD3<Int32>(((position + reach) / blockMetres).rounded(.down))
        for z in low.z...high.z {
            for y in low.y...high.y {
                for x in low.x...high.x {
                    guard let number = field.table.number(of: BlockKey(x, y, z)), places[number] >= 0 else { continue }
                    for other in surface.points(ofBlock: Int(places[number])) {
                        let way = surface[other].position - position
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
