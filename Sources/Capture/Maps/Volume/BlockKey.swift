/// Which block of 8x8x8 voxels: voxel (i, j, k) lies in block (i >> 3, j >> 3, k >> 3), and its sample at (i, j, k)
/// times the voxel size from the world's origin.
package struct BlockKey: Hashable, Sendable, Comparable {
    package var place: SIMD3<Int32>

    package init(_ place: SIMD3<Int32>) { self.place = place }

    package init(_ x: Int32, _ y: Int32, _ z: Int32) { place = SIMD3(x, y, z) }

    /// The keys along an axis lie strictly within this: 2^20.
    static let limit: Int32 = 1 << 20

    /// The order of blocks in every output: by z, then y, then x.
    package static func < (left: BlockKey, right: BlockKey) -> Bool { left.packed < right.packed }

    /// 21 bits an axis, x lowest.
    var packed: UInt64 {
        @inline(__always) func bits(_ value: Int32) -> UInt64 {
            UInt64(truncatingIfNeeded: value &+ BlockKey.limit) & 0x1F_FFFF
        }
        return bits(place.z) &<< 42 | bits(place.y) &<< 21 | bits(place.x)
    }

    func neighbour(_ x: Int, _ y: Int, _ z: Int) -> BlockKey {
        BlockKey(place &+ SIMD3(Int32(x), Int32(y), Int32(z)))
    }
}

/// Gives blocks numbers in the order in which they are first asked for.
///
/// Open addressing with linear probing; the table is at most half full.
package struct BlockTable: Sendable {
    /// Number + 1 of the block in each slot, 0 in an empty one.
    private var slots = [UInt32](repeating: 0, count: 1024)
    package private(set) var keys: [BlockKey] = []

    package var count: Int { keys.count }

    /// The number of a block; `nil` where there is none.
    package func number(of key: BlockKey) -> Int? {
        var slot = Int(truncatingIfNeeded: BlockTable.mixed(key)) & (slots.count &- 1)
        while slots[slot] != 0 {
            let number = Int(slots[slot]) &- 1
            if keys[number] == key { return number }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        return nil
    }

    /// Adds a block that is not there yet.
    mutating func add(_ key: BlockKey) -> Int {
        keys.append(key)
        if 2 * keys.count > slots.count {
            slots = [UInt32](repeating: 0, count: 2 * slots.count)
            for number in keys.indices { place(number) }
        } else {
            place(keys.count - 1)
        }
        return keys.count - 1
    }

    private mutating func place(_ number: Int) {
        var slot = Int(truncatingIfNeeded: BlockTable.mixed(keys[number])) & (slots.count &- 1)
        while slots[slot] != 0 { slot = (slot &+ 1) & (slots.count &- 1) }
        slots[slot] = UInt32(number) &+ 1
    }

    /// The finalizer of splitmix64 (Steele, Lea and Flood 2014).
    @inline(__always)
    private static func mixed(_ key: BlockKey) -> UInt64 {
        var bits = key.packed
        bits = (bits ^ (bits &>> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits &>> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits &>> 31)
    }
}
