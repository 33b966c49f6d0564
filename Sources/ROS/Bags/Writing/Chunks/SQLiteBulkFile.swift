import Containers
import SystemPackage

/// A .db3 file whose messages and their index are laid down as pages, one after the other, and not inserted.
///
/// SQLite writes all other tables: before the first row those of the topics that are known by then, and the rest at the
/// end. The file has its final name only when it is whole.
final class SQLiteBulkFile: ChunkFile {
    private let path: FilePath
    private let form: DistributionForm
    private let pageBytes: Int
    private var register = TopicRegister()
    /// Open until the first row.
    private var tables: SQLiteBagTables?
    private var pages: SQLitePages?
    private var builder: SQLiteTableBuilder?
    private var tableRoot = 0
    private var indexRoot = 0
    /// Topics that came after the first row.
    private var lateTopics: [BagTopic] = []
    private var lateBytes = 0

    init(creating path: FilePath, options: BagOptions) throws {
        self.path = path
        form = DistributionForm(options.distribution)
        pageBytes = options.pageBytes
        try DurableFiles.remove(path)
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        try SQLiteBagTables.configure(database, pageBytes: pageBytes)
        try database.execute("BEGIN")
        try SQLiteBagTables.create(in: database, form: form)
        try database.execute(BagTable.timeIndex)
        tables = try SQLiteBagTables(database, form: form)
    }

    func add(_ topic: BagTopic) throws {
        if let tables { return try register.add(topic, to: tables) }
        lateTopics.append(topic)
        lateBytes += 1024 + topic.definitionText.utf8.count + 2 * topic.qosText.utf8.count
    }

    func insert(_ row: BagRow) throws {
        if builder == nil { try beginRows() }
        try row.bytes.withUnsafeBytes {
            try builder?.append(Int64(row.topic + 1), row.timeNanoseconds, $0)
        }
    }

    func projectedBytes(adding byteCount: Int) throws -> Int {
        if builder == nil { try beginRows() }
        let ownBytes = register.metadataBytes + lateBytes
        let ownPages = (ownBytes + pageBytes - 1) / pageBytes + (lateTopics.isEmpty ? 0 : 2)
        return (builder?.projectedBytes(adding: byteCount) ?? 0) + ownPages * pageBytes
    }

    /// There is nothing to see before the end.
    func commit() throws {}

    func follow(_ twin: any ChunkFile, _ changes: [ChunkChange]) throws {}

    func finish(metadata: BagMetadata) throws {
        if builder == nil { try beginRows() }
        try builder?.finish(tableRoot: tableRoot, indexRoot: indexRoot)
        try pages?.finish()
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        try SQLiteBagTables.configure(database, pageBytes: pageBytes)
        try database.execute("BEGIN")
        if builder?.hasIndex == false {
            try database.execute("DROP INDEX timestamp_idx")
            try database.execute(BagTable.timeIndex)
        }
        let tables = try SQLiteBagTables(database, form: form)
        for topic in lateTopics { try register.add(topic, to: tables) }
        try tables.insert(metadata)
        try database.execute("COMMIT")
        try database.close()
    }

    /// Hands the file over from SQLite to the builder.
    private func beginRows() throws {
        guard let tables else { return }
        let database = tables.database
        tableRoot = Int(try database.integer(Self.root("messages")) ?? 0)
        indexRoot = Int(try database.integer(Self.root("timestamp_idx")) ?? 0)
        try database.execute("COMMIT")
        try database.close()
        self.tables = nil
        let pages = try SQLitePages(appendingTo: path, pageBytes: pageBytes)
        self.pages = pages
        builder = SQLiteTableBuilder(pages)
    }

    private static func root(_ name: String) -> String {
        "SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'"
    }
}
