import Platform
import SystemPackage

/// Writes a .db3 file, which is valid after each commit.
///
/// Rows are inserted by one prepared statement whose blob is bound without a copy. If the file is not visible before it
/// is closed, the timestamp index is created after the last row, which halves the time for small rows (decision 009).
final class SQLiteChunkFile: ChunkFile {
    private let path: FilePath
    private let tables: SQLiteBagTables
    private let insertRow: SQLiteStatement
    private let countPages: SQLiteStatement
    private let pageBytes: Int
    /// True if the timestamp index exists; from then on SQLite updates it with each row.
    private var hasIndex = false
    private var rowCount = 0
    private var register = TopicRegister()
    private var isInTransaction = false
    private var countedPages = 0
    private var bytesSinceCount = 0

    private var database: SQLiteDatabase { tables.database }

    init(creating path: FilePath, options: BagOptions) throws {
        self.path = path
        let form = DistributionForm(options.distribution)
        try DurableFiles.remove(path)
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        pageBytes = options.pageBytes
        try SQLiteBagTables.configure(database, pageBytes: pageBytes)
        try database.execute("BEGIN")
        isInTransaction = true
        try SQLiteBagTables.create(in: database, form: form)
        tables = try SQLiteBagTables(database, form: form)
        insertRow = try database.prepare("INSERT INTO messages(topic_id, timestamp, data) VALUES (?1, ?2, ?3)")
        countPages = try database.prepare("PRAGMA page_count")
        if options.durability == .resilient { try createIndex() }
    }

    func add(_ topic: BagTopic) throws {
        try beginIfNeeded()
        try register.add(topic, to: tables)
    }

    /// Asking SQLite takes as long as inserting a small row, so it is not done for each.
    ///
    /// When it is asked depends on the rows alone, not on when they were committed: twins begin the next chunk at the
    /// same row.
    private func count() throws {
        guard countedPages == 0 || bytesSinceCount >= pageBytes / 4 else { return }
        _ = try countPages.step()
        countedPages = Int(countPages.integer(at: 0))
        countPages.reset()
        bytesSinceCount = 0
    }

    func insert(_ row: BagRow) throws {
        try beginIfNeeded()
        try count()
        try insertRow.bind(Int64(row.topic + 1), at: 1)
        try insertRow.bind(row.timeNanoseconds, at: 2)
        try row.bytes.withUnsafeBytes { bytes in
            try insertRow.bindWithoutCopy(bytes, at: 3)
            try insertRow.run()
        }
        bytesSinceCount += row.bytes.count + rowOverheadBytes
        rowCount += 1
        if rowCount == maximumSortedRowCount, !hasIndex { try createIndex() }
    }

    /// The size of the closed file after a blob of `byteCount` more bytes.
    func projectedBytes(adding byteCount: Int) throws -> Int {
        try count()
        let indexBytes = hasIndex ? 0 : pageBytes + rowCount * indexEntryBytes
        let added = bytesSinceCount + byteCount + rowOverheadBytes + register.metadataBytes + indexBytes
        return (countedPages + (added + pageBytes - 1) / pageBytes) * pageBytes
    }

    func commit() throws {
        guard isInTransaction else { return }
        try database.execute("COMMIT")
        isInTransaction = false
    }

    func follow(_ twin: any ChunkFile, _ changes: [ChunkChange]) throws {
        for change in changes {
            switch change {
            case .topic(let topic): try add(topic)
            case .row(let row): try insert(row)
            }
        }
        // This leaves little to do at the next commit.
        try commit()
    }

    /// Adds the file's own metadata, and closes the connection.
    func finish(metadata: BagMetadata) throws {
        try beginIfNeeded()
        if !hasIndex { try createIndex() }
        try tables.insert(metadata)
        try commit()
        try database.close()
        try forgetCommits()
    }

    /// Makes the header say one commit: SQLite counts them in it, and how many there were depends on when they were made.
    ///
    /// The change counter and the number that it was valid for (SQLite file format, 1.3) have to be equal.
    private func forgetCommits() throws {
        let file = try FileDescriptor.open(path, .writeOnly)
        try file.closeAfter {
            for offset in [24, 92] as [Int64] { _ = try file.writeAll(toAbsoluteOffset: offset, [0, 0, 0, 1]) }
        }
    }

    private func createIndex() throws {
        // With a smaller cache, SQLite would sort in temporary files.
        try database.execute("PRAGMA cache_size=-8192")
        try database.execute(BagTable.timeIndex)
        try database.execute("PRAGMA cache_size=-2000")
        hasIndex = true
    }

    private func beginIfNeeded() throws {
        guard !isInTransaction else { return }
        try database.execute("BEGIN")
        isInTransaction = true
    }
}

/// Row header, identifiers and cell pointer of a small message.
private let rowOverheadBytes = 24

/// An index entry: header, timestamp, row number, and the pointer to it.
private let indexEntryBytes = 20

/// The most rows that are sorted for the index, at 32 bytes each, so that memory does not grow with the file.
private let maximumSortedRowCount = 200_000

/// The rosbag2 tables of schema version 3 or 4 in an open SQLite file, except the rows of messages.
///
/// There is no journal and no synchronisation, because the file is not visible before it is valid.
final class SQLiteBagTables {
    let database: SQLiteDatabase
    private let insertTopic: SQLiteStatement
    /// Nil if the schema has no definitions.
    private let insertDefinition: SQLiteStatement?

    /// Prepares the insert statements for a file.
    init(_ database: SQLiteDatabase, form: DistributionForm) throws {
        self.database = database
        let columns = form.hasDefinitions ? "?1, ?2, ?3, ?4, ?5, ?6" : "?1, ?2, ?3, ?4, ?5"
        insertTopic = try database.prepare("INSERT INTO topics VALUES (\(columns))")
        insertDefinition =
            form.hasDefinitions
            ? try database.prepare("INSERT INTO message_definitions VALUES (?1, ?2, ?3, ?4, ?5)") : nil
    }

    /// Prepares a connection for writing without a journal.
    static func configure(_ database: SQLiteDatabase, pageBytes: Int) throws {
        try database.execute("PRAGMA page_size=\(pageBytes)")
        try database.execute("PRAGMA journal_mode=OFF")
        try database.execute("PRAGMA synchronous=OFF")
        try database.execute("PRAGMA locking_mode=EXCLUSIVE")
    }

    /// Creates all tables of a new file.
    static func create(in database: SQLiteDatabase, form: DistributionForm) throws {
        for table in BagTable.allCases where table.since <= form.schemaVersion {
            try database.execute(table.creation { $0.since <= form.schemaVersion })
        }
        let schema = try database.prepare("INSERT INTO schema VALUES (?1, ?2)")
        try schema.bind(Int64(form.schemaVersion), at: 1)
        try schema.bind(form.name, at: 2)
        try schema.run()
    }

    func insert(_ topic: BagTopic, id: Int) throws {
        try insertTopic.bind(Int64(id), at: 1)
        try insertTopic.bind(topic.name, at: 2)
        try insertTopic.bind(topic.typeName, at: 3)
        try insertTopic.bind(topic.serializationFormat, at: 4)
        try insertTopic.bind(topic.qosText, at: 5)
        if insertDefinition != nil { try insertTopic.bind(topic.typeHash, at: 6) }
        try insertTopic.run()
    }

    /// Adds the definition of a topic's type, if the schema has definitions.
    func insertDefinition(of topic: BagTopic, id: Int) throws {
        // For a type without a definition rosbag2 writes the encoding "unknown", which rosbags refuses.
        guard let insertDefinition, topic.hasDefinition else { return }
        try insertDefinition.bind(Int64(id), at: 1)
        try insertDefinition.bind(topic.typeName, at: 2)
        try insertDefinition.bind(topic.definitionEncoding, at: 3)
        try insertDefinition.bind(topic.definitionText, at: 4)
        try insertDefinition.bind(topic.typeHash, at: 5)
        try insertDefinition.run()
    }

    func insert(_ metadata: BagMetadata) throws {
        let statement = try database.prepare("INSERT INTO metadata VALUES (1, ?1, ?2)")
        try statement.bind(Int64(metadata.version), at: 1)
        try statement.bind(MetadataText.table(metadata), at: 2)
        try statement.run()
    }
}

/// The topics of one file: their numbers, and the types that are already defined.
struct TopicRegister {
    private(set) var topicCount = 0
    private var definedTypes: Set<String> = []
    /// The estimated size of the file's own metadata.
    private(set) var metadataBytes = 1024

    mutating func add(_ topic: BagTopic, to tables: SQLiteBagTables) throws {
        topicCount += 1
        metadataBytes += topic.name.utf8.count + topic.typeName.utf8.count + 2 * topic.qosText.utf8.count + 256
        try tables.insert(topic, id: topicCount)
        guard definedTypes.insert(topic.typeName).inserted else { return }
        try tables.insertDefinition(of: topic, id: definedTypes.count)
    }
}
