import Platform

/// Points of which the nearest one to a place is looked for: a k-d tree (Bentley 1975), balanced, in one array.
package struct PointTree: Sendable {
    /// Ranges of so many points are searched one after the other.
    private static let leafCount = 8

    /// In the order of the tree: the point in the middle of a range parts it.
    package let points: [SIMD3<Float>]
    /// The axis that parts a range, at its middle.
    package let axes: [UInt8]
    /// The place of each point in the list that was given; empty where the points are numbered in the order of the tree.
    private let indices: [Int32]

    package init(_ list: [SIMD3<Float>]) {
        let (tree, order) = Self.sorted(list)
        (points, axes, indices) = (tree.points, tree.axes, order)
    }

    /// A tree as it was: its points in its own order.
    package init(points: [SIMD3<Float>], axes: [UInt8]) {
        precondition(points.count == axes.count)
        (self.points, self.axes, indices) = (points, axes, [])
    }

    /// A tree that numbers points in its own order, and the places that they had in the list.
    package static func sorted(_ list: [SIMD3<Float>]) -> (tree: PointTree, order: [Int32]) {
        var entries = list.enumerated().map { (point: $0.element, index: Int32(truncatingIfNeeded: $0.offset)) }
        var axes = [UInt8](repeating: 0, count: list.count)
        entries.withUnsafeMutableBufferPointer { part($0, 0, list.count, &axes) }
        return (PointTree(points: entries.map(\.point), axes: axes), entries.map(\.index))
    }

    package var count: Int { points.count }

    /// The nearest point within a distance: its number, and its squared distance.
    package func nearest(to place: SIMD3<Float>, within metres: Float) -> (index: Int, squaredMetres: Float)? {
        points.withUnsafeBufferPointer { points in
            axes.withUnsafeBufferPointer { axes in
                var search = Search(points: points, axes: axes, place: place, squared: metres * metres)
                search.look(0, points.count)
                guard search.best >= 0 else { return nil }
                return (indices.isEmpty ? search.best : Int(indices[search.best]), search.squared)
            }
        }
    }

    private struct Search {
        let points: UnsafeBufferPointer<SIMD3<Float>>
        let axes: UnsafeBufferPointer<UInt8>
        let place: SIMD3<Float>
        var squared: Float
        var best = -1

        @inline(__always)
        mutating func offer(_ index: Int) {
            let off = points[index] - place
            let distance = (off * off).sum()
            if distance < squared { (squared, best) = (distance, index) }
        }

        mutating func look(_ low: Int, _ high: Int) {
            guard high - low > PointTree.leafCount else {
                for index in low..<high { offer(index) }
                return
            }
            let middle = (low + high) / 2
            let axis = Int(axes[middle])
            let off = place[axis] - points[middle][axis]
            offer(middle)
            if off < 0 { look(low, middle) } else { look(middle + 1, high) }
            guard off * off < squared else { return }
            if off < 0 { look(middle + 1, high) } else { look(low, middle) }
        }
    }

    /// Parts a range along its longest side, and both halves in turn.
    private static func part(
        _ entries: UnsafeMutableBufferPointer<(point: SIMD3<Float>, index: Int32)>,
        _ low: Int,
        _ high: Int,
        _ axes: inout [UInt8]
    ) {
        guard high - low > leafCount else { return }
        var (least, most) = (entries[low].point, entries[low].point)
        for index in low..<high {
            least = pointwiseMin(least, entries[index].point)
            most = pointwiseMax(most, entries[index].point)
        }
        let size = most - least
        let axis = size.x >= size.y ? (size.x >= size.z ? 0 : 2) : (size.y >= size.z ? 1 : 2)
        let middle = (low + high) / 2
        entries.select(middle, in: low..<high) { $0.point[axis] }
        axes[middle] = UInt8(axis)
        part(entries, low, middle, &axes)
        part(entries, middle + 1, high, &axes)
    }
}
