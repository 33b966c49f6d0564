/// The points and the cut cells of some blocks, before the triangles.
struct SurfaceChunk: Sendable {
    /// A row of eight voxels: which of their edges along each axis have a point.
    ///
    /// The points lie together: those of the x edges, then y, then z, each in the order of voxels.
    struct Row: Sendable {
        /// The row's first point, counted from its block's.
        var first: UInt16 = 0
        var x: UInt8 = 0
        var y: UInt8 = 0
        var z: UInt8 = 0

        func has(axis: Int, voxel: Int) -> Bool { [x, y, z][axis] >> voxel & 1 == 1 }

        /// The point of an edge that has one, counted from the block's first.
        @inline(__always)
        func point(axis: Int, voxel: Int) -> Int {
            let below = UInt8((1 &<< voxel) &- 1)
            let before: Int
            switch axis {
            case 0: before = (x & below).nonzeroBitCount
            case 1: before = x.nonzeroBitCount &+ (y & below).nonzeroBitCount
            default: before = x.nonzeroBitCount &+ y.nonzeroBitCount &+ (z & below).nonzeroBitCount
            }
            return Int(first) &+ before
        }
    }

    /// A block with at least one point or cut cell.
    struct Block: Sendable {
        var number: Int
        var firstPoint: Int
        var firstRow: Int
        var cells: Range<Int>
    }

    var points: [SurfacePoint] = []
    var blocks: [Block] = []
    /// 64 for each block, y fastest.
    var rows: [Row] = []
    /// Voxel << 8 | case, of the cells that the surface cuts.
    var cells: [UInt32] = []

    /// Adds the blocks that come after all that are here.
    mutating func append(_ other: SurfaceChunk) {
        for block in other.blocks {
            blocks.append(
                Block(
                    number: block.number,
                    firstPoint: block.firstPoint + points.count,
                    firstRow: block.firstRow + rows.count,
                    cells: block.cells.lowerBound + cells.count..<block.cells.upperBound + cells.count
                )
            )
        }
        points += other.points
        rows += other.rows
        cells += other.cells
    }
}
