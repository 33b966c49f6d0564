import Glibc

/// Which voxels of a box of 512 x 512 x 512 are occupied: one bit each, in bricks of 8 x 8 x 8 that fill a cache line.
///
/// A voxel's key is its place in the bit set. From the lowest bit: x, y, z inside the brick (3 bits each), then x, y, z
/// of the brick (6 bits each). So a word is an 8 x 8 slice of a brick, and most neighbourhoods lie in three words of one
/// line: no hashing and no comparing. 16 MB of address space, of which only the touched pages ever exist.
final class BrickGrid {
    /// Voxels along an axis.
    static let places = 512
    private static let wordCount = 1 << 21

    let words: UnsafeMutablePointer<UInt64>
    private let windows: UnsafeMutablePointer<UInt64>

    /// `nil` where there is no memory.
    init?() {
        guard let memory = calloc(Self.wordCount, MemoryLayout<UInt64>.stride) else { return nil }
        words = memory.bindMemory(to: UInt64.self, capacity: Self.wordCount)
        windows = .allocate(capacity: 64)
        for place in 0..<64 { windows[place] = window(around: place) }
    }

    deinit {
        free(words)
        windows.deallocate()
    }

    /// Occupies the voxels of the given keys.
    func occupy(_ keys: UnsafePointer<UInt32>, count: Int) {
        let words = words
        for index in 0..<count { words[Int(keys[index] &>> 6)] |= 1 &<< UInt64(keys[index] & 63) }
    }

    /// Frees the voxels of the given keys.
    func clear(_ keys: UnsafePointer<UInt32>, count: Int) {
        let words = words
        for index in 0..<count { words[Int(keys[index] &>> 6)] = 0 }
    }

    /// Keeps the pixels whose voxel has at least `minimum` occupied ones among the 26 around it; returns their number.
    func keepNeighboured(
        pixels: UnsafeMutablePointer<UInt32>,
        keys: UnsafePointer<UInt32>,
        count: Int,
        minimum: Int
    ) -> Int {
        let words = words
        let windows = windows
        var kept = 0
        for index in 0..<count {
            pixels[kept] = pixels[index]
            kept &+= one(ifNeighboured: keys[index], needed: minimum &+ 1, words, windows)
        }
        return kept
    }

    /// The same for voxels that hold many pixels, of which those of a row follow each other: a verdict is used again.
    func keepNeighbouredRuns(
        pixels: UnsafeMutablePointer<UInt32>,
        keys: UnsafePointer<UInt32>,
        count: Int,
        minimum: Int
    ) -> Int {
        let words = words
        let windows = windows
        var kept = 0
        // Keys have 27 bits.
        var last = UInt32.max
        var verdict = 0
        for index in 0..<count {
            if keys[index] != last {
                last = keys[index]
                verdict = one(ifNeighboured: last, needed: minimum &+ 1, words, windows)
            }
            pixels[kept] = pixels[index]
            kept &+= verdict
        }
        return kept
    }

    /// 1 where at least `needed` voxels are occupied among the 27 at and around a key, 0 elsewhere.
    @inline(__always)
    private func one(
        ifNeighboured key: UInt32,
        needed: Int,
        _ words: UnsafeMutablePointer<UInt64>,
        _ windows: UnsafeMutablePointer<UInt64>
    ) -> Int {
        let window = windows[Int(key & 63)]
        let here = words[Int(key &>> 6)] & window
        let below = words[Int(BrickKey.previous(key, BrickKey.z) &>> 6)] & window
        let above = words[Int(BrickKey.next(key, BrickKey.z) &>> 6)] & window
        // A window is 3 columns in 3 rows of 8: turned by 3 columns and by 3 rows, the three fit side by side.
        let all = here | turned(below, 3) | turned(above, 24)
        var occupied = all.nonzeroBitCount
        // Both are computed, and their sign bits combined, to have one branch that is hard to predict and not two.
        let isUnclear = (occupied &- needed) & BrickKey.signOnSliceBorder(key)
        if isUnclear < 0 { occupied = occupiedAround(key) }
        return 1 &+ ((occupied &- needed) &>> 63)
    }

    /// The number of occupied voxels among the 27 around and at a key, wherever the brick ends.
    private func occupiedAround(_ key: UInt32) -> Int {
        let x = BrickKey.neighbours(key, BrickKey.x)
        let y = BrickKey.neighbours(key, BrickKey.y)
        let z = BrickKey.neighbours(key, BrickKey.z)
        var occupied = 0
        for zIndex in 0..<3 {
            for yIndex in 0..<3 {
                let line = y[yIndex] | z[zIndex]
                occupied &+= bit(line | x[0]) &+ bit(line | x[1]) &+ bit(line | x[2])
            }
        }
        return occupied
    }

    @inline(__always)
    private func bit(_ key: UInt32) -> Int {
        Int(truncatingIfNeeded: (words[Int(key &>> 6)] &>> UInt64(key & 63)) & 1)
    }
}

/// The bits rotated to the left.
@inline(__always)
private func turned(_ bits: UInt64, _ places: UInt64) -> UInt64 {
    bits &<< places | bits &>> (64 &- places)
}

/// The 3 x 3 window around a place in an 8 x 8 slice, clipped to the slice.
private func window(around place: Int) -> UInt64 {
    let column = place % 8
    let row = place / 8
    var window: UInt64 = 0
    for y in max(0, row - 1)...min(7, row + 1) {
        for x in max(0, column - 1)...min(7, column + 1) { window |= 1 << UInt64(8 * y + x) }
    }
    return window
}

/// Arithmetic on the keys of `BrickGrid`.
enum BrickKey {
    /// The bits of each axis.
    static let x: UInt32 = 7 | 63 << 9
    static let y: UInt32 = 7 << 3 | 63 << 15
    static let z: UInt32 = 7 << 6 | 63 << 21

    /// The keys of eight voxels with coordinates 0 to 511.
    @inline(__always)
    static func keys(_ x: Integers, _ y: Integers, _ z: Integers) -> Integers {
        let (inside, brick) = (Integers(repeating: 7), Integers(repeating: 0x1F8))
        var keys = (x & inside) | (x & brick) &<< 6
        keys |= (y & inside) &<< 3 | (y & brick) &<< 12
        keys |= (z & inside) &<< 6 | (z & brick) &<< 18
        return keys
    }

    @inline(__always)
    static func key(_ place: SIMD4<Int32>) -> UInt32 {
        let x = UInt32(bitPattern: place.x)
        let y = UInt32(bitPattern: place.y)
        let z = UInt32(bitPattern: place.z)
        let low = (x & 7) | ((y & 7) &<< 3) | ((z & 7) &<< 6)
        let high = ((x & 0x1F8) &<< 6) | ((y & 0x1F8) &<< 12) | ((z & 0x1F8) &<< 18)
        return low | high
    }

    /// The key one step up along an axis: the carry runs through the other axes' bits, which are set for that.
    @inline(__always)
    static func next(_ key: UInt32, _ axis: UInt32) -> UInt32 {
        (((key | ~axis) &+ (axis & (0 &- axis))) & axis) | (key & ~axis)
    }

    /// The key one step down along an axis.
    @inline(__always)
    static func previous(_ key: UInt32, _ axis: UInt32) -> UInt32 {
        (((key & axis) &- (axis & (0 &- axis))) & axis) | (key & ~axis)
    }

    /// Negative if the voxel touches another brick in x or y.
    @inline(__always)
    static func signOnSliceBorder(_ key: UInt32) -> Int {
        // One bit for each place of a slice: the first and the last row, the first and the last column.
        let border: UInt64 = 0xFF81_8181_8181_81FF
        return Int(bitPattern: UInt(border &<< (63 &- UInt64(key & 63))))
    }

    /// The bits of one axis, one step down, in place and one step up.
    @inline(__always)
    static func neighbours(_ key: UInt32, _ axis: UInt32) -> SIMD4<UInt32> {
        SIMD4(previous(key, axis) & axis, key & axis, next(key, axis) & axis, 0)
    }
}
