package import Files

/// Builds the b-tree of a table from rows that come in the order of their numbers, from 1 on, several times as fast as
/// SQLite inserts them.
///
/// The columns are an INTEGER PRIMARY KEY, two integers and a blob. An index on the second integer is built with it.
package struct SQLiteTableBuilder {
    private let pages: SQLitePages
    private var leaf: SQLiteTreePage
    private var children: [SQLiteTreeChild] = []
    /// The second integer of each row; empty once there are too many to keep.
    private var keys: [Int64] = []
    private var isSorted = true
    package private(set) var rowCount = 0
    private let maximumKeyCount: Int

    /// - Parameter maximumKeyCount: how many rows may be kept in mind for the index, at 8 bytes each.
    package init(_ pages: SQLitePages, maximumKeyCount: Int = 1_000_000) {
        self.pages = pages
        self.maximumKeyCount = maximumKeyCount
        leaf = SQLiteTreePage(.leafTable, pageBytes: pages.pageBytes)
    }

    /// Whether `finish` can build the index.
    package var hasIndex: Bool { rowCount <= maximumKeyCount }

    /// The size of the file with one more row, as far as it comes from this table and its index.
    package func projectedBytes(adding byteCount: Int) -> Int {
        let payload = byteCount + 24
        let inPages = pages.pageCount + 2 + (payload > pages.pageBytes ? pages.overflowPageCount(payload) : 0)
        let indexPages = SQLiteIndexBuilder.pageCount(rowCount + 1, pageBytes: pages.pageBytes)
        let interiorPages = children.count / (pages.pageBytes / 15) + 1
        return (inPages + indexPages + interiorPages) * pages.pageBytes
    }

    /// Appends a row; its number is one more than that of the row before.
    package mutating func append(_ first: Int64, _ second: Int64, _ blob: UnsafeRawBufferPointer) throws(FileError) {
        rowCount += 1
        note(second)
        let firstBytes = first == Int64(Int8(truncatingIfNeeded: first)) ? 1 : 8
        let blobType = 12 + 2 * blob.count
        // The size of the header, four types, then two integers; the row's number is not stored twice.
        let headBytes = 4 + sqliteVariableBytes(blobType)
        let payloadBytes = headBytes + firstBytes + 8 + blob.count
        let localBytes = localByteCount(payloadBytes)
        let inCell = blob.count - (payloadBytes - localBytes)
        var overflow: Int?
        if localBytes < payloadBytes {
            overflow = try pages.writeOverflow(UnsafeRawBufferPointer(rebasing: blob[inCell...]))
        }
        let number = rowCount
        let cellBytes =
            sqliteVariableBytes(payloadBytes) + sqliteVariableBytes(number) + localBytes + (overflow == nil ? 0 : 4)
        if !leaf.fits(cellBytes) { try flushLeaf(lastRow: number - 1) }
        leaf.append(cellBytes) { cell in
            cell.variable(payloadBytes)
            cell.variable(number)
            cell.variable(headBytes)
            cell.variable(0)
            cell.variable(firstBytes == 1 ? 1 : 6)
            cell.variable(6)
            cell.variable(blobType)
            cell.integer(first, firstBytes)
            cell.integer(second, 8)
            cell.bytes(UnsafeRawBufferPointer(rebasing: blob[..<inCell]))
            if let overflow { cell.integer(Int64(overflow), 4) }
        }
    }

    /// Completes both trees, whose first pages exist and are empty.
    package mutating func finish(tableRoot: Int, indexRoot: Int) throws(FileError) {
        if hasIndex {
            try SQLiteIndexBuilder(pages, keys: keys, isSorted: isSorted).write(root: indexRoot)
        }
        guard !children.isEmpty else {
            return try write(&leaf, at: tableRoot)
        }
        try flushLeaf(lastRow: rowCount)
        var level = children
        let capacity = (pages.pageBytes - 12) / 15
        while level.count > capacity + 1 {
            var upper: [SQLiteTreeChild] = []
            var start = 0
            while start < level.count {
                var end = min(start + capacity + 1, level.count)
                // No page has one child alone.
                if level.count - end == 1 { end -= 1 }
                let number = pages.allocate()
                try writeInterior(level[start..<end], at: number)
                upper.append(SQLiteTreeChild(page: number, lastRow: level[end - 1].lastRow))
                start = end
            }
            level = upper
        }
        try writeInterior(level[...], at: tableRoot)
    }

    private mutating func note(_ key: Int64) {
        guard hasIndex else {
            keys = []
            return
        }
        if let last = keys.last, key < last { isSorted = false }
        keys.append(key)
    }

    /// How much of a payload stays in its cell (file format, section 1.6).
    private func localByteCount(_ payloadBytes: Int) -> Int {
        let maximum = pages.pageBytes - 35
        guard payloadBytes > maximum else { return payloadBytes }
        let minimum = (pages.pageBytes - 12) * 32 / 255 - 23
        let local = minimum + (payloadBytes - minimum) % (pages.pageBytes - 4)
        return local <= maximum ? local : minimum
    }

    private mutating func flushLeaf(lastRow: Int) throws(FileError) {
        let number = pages.allocate()
        try write(&leaf, at: number)
        children.append(SQLiteTreeChild(page: number, lastRow: lastRow))
        leaf.reset()
    }

    private func writeInterior(_ children: ArraySlice<SQLiteTreeChild>, at number: Int) throws(FileError) {
        guard let last = children.last else { return }
        var page = SQLiteTreePage(.interiorTable, pageBytes: pages.pageBytes)
        for child in children.dropLast() {
            page.append(4 + sqliteVariableBytes(child.lastRow)) { cell in
                cell.integer(Int64(child.page), 4)
                cell.variable(child.lastRow)
            }
        }
        try write(&page, at: number, rightChild: last.page)
    }

    private func write(_ page: inout SQLiteTreePage, at number: Int, rightChild: Int? = nil) throws(FileError) {
        try pages.write(&page, at: number, rightChild: rightChild)
    }
}

/// A page of a tree, and the number of the last row below it.
struct SQLiteTreeChild {
    var page: Int
    var lastRow: Int
}

extension SQLitePages {
    func write(_ page: inout SQLiteTreePage, at number: Int, rightChild: Int? = nil) throws(FileError) {
        let result: Result<Void, FileError> = page.finished(rightChild: rightChild) { bytes in
            do throws(FileError) {
                return .success(try write(bytes, at: number))
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }
}
