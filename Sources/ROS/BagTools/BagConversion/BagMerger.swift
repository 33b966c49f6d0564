import Bags

/// The rows of several bags in time order; rows of one time in the order of the inputs.
///
/// Damage on the way is passed over and counted: whether that is an error is decided at the end.
struct BagMerger {
    struct Row: Sendable {
        var input: Int
        var row: BagRow
    }

    private var cursors: [BagRowCursor]
    private var heads: [BagRow?]

    init(_ readers: [BagReader], query: (Int) -> BagQuery) throws(BagError) {
        cursors = []
        heads = []
        for (index, reader) in readers.enumerated() {
            let cursor = try reader.rowsPassingDamage(query(index))
            cursors.append(cursor)
            heads.append(try cursor.next())
        }
    }

    /// The problems that were passed over so far, by input.
    var problems: [[BagError]] { cursors.map(\.problems) }

    /// How many messages are known to be missing, so far, by input.
    var missingCounts: [Int] { cursors.map(\.missingCount) }

    mutating func next() throws(BagError) -> Row? {
        var earliest: Int?
        for (index, head) in heads.enumerated() {
            guard let head else { continue }
            if let best = earliest, let bestHead = heads[best], bestHead.timeNanoseconds <= head.timeNanoseconds {
                continue
            }
            earliest = index
        }
        guard let earliest, let row = heads[earliest] else { return nil }
        heads[earliest] = nil
        heads[earliest] = try cursors[earliest].next()
        return Row(input: earliest, row: row)
    }

    /// The next rows, up to what makes a batch; empty at the end.
    mutating func nextBatch() throws(BagError) -> RowBatch {
        var batch = RowBatch()
        while !batch.isFull, let row = try next() { batch.append(row) }
        return batch
    }
}
