import Glibc
package import Perception

/// How likely each cell of space is occupied, in blocks of 8x8x8 cells, in the axes of the frame `map`: z up.
///
/// Hornung, Wurm, Bennewitz, Stachniss and Burgard 2013 (OctoMap), with its probabilities: what ends in a cell counts 0.7,
/// what passes it 0.4, and a cell is never surer than 0.12 and 0.97. Each cell also has the mean height at which rays
/// ended in it, so that floors and their obstacles are told apart by less than a cell.
///
/// Frames go in one after the other; the same frames give the same volume.
package struct OccupancyVolume: Sendable {
    package let parameters: OccupancyParameters
    /// The frames that were taken, and those of them that needed blocks for which there was no room.
    package private(set) var frameCount = 0
    package private(set) var frameCountWithoutRoom = 0
    /// Blocks of which some frame had marks that were left out.
    package private(set) var droppedBlockCount = 0
    /// The height of the camera at each frame, in metres.
    package private(set) var cameraHeights: [Float] = []

    private var table = BlockTable()
    private var slabs: [[Int16]] = []
    private let maximumBlocks: Int

    package init(_ parameters: OccupancyParameters = OccupancyParameters()) throws(CloudError) {
        try parameters.validate()
        self.parameters = parameters
        maximumBlocks = min(parameters.maximumBytes / OccupancyBlock.bytes, Int(Int32.max))
    }

    package var blockCount: Int { table.count }

    /// The size of the cells in bytes.
    package var byteCount: Int { table.count * OccupancyBlock.bytes }

    /// Takes what a frame says; without room for more blocks it changes those that there are.
    package mutating func apply(_ marks: FrameMarks) {
        frameCount += 1
        cameraHeights.append(marks.cameraHeight)
        var dropped = 0
        marks.free.withUnsafeBufferPointer { free in
            marks.occupied.withUnsafeBufferPointer { occupied in
                marks.heights.withUnsafeBufferPointer { heights in
                    for (index, key) in marks.keys.enumerated() {
                        guard let number = table.number(of: key) ?? add(key) else {
                            dropped += 1
                            continue
                        }
                        let start = Int(marks.heightStarts[index])
                        mutate(number) { block in
                            for word in 0..<8 {
                                let ended = occupied[index &* 8 &+ word]
                                block.update(word, free: free[index &* 8 &+ word] & ~ended, occupied: ended)
                                if ended != 0 { block.note(word, ended, heights, start &+ word &* 64) }
                            }
                        }
                    }
                }
            }
        }
        droppedBlockCount += dropped
        if dropped > 0 || marks.isCut { frameCountWithoutRoom += 1 }
    }

    private mutating func add(_ key: BlockKey) -> Int? {
        guard table.count < maximumBlocks else { return nil }
        let number = table.add(key)
        if number / OccupancyBlock.perSlab == slabs.count {
            slabs.append([Int16](repeating: 0, count: OccupancyBlock.perSlab * OccupancyBlock.valueCount))
        }
        return number
    }

    @inline(__always)
    private mutating func mutate(_ number: Int, _ body: (OccupancyBlock) -> Void) {
        slabs[number / OccupancyBlock.perSlab].withUnsafeMutableBufferPointer { values in
            guard let start = values.baseAddress else { return }
            body(OccupancyBlock(values: start + number % OccupancyBlock.perSlab * OccupancyBlock.valueCount))
        }
    }

    /// Calls `body` with the values of a block, as ``OccupancyBlock`` has them.
    @inline(__always)
    func read<Result>(_ number: Int, _ body: (UnsafePointer<Int16>) -> Result?) -> Result? {
        slabs[number / OccupancyBlock.perSlab].withUnsafeBufferPointer { values in
            guard let start = values.baseAddress else { return nil }
            return body(start + number % OccupancyBlock.perSlab * OccupancyBlock.valueCount)
        }
    }

    // MARK: - What is in it

    /// A cell that some ray passed or ended in.
    package struct Cell: Hashable, Sendable {
        /// The natural logarithm of the odds that it is occupied.
        package var logOdds: Double
        /// The mean height at which rays ended in it, in metres of the frame `map`; nil where none did.
        package var heightMetres: Double?
        package var isOccupied: Bool { logOdds > 0 }
    }

    /// The cell from `place` times the resolution on; nil where nothing was seen.
    package func cell(_ place: SIMD3<Int32>) -> Cell? {
        guard let number = table.number(of: BlockKey(place &>> 3)) else { return nil }
        let inside = place & 7
        let index = Int(inside.x + 8 * inside.y + 64 * inside.z)
        return read(number) { block in
            guard block[index] != 0 else { return nil }
            let inside = OccupancyBlock.height(block, index)
            let height = inside.map { (Double(place.z) + $0) * parameters.resolutionMetres }
            return Cell(logOdds: OccupancyBlock.logOdds(block[index]), heightMetres: height)
        }
    }

    var keys: [BlockKey] { table.keys }
}

/// The values of 512 cells: logarithms of odds, then mean heights, then the number of rays that made them.
///
/// A logarithm is a whole number of 2000ths, odd where something is known of the cell, and 0 where nothing is.
struct OccupancyBlock {
    let values: UnsafeMutablePointer<Int16>

    static let height = 512
    static let count = 1024
    static let valueCount = 1280
    static let perSlab = 64
    /// The bytes of a block, with its part of the tables.
    static let bytes = valueCount * 2 + 48

    /// OctoMap's: log(0.7 / 0.3), log(0.4 / 0.6), and the bounds of 0.1192 and 0.971.
    static let hit: Int16 = 1694
    static let miss: Int16 = -810
    static let least: Int16 = -4001
    static let greatest: Int16 = 7021
    /// A mean of heights moves at least by this part of a new one.
    private static let steadiest: Int32 = 64

    private static let lanes = Shorts(1, 2, 4, 8, 16, 32, 64, 128)

    static func logOdds(_ value: Int16) -> Double { Double(value) / 2000 }

    /// The probability between the bounds, as 0 to 100.
    static func percent(_ value: Int16) -> Int8 {
        func probability(_ value: Int16) -> Double { 1 / (1 + exp(-logOdds(value))) }
        let (low, high) = (probability(least), probability(greatest))
        return Int8(min(max((probability(value) - low) / (high - low) * 100, 0), 100).rounded())
    }

    /// The mean height in its cell, 0 to 1; nil where no ray ended in it.
    @inline(__always)
    static func height(_ block: UnsafePointer<Int16>, _ index: Int) -> Double? {
        guard hits(block, index) > 0 else { return nil }
        return (Double(UInt16(bitPattern: block[height + index])) + 0.5) / 65_536
    }

    /// How many rays made the mean height, up to 64.
    @inline(__always)
    static func hits(_ block: UnsafePointer<Int16>, _ index: Int) -> UInt8 {
        UnsafeRawPointer(block + count).load(fromByteOffset: index, as: UInt8.self)
    }

    /// Changes the odds of the 64 cells of one z.
    @inline(__always)
    func update(_ word: Int, free: UInt64, occupied: UInt64) {
        guard free | occupied != 0 else { return }
        for line in 0..<8 {
            let shift = UInt64(line &* 8)
            let passed = UInt8(truncatingIfNeeded: free &>> shift)
            let ended = UInt8(truncatingIfNeeded: occupied &>> shift)
            if passed | ended == 0 { continue }
            let place = values + (word &* 64 &+ line &* 8)
            let old = loadShorts(place)
            let isFree = Self.mask(passed)
            let isHit = Self.mask(ended)
            var new = (old | 1) &+ (isFree & Self.miss | isHit & Self.hit)
            new = Self.larger(new, Shorts(repeating: Self.least))
            new = Self.smaller(new, Shorts(repeating: Self.greatest))
            let changed = isFree | isHit
            storeShorts(new & changed | old & ~changed, place)
        }
    }

    @inline(__always)
    private static func mask(_ bits: UInt8) -> Shorts {
        unsafeBitCast((Shorts(repeating: Int16(bits)) & lanes) .== lanes, to: Shorts.self)
    }

    @inline(__always)
    private static func larger(_ a: Shorts, _ b: Shorts) -> Shorts {
        let isLess = unsafeBitCast(a .< b, to: Shorts.self)
        return b & isLess | a & ~isLess
    }

    @inline(__always)
    private static func smaller(_ a: Shorts, _ b: Shorts) -> Shorts {
        let isLess = unsafeBitCast(a .< b, to: Shorts.self)
        return a & isLess | b & ~isLess
    }

    /// Takes the heights at which rays ended in cells of one z.
    @inline(__always)
    func note(_ word: Int, _ ended: UInt64, _ heights: UnsafeBufferPointer<UInt8>, _ start: Int) {
        let counts = UnsafeMutableRawPointer(values + Self.count)
        var left = ended
        while left != 0 {
            let bit = left.trailingZeroBitCount
            left &= left &- 1
            let index = word &* 64 &+ bit
            let count = min(Int32(counts.load(fromByteOffset: index, as: UInt8.self)) &+ 1, Self.steadiest)
            counts.storeBytes(of: UInt8(truncatingIfNeeded: count), toByteOffset: index, as: UInt8.self)
            let mean = Int32(UInt16(bitPattern: values[Self.height + index]))
            // The middle of the step.
            let sample = Int32(heights[start &+ bit]) &* 256 &+ 128
            values[Self.height + index] = Int16(truncatingIfNeeded: mean &+ (sample &- mean) / count)
        }
    }
}
