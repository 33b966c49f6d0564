/// The distances of a block with what surrounds it: one voxel before, two behind along each axis.
final class BlockApron {
    /// Neighbouring rows and layers lie so far apart.
    static let row = 16
    static let layer = 16 * 11
    /// Where the block's own first voxel is.
    static let origin = 1 + row + layer
    /// Where too little was seen.
    static let unseen = Int16.min

    /// Distances as the field has them, or `unseen`.
    let values: UnsafeMutablePointer<Int16>
    /// The numbers of the 27 blocks, x fastest; -1 where there is none.
    let neighbours: UnsafeMutablePointer<Int>

    init() {
        neighbours = .allocate(capacity: 27)
        neighbours.initialize(repeating: -1, count: 27)
        values = .allocate(capacity: Self.layer * 11 + Self.row)
        values.initialize(repeating: Self.unseen, count: Self.layer * 11 + Self.row)
    }

    deinit {
        values.deallocate()
        neighbours.deallocate()
    }

    @inline(__always)
    static func step(_ axis: Int) -> Int { axis == 0 ? 1 : axis == 1 ? row : layer }

    /// Collects a block and its neighbours.
    func fill(_ field: FieldSnapshot, _ key: BlockKey, minimumWeight: Int16) {
        for z in -1...1 {
            for y in -1...1 {
                for x in -1...1 {
                    let number = field.table.number(of: key.neighbour(x, y, z)) ?? -1
                    neighbours[(x + 1) + 3 * (y + 1) + 9 * (z + 1)] = number
                    copy(field, number, x, y, z, minimumWeight)
                }
            }
        }
    }

    /// The part of the apron that lies in a neighbour: its voxels and their place here.
    private static func span(_ side: Int) -> (from: Int, count: Int, to: Int) {
        side < 0 ? (7, 1, 0) : side == 0 ? (0, 8, 1) : (0, 2, 9)
    }

    private func copy(_ field: FieldSnapshot, _ number: Int, _ x: Int, _ y: Int, _ z: Int, _ least: Int16) {
        let (across, down, deep) = (Self.span(x), Self.span(y), Self.span(z))
        guard number >= 0 else {
            for layer in 0..<deep.count {
                for row in 0..<down.count {
                    let target = values + across.to + (down.to + row) * Self.row + (deep.to + layer) * Self.layer
                    for column in 0..<across.count { target[column] = Self.unseen }
                }
            }
            return
        }
        field.read(number) { block in
            for layer in 0..<deep.count {
                for row in 0..<down.count {
                    let source = block + across.from + 8 * (down.from + row) + 64 * (deep.from + layer)
                    let target = values + across.to + (down.to + row) * Self.row + (deep.to + layer) * Self.layer
                    if x == 0 {
                        let weights = loadShorts(source + BlockLayout.weight)
                        let distances = loadShorts(source + BlockLayout.distance)
                        let isSeen = signs(Shorts(repeating: least &- 1) &- weights)
                        storeShorts(distances & isSeen | Shorts(repeating: Self.unseen) & ~isSeen, target)
                    } else {
                        for column in 0..<across.count {
                            let isSeen = source[BlockLayout.weight + column] >= least
                            target[column] = isSeen ? source[BlockLayout.distance + column] : Self.unseen
                        }
                    }
                }
            }
        }
    }

    /// How the distance grows along each axis at a voxel, by the neighbours that were seen.
    @inline(__always)
    func gradient(_ place: Int) -> SIMD3<Float> {
        let centre = values[place]
        @inline(__always) func slope(_ step: Int) -> Float {
            let (low, high) = (values[place - step], values[place + step])
            if low == Self.unseen {
                return high == Self.unseen ? 0 : Float(Int32(high) - Int32(centre))
            }
            return high == Self.unseen ? Float(Int32(centre) - Int32(low)) : 0.5 * Float(Int32(high) - Int32(low))
        }
        return SIMD3(slope(1), slope(Self.row), slope(Self.layer))
    }
}

/// All ones in the negative lanes, 0 elsewhere.
@inline(__always)
func signs(_ values: Shorts) -> Shorts { values &>> 15 }

/// A bit a lane, lane 0 lowest, from lanes that are all ones or all zeros.
@inline(__always)
func laneBits(_ lanes: Shorts) -> UInt8 {
    let bytes = unsafeBitCast(SIMD8<Int8>(truncatingIfNeeded: lanes), to: UInt64.self)
    return UInt8(truncatingIfNeeded: ((bytes & 0x8040_2010_0804_0201) &* 0x0101_0101_0101_0101) &>> 56)
}
