import Recording

/// The cells of a volume in which something is, column by column, upward in each.
struct OccupiedCells {
    struct Cell {
        var x: Int32
        var y: Int32
        var logOdds: Int16
        /// How many rays ended in it, one a frame, up to 64.
        var hits: UInt8
        /// The mean height of what is in it, in metres of the frame `map`.
        var height: Float
        /// The height of the surface, in metres, where rays passed above it; else no number.
        ///
        /// Noise spreads a level surface over two cells or 10 cm: it is the mean of them. What is thicker is a side of
        /// something, and none.
        var surface: Float
    }

    private(set) var cells: [Cell] = []
    private let metres: Double
    /// The most cells that one level surface has above each other.
    private let thickest: Int

    init(_ volume: OccupancyVolume) {
        metres = volume.parameters.resolutionMetres
        thickest = max(2, Int((0.1 / metres).rounded()))
        let stacks = BlockStacks(volume.keys)
        for range in stacks.ranges { scan(volume, stacks.numbers[range]) }
    }

    private mutating func scan(_ volume: OccupancyVolume, _ numbers: ArraySlice<Int>) {
        let masks = numbers.map { number in
            volume.read(number) { CellMasks($0) } ?? CellMasks()
        }
        let any = masks.reduce(0 as UInt64) { $0 | $1.anyOccupied }
        var left = any
        while left != 0 {
            let bit = left.trailingZeroBitCount
            left &= left &- 1
            scan(volume, numbers, masks, column: bit)
        }
    }

    private mutating func scan(
        _ volume: OccupancyVolume,
        _ numbers: ArraySlice<Int>,
        _ masks: [CellMasks],
        column: Int
    ) {
        var run = 0
        var next: Int32?
        for (index, number) in numbers.enumerated() {
            let key = volume.keys[number]
            if key.place.z != next { run = 0 }
            next = key.place.z &+ 1
            for z in 0..<8 {
                if masks[index].occupied[z] &>> UInt64(column) & 1 != 0 {
                    add(volume, number, key, column, z)
                    run += 1
                } else if run > 0 {
                    if masks[index].free[z] &>> UInt64(column) & 1 != 0 { mark(run) }
                    run = 0
                }
            }
        }
    }

    private mutating func add(_ volume: OccupancyVolume, _ number: Int, _ key: BlockKey, _ column: Int, _ z: Int) {
        let index = z * 64 + column
        let cell = volume.read(number) { block -> Cell? in
            let inside = OccupancyBlock.height(block, index) ?? 0.5
            return Cell(
                x: key.place.x &* 8 &+ Int32(column & 7),
                y: key.place.y &* 8 &+ Int32(column &>> 3),
                logOdds: block[index],
                hits: OccupancyBlock.hits(block, index),
                height: Float((Double(key.place.z) * 8 + Double(z) + inside) * metres),
                surface: .nan
            )
        }
        if let cell { cells.append(cell) }
    }

    /// Says that rays passed above the last cells of a column.
    private mutating func mark(_ run: Int) {
        guard run <= thickest else { return }
        let (sum, rays) = cells.suffix(run).reduce((Float(0), Float(0))) { sum, cell in
            let rays = Float(max(1, cell.hits))
            return (sum.0 + cell.height * rays, sum.1 + rays)
        }
        cells[cells.count - 1].surface = sum / rays
    }
}

/// Blocks that stand on each other.
struct BlockStacks {
    /// The numbers of blocks, stack by stack, upward.
    let numbers: [Int]
    /// The part of each stack.
    private(set) var ranges: [Range<Int>] = []

    init(_ keys: [BlockKey]) {
        // By y, then x, then z.
        func order(_ key: BlockKey) -> (Int32, Int32, Int32) { (key.place.y, key.place.x, key.place.z) }
        numbers = keys.indices.sorted { order(keys[$0]) < order(keys[$1]) }
        var start = 0
        for index in numbers.indices {
            let (key, next) = (keys[numbers[index]], index + 1 < numbers.count ? keys[numbers[index + 1]] : nil)
            if let next, next.place.x == key.place.x, next.place.y == key.place.y { continue }
            ranges.append(start..<(index + 1))
            start = index + 1
        }
    }
}

/// The cells of a block that are occupied, and those that are free: a bit for each, a word for each z.
struct CellMasks {
    private(set) var occupied = [UInt64](repeating: 0, count: 8)
    private(set) var free = [UInt64](repeating: 0, count: 8)

    init() {}

    init(_ block: UnsafePointer<Int16>) {
        for word in 0..<8 {
            for line in 0..<8 {
                let values = loadShorts(block + (word &* 64 &+ line &* 8))
                let shift = UInt64(line &* 8)
                free[word] |= UInt64(laneBits(signs(values))) &<< shift
                occupied[word] |= UInt64(laneBits(signs(0 &- values))) &<< shift
            }
        }
    }

    var anyOccupied: UInt64 { occupied.reduce(0, |) }
}
