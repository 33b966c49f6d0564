import Platform

/// The rows of one .db3 file by time with their first bytes alone; the rest stays on disk.
final class SQLiteStoredHeads: StoredRows {
    private let connection: SQLiteConnection
    private let order: SQLiteStatement
    private let blob: SQLiteBlob
    private let query: SQLiteRowQuery
    private let codec: BlobCodec
    private let wantedBytes: [Int64: Int]
    private var account: RowAccount

    var problems: [BagError] { account.problems }
    var handedCount: Int { account.handedCount }
    var missingCount: Int { account.missingCount }

    init(
        _ connection: SQLiteConnection,
        _ query: SQLiteRowQuery,
        codec: BlobCodec,
        tolerance: BagTolerance,
        wantedBytes: [Int64: Int]
    ) throws(BagError) {
        self.connection = connection
        self.query = query
        self.codec = codec
        self.wantedBytes = wantedBytes
        account = RowAccount(codec.path, tolerance)
        blob = SQLiteBlob(connection.database, table: "messages", column: "data")
        order = try reading {
            // The length of a text is that in letters.
            let length = "CASE typeof(data) WHEN 'text' THEN length(CAST(data AS BLOB)) ELSE length(data) END"
            return try query.statement(
                "rowid, topic_id, timestamp, \(length)",
                narrowsTopics: true,
                connection.database
            )
        }
    }

    func next() throws(BagError) -> StoredRow? {
        while try reading({ try order.step() }) {
            let topic = order.integer(at: 1)
            guard query.wanted.contains(topic) else { continue }
            let stored = Int(clamping: order.integer(at: 3))
            var row = StoredRow(
                topic: topic,
                time: order.integer(at: 2),
                bytes: [],
                byteCount: stored,
                storedByteCount: stored
            )
            do {
                let number = order.integer(at: 0)
                try reading { try codec.fill(&row, wantedBytes: wantedBytes[topic] ?? 0, blob, number: number) }
            } catch {
                try account.pass(error)
                continue
            }
            account.handedCount += 1
            return row
        }
        try account.finish(expecting: query.expectedCount, by: "the table")
        return nil
    }
}
