import Containers

/// The rows of one file by time, one at a time.
///
/// The order comes from the timestamp index, or where there is none from sorting times and numbers alone; each blob is
/// fetched when its row is due, so memory holds one message.
final class ChunkCursor {
    private let order: SQLiteStatement
    private let fetch: SQLiteStatement
    private let wanted: Set<Int64>

    init(_ database: SQLiteDatabase, wanted: Set<Int64>, query: BagQuery) throws(BagError) {
        self.wanted = wanted
        (order, fetch) = try reading {
            let order = try database.prepare(
                "SELECT id, timestamp FROM messages WHERE timestamp BETWEEN ?1 AND ?2 ORDER BY timestamp, id"
            )
            try order.bind(query.first, at: 1)
            try order.bind(query.last, at: 2)
            return (order, try database.prepare("SELECT topic_id, data FROM messages WHERE id = ?1"))
        }
    }

    /// The next wanted row, with the file's own topic number.
    func next() throws(BagError) -> (topic: Int64, time: Int64, bytes: [UInt8])? {
        try reading {
            while try order.step() {
                fetch.reset()
                try fetch.bind(order.integer(at: 0), at: 1)
                guard try fetch.step(), wanted.contains(fetch.integer(at: 0)) else { continue }
                return (fetch.integer(at: 0), order.integer(at: 1), Array(fetch.bytes(at: 1)))
            }
            return nil
        }
    }
}
