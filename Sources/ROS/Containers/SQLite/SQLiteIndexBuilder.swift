import Files

/// Builds the b-tree of an index on one integer of a table.
struct SQLiteIndexBuilder {
    private let pages: SQLitePages
    private let keys: [Int64]
    /// Row numbers less one in the order of the keys; nil if that is their own order.
    private let order: [Int32]?
    private let leafCapacity: Int
    private let interiorCapacity: Int

    /// Length, three bytes of record header, the key and the row's number.
    private static let cellBytes = 1 + 3 + 8 + 4

    /// How many pages an index of so many rows takes at most.
    static func pageCount(_ rowCount: Int, pageBytes: Int) -> Int {
        let leaves = rowCount / ((pageBytes - 8) / (cellBytes + 2)) + 1
        return leaves + leaves / ((pageBytes - 12) / (cellBytes + 6)) + 1
    }

    /// - Parameter keys: the key of each row, in the order of their numbers; fewer than 2^31.
    init(_ pages: SQLitePages, keys: [Int64], isSorted: Bool) {
        self.pages = pages
        self.keys = keys
        order =
            isSorted
            ? nil : keys.indices.map { Int32($0) }.sorted { (keys[Int($0)], $0) < (keys[Int($1)], $1) }
        leafCapacity = (pages.pageBytes - 8) / (Self.cellBytes + 2)
        interiorCapacity = (pages.pageBytes - 12) / (Self.cellBytes + 6)
    }

    /// Writes all pages; the top one where the index has its root.
    ///
    /// Each key is in the tree once: between two pages of a level stands one key, on a level above.
    func write(root: Int) throws(FileError) {
        guard keys.count > leafCapacity else { return try writeLeaf(0..<keys.count, at: root) }
        var children: [Int] = []
        var dividers: [Int] = []
        var start = 0
        while start < keys.count {
            let end = Self.end(of: start, in: keys.count, capacity: leafCapacity)
            let number = pages.allocate()
            try writeLeaf(start..<end, at: number)
            children.append(number)
            if end < keys.count { dividers.append(end) }
            start = end + 1
        }
        while dividers.count > interiorCapacity {
            (children, dividers) = try writeLevel(children, dividers)
        }
        try writeInterior(children[...], dividers[...], at: root)
    }

    private func writeLevel(_ children: [Int], _ dividers: [Int]) throws(FileError) -> ([Int], [Int]) {
        var upperChildren: [Int] = []
        var upperDividers: [Int] = []
        var start = 0
        while start < dividers.count {
            let end = Self.end(of: start, in: dividers.count, capacity: interiorCapacity)
            let number = pages.allocate()
            try writeInterior(children[start...end], dividers[start..<end], at: number)
            upperChildren.append(number)
            if end < dividers.count { upperDividers.append(dividers[end]) }
            start = end + 1
        }
        return (upperChildren, upperDividers)
    }

    /// Where a page ends that begins at `start`: what is there goes up, and the page after it is not left without keys.
    private static func end(of start: Int, in count: Int, capacity: Int) -> Int {
        let end = min(start + capacity, count)
        return count - end == 1 ? end - 1 : end
    }

    private func writeLeaf(_ range: Range<Int>, at number: Int) throws(FileError) {
        var page = SQLiteTreePage(.leafIndex, pageBytes: pages.pageBytes)
        for place in range { page.append(Self.cellBytes) { record(place, &$0) } }
        try pages.write(&page, at: number)
    }

    private func writeInterior(
        _ children: ArraySlice<Int>,
        _ dividers: ArraySlice<Int>,
        at number: Int
    ) throws(FileError) {
        var page = SQLiteTreePage(.interiorIndex, pageBytes: pages.pageBytes)
        for (child, divider) in zip(children, dividers) {
            page.append(Self.cellBytes + 4) { cell in
                cell.integer(Int64(child), 4)
                record(divider, &cell)
            }
        }
        try pages.write(&page, at: number, rightChild: children.last)
    }

    private func record(_ place: Int, _ cell: inout SQLiteCellWriter) {
        let row = order.map { Int($0[place]) } ?? place
        cell.variable(Self.cellBytes - 1)
        // The header: its size, then a number of 8 bytes and one of 4.
        cell.variable(3)
        cell.variable(6)
        cell.variable(4)
        cell.integer(keys[row], 8)
        cell.integer(Int64(row + 1), 4)
    }
}
