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
