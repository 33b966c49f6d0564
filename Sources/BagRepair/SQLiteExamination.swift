import Bags
import Containers
import SystemPackage

/// What is wrong with a .db3 file that lies there without journal or log.
struct SQLiteExamination {
    /// Whether SQLite finds the whole file sound but for its indexes.
    private(set) var isReadable = false
    private(set) var hasSoundIndexes = true
    private(set) var hasTimeIndex = false
    /// Whether the file has a table for its own metadata, and nothing in it.
    private(set) var lacksMetadata = false
    private(set) var messageCount = 0
    /// Messages of topics that are not in the table, by number.
    private(set) var strayCounts: [Int64: Int] = [:]
    /// Rows that are like one before, by their number.
    private(set) var duplicates: [Int64] = []
    /// What SQLite says of a file that is not readable.
    private(set) var complaint = ""
    private let statedCount: Int?

    /// Whether there is nothing to do but perhaps the file's own metadata.
    var isSound: Bool {
        isReadable && hasSoundIndexes && hasTimeIndex && strayCounts.isEmpty && duplicates.isEmpty
    }

    /// - Parameter statedCount: How many messages the file should have. Messages may be alike, so only those that are
    ///   too many by this are taken for written twice.
    init(_ path: FilePath, statedCount: Int? = nil) {
        self.statedCount = statedCount
        do {
            let database = try SQLiteDatabase(opening: path, access: .immutable)
            try database.execute("PRAGMA trusted_schema=OFF")
            try database.execute("PRAGMA cell_size_check=ON")
            try examine(database)
        } catch {
            isReadable = false
            complaint = error.message
        }
    }

    private mutating func examine(_ database: SQLiteDatabase) throws(SQLiteError) {
        let tables = try Self.names(database, "table")
        guard tables.isSuperset(of: ["topics", "messages"]) else {
            complaint = tables.isEmpty ? "no tables" : "no tables topics and messages"
            return
        }
        guard try checkIntegrity(database) else { return }
        isReadable = true
        hasTimeIndex = try Self.hasTimeIndex(database)
        if tables.contains("metadata") {
            lacksMetadata = try database.integer("SELECT count(*) FROM metadata") == 0
        }
        messageCount = Int(try database.integer("SELECT count(*) FROM messages") ?? 0)
        let strays = try database.prepare(
            "SELECT topic_id, count(*) FROM messages WHERE topic_id NOT IN (SELECT id FROM topics) GROUP BY topic_id"
        )
        while try strays.step() { strayCounts[strays.integer(at: 0)] = Int(strays.integer(at: 1)) }
        guard hasSoundIndexes, hasTimeIndex, let statedCount, messageCount > statedCount else { return }
        try findDuplicates(database)
        if messageCount - duplicates.count != statedCount { duplicates = [] }
    }

    /// False for damage beyond indexes, which can be made anew.
    private mutating func checkIntegrity(_ database: SQLiteDatabase) throws(SQLiteError) -> Bool {
        let statement = try database.prepare("PRAGMA integrity_check(20)")
        while try statement.step() {
            let text = statement.text(at: 0)
            if text == "ok" { return true }
            if text.contains("index") && !text.contains("Tree") && !text.contains("database disk image") {
                hasSoundIndexes = false
            } else {
                complaint = text
                return false
            }
        }
        return true
    }

    /// Rows of one topic and time with the same bytes: two writers, or one that wrote again what it had written.
    private mutating func findDuplicates(_ database: SQLiteDatabase) throws(SQLiteError) {
        let statement = try database.prepare(
            "SELECT id, timestamp, topic_id FROM messages ORDER BY timestamp, id"
        )
        let compare = try database.prepare(
            "SELECT a.data = b.data FROM messages a, messages b WHERE a.id = ?1 AND b.id = ?2"
        )
        var time = Int64.min
        var rows: [(id: Int64, topic: Int64)] = []
        while try statement.step() {
            let (id, topic) = (statement.integer(at: 0), statement.integer(at: 2))
            if statement.integer(at: 1) != time {
                time = statement.integer(at: 1)
                rows.removeAll(keepingCapacity: true)
            }
            // Thousands of rows of one time are no accident but a file without times.
            for row in rows.prefix(100) where row.topic == topic {
                compare.reset()
                try compare.bind(row.id, at: 1)
                try compare.bind(id, at: 2)
                if try compare.step(), compare.integer(at: 0) == 1 {
                    duplicates.append(id)
                    break
                }
            }
            rows.append((id, topic))
        }
    }

    static func names(_ database: SQLiteDatabase, _ kind: String) throws(SQLiteError) -> Set<String> {
        let statement = try database.prepare("SELECT name FROM sqlite_master WHERE type = ?1")
        try statement.bind(kind, at: 1)
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.text(at: 0)) }
        return names
    }

    /// Whether some index of the messages begins with their times.
    private static func hasTimeIndex(_ database: SQLiteDatabase) throws(SQLiteError) -> Bool {
        let statement = try database.prepare(
            "SELECT count(*) FROM pragma_index_list('messages') AS list, pragma_index_info(list.name) AS info "
                + "WHERE info.seqno = 0 AND info.name = 'timestamp'"
        )
        return try statement.step() && statement.integer(at: 0) > 0
    }
}
