/// The points and the cut cells of some blocks, before the triangles.
struct SurfaceChunk: Sendable {
    /// A row of eight voxels: which of their edges along each axis have a point.
    ///
    /// The points lie together: those of the x edges, then y, then z, each in the order of voxels.
    struct Row: Sendable {
        /// The first points of the three axes, counted from the block's.
        private let firstX: UInt16
        private let firstY: UInt16
        private let firstZ: UInt16
        let x: UInt8
        let y: UInt8
        let z: UInt8

        init(first: Int, x: UInt8, y: UInt8, z: UInt8) {
            firstX = UInt16(first)
            firstY = firstX + UInt16(x.nonzeroBitCount)
            firstZ = firstY + UInt16(y.nonzeroBitCount)
            (self.x, self.y, self.z) = (x, y, z)
        }

        /// A bit for each voxel whose edge along an axis has a point.
        @inline(__always)
        func voxels(_ axis: Int) -> UInt8 { axis == 0 ? x : axis == 1 ? y : z }

        /// The point of an edge that has one, counted from the block's first.
        @inline(__always)
        func point(axis: Int, voxel: Int) -> Int {
            let below = voxels(axis) & UInt8(truncatingIfNeeded: (1 &<< voxel) &- 1)
            return Int(axis == 0 ? firstX : axis == 1 ? firstY : firstZ) &+ below.nonzeroBitCount
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
