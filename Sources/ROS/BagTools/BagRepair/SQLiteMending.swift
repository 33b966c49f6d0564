import Bags
import Platform
import SystemPackage

/// Mends a copy of a .db3 file that SQLite can read.
struct SQLiteMending {
    /// A copy in the staging folder.
    let path: FilePath
    private(set) var actions: [String] = []
    private(set) var losses: [RepairReport.Loss] = []

    /// Lets SQLite roll back a journal or take in a log that was copied with the file.
    mutating func takeInSideFiles() throws(SQLiteError) {
        let before = rowCount(.immutable)
        let hasLog = isRegularFile(path.appendingSuffix("-wal"))
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        // The first read rolls back; leaving the mode of the log takes it in.
        _ = try database.integer("SELECT count(*) FROM sqlite_master")
        try database.execute("PRAGMA journal_mode=DELETE")
        try database.close()
        for suffix in ["-wal", "-shm", "-journal"] {
            try? DurableFiles.remove(path.appendingSuffix(suffix))
        }
        let after = rowCount(.immutable)
        if hasLog {
            let gained = before.flatMap { before in after.map { $0 - before } } ?? 0
            actions.append("took in the write-ahead log" + (gained > 0 ? " with \(gained) messages" : ""))
        } else {
            actions.append("rolled back a write that was interrupted")
        }
    }

    /// Makes indexes anew, gives rows without a time one, and removes rows that belong to no topic.
    ///
    /// - Parameter topics: The topics by number, as other files of the bag have them.
    mutating func mend(_ examination: SQLiteExamination, topics: [Int64: BagTopic]) throws(SQLiteError) {
        guard !examination.isSound else { return }
        let own = TopicsByNumber.read(path)
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        try database.execute("PRAGMA trusted_schema=OFF")
        try database.execute("PRAGMA journal_mode=OFF")
        try database.execute("BEGIN")
        if !examination.hasSoundIndexes { try rebuildIndexes(database) }
        for (number, count) in examination.strayCounts.sorted(by: { $0.key < $1.key }) {
            try mendStray(number, count, topics[number], database)
        }
        if examination.brokenCount > 0 { try removeBroken(examination.brokenCount, database) }
        if examination.timelessCount > 0 {
            try mendTimes(examination.timelessCount, RowTimes(own.merging(topics) { own, _ in own }), database)
        }
        if !examination.hasTimeIndex, examination.hasSoundIndexes {
            try database.execute("DROP INDEX IF EXISTS timestamp_idx")
            try database.execute(BagTable.timeIndex)
            actions.append("made the index of times")
        }
        try database.execute("COMMIT")
        try database.close()
    }

    /// Gives rows whose timestamp is no time that of their header, or that of a row beside them.
    private mutating func mendTimes(
        _ count: Int,
        _ times: RowTimes,
        _ database: SQLiteDatabase
    ) throws(SQLiteError) {
        var times = times
        let rows = try database.prepare(
            "SELECT id FROM messages NOT INDEXED WHERE \(SQLiteExamination.timelessRows)"
        )
        var numbers: [Int64] = []
        while try rows.step() { numbers.append(rows.integer(at: 0)) }
        let row = try database.prepare("SELECT topic_id, data FROM messages WHERE id = ?1")
        let before = try database.prepare(
            "SELECT timestamp FROM messages WHERE id < ?1 AND NOT \(SQLiteExamination.timelessRows)"
                + " ORDER BY id DESC LIMIT 1"
        )
        let update = try database.prepare("UPDATE messages SET timestamp = ?2 WHERE id = ?1")
        for number in numbers {
            row.reset()
            try row.bind(number, at: 1)
            guard try row.step() else { continue }
            var time = times.stamp(topic: row.integer(at: 0), row.bytes(at: 1))
            if time == nil {
                before.reset()
                try before.bind(number, at: 1)
                time = try before.step() ? before.integer(at: 0) : 0
                before.reset()
            }
            row.reset()
            try update.bind(number, at: 1)
            try update.bind(time ?? 0, at: 2)
            try update.run()
        }
        actions.append(RowTimes.action(count))
    }

    private mutating func removeBroken(_ count: Int, _ database: SQLiteDatabase) throws(SQLiteError) {
        try database.execute("DELETE FROM messages WHERE \(SQLiteExamination.brokenRows)")
        let reason = "messages whose topic_id is no number, or whose data is none"
        actions.append("removed \(count) \(reason)")
        losses.append(RepairReport.Loss(reason: reason, messageCount: count))
    }

    /// Adds what the file says about itself, as its writer does when it closes it, in place of what is there.
    mutating func addMetadata(_ metadata: BagMetadata) throws(SQLiteError) {
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        try database.execute("PRAGMA journal_mode=OFF")
        let hadSome = try database.integer("SELECT count(*) FROM metadata") != 0
        try database.execute("DELETE FROM metadata")
        let statement = try database.prepare("INSERT INTO metadata(metadata_version, metadata) VALUES (?1, ?2)")
        try statement.bind(Int64(metadata.version), at: 1)
        try statement.bind(BagMetadataFile.tableText(metadata), at: 2)
        try statement.run()
        try database.close()
        actions.append(hadSome ? "corrected its own metadata" : "added its own metadata")
    }

    private mutating func rebuildIndexes(_ database: SQLiteDatabase) throws(SQLiteError) {
        for name in try database.names(of: "index").sorted() where !name.hasPrefix("sqlite_") {
            try database.execute("DROP INDEX \"\(name.replacing("\"", with: "\"\""))\"")
        }
        try database.execute(BagTable.timeIndex)
        actions.append("made the index of times anew")
    }

    /// Gives messages their topic back if another file knows it, and removes them if not.
    private mutating func mendStray(
        _ number: Int64,
        _ count: Int,
        _ topic: BagTopic?,
        _ database: SQLiteDatabase
    ) throws(SQLiteError) {
        if let topic {
            try TopicsTable(database).insert(topic, number: number)
            actions.append("put \(topic.name) back into the table of topics, for \(count) messages")
            return
        }
        let delete = try database.prepare("DELETE FROM messages WHERE topic_id = ?1")
        try delete.bind(number, at: 1)
        try delete.run()
        actions.append("removed messages of topic \(number), which nothing names")
        losses.append(
            RepairReport.Loss(reason: "messages of topic \(number), which nothing names", messageCount: count)
        )
    }

    /// The rows of the table; nil where it cannot be read, or leads in circles.
    private func rowCount(_ access: SQLiteDatabase.Access) -> Int? {
        guard let database = try? SQLiteDatabase(opening: path, access: access),
            let rows = try? database.prepare("SELECT id FROM messages NOT INDEXED")
        else { return nil }
        var (count, last) = (0, Int64.min)
        do throws(SQLiteError) {
            while try rows.step() {
                let number = rows.integer(at: 0)
                guard count == 0 || number > last else { return nil }
                (count, last) = (count + 1, number)
            }
            return count
        } catch {
            return nil
        }
    }
}
