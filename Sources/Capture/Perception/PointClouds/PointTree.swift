/// Points of which the nearest one to a place is looked for: a k-d tree (Bentley 1975), balanced, in one array.
package struct PointTree: Sendable {
    /// Ranges of so many points are searched one after the other.
    private static let leafCount = 8

    /// In the order of the tree: the point in the middle of a range parts it.
    private let points: [SIMD3<Float>]
    /// The axis that parts a range, at its middle.
    private let axes: [UInt8]
    /// The place of each point in the list that was given.
    private let indices: [Int32]

    package init(_ list: [SIMD3<Float>]) {
        var entries = list.enumerated().map { (point: $0.element, index: Int32(truncatingIfNeeded: $0.offset)) }
        var axes = [UInt8](repeating: 0, count: list.count)
        entries.withUnsafeMutableBufferPointer { Self.part($0, 0, list.count, &axes) }
        points = entries.map(\.point)
        indices = entries.map(\.index)
        self.axes = axes
    }

    package var count: Int { points.count }

    /// The nearest point within a distance: its place in the list that was given, and its squared distance.
    package func nearest(to place: SIMD3<Float>, within metres: Float) -> (index: Int, squaredMetres: Float)? {
        points.withUnsafeBufferPointer { points in
            axes.withUnsafeBufferPointer { axes in
                var search = Search(points: points, axes: axes, place: place, squared: metres * metres)
                search.look(0, points.count)
                return search.best >= 0 ? (Int(indices[search.best]), search.squared) : nil
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
        select(entries, low, high - 1, middle, axis)
        axes[middle] = UInt8(axis)
        part(entries, low, middle, &axes)
        part(entries, middle + 1, high, &axes)
    }

    /// Brings the entry that belongs to a place there, with lesser ones before it (Hoare 1961, "Find").
    private static func select(
        _ entries: UnsafeMutableBufferPointer<(point: SIMD3<Float>, index: Int32)>,
        _ first: Int,
        _ last: Int,
        _ place: Int,
        _ axis: Int
    ) {
        var (first, last) = (first, last)
        while first < last {
            let pivot = entries[place].point[axis]
            var (i, j) = (first, last)
            repeat {
                while entries[i].point[axis] < pivot { i += 1 }
                while pivot < entries[j].point[axis] { j -= 1 }
                if i <= j {
                    entries.swapAt(i, j)
                    (i, j) = (i + 1, j - 1)
                }
            } while i <= j
            if j < place { first = i }
            if place < i { last = j }
        }
    }
}
