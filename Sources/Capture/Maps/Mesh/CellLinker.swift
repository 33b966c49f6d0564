/// Makes triangles of cut cells: finds the points on their edges, in their own block or in those behind it.
struct CellLinker: Sendable {
    private let chunk: SurfaceChunk
    private let field: FieldSnapshot
    /// Where in the chunk a block is, by its number; -1 where it has no points.
    private let places: [Int32]
    private let table = CubeTable.shared

    init(_ chunk: SurfaceChunk, _ field: FieldSnapshot) {
        self.chunk = chunk
        self.field = field
        var places = [Int32](repeating: -1, count: field.table.count)
        for (place, block) in chunk.blocks.enumerated() { places[block.number] = Int32(place) }
        self.places = places
    }

    /// Adds the triangles of a block's cells.
    func link(_ place: Int, _ triangles: inout [SurfaceMesh.Triangle]) {
        let block = chunk.blocks[place]
        let key = field.table.keys[block.number]
        let neighbours = (0..<8).map { side -> Int in
            guard side > 0 else { return place }
            return field.table.number(of: key.neighbour(side & 1, side >> 1 & 1, side >> 2)).map { Int(places[$0]) }
                ?? -1
        }
        for cell in chunk.cells[block.cells] {
            let edges = table.triangles[Int(cell & 0xFF)]
            let voxel = Int(cell >> 8)
            for first in stride(from: 0, to: edges.count, by: 3) {
                triangles.append(
                    SurfaceMesh.Triangle(
                        point(voxel, Int(edges[first]), neighbours),
                        point(voxel, Int(edges[first + 1]), neighbours),
                        point(voxel, Int(edges[first + 2]), neighbours)
                    )
                )
            }
        }
    }

    /// The point on an edge of a cell.
    @inline(__always)
    private func point(_ voxel: Int, _ edge: Int, _ neighbours: [Int]) -> UInt32 {
        let corner = Int(CubeTable.edgeStarts[edge])
        let x = (voxel & 7) &+ (corner & 1)
        let y = (voxel &>> 3 & 7) &+ (corner &>> 1 & 1)
        let z = (voxel &>> 6) &+ (corner &>> 2)
        // 1 where a coordinate has left the block.
        let side = (x &>> 3) | (y &>> 3) &<< 1 | (z &>> 3) &<< 2
        let block = chunk.blocks[neighbours[side]]
        let row = chunk.rows[block.firstRow &+ (y & 7) &+ (z & 7) &* 8]
        return UInt32(truncatingIfNeeded: block.firstPoint &+ row.point(axis: edge &>> 2, voxel: x & 7))
    }
}
