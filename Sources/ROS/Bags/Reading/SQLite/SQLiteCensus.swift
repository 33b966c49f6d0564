import Platform

/// Counts the rows of the table `messages` of a .db3 file, and finds out how they come by time.
///
/// The table is the truth: it is read in the order of its row numbers, without the messages. An index that does not have
/// exactly its rows is not used. Memory does not grow with the file.
struct SQLiteCensus {
    private(set) var census = StoredCensus()
    private let database: SQLiteDatabase
    private let topics: Set<Int64>
    private var table = RowFingerprint()
    private var strayTopics: Set<Int64> = []
    private var (strayRows, untimedRows, emptyRows) = (0, 0, 0)

    /// - Parameter topics: The numbers in the table `topics`.
    /// - Throws: `SQLiteError` where the table cannot be read to its end.
    init(_ database: SQLiteDatabase, topics: Set<Int64>) throws(SQLiteError) {
        self.database = database
        self.topics = topics
        try countTable()
        try decideOrder()
        tellUnreadable()
    }

    private mutating func countTable() throws(SQLiteError) {
        // typeof() looks at the head of a row alone: the messages stay on the disk.
        let rows = try database.prepare(
            "SELECT rowid, topic_id, timestamp, CASE typeof(data) WHEN 'blob' THEN 0 WHEN 'text' THEN 0 ELSE 1 END"
                + " FROM messages NOT INDEXED"
        )
        var (topic, count): (Int64?, Int) = (nil, 0)
        while try rows.step() {
            let time = rows.time(at: 2)
            table.note(id: rows.integer(at: 0), time: time)
            guard let time else {
                untimedRows += 1
                continue
            }
            guard rows.integer(at: 3) == 0 else {
                emptyRows += 1
                continue
            }
            let number = rows.integer(at: 1)
            guard topics.contains(number) else {
                strayRows += 1
                if strayTopics.count < 10 { strayTopics.insert(number) }
                continue
            }
            census.times.include(time)
            // Rows of one topic often follow one another.
            if number != topic {
                if let topic { census.counts[topic, default: 0] += count }
                (topic, count) = (number, 0)
            }
            count += 1
        }
        if let topic { census.counts[topic, default: 0] += count }
    }

    private mutating func decideOrder() throws(SQLiteError) {
        if !table.hasRisingIDs {
            census.damage.append("the row numbers of the table messages do not rise: pages of it are damaged")
            census.needsSalvage = true
        }
        let index = try timeIndex()
        if table.isInTimeOrder {
            census.order = .table
            if let index { try compareCount(index) }
        } else if let index, try has(index, the: table) {
            census.order = .index(index)
        } else {
            census.order = .sorted
        }
    }

    /// The rows are read from the table, but others read them by the index.
    private mutating func compareCount(_ index: String) throws(SQLiteError) {
        let count = try? database.integer("SELECT count(*) FROM messages INDEXED BY \(sqlQuoted(index))")
        guard count != Int64(table.count) else { return }
        note(index, count.map { "has \($0) rows" } ?? "cannot be read", rows: count)
    }

    /// True if an index has every row of the table once, by time.
    private mutating func has(_ index: String, the table: RowFingerprint) throws(SQLiteError) -> Bool {
        var found = RowFingerprint()
        do throws(SQLiteError) {
            let rows = try database.prepare(
                "SELECT rowid, timestamp FROM messages INDEXED BY \(sqlQuoted(index)) ORDER BY timestamp, rowid"
            )
            while try rows.step() {
                found.note(id: rows.integer(at: 0), time: rows.time(at: 1))
            }
        } catch {
            note(index, "cannot be read (\(error.message))")
            return false
        }
        guard found.hasSameRows(as: table) else {
            let what = found.count == table.count ? "has other rows" : "has \(found.count) rows"
            note(index, what, rows: Int64(found.count))
            return false
        }
        return found.isInTimeOrder
    }

    /// Notes what is wrong with an index.
    ///
    /// One that lacks rows costs nothing; one that has more of them than the table tells of rows that are lost.
    private mutating func note(_ index: String, _ what: String, rows: Int64? = nil) {
        let text = "the index \(index) \(what), the table messages has \(table.count); the rows are read from the table"
        guard let rows, rows > table.count else { return census.remarks.append(text) }
        census.damage.append(text)
        census.needsSalvage = true
    }

    /// The index whose first column is the time; nil without one.
    private func timeIndex() throws(SQLiteError) -> String? {
        let list = try database.prepare("PRAGMA index_list(messages)")
        var names: [String] = []
        // The fifth column says whether it is of some rows only.
        while try list.step() { if list.integer(at: 4) == 0 { names.append(list.text(at: 1)) } }
        for name in names {
            let columns = try database.prepare("PRAGMA index_info(\(sqlQuoted(name)))")
            if try columns.step(), columns.text(at: 2) == "timestamp" { return name }
        }
        return nil
    }

    private mutating func tellUnreadable() {
        func add(_ count: Int, _ reason: String) {
            if count > 0 { census.unreadable.append(UnreadableRows(count: count, reason: reason)) }
        }
        let numbers = strayTopics.sorted().map(String.init).joined(separator: ", ")
        add(strayRows, "of topics that the table topics does not have (\(numbers))")
        add(untimedRows, "whose timestamp is no integer, or before 1970")
        add(emptyRows, "whose data is no blob")
    }
}

extension SQLiteStatement {
    /// The time of a row; nil for what is no integer, and for times before 1970, which rosbag2 does not know.
    func time(at column: Int32) -> Int64? {
        let time = integer(at: column)
        return isInteger(at: column) && time >= 0 ? time : nil
    }
}

func sqlQuoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
}

/// A fingerprint of rows that went by, so that two passes over them can be compared.
private struct RowFingerprint {
    private(set) var count = 0
    /// True if each row has a larger number than the one before.
    private(set) var hasRisingIDs = true
    /// True if the rows went by in the order of time, then of number, each of them with a time.
    private(set) var isInTimeOrder = true
    private var digest: UInt64 = 0
    private var last: (id: Int64, time: Int64)?
    private var lastID = Int64.min

    /// - Parameter time: nil for what is none.
    mutating func note(id: Int64, time: Int64?) {
        count += 1
        if count > 1, id <= lastID { hasRisingIDs = false }
        lastID = id
        // A sum does not depend on the order.
        var mixed = UInt64(bitPattern: id) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: time ?? .min)
        mixed = (mixed ^ mixed >> 31) &* 0xBF58_476D_1CE4_E5B9
        digest &+= mixed ^ mixed >> 29
        guard let time else {
            // No reader gives rows without a time: they do not count for the order.
            return
        }
        if let last, (time, id) <= (last.time, last.id) { isInTimeOrder = false }
        last = (id, time)
    }

    func hasSameRows(as other: RowFingerprint) -> Bool { count == other.count && digest == other.digest }
}
