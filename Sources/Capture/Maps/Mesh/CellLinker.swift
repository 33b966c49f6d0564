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

    /// Where the points of a block and of those behind it begin.
    private typealias Starts = UnsafeMutableBufferPointer<(point: Int, row: Int)>

    /// Adds the triangles of a block's cells, by the block's number in the field.
    func link(number: Int, _ triangles: inout [SurfaceMesh.Triangle]) {
        if places[number] >= 0 { link(Int(places[number]), &triangles) }
    }

    /// Adds the triangles of a block's cells.
    func link(_ place: Int, _ triangles: inout [SurfaceMesh.Triangle]) {
        let key = field.table.keys[chunk.blocks[place].number]
        withUnsafeTemporaryAllocation(of: (point: Int, row: Int).self, capacity: 8) { starts in
            for side in 0..<8 {
                let number = field.table.number(of: key.neighbour(side & 1, side >> 1 & 1, side >> 2))
                let other = number.map { Int(places[$0]) } ?? -1
                let block = chunk.blocks[max(other, 0)]
                starts.initializeElement(at: side, to: (block.firstPoint, block.firstRow))
            }
            chunk.rows.withUnsafeBufferPointer { rows in
                table.flat.withUnsafeBufferPointer { edges in
                    for cell in chunk.cells[chunk.blocks[place].cells] {
                        link(cell, edges, starts, rows, &triangles)
                    }
                }
            }
        }
    }

    @inline(__always)
    private func link(
        _ cell: UInt32,
        _ edges: UnsafeBufferPointer<UInt8>,
        _ starts: Starts,
        _ rows: UnsafeBufferPointer<SurfaceChunk.Row>,
        _ triangles: inout [SurfaceMesh.Triangle]
    ) {
        let voxel = Int(cell &>> 8)
        var next = Int(cell & 0xFF) &* CubeTable.flatStride
        while edges[next] != CubeTable.end {
            triangles.append(
                SurfaceMesh.Triangle(
                    point(voxel, Int(edges[next]), starts, rows),
                    point(voxel, Int(edges[next &+ 1]), starts, rows),
                    point(voxel, Int(edges[next &+ 2]), starts, rows)
                )
            )
            next &+= 3
        }
    }

    /// The point on an edge of a cell.
    @inline(__always)
    private func point(
        _ voxel: Int,
        _ edge: Int,
        _ starts: Starts,
        _ rows: UnsafeBufferPointer<SurfaceChunk.Row>
    ) -> UInt32 {
        // The edge's lower corner, as CubeTable.corners gives it.
        let axis = edge &>> 2
        let corner = Int(CubeTable.lowCorners &>> UInt64(edge &* 4)) & 7
        let x = (voxel & 7) &+ (corner & 1)
        let y = (voxel &>> 3 & 7) &+ (corner &>> 1 & 1)
        let z = (voxel &>> 6) &+ (corner &>> 2)
        // 1 where a coordinate has left the block.
        let start = starts[(x &>> 3) | (y &>> 3) &<< 1 | (z &>> 3) &<< 2]
        let row = rows[start.row &+ (y & 7) &+ (z & 7) &* 8]
        return UInt32(truncatingIfNeeded: start.point &+ row.point(axis: axis, voxel: x & 7))
    }
}
