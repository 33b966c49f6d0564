import Platform

/// Which rows of a .db3 file are wanted, as SQL.
struct SQLiteRowQuery {
    let query: BagQuery
    /// The file's numbers of the wanted topics.
    let wanted: Set<Int64>
    /// True if the file has other topics than those that are wanted.
    let isPart: Bool
    let census: StoredCensus

    /// How many rows there are; nil where a part of the time is wanted.
    var expectedCount: Int? {
        guard query.first == .min, query.last == .max, census.isComplete else { return nil }
        return clampedSum(census.counts.filter { wanted.contains($0.key) }.values)
    }

    /// The wanted rows by time, then by number.
    ///
    /// - Parameters:
    ///   - narrowsTopics: Leaves rows of other topics where they are, which needs a look at each row: the database passes
    ///     ten of them in the time in which one is handed out.
    ///   - previous: Where the table is in the order of time, the row to go on after.
    func statement(
        _ columns: String,
        narrowsTopics: Bool,
        after previous: Int64? = nil,
        _ database: SQLiteDatabase
    ) throws(SQLiteError) -> SQLiteStatement {
        var conditions = ["timestamp BETWEEN ?1 AND ?2"]
        if !census.unreadable.isEmpty {
            conditions += ["typeof(timestamp) = 'integer'", "timestamp >= 0", "typeof(data) IN ('blob', 'text')"]
        }
        if narrowsTopics, isPart, wanted.count <= 500 {
            conditions.append("topic_id IN (\(wanted.sorted().map(String.init).joined(separator: ", ")))")
        }
        let (source, order): (String, String)
        switch census.order {
        case .table:
            (source, order) = ("NOT INDEXED", "rowid")
            conditions.append("rowid BETWEEN ?3 AND ?4")
        case .index(let name): (source, order) = ("INDEXED BY \(sqlQuoted(name))", "timestamp, rowid")
        case .sorted: (source, order) = ("NOT INDEXED", "timestamp, rowid")
        }
        let statement = try database.prepare(
            "SELECT \(columns) FROM messages \(source) WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(order)"
        )
        try statement.bind(query.first, at: 1)
        try statement.bind(query.last, at: 2)
        if census.order == .table {
            let after = query.last == .max ? nil : try firstID(from: query.last &+ 1, database)
            let first: Int64
            if let previous {
                first = previous == .max ? previous : previous + 1
            } else {
                first = query.first == .min ? .min : try firstID(from: query.first, database) ?? .max
            }
            try statement.bind(first, at: 3)
            try statement.bind(after.map { $0 == .min ? $0 : $0 - 1 } ?? .max, at: 4)
        }
        return statement
    }

    /// The number of the first row at a time or later, where numbers follow times; nil where there is none.
    private func firstID(from time: Int64, _ database: SQLiteDatabase) throws(SQLiteError) -> Int64? {
        let next = try database.prepare(
            "SELECT rowid, timestamp FROM messages NOT INDEXED WHERE rowid >= ?1 AND typeof(timestamp) = 'integer'"
                + " AND timestamp >= 0 ORDER BY rowid LIMIT 1"
        )
        func row(from id: Int64) throws(SQLiteError) -> (id: Int64, time: Int64)? {
            next.reset()
            try next.bind(id, at: 1)
            return try next.step() ? (next.integer(at: 0), next.integer(at: 1)) : nil
        }
        guard let first = try row(from: .min) else { return nil }
        guard first.time < time else { return first.id }
        let end = try database.integer("SELECT max(rowid) FROM messages NOT INDEXED") ?? first.id
        // The row at `early` is too early; none from `late` on is.
        var (early, late): (Int64, Int64) = (first.id, end)
        guard let last = try row(from: end), last.time >= time else { return nil }
        while early < late {
            let distance = UInt64(bitPattern: late) &- UInt64(bitPattern: early)
            let middle = early &+ Int64(bitPattern: distance / 2)
            guard middle > early, let found = try row(from: middle) else { break }
            if found.time < time { early = found.id } else { late = middle }
        }
        return try row(from: early == .max ? early : early + 1)?.id
    }
}
