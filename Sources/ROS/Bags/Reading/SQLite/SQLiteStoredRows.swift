import Platform

/// The rows of one .db3 file by time, one at a time.
///
/// Where the table is in the order of time it is read from end to end; else the order comes first, and each blob is
/// fetched when its row is due. Memory holds one message.
final class SQLiteStoredRows: StoredRows {
    private let connection: SQLiteConnection
    private var order: SQLiteStatement
    /// Nil where `order` gives the messages too.
    private var fetch: SQLiteStatement?
    private let query: SQLiteRowQuery
    private let codec: BlobCodec
    private let tolerance: BagTolerance
    private(set) var account: RowAccount
    private var lastNumber: Int64?

    init(
        _ connection: SQLiteConnection,
        _ query: SQLiteRowQuery,
        codec: BlobCodec,
        tolerance: BagTolerance
    ) throws(BagError) {
        self.connection = connection
        self.query = query
        self.codec = codec
        self.tolerance = tolerance
        account = RowAccount(codec.path, tolerance)
        (order, fetch) = try reading {
            let database = connection.database
            guard query.census.order == .table else {
                return try Self.fetching(query, after: nil, narrowsTopics: !tolerance.contains(.damage), database)
            }
            return (try query.statement("rowid, timestamp, topic_id, data", narrowsTopics: true, database), nil)
        }
    }

    func next() throws(BagError) -> StoredRow? {
        while try step() {
            lastNumber = order.integer(at: 0)
            do {
                guard let row = try row() else { continue }
                account.handedCount += 1
                return row
            } catch {
                try account.pass(error)
            }
        }
        try account.finish(expecting: query.expectedCount, by: "the table")
        return nil
    }

    /// Goes to the next row; where that fails for its message, goes on with the numbers of the rows alone.
    private func step() throws(BagError) -> Bool {
        do {
            return try reading { try order.step() }
        } catch {
            guard tolerance.contains(.damage), fetch == nil else { throw error }
            (order, fetch) = try reading {
                try Self.fetching(query, after: lastNumber, narrowsTopics: false, connection.database)
            }
            return try reading { try order.step() }
        }
    }

    /// Statements for the order of rows, and for one row with its message.
    private static func fetching(
        _ query: SQLiteRowQuery,
        after previous: Int64?,
        narrowsTopics: Bool,
        _ database: SQLiteDatabase
    ) throws(SQLiteError) -> (SQLiteStatement, SQLiteStatement?) {
        let order = try query.statement("rowid, timestamp", narrowsTopics: narrowsTopics, after: previous, database)
        return (order, try database.prepare("SELECT rowid, timestamp, topic_id, data FROM messages WHERE rowid = ?1"))
    }

    /// The row that `order` stands on; nil for one of another topic.
    private func row() throws(BagError) -> StoredRow? {
        try reading {
            let number = order.integer(at: 0)
            var source = order
            if let fetch {
                fetch.reset()
                try fetch.bind(number, at: 1)
                guard try fetch.step(), fetch.integer(at: 1) == order.integer(at: 1) else {
                    throw BagError.damaged(
                        codec.path,
                        place: "messages, row \(number)",
                        expected: "the row that was counted",
                        found: "none, or another"
                    )
                }
                source = fetch
            }
            let topic = source.integer(at: 2)
            guard query.wanted.contains(topic) else { return nil }
            let blob = source.bytes(at: 3)
            let message = try codec.message(blob, place: { "messages, row \(number)" })
            return StoredRow(
                topic: topic,
                time: source.integer(at: 1),
                place: .row(number),
                bytes: message,
                byteCount: message.count,
                storedByteCount: blob.count
            )
        }
    }
}

/// The rows of one .db3 file by time with their first bytes alone; the rest stays on disk.
final class SQLiteStoredHeads: StoredRows {
    private let connection: SQLiteConnection
    private let order: SQLiteStatement
    private let blob: SQLiteBlob
    private let query: SQLiteRowQuery
    private let codec: BlobCodec
    private let wantedBytes: [Int64: Int]
    private(set) var account: RowAccount

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
                place: .row(order.integer(at: 0)),
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
