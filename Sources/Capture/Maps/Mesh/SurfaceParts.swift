import Recording

/// The surface of blocks that several tasks scanned, each a part of them; the parts follow one another.
struct SurfaceParts: Sendable {
    /// All of it but the points, which stay where they are; their numbers count through the parts.
    let chunk: SurfaceChunk
    let points: [[SurfacePoint]]
    /// The number of each part's first point, and of the one behind the last.
    let firstPoints: [Int]
    /// The places in `chunk.blocks` of each part's blocks.
    let blocks: [Range<Int>]

    init(_ parts: [SurfaceChunk]) {
        var (firstPoints, blocks) = ([0], [Range<Int>]())
        var (row, cell) = (0, 0)
        var whole = SurfaceChunk()
        for part in parts {
            let point = firstPoints.last ?? 0
            blocks.append(whole.blocks.count..<whole.blocks.count + part.blocks.count)
            for block in part.blocks {
                whole.blocks.append(
                    SurfaceChunk.Block(
                        number: block.number,
                        firstPoint: block.firstPoint + point,
                        firstRow: block.firstRow + row,
                        cells: block.cells.lowerBound + cell..<block.cells.upperBound + cell
                    )
                )
            }
            firstPoints.append(point + part.points.count)
            (row, cell) = (row + part.rows.count, cell + part.cells.count)
        }
        whole.rows = Array(joining: parts.map(\.rows))
        whole.cells = Array(joining: parts.map(\.cells))
        (chunk, points) = (whole, parts.map(\.points))
        (self.firstPoints, self.blocks) = (firstPoints, blocks)
    }

    var pointCount: Int { firstPoints.last ?? 0 }

    subscript(_ number: Int) -> SurfacePoint {
        let part = firstPoints.sortedIndex { $0 > number } - 1
        return points[part][number - firstPoints[part]]
    }

    func points(ofBlock place: Int) -> Range<Int> {
        let next = place + 1 < chunk.blocks.count ? chunk.blocks[place + 1].firstPoint : pointCount
        return chunk.blocks[place].firstPoint..<next
    }

    /// The whole with its points.
    func joined() -> SurfaceChunk {
        var whole = chunk
        whole.points = Array(joining: points)
        return whole
    }
}

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
}

extension Array {
    /// The elements of several arrays, for which there is room at once; those of a single one are not copied.
    init(joining parts: [Self]) {
        self = parts.first ?? []
        guard parts.count > 1 else { return }
        reserveCapacity(parts.reduce(0) { $0 + $1.count })
        for part in parts.dropFirst() { self += part }
    }
}
