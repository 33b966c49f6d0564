/// How a block of 8x8x8 voxels lies in memory: x fastest, then y, then z, in planes of Int16.
package enum BlockLayout {
    package static let voxelCount = 512
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
    /// Of a colour's 255 steps.
    static let colourUnit: Float = 128
    /// What a block costs, with its part of the tables.
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

    @inline(__always)
    func read(_ block: Int, _ body: (UnsafePointer<Int16>) -> Void) {
        slabs[block / Self.blocksPerSlab].withUnsafeBufferPointer { values in
            guard let start = values.baseAddress else { return }
            body(start + block % Self.blocksPerSlab * BlockLayout.valueCount)
        }
    }
}
