/// What became of the pixels of depth maps: how many each filter dropped, and how many points were left.
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
