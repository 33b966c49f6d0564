import Recording

/// How a block of 8x8x8 voxels lies in memory: x fastest, then y, then z, in planes of Int16.
package enum BlockLayout {
    /// The distance to the surface in parts of the truncation: `distanceUnit` is 1, positive before the surface.
    static let distance = 0
    /// The weight, in parts of `weightUnit`; 0 where nothing was seen.
    static let weight = 512
    /// Red, green, blue and their weight for each voxel.
    static let colour = 1024
    /// How often the surface was seen near a voxel, up to 32767.
    static let count = 3072
    static let valueCount = 3584

    static let distanceUnit: Float = 32_000
    static let weightUnit: Float = 2048
    static let largestWeight: Float = 32_767
    /// Units of one of a colour's 255 steps.
    static let colourUnit: Float = 128
    /// The bytes of a block, with its part of the tables.
    package static let bytes = valueCount * 2 + 48
}

/// The voxels of blocks, in slabs, so that growing copies nothing.
package struct BlockStore: Sendable {
    private static let blocksPerSlab = 64

    private var slabs: [[Int16]] = []

    /// Makes room for so many blocks; new ones are all 0.
    mutating func grow(to count: Int) {
        while slabs.count * Self.blocksPerSlab < count {
            slabs.append([Int16](repeating: 0, count: Self.blocksPerSlab * BlockLayout.valueCount))
        }
    }

    @inline(__always)
    mutating func mutate(_ block: Int, _ body: (UnsafeMutablePointer<Int16>) -> Void) {
        slabs[block / Self.blocksPerSlab].withUnsafeMutableBufferPointer { values in
            guard let start = values.baseAddress else { return }
            body(start + block % Self.blocksPerSlab * BlockLayout.valueCount)
        }
    }

    /// Where a block lies, for those that ask the processor to fetch it.
    @inline(__always)
    func address(_ block: Int) -> UInt {
        slabs[block / Self.blocksPerSlab].withUnsafeBufferPointer { values in
            UInt(bitPattern: values.baseAddress) + UInt(block % Self.blocksPerSlab * BlockLayout.valueCount * 2)
        }
    }

    @inline(__always)
    func read(_ block: Int, _ body: (UnsafePointer<Int16>) -> Void) {
        slabs[block / Self.blocksPerSlab].withUnsafeBufferPointer { values in
            guard let start = values.baseAddress else { return }
            body(start + block % Self.blocksPerSlab * BlockLayout.valueCount)
        }
    }
}

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

/// A place as three numbers: unlike a `Vector3` it needs no alignment of 32 bytes, and may be kept across an `await`.
struct MapOrigin: Hashable, Sendable {
    private let x: Double
    private let y: Double
    private let z: Double

    init(_ place: Vector3) { (x, y, z) = (place.x, place.y, place.z) }

    var vector: Vector3 { Vector3(x, y, z) }
}

/// A field that nothing changes any more, whose parts many tasks can read.
package struct FieldSnapshot: Sendable {
    let table: BlockTable
    let stores: [BlockStore]
    package let parameters: MapParameters
    /// Where block 0 begins in the world: a whole number of blocks from its origin.
    let start: MapOrigin
    var origin: Vector3 { start.vector }

    /// The field's values at one voxel.
    package struct Voxel: Hashable, Sendable {
        /// To the surface in metres, positive before it, at most the truncation.
        package var metres: Float
        /// 1 is one sample of high confidence at one metre.
        package var weight: Float
        /// Red, green and blue, 0 to 255, and their weight.
        package var colour: SIMD4<Float>
        package var count: Int
    }

    /// The keys of all blocks, in their order.
    package var keys: [BlockKey] { table.keys.sorted() }

    /// Calls `body` with a block's values.
    @inline(__always)
    func read(_ number: Int, _ body: (UnsafePointer<Int16>) -> Void) {
        stores[number % stores.count].read(number / stores.count, body)
    }

    /// The voxel with its sample at `place` times the voxel size; `nil` where nothing was seen.
    package func voxel(_ place: SIMD3<Int32>) -> Voxel? {
        guard let number = table.number(of: BlockKey(place &>> 3)) else { return nil }
        let inside = place & 7
        let index = Int(inside.x + 8 * inside.y + 64 * inside.z)
        var result: Voxel?
        read(number) { block in
            let weight = block[BlockLayout.weight + index]
            guard weight > 0 else { return }
            let colour = block + BlockLayout.colour + 4 * index
            let unit = BlockLayout.colourUnit
            result = Voxel(
                metres: Float(block[BlockLayout.distance + index]) / BlockLayout.distanceUnit
                    * Float(parameters.truncationMetres),
                weight: Float(weight) / BlockLayout.weightUnit,
                colour: SIMD4(
                    Float(colour[0]) / unit,
                    Float(colour[1]) / unit,
                    Float(colour[2]) / unit,
                    Float(colour[3]) / BlockLayout.weightUnit
                ),
                count: Int(block[BlockLayout.count + index])
            )
        }
        return result
    }
}
