import Containers
import SystemPackage

/// One .db3 file of any schema version, for reading.
final class ChunkReader {
    struct StoredTopic {
        var identifier: Int64
        var topic: BagTopic
    }

    let path: FilePath
    let schemaVersion: Int
    /// By the file's own topic number.
    let topics: [Int64: StoredTopic]
    private let database: SQLiteDatabase

    init(opening path: FilePath) throws(BagError) {
        self.path = path
        database = try ChunkReader.open(path)
        let database = database
        let tables = try reading { try tableNames(database) }
        guard tables.isSuperset(of: ["topics", "messages"]) else {
            throw .damaged(
                path,
                place: "tables",
                expected: "topics and messages",
                found: tables.isEmpty ? "none" : tables.sorted().joined(separator: ", ")
            )
        }
        let columns = try reading { try columnNames(of: "topics", database) }
        var version = columns.contains("offered_qos_profiles") ? 2 : 1
        if tables.contains("schema") {
            let stored = try reading {
                try database.integer("SELECT schema_version FROM schema")
            }
            version = stored.map { Int($0) } ?? version
        }
        schemaVersion = version
        let definitions = tables.contains("message_definitions") ? try messageDefinitions(database) : [:]
        topics = try storedTopics(database, columns, definitions)
    }

    /// Opens the file as it lies; a file that was not closed says so instead of being read half.
    private static func open(_ path: FilePath) throws(BagError) -> SQLiteDatabase {
        guard isRegularFile(path) else { throw .notFound(path) }
        func hasContent(_ suffix: String) -> Bool {
            (try? FileDescriptor.open(path.appendingSuffix(suffix), .readOnly, options: .closeOnExec)).map {
                descriptor in
                defer { try? descriptor.close() }
                return ((try? descriptor.seek(offset: 0, from: .end)) ?? 0) > 0
            } ?? false
        }
        if hasContent("-journal") {
            throw .unfinished(path, reason: "there is a journal of an interrupted write beside it")
        }
        let access: SQLiteDatabase.Access = hasContent("-wal") ? .readOnly : .immutable
        return try reading {
            let database = try SQLiteDatabase(opening: path, access: access)
            // A file from anywhere: its schema may call no functions with side effects, and its cells are checked.
            try database.execute("PRAGMA trusted_schema=OFF")
            try database.execute("PRAGMA cell_size_check=ON")
            return database
        }
    }

    /// All wanted rows by time, then by number.
    func rows(_ query: BagQuery) throws(BagError) -> ChunkCursor {
        let wanted = topics.values.filter { query.topics?.contains($0.topic.name) ?? true }.map(\.identifier)
        return try ChunkCursor(database, wanted: Set(wanted), query: query)
    }

    /// Calls for each row in time order with topic number, time and blob size; the blobs stay on disk.
    func forEachSize(_ body: (Int64, Int64, Int) -> Void) throws(BagError) {
        let database = database
        try reading {
            let statement = try database.prepare(
                "SELECT topic_id, timestamp, length(data) FROM messages ORDER BY timestamp, id"
            )
            while try statement.step() {
                body(statement.integer(at: 0), statement.integer(at: 1), Int(statement.integer(at: 2)))
            }
        }
    }

    /// The time of the earliest row.
    func firstTime() throws(BagError) -> Int64? {
        let database = database
        return try reading {
            let statement = try database.prepare("SELECT timestamp FROM messages ORDER BY timestamp LIMIT 1")
            return try statement.step() ? statement.integer(at: 0) : nil
        }
    }
}

private func tableNames(_ database: SQLiteDatabase) throws(SQLiteError) -> Set<String> {
    let statement = try database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
    var names: Set<String> = []
    while try statement.step() { names.insert(statement.text(at: 0)) }
    return names
}

private func columnNames(of table: String, _ database: SQLiteDatabase) throws(SQLiteError) -> Set<String> {
    let statement = try database.prepare("PRAGMA table_info(\(table))")
    var names: Set<String> = []
    while try statement.step() { names.insert(statement.text(at: 1)) }
    return names
}

/// The .msg texts by type; other encodings (ros2idl) are left out.
private func messageDefinitions(_ database: SQLiteDatabase) throws(BagError) -> [String: String] {
    try reading {
        let statement = try database.prepare(
            "SELECT topic_type, encoded_message_definition FROM message_definitions WHERE encoding = 'ros2msg'"
        )
        var texts: [String: String] = [:]
        while try statement.step() { texts[statement.text(at: 0)] = statement.text(at: 1) }
        return texts
    }
}

private func storedTopics(
    _ database: SQLiteDatabase,
    _ columns: Set<String>,
    _ definitions: [String: String]
) throws(BagError) -> [Int64: ChunkReader.StoredTopic] {
    let qos = columns.contains("offered_qos_profiles") ? "offered_qos_profiles" : "''"
    let hash = columns.contains("type_description_hash") ? "type_description_hash" : "''"
    return try reading {
        let statement = try database.prepare(
            "SELECT id, name, type, serialization_format, \(qos), \(hash) FROM topics ORDER BY id"
        )
        var topics: [Int64: ChunkReader.StoredTopic] = [:]
        while try statement.step() {
            let type = statement.text(at: 2)
            topics[statement.integer(at: 0)] = ChunkReader.StoredTopic(
                identifier: statement.integer(at: 0),
                topic: BagTopic(
                    name: statement.text(at: 1),
                    typeName: type,
                    serializationFormat: statement.text(at: 3),
                    qosText: statement.text(at: 4),
                    typeHash: statement.text(at: 5),
                    definitionText: definitions[type] ?? ""
                )
            )
        }
        return topics
    }
}
