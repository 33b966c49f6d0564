/// Coloured points as they are sent: 16 little-endian bytes each.
package struct PointCloud: Sendable, Hashable {
    /// The number of bytes of one point.
    package static let bytesPerPoint = 16

    package var count: Int
    /// `count` times x, y, z as Float32 in metres, then the colour as UInt32 0x00RRGGBB.
    ///
    /// White where the frame had no image. All coordinates are finite.
    package var packed: [UInt8]
    /// The pixels that the cloud was made from, by the filter that dropped them.
    package var counts = CloudCounts()

    package init(count: Int, packed: [UInt8], counts: CloudCounts = CloudCounts()) {
        (self.count, self.packed, self.counts) = (count, packed, counts)
    }

    /// The coordinates of one point in metres.
    package func position(_ index: Int) -> SIMD3<Float> {
        precondition(index >= 0 && index < count)
        return packed.withUnsafeBytes { bytes in
            let offset = index * Self.bytesPerPoint
            return SIMD3(
                Float(bitPattern: word(bytes, offset)),
                Float(bitPattern: word(bytes, offset + 4)),
                Float(bitPattern: word(bytes, offset + 8))
            )
        }
    }

    /// The colour of one point as 0x00RRGGBB.
    package func colour(_ index: Int) -> UInt32 {
        precondition(index >= 0 && index < count)
        return packed.withUnsafeBytes { word($0, index * Self.bytesPerPoint + 12) }
    }
}

private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
}

/// The pixels of depth maps by their fate: how many each filter dropped, and how many points were left.
///
/// A pixel is dropped once, by the first filter in the order of ``Filter`` that it does not pass, so that `pixels` is the sum
/// of `points` and of all that was dropped.
package struct CloudCounts: Sendable, Hashable {
    package enum Filter: String, Sendable, Hashable, CaseIterable {
        /// No valid depth, or none between the limits.
        case depth
        case confidence
        case edge
        /// A later pixel of a voxel that has its point; with centroids, one that only moved it.
        case voxel
        case range
        case outlier
    }

    /// The number of depth maps.
    package var clouds = 0
    /// The pixels that were looked at: with a stride each n-th row and column.
    package private(set) var pixels = 0
    package private(set) var points = 0
    private var dropped: [Filter: Int] = [:]

    package init() {}

    /// One depth map of which nothing was dropped yet.
    init(pixels: Int) {
        clouds = 1
        self.pixels = pixels
        points = pixels
    }

    package func dropped(by filter: Filter) -> Int { dropped[filter] ?? 0 }

    /// Notes how many points a filter left.
    mutating func keep(_ count: Int, after filter: Filter) {
        if count != points { dropped[filter, default: 0] += points - count }
        points = count
    }

    package mutating func append(_ other: CloudCounts) {
        clouds += other.clouds
        pixels += other.pixels
        points += other.points
        dropped.merge(other.dropped, uniquingKeysWith: +)
    }
}
