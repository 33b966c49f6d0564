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

    /// What to add to a key for each of the 26 voxels around.
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
