import Containers

/// The rows of one .db3 file by time with their first bytes alone; the rest stays on disk.
final class SQLiteStoredHeads: StoredRows {
    private let connection: SQLiteConnection
    private let order: SQLiteStatement
    private let blob: SQLiteBlob
    private let wanted: Set<Int64>
    private let codec: BlobCodec
    private let wantedBytes: [Int64: Int]

    var problems: [BagError] { [] }

    /// - Parameter isPart: whether the file has other topics than those that are wanted.
    init(
        _ connection: SQLiteConnection,
        wanted: Set<Int64>,
        isPart: Bool,
        query: BagQuery,
        codec: BlobCodec,
        wantedBytes: [Int64: Int]
    ) throws(BagError) {
        self.connection = connection
        self.wanted = wanted
        self.codec = codec
        self.wantedBytes = wantedBytes
        blob = SQLiteBlob(connection.database, table: "messages", column: "data")
        order = try reading {
            let order = try connection.database.prepare(
                "SELECT id, topic_id, timestamp, length(data) FROM messages "
                    + "WHERE timestamp BETWEEN ?1 AND ?2\(isPart ? inTopics(wanted) : "") ORDER BY timestamp, id"
            )
            try order.bind(query.first, at: 1)
            try order.bind(query.last, at: 2)
            return order
        }
    }

    func next() throws(BagError) -> StoredRow? {
        try reading {
            while try order.step() {
                let topic = order.integer(at: 1)
                guard wanted.contains(topic) else { continue }
                let stored = Int(order.integer(at: 3))
                var row = StoredRow(
                    topic: topic,
                    time: order.integer(at: 2),
                    bytes: [],
                    byteCount: stored,
                    storedByteCount: stored
                )
                try codec.fill(&row, wantedBytes: wantedBytes[topic] ?? 0, blob, number: order.integer(at: 0))
                return row
            }
            return nil
        }
    }
}
