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
        let surface = await surfaceParts(sortedBlocks)
        let (parts, pieces) = await triangles(surface)
        let area = Float(field.parameters.minimumComponentSquareMetres)
        let choice = MeshChoice(pieces, parts, surface, least: area, joiner: PieceJoiner(surface, field))
        var mesh = await choice.mesh(surface.points, parts)
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
        var chunk = SurfaceChunk()
        chunk.points = parts.points
        let surface = SurfaceParts([chunk])
        let pieces = PartPieces(parts.triangles[0], parts.points, first: 0, least: 0)
        return await MeshChoice([pieces], parts.triangles, surface, least: 0).mesh([parts.points], parts.triangles)
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
    func surface(_ blocks: [Int]) async -> SurfaceChunk { await surfaceParts(blocks).joined() }

    private func surfaceParts(_ blocks: [Int]) async -> SurfaceParts {
        let field = field
        let found = await inParts(Array(field.table.keys.indices)) { SurfaceSigns.found($0, field) }
        let signs = SurfaceSigns(field, found)
        return SurfaceParts(
            await inParts(blocks) { part in
                let mixed = part.filter { signs.isMixed($0) }
                var scanner = BlockScanner(field, blocks: mixed.count)
                for number in mixed { scanner.scan(number) }
                return scanner.chunk
            }
        )
    }

    /// The triangles of each part of a surface, and the pieces that they make.
    private func triangles(_ surface: SurfaceParts) async -> (parts: [[SurfaceMesh.Triangle]], pieces: [PartPieces]) {
        let linker = CellLinker(surface.chunk, field)
        let area = Float(field.parameters.minimumComponentSquareMetres)
        let linked = await mapOrdered(surface.points.count, workers: jobs) { part in
            var triangles: [SurfaceMesh.Triangle] = []
            // Most cells have two.
            let cells = surface.blocks[part].reduce(0) { $0 + surface.chunk.blocks[$1].cells.count }
            triangles.reserveCapacity(cells * 9 / 4)
            for block in surface.blocks[part] { linker.link(block, &triangles) }
            return (
                triangles, PartPieces(triangles, surface.points[part], first: surface.firstPoints[part], least: area)
            )
        }
        return (linked.map(\.0), linked.map(\.1))
    }

    /// So many parts that the workers end at about the same time, and few that are small; with one worker as well, where
    /// arrays grow by being copied.
    private static let parts = 64
    private static let leastBlocks = 64

    /// Cuts work into parts, which do not depend on the number of workers, and gives the results in their order.
    private func inParts<Result: Sendable>(
        _ items: [Int],
        _ work: @escaping @Sendable (ArraySlice<Int>) -> Result
    ) async -> [Result] {
        let size = max((items.count + Self.parts - 1) / Self.parts, Self.leastBlocks)
        let parts = stride(from: 0, to: items.count, by: size).map { items[$0..<min($0 + size, items.count)] }
        return await mapOrdered(parts.count, workers: jobs) { work(parts[$0]) }
    }
}

/// Which blocks can have a surface.
struct SurfaceSigns: Sendable {
    private let field: FieldSnapshot
    /// The signs in each block: 1 for positive, 2 for negative distances.
    private let found: [UInt8]

    init(_ field: FieldSnapshot, _ found: [[UInt8]]) {
        self.field = field
        self.found = Array(found.joined())
    }

    /// The signs in some blocks.
    static func found(_ numbers: ArraySlice<Int>, _ field: FieldSnapshot) -> [UInt8] {
        numbers.map { number in
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
    }

    /// True if both signs occur among a block and those behind it, into which its cells reach.
    func isMixed(_ number: Int) -> Bool {
        var signs = found[number]
        if signs == 0 { return false }
        let key = field.table.keys[number]
        for side in 1..<8 where signs != 3 {
            let other = field.table.number(of: key.neighbour(side & 1, side >> 1 & 1, side >> 2))
            if let other { signs |= found[other] }
        }
        return signs == 3
    }
}
