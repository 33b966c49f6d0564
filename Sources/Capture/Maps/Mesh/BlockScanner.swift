/// Finds where the surface crosses the edges of blocks.
struct BlockScanner {
    private let field: FieldSnapshot
    private let apron = BlockApron()
    private let voxelMetres: Float
    private(set) var chunk = SurfaceChunk()

    /// Voxels with less weight count as unseen: what one sample of medium confidence at 5 m leaves three voxels behind a
    /// surface.
    static let minimumWeight = Int16(0.005 * BlockLayout.weightUnit)
    /// No point comes nearer to a voxel than this part of an edge: no two of them fall together.
    static let margin: Float = 0.01

    /// - Parameter blocks: how many are about to be scanned: there is room for the flat surface that most of them have.
    init(_ field: FieldSnapshot, blocks: Int) {
        self.field = field
        voxelMetres = Float(field.parameters.voxelSizeMetres)
        chunk.points.reserveCapacity(128 * blocks)
        chunk.cells.reserveCapacity(128 * blocks)
        chunk.rows.reserveCapacity(64 * blocks)
    }

    mutating func scan(_ number: Int) {
        let key = field.table.keys[number]
        apron.fill(field, key, minimumWeight: Self.minimumWeight)
        let first = (point: chunk.points.count, row: chunk.rows.count, cell: chunk.cells.count)
        for line in 0..<64 {
            let place = BlockApron.origin + (line & 7) * BlockApron.row + (line >> 3) * BlockApron.layer
            let crossings = scan(place, line)
            let row = SurfaceChunk.Row(
                first: chunk.points.count - first.point,
                x: crossings.x,
                y: crossings.y,
                z: crossings.z
            )
            chunk.rows.append(row)
            if row.x | row.y | row.z != 0 { addPoints(row, line, place, key) }
        }
        guard chunk.points.count > first.point || chunk.cells.count > first.cell else {
            chunk.rows.removeLast(64)
            return
        }
        chunk.blocks.append(
            SurfaceChunk.Block(
                number: number,
                firstPoint: first.point,
                firstRow: first.row,
                cells: first.cell..<chunk.cells.count
            )
        )
    }

    /// Eight cells at a time: which are cut, and which of their voxels' own edges have a point.
    @inline(__always)
    private mutating func scan(_ place: Int, _ line: Int) -> SIMD3<UInt8> {
        let start = UnsafePointer(apron.values) + place
        let unseen = Shorts(repeating: BlockApron.unseen)
        let zero = loadShorts(start)
        let zeroSign = signs(zero)
        var cases = zeroSign & 1
        var isChanging = Shorts.zero
        var isUnseen = missing(zero, unseen)
        let isZeroUnseen = isUnseen
        @inline(__always)
        func visit(_ corner: Int) -> UInt8 {
            let offset = (corner & 1) &+ (corner &>> 1 & 1) &* BlockApron.row &+ (corner &>> 2) &* BlockApron.layer
            let values = loadShorts(start + offset)
            let sign = signs(values)
            let gone = missing(values, unseen)
            cases |= sign & Int16(truncatingIfNeeded: 1 &<< corner)
            isChanging |= sign ^ zeroSign
            isUnseen |= gone
            // Used of the three neighbours along the axes alone.
            return corner & (corner &- 1) == 0 ? laneBits((sign ^ zeroSign) & ~(gone | isZeroUnseen)) : 0
        }
        // One by one: as a loop it would not be unrolled.
        let crossings = SIMD3(visit(1), visit(2), visit(4))
        _ = visit(3) | visit(5) | visit(6) | visit(7)
        var cut = laneBits(isChanging & ~isUnseen)
        while cut != 0 {
            let lane = cut.trailingZeroBitCount
            cut &= cut &- 1
            chunk.cells.append(UInt32(line &* 8 &+ lane) &<< 8 | UInt32(truncatingIfNeeded: cases[lane]) & 0xFF)
        }
        return crossings
    }

    @inline(__always)
    private func missing(_ values: Shorts, _ unseen: Shorts) -> Shorts {
        unsafeBitCast(values .== unseen, to: Shorts.self)
    }

    private mutating func addPoints(_ row: SurfaceChunk.Row, _ line: Int, _ place: Int, _ key: BlockKey) {
        for axis in 0..<3 {
            var left = row.voxels(axis)
            while left != 0 {
                let lane = left.trailingZeroBitCount
                left &= left &- 1
                chunk.points.append(point(key, 8 &* line &+ lane, axis, place &+ lane))
            }
        }
    }

    /// The point on the edge of a voxel along an axis.
    @inline(__always)
    private func point(_ key: BlockKey, _ voxel: Int, _ axis: Int, _ place: Int) -> SurfacePoint {
        let next = place &+ BlockApron.step(axis)
        let (low, high) = (Float(apron.values[place]), Float(apron.values[next]))
        let fraction = min(max(low / (low - high), Self.margin), 1 - Self.margin)
        let along = SIMD3<Float>(axis == 0 ? 1 : 0, axis == 1 ? 1 : 0, axis == 2 ? 1 : 0)
        let origin = key.place &* 8
        let position = SIMD3(
            Float(origin.x &+ Int32(truncatingIfNeeded: voxel & 7)),
            Float(origin.y &+ Int32(truncatingIfNeeded: voxel &>> 3 & 7)),
            Float(origin.z &+ Int32(truncatingIfNeeded: voxel &>> 6))
        )
        let gradient = apron.gradient(place) * (1 - fraction) + apron.gradient(next) * fraction
        let length = (gradient * gradient).sum().squareRoot()
        let (first, second) = ends(voxel, axis)
        return SurfacePoint(
            position: (position + along * fraction) * voxelMetres,
            normal: length > 1 ? gradient * (1 / length) : along * (low < high ? 1 : -1),
            colour: VoxelEnd.colour(first, second, fraction) ?? nearbyColour(voxel),
            weight: (first.weight * (1 - fraction) + second.weight * fraction) / BlockLayout.weightUnit,
            count: max(first.count, second.count)
        )
    }

    /// The mean colour of the 5x5x5 voxels around one, within its block; `nil` where none has any.
    ///
    /// A surface that is met at a low angle crosses edges whose ends are too far from it, along the view, to have taken
    /// its colour.
    private func nearbyColour(_ voxel: Int) -> UInt32? {
        var sum = SIMD4<Float>.zero
        field.read(apron.neighbours[13]) { block in
            for side in 0..<125 {
                let x = (voxel & 7) &+ side % 5 &- 2
                let y = (voxel &>> 3 & 7) &+ side / 5 % 5 &- 2
                let z = (voxel &>> 6) &+ side / 25 &- 2
                guard (x | y | z) & ~7 == 0 else { continue }
                sum += VoxelEnd(block, x &+ 8 &* y &+ 64 &* z).weighted
            }
        }
        return sum.w > 0 ? VoxelEnd.packed(sum / sum.w) : nil
    }

    /// The two ends of an edge; the second one may lie in the next block.
    @inline(__always)
    private func ends(_ voxel: Int, _ axis: Int) -> (VoxelEnd, VoxelEnd) {
        let isLast = voxel &>> (3 &* axis) & 7 == 7
        let step = 1 &<< (3 &* axis)
        let side = axis == 0 ? 1 : axis == 1 ? 3 : 9
        var ends = (VoxelEnd(), VoxelEnd())
        field.read(apron.neighbours[13]) { block in
            ends.0 = VoxelEnd(block, voxel)
            if !isLast { ends.1 = VoxelEnd(block, voxel &+ step) }
        }
        if isLast { field.read(apron.neighbours[13 &+ side]) { ends.1 = VoxelEnd($0, voxel &- 7 &* step) } }
        return ends
    }
}

/// A voxel at an end of an edge, without its distance.
struct VoxelEnd {
    private var colour = SIMD4<Float>.zero
    var weight: Float = 0
    var count: UInt32 = 0

    init() {}

    @inline(__always)
    init(_ block: UnsafePointer<Int16>, _ voxel: Int) {
        let channels = UnsafeRawPointer(block + BlockLayout.colour + 4 * voxel).loadUnaligned(as: SIMD4<Int16>.self)
        colour = SIMD4(Float(channels.x), Float(channels.y), Float(channels.z), Float(channels.w))
        weight = Float(block[BlockLayout.weight + voxel])
        count = UInt32(block[BlockLayout.count + voxel])
    }

    /// Red, green and blue times their weight, and the weight.
    var weighted: SIMD4<Float> {
        var sum = colour * colour.w
        sum.w = colour.w
        return sum
    }

    @inline(__always)
    static func packed(_ colour: SIMD4<Float>) -> UInt32 {
        let steps = colour / BlockLayout.colourUnit + 0.5
        return UInt32(steps.x) << 16 | UInt32(steps.y) << 8 | UInt32(steps.z)
    }

    /// The colour between two ends, of those that have one; `nil` without any.
    @inline(__always)
    static func colour(_ first: VoxelEnd, _ second: VoxelEnd, _ fraction: Float) -> UInt32? {
        let isFirst: Float = first.colour.w > 0 ? 1 - fraction : 0
        let isSecond: Float = second.colour.w > 0 ? fraction : 0
        let sum = isFirst + isSecond
        return sum > 0 ? packed((first.colour * isFirst + second.colour * isSecond) / sum) : nil
    }
}
