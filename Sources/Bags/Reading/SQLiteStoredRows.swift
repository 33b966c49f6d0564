import Containers

/// The rows of one .db3 file by time, one at a time.
///
/// The order comes from the timestamp index, or where there is none from sorting times and numbers alone; each blob is
/// fetched when its row is due, so memory holds one message.
final class SQLiteStoredRows: StoredRows {
    private let connection: SQLiteConnection
    private let order: SQLiteStatement
    private let fetch: SQLiteStatement
    private let wanted: Set<Int64>
    private let codec: BlobCodec

    var problems: [BagError] { [] }

    /// - Parameter isPart: whether the file has other topics than those that are wanted.
    init(
        _ connection: SQLiteConnection,
        wanted: Set<Int64>,
        isPart: Bool,
        query: BagQuery,
        codec: BlobCodec
    ) throws(BagError) {
        self.connection = connection
        self.wanted = wanted
        self.codec = codec
        (order, fetch) = try reading {
            let database = connection.database
            let order = try database.prepare(
                "SELECT id, timestamp FROM messages WHERE timestamp BETWEEN ?1 AND ?2"
                    + (isPart ? inTopics(wanted) : "") + " ORDER BY timestamp, id"
            )
            try order.bind(query.first, at: 1)
            try order.bind(query.last, at: 2)
            return (order, try database.prepare("SELECT topic_id, data FROM messages WHERE id = ?1"))
        }
    }

    func next() throws(BagError) -> StoredRow? {
        try reading {
            while try order.step() {
                fetch.reset()
                let row = order.integer(at: 0)
                try fetch.bind(row, at: 1)
                guard try fetch.step() else {
                    throw BagError.damaged(
                        codec.path,
                        place: "messages, row \(row)",
                        expected: "the row that the index of times has",
                        found: "none"
                    )
                }
                guard wanted.contains(fetch.integer(at: 0)) else { continue }
                let blob = fetch.bytes(at: 1)
                let message = try codec.message(blob, row: row)
                return StoredRow(
                    topic: fetch.integer(at: 0),
                    time: order.integer(at: 1),
                    bytes: message,
                    byteCount: message.count,
                    storedByteCount: blob.count
                )
            }
            return nil
        }
    }
}

/// The condition that leaves rows of other topics where they are: the database passes ten of them in the time in which
/// one is handed out.
func inTopics(_ wanted: Set<Int64>) -> String {
    wanted.count > 500 ? "" : " AND topic_id IN (\(wanted.sorted().map(String.init).joined(separator: ", ")))"
}
