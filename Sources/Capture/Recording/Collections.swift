/// Keeps at most `limit` items of a stream, evenly spread, without knowing its length.
package struct SpreadSample<Item> {
    package let limit: Int
    package private(set) var items: [Item] = []
    package private(set) var seen = 0
    private var stride = 1

    package init(limit: Int) {
        self.limit = limit
    }

    package mutating func add(_ item: Item) {
        defer { seen += 1 }
        guard seen % stride == 0 else { return }
        if items.count == limit {
            items = items.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            stride *= 2
            guard seen % stride == 0 else { return }
        }
        items.append(item)
    }
}

extension RandomAccessCollection {
    /// The first index at which a condition holds, if it holds at all later ones too; the end if it never holds.
    @inlinable
    package func sortedIndex(where isReached: (Element) throws -> Bool) rethrows -> Index {
        var (low, count) = (startIndex, count)
        while count > 0 {
            let middle = index(low, offsetBy: count / 2)
            if try isReached(self[middle]) {
                count /= 2
            } else {
                low = index(after: middle)
                count -= count / 2 + 1
            }
        }
        return low
    }
}

extension RandomAccessCollection where Element: Comparable {
    /// True if a sorted collection has an element.
    @inlinable
    package func containsSorted(_ element: Element) -> Bool {
        let place = sortedIndex(where: { $0 >= element })
        return place < endIndex && self[place] == element
    }
}

/// Elements of which the first in an order is taken first.
package struct Heap<Element> {
    @usableFromInline var elements: [Element] = []
    @usableFromInline let precedes: (Element, Element) -> Bool

    @inlinable
    package init(_ precedes: @escaping (Element, Element) -> Bool) { self.precedes = precedes }

    @inlinable package var count: Int { elements.count }
    @inlinable package var first: Element? { elements.first }

    @inlinable
    package mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0, precedes(elements[child], elements[(child - 1) / 2]) {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    @inlinable
    package mutating func removeFirst() -> Element? {
        guard let first = elements.first else { return nil }
        elements.swapAt(0, elements.count - 1)
        elements.removeLast()
        var parent = 0
        while 2 * parent + 1 < elements.count {
            let (left, right) = (2 * parent + 1, 2 * parent + 2)
            let child = right < elements.count && precedes(elements[right], elements[left]) ? right : left
            guard precedes(elements[child], elements[parent]) else { break }
            elements.swapAt(child, parent)
            parent = child
        }
        return first
    }
}

/// Members of sets that are joined one after the other; the smallest member of a set stands for it.
package final class DisjointSets {
    @usableFromInline let parents: UnsafeMutablePointer<UInt32>

    package init(count: Int) {
        parents = .allocate(capacity: max(count, 1))
        for member in 0..<count { (parents + member).initialize(to: UInt32(truncatingIfNeeded: member)) }
    }

    /// Sets of parts whose members follow one another.
    ///
    /// - Parameter parts: for each member the first one of its set, as `roots` gives it, counted from the part's first.
    package init(parts: [[UInt32]]) {
        parents = .allocate(capacity: max(parts.reduce(0) { $0 + $1.count }, 1))
        var first = 0
        for roots in parts {
            for (member, root) in roots.enumerated() {
                (parents + first + member).initialize(to: root &+ UInt32(truncatingIfNeeded: first))
            }
            first += roots.count
        }
    }

    deinit { parents.deallocate() }

    /// The smallest member of each one's set.
    package func roots(count: Int) -> [UInt32] {
        // A parent is never larger than its child, and so has its root already.
        for member in 0..<count { parents[member] = parents[Int(parents[member])] }
        return Array(UnsafeBufferPointer(start: parents, count: count))
    }

    @inlinable @inline(__always)
    package func root(_ member: UInt32) -> UInt32 {
        var member = member
        while true {
            let parent = parents[Int(member)]
            if parent == member { return member }
            let next = parents[Int(parent)]
            parents[Int(member)] = next
            member = next
        }
    }

    @inlinable @inline(__always)
    package func join(_ a: UInt32, _ b: UInt32) {
        // Neighbours of large sets mostly have the same parent.
        if parents[Int(a)] == parents[Int(b)] { return }
        let (first, second) = (root(a), root(b))
        if first < second { parents[Int(second)] = first } else { parents[Int(first)] = second }
    }

    /// The sets of so many members after these pairs were joined: the smallest member of each member's set.
    package static func roots(count: Int, joining pairs: [(Int, Int)]) -> [Int] {
        let sets = DisjointSets(count: count)
        for (a, b) in pairs { sets.join(UInt32(a), UInt32(b)) }
        return (0..<count).map { Int(sets.root(UInt32($0))) }
    }
}
