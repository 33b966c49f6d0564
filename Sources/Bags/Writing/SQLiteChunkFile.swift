import Containers
import SystemPackage

/// The rosbag2 tables of schema version 3 or 4 in one SQLite file, for writing.
///
/// There is no journal and no synchronisation: the file is not visible to anybody until it is whole. Rows go in through
/// one prepared statement whose blob is bound without a copy.
final class SQLiteChunkFile: ChunkFile {
    private let database: SQLiteDatabase
    private let insertRow: SQLiteStatement
    private let insertTopic: SQLiteStatement
    /// Nil where the schema has no definitions.
    private let insertDefinition: SQLiteStatement?
    private let countPages: SQLiteStatement
    private let pageBytes: Int
    private let hasLiveIndex: Bool
    private var definedTypes: Set<String> = []
    private var topicCount = 0
    /// What the file's own metadata will take, by estimate.
    private var metadataBytes = 1024
    private var rowCount = 0
    private var isInTransaction = false
    private var countedPages = 0
    private var bytesSinceCount = 0

    /// - Parameter hasLiveIndex: keeps the timestamp index up to date; otherwise it is built at the end, which is faster.
    init(creating path: FilePath, options: BagOptions, hasLiveIndex: Bool) throws {
        let form = DistributionForm(options.distribution)
        try DurableFiles.remove(path)
        database = try SQLiteDatabase(opening: path, access: .readWrite)
        pageBytes = options.pageBytes
        self.hasLiveIndex = hasLiveIndex
        try database.execute("PRAGMA page_size=\(pageBytes)")
        try database.execute("PRAGMA journal_mode=OFF")
        try database.execute("PRAGMA synchronous=OFF")
        try database.execute("PRAGMA locking_mode=EXCLUSIVE")
        try database.execute("BEGIN")
        isInTransaction = true
        for statement in schemaStatements(form) { try database.execute(statement) }
        if hasLiveIndex { try database.execute(indexStatement) }
        let schema = try database.prepare("INSERT INTO schema VALUES (?1, ?2)")
        try schema.bind(Int64(form.schemaVersion), at: 1)
        try schema.bind(form.name, at: 2)
        try schema.run()
        insertRow = try database.prepare("INSERT INTO messages(topic_id, timestamp, data) VALUES (?1, ?2, ?3)")
        let columns = form.hasDefinitions ? "?1, ?2, ?3, ?4, ?5, ?6" : "?1, ?2, ?3, ?4, ?5"
        insertTopic = try database.prepare("INSERT INTO topics VALUES (\(columns))")
        insertDefinition =
            form.hasDefinitions
            ? try database.prepare("INSERT INTO message_definitions VALUES (?1, ?2, ?3, ?4, ?5)") : nil
        countPages = try database.prepare("PRAGMA page_count")
    }

    func add(_ topic: BagTopic) throws {
        try beginIfNeeded()
        topicCount += 1
        metadataBytes += topic.name.utf8.count + topic.typeName.utf8.count + 2 * topic.qosText.utf8.count + 256
        try insertTopic.bind(Int64(topicCount), at: 1)
        try insertTopic.bind(topic.name, at: 2)
        try insertTopic.bind(topic.typeName, at: 3)
        try insertTopic.bind(topic.serializationFormat, at: 4)
        try insertTopic.bind(topic.qosText, at: 5)
        if insertDefinition != nil { try insertTopic.bind(topic.typeHash, at: 6) }
        try insertTopic.run()
        guard let insertDefinition, definedTypes.insert(topic.typeName).inserted else { return }
        try insertDefinition.bind(Int64(definedTypes.count), at: 1)
        try insertDefinition.bind(topic.typeName, at: 2)
        // rosbag2's word for a type that it has no definition of.
        try insertDefinition.bind(topic.definitionEncoding.isEmpty ? "unknown" : topic.definitionEncoding, at: 3)
        try insertDefinition.bind(topic.definitionText, at: 4)
        try insertDefinition.bind(topic.typeHash, at: 5)
        try insertDefinition.run()
    }

    func insert(_ row: BagRow) throws {
        try beginIfNeeded()
        try insertRow.bind(Int64(row.topic + 1), at: 1)
        try insertRow.bind(row.timeNanoseconds, at: 2)
        try row.bytes.withUnsafeBytes { bytes in
            try insertRow.bindWithoutCopy(bytes, at: 3)
            try insertRow.run()
        }
        rowCount += 1
        bytesSinceCount += row.bytes.count + rowOverheadBytes
    }

    /// The size of the closed file if a blob of `byteCount` bytes were added.
    func projectedBytes(adding byteCount: Int) throws -> Int {
        // Asking SQLite takes as long as inserting a small row: not for each of those.
        if countedPages == 0 || bytesSinceCount >= pageBytes / 4 {
            _ = try countPages.step()
            countedPages = Int(countPages.integer(at: 0))
            countPages.reset()
            bytesSinceCount = 0
        }
        let indexBytes = hasLiveIndex ? 0 : (rowCount + 1) * indexEntryBytes + pageBytes
        let added = bytesSinceCount + byteCount + rowOverheadBytes + indexBytes + metadataBytes
        return (countedPages + (added + pageBytes - 1) / pageBytes) * pageBytes
    }

    func commit() throws {
        guard isInTransaction else { return }
        try database.execute("COMMIT")
        isInTransaction = false
    }

    /// A committed twin has little to do at its next commit.
    func relieve() throws { try commit() }

    /// Adds the index and the file's own metadata, and closes the connection.
    func finish(metadata: BagMetadata) throws {
        try beginIfNeeded()
        if !hasLiveIndex { try database.execute(indexStatement) }
        let statement = try database.prepare("INSERT INTO metadata VALUES (1, ?1, ?2)")
        try statement.bind(Int64(metadata.version), at: 1)
        try statement.bind(MetadataText.table(metadata), at: 2)
        try statement.run()
        try commit()
        try database.close()
    }

    private func beginIfNeeded() throws {
        guard !isInTransaction else { return }
        try database.execute("BEGIN")
        isInTransaction = true
    }
}

/// Row header, identifiers and cell pointer of a small message.
private let rowOverheadBytes = 24
/// Time, row number, header and cell pointer.
private let indexEntryBytes = 18

private let indexStatement = "CREATE INDEX timestamp_idx ON messages (timestamp ASC)"

/// rosbag2's own tables.
private func schemaStatements(_ form: DistributionForm) -> [String] {
    let statements = [
        "CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL)",
        "CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL, metadata TEXT NOT NULL)",
        "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, "
            + "serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL"
            + (form.hasDefinitions ? ", type_description_hash TEXT NOT NULL)" : ")"),
        "CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT NOT NULL, encoding TEXT NOT NULL, "
            + "encoded_message_definition TEXT NOT NULL, type_description_hash TEXT NOT NULL)",
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, "
            + "data BLOB NOT NULL)",
    ]
    return form.hasDefinitions ? statements : statements.filter { !$0.contains("message_definitions") }
}
