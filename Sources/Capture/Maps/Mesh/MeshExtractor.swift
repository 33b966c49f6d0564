import Platform

/// Marching cubes over a field (Lorensen and Cline 1987), with shared corners and a border where nothing was seen.
package struct MeshExtractor: Sendable {
    let field: FieldSnapshot
    private let jobs: Int

    /// - Parameter jobs: how many tasks share the blocks; the result is the same with any number.
    package init(_ field: FieldSnapshot, jobs: Int = 1) {
        self.field = field
        self.jobs = max(1, jobs)
    }

    /// The whole mesh, without the pieces that are smaller than the parameters allow.
    package func mesh() async -> SurfaceMesh {
        var chunk = await surface(sortedBlocks)
        let triangles = await triangles(chunk, chunk.blocks.indices)
        let area = field.parameters.minimumComponentSquareMetres
        let joiner = PieceJoiner(chunk, field)
        var points: [SurfacePoint] = []
        swap(&points, &chunk.points)
        var mesh = MeshComponents.mesh(points, triangles, minimumSquareMetres: Float(area), joiner: joiner)
        mesh.origin = field.origin
        return mesh
    }

    /// The numbers of all blocks in the order of their keys.
    var sortedBlocks: [Int] {
        field.table.keys.indices.sorted { field.table.keys[$0] < field.table.keys[$1] }
    }

    /// The triangles of the cells in some blocks, with copies of the corners that they share with others.
    ///
    /// Small pieces stay: what they are a part of is not known here.
    package func mesh(of keys: [BlockKey]) async -> SurfaceMesh {
        let parts = await parts(of: [keys])
        return MeshComponents.mesh(parts.points, parts.triangles[0], minimumSquareMetres: 0)
    }

    /// The triangles of the cells in groups of blocks, group by group, over points that all of them share.
    package func parts(of groups: [[BlockKey]]) async -> (points: [SurfacePoint], triangles: [[SurfaceMesh.Triangle]]) {
        let numbers = groups.map { $0.compactMap { field.table.number(of: $0) } }
        // Cells reach into the blocks behind.
        var needed = Set(numbers.joined())
        for number in numbers.joined() {
            for side in 1..<8 {
                let key = field.table.keys[number].neighbour(side & 1, side >> 1 & 1, side >> 2)
                if let other = field.table.number(of: key) { needed.insert(other) }
            }
        }
        var chunk = await surface(needed.sorted { field.table.keys[$0] < field.table.keys[$1] })
        chunk.points = chunk.points.moved(by: field.origin)
        let linker = CellLinker(chunk, field)
        let triangles = numbers.map { group in
            var triangles: [SurfaceMesh.Triangle] = []
            for number in group { linker.link(number: number, &triangles) }
            return triangles
        }
        return (chunk.points, triangles)
    }

    /// Points and cut cells of blocks that are given in the order of their keys.
    func surface(_ blocks: [Int]) async -> SurfaceChunk {
        let field = field
        let parts = await inParts(blocks) { part in
            var scanner = BlockScanner(field)
            for number in part where SurfaceSigns.isMixed(number, field) { scanner.scan(number) }
            return scanner.chunk
        }
        return SurfaceChunk(joining: parts)
    }

    private func triangles(
        _ chunk: SurfaceChunk,
        _ blocks: some Collection<Int> & Sendable
    ) async -> [SurfaceMesh.Triangle] {
        let linker = CellLinker(chunk, field)
        let parts = await inParts(Array(blocks)) { part in
            var triangles: [SurfaceMesh.Triangle] = []
            for block in part { linker.link(block, &triangles) }
            return triangles
        }
        return Array(joining: parts)
    }

    /// Cuts work into parts, one a task, and gives the results in their order.
    private func inParts<Result: Sendable>(
        _ items: [Int],
        _ work: @escaping @Sendable (ArraySlice<Int>) -> Result
    ) async -> [Result] {
        guard jobs > 1, items.count > 1 else { return [work(items[...])] }
        let size = (items.count + 4 * jobs - 1) / (4 * jobs)
        let parts = stride(from: 0, to: items.count, by: size).map { items[$0..<min($0 + size, items.count)] }
        return await mapOrdered(parts.count, workers: jobs) { work(parts[$0]) }
    }
}

/// Which blocks can have a surface.
enum SurfaceSigns {
    /// The signs in a block: 1 for positive, 2 for negative distances.
    private static func found(_ number: Int, _ field: FieldSnapshot) -> UInt8 {
        var isPositive = Shorts.zero
        var isNegative = Shorts.zero
        field.read(number) { block in
            for row in 0..<64 {
                let weights = loadShorts(block + BlockLayout.weight + row &* 8)
                let isSeen = signs(Shorts(repeating: BlockScanner.minimumWeight &- 1) &- weights)
                let sign = signs(loadShorts(block + BlockLayout.distance + row &* 8))
                isPositive |= isSeen & ~sign
                isNegative |= isSeen & sign
            }
        }
        return (laneBits(isPositive) != 0 ? 1 : 0) | (laneBits(isNegative) != 0 ? 2 : 0)
    }

    /// True if both signs occur among a block and those behind it, into which its cells reach.
    static func isMixed(_ number: Int, _ field: FieldSnapshot) -> Bool {
        var found = Self.found(number, field)
        if found == 0 { return false }
        let key = field.table.keys[number]
        for side in 1..<8 where found != 3 {
            let other = field.table.number(of: key.neighbour(side & 1, side >> 1 & 1, side >> 2))
            if let other { found |= Self.found(other, field) }
        }
        return found == 3
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

    init() {}

    /// Parts whose blocks follow one another.
    init(joining parts: [SurfaceChunk]) {
        var (point, row, cell) = (0, 0, 0)
        for part in parts {
            for block in part.blocks {
                blocks.append(
                    Block(
                        number: block.number,
                        firstPoint: block.firstPoint + point,
                        firstRow: block.firstRow + row,
                        cells: block.cells.lowerBound + cell..<block.cells.upperBound + cell
                    )
                )
            }
            (point, row, cell) = (point + part.points.count, row + part.rows.count, cell + part.cells.count)
        }
        points = Array(joining: parts.map(\.points))
        rows = Array(joining: parts.map(\.rows))
        cells = Array(joining: parts.map(\.cells))
    }
}

extension Array {
    /// The elements of several arrays, for which there is room at once; those of a single one are not copied.
    fileprivate init(joining parts: [Self]) {
        self = parts.first ?? []
        guard parts.count > 1 else { return }
        reserveCapacity(parts.reduce(0) { $0 + $1.count })
        for part in parts.dropFirst() { self += part }
    }
}
