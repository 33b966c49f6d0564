/// The stages of a cloud on plain points, for whatever the brick grid does not do.
///
/// A point is x, y, z and, in lane 3, bits that are only carried along: the pixel it came from, or its colour. All stages
/// keep the order.
final class PointStages {
    private let table = VoxelTable()
    private let sums = Scratch<VoxelSum>()
    private let keyMemory = Scratch<UInt64>()
    private let linkMemory = Scratch<Int32>()
    private let headMemory = Scratch<Int32>()
    private let keepMemory = Scratch<Bool>()

    /// Keeps the first point of each voxel; returns the number of points left.
    func keepFirst(_ points: UnsafeMutablePointer<SIMD4<Float>>, count: Int, sizeMetres: Float) -> Int {
        let inverseSize = 1 / sizeMetres
        table.reset(capacity: count)
        for index in 0..<count {
            let point = points[index]
            let (number, isNew) = table.insert(VoxelKey.key(point, inverseSize: inverseSize))
            if isNew { points[number] = point }
        }
        return table.count
    }

    /// Replaces the points of each voxel by their mean, and so their colours, which are in lane 3.
    func keepCentroid(_ points: UnsafeMutablePointer<SIMD4<Float>>, count: Int, sizeMetres: Float) -> Int {
        let inverseSize = 1 / sizeMetres
        table.reset(capacity: count)
        let sums = sums.reserve(count)
        for index in 0..<count {
            let point = points[index]
            let (number, isNew) = table.insert(VoxelKey.key(point, inverseSize: inverseSize))
            if isNew { sums[number] = VoxelSum() }
            sums[number].add(point)
        }
        for number in 0..<table.count { points[number] = sums[number].mean }
        return table.count
    }

    /// Keeps the points within a distance of a centre.
    func keepWithin(
        _ points: UnsafeMutablePointer<SIMD4<Float>>,
        count: Int,
        metres: Float,
        of centre: SIMD4<Float>
    ) -> Int {
        let limit = metres * metres
        var kept = 0
        for index in 0..<count {
            let point = points[index]
            var offset = point - centre
            offset.w = 0
            points[kept] = point
            kept &+= (offset * offset).sum() <= limit ? 1 : 0
        }
        return kept
    }

    /// Keeps the points with enough occupied voxels around their own.
    func keepNeighboured(
        _ points: UnsafeMutablePointer<SIMD4<Float>>,
        count: Int,
        sizeMetres: Float,
        minimum: Int
    ) -> Int {
        let inverseSize = 1 / sizeMetres
        let keys = keyMemory.reserve(count)
        table.reset(capacity: count)
        for index in 0..<count {
            keys[index] = VoxelKey.key(points[index], inverseSize: inverseSize)
            _ = table.insert(keys[index])
        }
        return VoxelKey.neighbourSteps.withUnsafeBufferPointer { steps in
            var kept = 0
            for index in 0..<count {
                var occupied = 0
                for step in steps {
                    if occupied >= minimum { break }
                    occupied &+= table.contains(keys[index] &+ step) ? 1 : 0
                }
                points[kept] = points[index]
                kept &+= occupied >= minimum ? 1 : 0
            }
            return kept
        }
    }

    /// Keeps the points with enough others within a radius.
    ///
    /// Each cell of the size of the radius has a list of its points, so that only 27 cells are looked at.
    func keepWithNeighboursInRadius(
        _ points: UnsafeMutablePointer<SIMD4<Float>>,
        count: Int,
        metres: Double,
        minimum: Int
    ) -> Int {
        let inverseSize = 1 / Float(metres)
        let cells = keyMemory.reserve(count)
        let next = linkMemory.reserve(count)
        let heads = headMemory.reserve(count)
        table.reset(capacity: count)
        for index in 0..<count {
            cells[index] = VoxelKey.key(points[index], inverseSize: inverseSize)
            let (number, isNew) = table.insert(cells[index])
            next[index] = isNew ? -1 : heads[number]
            heads[number] = Int32(truncatingIfNeeded: index)
        }
        let search = RadiusSearch(points: points, next: next, heads: heads, limit: metres * metres, minimum: minimum)
        let keep = keepMemory.reserve(count)
        VoxelKey.neighbourSteps.withUnsafeBufferPointer { steps in
            for index in 0..<count {
                var found = search.count(from: 0, around: index, cell: table.number(of: cells[index]))
                for step in steps {
                    if found >= minimum { break }
                    let cell = table.number(of: cells[index] &+ step)
                    if cell >= 0 { found = search.count(from: found, around: index, cell: cell) }
                }
                keep[index] = found >= minimum
            }
        }
        var kept = 0
        for index in 0..<count {
            points[kept] = points[index]
            kept &+= keep[index] ? 1 : 0
        }
        return kept
    }
}

/// Counts neighbours in the lists of cells.
private struct RadiusSearch {
    var points: UnsafeMutablePointer<SIMD4<Float>>
    var next: UnsafeMutablePointer<Int32>
    var heads: UnsafeMutablePointer<Int32>
    var limit: Double
    var minimum: Int

    /// `start` plus the neighbours of a point in one cell, but no more than the minimum.
    @inline(__always)
    func count(from start: Int, around index: Int, cell: Int) -> Int {
        var found = start
        var other = Int(heads[cell])
        while other >= 0 && found < minimum {
            let x = Double(points[other].x) - Double(points[index].x)
            let y = Double(points[other].y) - Double(points[index].y)
            let z = Double(points[other].z) - Double(points[index].z)
            found &+= other != index && x * x + y * y + z * z <= limit ? 1 : 0
            other = Int(next[other])
        }
        return found
    }
}

private struct VoxelSum: BitwiseCopyable {
    private var x = 0.0
    private var y = 0.0
    private var z = 0.0
    private var red: UInt32 = 0
    private var green: UInt32 = 0
    private var blue: UInt32 = 0
    private var count: UInt32 = 0

    mutating func add(_ point: SIMD4<Float>) {
        x += Double(point.x)
        y += Double(point.y)
        z += Double(point.z)
        let colour = point.w.bitPattern
        red &+= colour >> 16 & 255
        green &+= colour >> 8 & 255
        blue &+= colour & 255
        count &+= 1
    }

    var mean: SIMD4<Float> {
        let n = Double(count)
        let colour = rounded(red) << 16 | rounded(green) << 8 | rounded(blue)
        return SIMD4(Float(x / n), Float(y / n), Float(z / n), Float(bitPattern: colour))
    }

    /// The mean of a colour channel, halves upward.
    private func rounded(_ sum: UInt32) -> UInt32 { (sum + count / 2) / count }
}

/// A set of voxels of any size, numbered in order of first appearance: open addressing, at most half full.
///
/// For what does not fit into `BrickGrid`.
final class VoxelTable {
    /// One less than the number of slots, which is a power of two.
    private var mask = 0
    private var shift: UInt64 = 64
    private var keys = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
    private var values = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
    private var slotCapacity = 1
    private(set) var count = 0

    deinit {
        keys.deallocate()
        values.deallocate()
    }

    /// Empties the set and makes room for `capacity` voxels.
    func reset(capacity: Int) {
        var slotCount = 1024
        while slotCount < 2 * capacity { slotCount *= 2 }
        if slotCount > slotCapacity {
            keys.deallocate()
            values.deallocate()
            keys = .allocate(capacity: slotCount)
            values = .allocate(capacity: slotCount)
            slotCapacity = slotCount
        }
        mask = slotCount - 1
        shift = UInt64(64 - slotCount.trailingZeroBitCount)
        keys.update(repeating: 0, count: slotCount)
        count = 0
    }

    /// Adds a voxel; returns its number, and whether it is new.
    @inline(__always)
    func insert(_ key: UInt64) -> (number: Int, isNew: Bool) {
        let slot = find(key)
        if keys[slot] == key { return (Int(values[slot]), false) }
        keys[slot] = key
        values[slot] = Int32(truncatingIfNeeded: count)
        count &+= 1
        return (count &- 1, true)
    }

    /// The number of a voxel, or -1.
    @inline(__always)
    func number(of key: UInt64) -> Int {
        let slot = find(key)
        return keys[slot] == key ? Int(values[slot]) : -1
    }

    @inline(__always)
    func contains(_ key: UInt64) -> Bool {
        keys[find(key)] == key
    }

    /// The slot that holds a key, or the empty one where it belongs.
    @inline(__always)
    private func find(_ key: UInt64) -> Int {
        let mixed = (key ^ key &>> 32) &* 0x9E37_79B9_7F4A_7C15
        var slot = Int(truncatingIfNeeded: mixed &>> shift)
        while keys[slot] != 0 && keys[slot] != key { slot = (slot &+ 1) & mask }
        return slot
    }
}

/// Voxel numbers along three axes, 21 bits each; never 0.
enum VoxelKey {
    static let stepX: UInt64 = 1 << 42
    static let stepY: UInt64 = 1 << 21
    static let stepZ: UInt64 = 1
    private static let bias = Int32(1 << 20)

    /// The key of the voxel of a point; its coordinates are within `GridLimits.maximumIndex` voxels.
    @inline(__always)
    static func key(_ point: SIMD4<Float>, inverseSize: Float) -> UInt64 {
        let index = floorIndices(point * inverseSize) &+ SIMD4(repeating: bias)
        return UInt64(UInt32(bitPattern: index.x)) &<< 42
            | UInt64(UInt32(bitPattern: index.y)) &<< 21
            | UInt64(UInt32(bitPattern: index.z))
    }

    /// The differences between a voxel's key and those of the 26 voxels around.
    static let neighbourSteps: [UInt64] = {
        var steps: [UInt64] = []
        for x in [0 &- stepX, 0, stepX] {
            for y in [0 &- stepY, 0, stepY] {
                for z in [0 &- stepZ, 0, stepZ] where x | y | z != 0 { steps.append(x &+ y &+ z) }
            }
        }
        return steps
    }()
}
