import Bags
import Containers
import SystemPackage

/// Mends a copy of a .db3 file that SQLite can read.
struct SQLiteMending {
    /// A copy in the workshop.
    let path: FilePath
    private(set) var actions: [String] = []
    private(set) var losses: [RepairReport.Loss] = []

    init(_ path: FilePath) {
        self.path = path
    }

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

    /// Makes indexes anew, and removes rows that are there twice or that belong to no topic.
    ///
    /// - Parameter topics: What other files of the bag say of topics by number.
    mutating func mend(_ examination: SQLiteExamination, topics: [Int64: BagTopic]) throws(SQLiteError) {
        guard !examination.isSound else { return }
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        try database.execute("PRAGMA trusted_schema=OFF")
        try database.execute("PRAGMA journal_mode=OFF")
        try database.execute("BEGIN")
        if !examination.hasSoundIndexes { try rebuildIndexes(database) }
        for (number, count) in examination.strayCounts.sorted(by: { $0.key < $1.key }) {
            try mendStray(number, count, topics[number], database)
        }
        if !examination.duplicates.isEmpty {
            let delete = try database.prepare("DELETE FROM messages WHERE id = ?1")
            for row in examination.duplicates {
                try delete.bind(row, at: 1)
                try delete.run()
            }
            actions.append("removed \(examination.duplicates.count) messages that were there twice")
        }
        if !examination.hasTimeIndex, examination.hasSoundIndexes {
            try database.execute("CREATE INDEX IF NOT EXISTS timestamp_idx ON messages (timestamp ASC)")
            actions.append("made the index of times")
        }
        try database.execute("COMMIT")
        try database.close()
    }

    /// Adds what the file says about itself, as its writer does when it closes it.
    mutating func addMetadata(_ metadata: BagMetadata) throws(SQLiteError) {
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        try database.execute("PRAGMA journal_mode=OFF")
        let statement = try database.prepare("INSERT INTO metadata(metadata_version, metadata) VALUES (?1, ?2)")
        try statement.bind(Int64(metadata.version), at: 1)
        try statement.bind(BagMetadataFile.tableText(metadata), at: 2)
        try statement.run()
        try database.close()
        actions.append("added its own metadata")
    }

    private mutating func rebuildIndexes(_ database: SQLiteDatabase) throws(SQLiteError) {
        for name in try SQLiteExamination.names(database, "index").sorted() where !name.hasPrefix("sqlite_") {
            try database.execute("DROP INDEX \"\(name.replacing("\"", with: "\"\""))\"")
        }
        try database.execute("CREATE INDEX timestamp_idx ON messages (timestamp ASC)")
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

    private func rowCount(_ access: SQLiteDatabase.Access) -> Int? {
        guard let database = try? SQLiteDatabase(opening: path, access: access) else { return nil }
        return (try? database.integer("SELECT count(*) FROM messages")).flatMap { $0 }.map { Int($0) }
    }
}

/// The table `topics` of any schema version, for writing.
struct TopicsTable {
    private let database: SQLiteDatabase
    private let columns: Set<String>

    init(_ database: SQLiteDatabase) throws(SQLiteError) {
        self.database = database
        let statement = try database.prepare("PRAGMA table_info(topics)")
        var columns: Set<String> = []
        while try statement.step() { columns.insert(statement.text(at: 1)) }
        self.columns = columns
    }

    func insert(_ topic: BagTopic, number: Int64) throws(SQLiteError) {
        var values = [("name", topic.name), ("type", topic.typeName)]
        values.append(("serialization_format", topic.serializationFormat))
        for (column, value) in [("offered_qos_profiles", topic.qosText), ("type_description_hash", topic.typeHash)]
        where columns.contains(column) {
            values.append((column, value))
        }
        let names = values.map(\.0).joined(separator: ", ")
        let places = values.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
        let statement = try database.prepare("INSERT INTO topics(id, \(names)) VALUES (?1, \(places))")
        try statement.bind(number, at: 1)
        for (index, value) in values.enumerated() { try statement.bind(value.1, at: Int32(index + 2)) }
        try statement.run()
    }
}
