/// The rows of a bag in time order over all its files; one message of each file that is open is in memory.
package final class BagRowCursor {
    private let rows: RowMerger

    init(_ rows: RowMerger) {
        self.rows = rows
    }

    /// The problems passed over so far: places where the rest of a file, or a part of it, was unreadable.
    package var problems: [BagError] { rows.problems }

    /// How many messages are known to be missing of those that were asked for, so far.
    package var missingCount: Int { rows.missingCount }

    /// The next row, or nil at the end.
    package func next() throws(BagError) -> BagRow? {
        guard let row = try rows.next() else { return nil }
        return BagRow(topic: row.topic, timeNanoseconds: row.stored.time, bytes: row.stored.bytes)
    }
}
