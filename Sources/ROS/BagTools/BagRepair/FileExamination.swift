import Bags
import Platform
import SystemPackage

/// The faults of a .db3 file that lies there without journal or log.
struct SQLiteExamination {
    /// True if SQLite finds the whole file sound but for its indexes.
    private(set) var isReadable = false
    private(set) var hasSoundIndexes = true
    private(set) var hasTimeIndex = false
    /// True if the file has a table for its own metadata.
    private(set) var hasMetadataTable = false
    /// True if there is nothing in it.
    private(set) var lacksMetadata = false
    private(set) var messageCount = 0
    /// Messages of topics that are not in the table, by number.
    private(set) var strayCounts: [Int64: Int] = [:]
    /// Messages whose topic_id is no number, or whose data is none.
    private(set) var brokenCount = 0
    /// Messages whose timestamp is no integer or before 1970, which readers that go by time may never meet.
    private(set) var timelessCount = 0
    /// The complaint of SQLite about a file that is not readable.
    private(set) var complaint = ""

    /// True if there is nothing to do but perhaps the file's own metadata.
    var isSound: Bool {
        isReadable && hasSoundIndexes && hasTimeIndex && strayCounts.isEmpty && brokenCount == 0 && timelessCount == 0
    }

    init(_ path: FilePath) {
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
        let tables = try database.names(of: "table")
        guard tables.isSuperset(of: ["topics", "messages"]) else {
            complaint = tables.isEmpty ? "no tables" : "no tables topics and messages"
            return
        }
        for table in BagTable.allCases where tables.contains(table.rawValue) {
            let columns = try database.columns(of: table.rawValue)
            guard !columns.isSuperset(of: table.oldestColumns) else { continue }
            complaint = "the table \(table.rawValue) has the columns \(columns.sorted().joined(separator: ", "))"
            return
        }
        // Walks behind this one need no bound: SQLite has met every page once.
        guard try checkIntegrity(database, "integrity_check") else { return }
        isReadable = true
        hasTimeIndex = try Self.hasTimeIndex(database)
        hasMetadataTable = tables.contains("metadata")
        if hasMetadataTable {
            lacksMetadata = try database.integer("SELECT count(*) FROM metadata") == 0
        }
        // No index decides what is counted: it may be the one that is damaged.
        messageCount = try Self.count(database, "true")
        timelessCount = try Self.count(database, Self.timelessRows)
        brokenCount = try Self.count(database, Self.brokenRows)
        let strays = try database.prepare(
            "SELECT topic_id, count(*) FROM messages NOT INDEXED WHERE typeof(topic_id) = 'integer' "
                + "AND topic_id NOT IN (SELECT id FROM topics) GROUP BY topic_id"
        )
        while try strays.step() { strayCounts[strays.integer(at: 0)] = Int(strays.integer(at: 1)) }
    }

    /// The condition of rows that have no time.
    static let timelessRows = "(typeof(timestamp) <> 'integer' OR timestamp < 0)"

    /// The condition of rows that no reader takes.
    static let brokenRows = "(typeof(topic_id) <> 'integer' OR typeof(data) NOT IN ('blob', 'text'))"

    private static func count(_ database: SQLiteDatabase, _ condition: String) throws(SQLiteError) -> Int {
        Int(try database.integer("SELECT count(*) FROM messages NOT INDEXED WHERE \(condition)") ?? 0)
    }

    /// False for damage beyond indexes, which can be made anew.
    private mutating func checkIntegrity(_ database: SQLiteDatabase, _ pragma: String) throws(SQLiteError) -> Bool {
        let limit = 100
        let statement = try database.prepare("PRAGMA \(pragma)(\(limit))")
        var count = 0
        while try statement.step() {
            let text = statement.text(at: 0)
            if text == "ok" { return true }
            count += 1
            if text.contains("index") && !text.contains("Tree") && !text.contains("database disk image") {
                hasSoundIndexes = false
            } else {
                // One row may have many lines, the first of which names the database.
                complaint = text.split(separator: "\n").first { !$0.hasPrefix("***") }.map(String.init) ?? text
                return false
            }
        }
        // Rows that an index lacks may have filled the list; this looks at the pages alone.
        return count < limit || pragma == "quick_check" ? true : try checkIntegrity(database, "quick_check")
    }

    /// True if some index of the messages begins with their times.
    private static func hasTimeIndex(_ database: SQLiteDatabase) throws(SQLiteError) -> Bool {
        let statement = try database.prepare(
            "SELECT count(*) FROM pragma_index_list('messages') AS list, pragma_index_info(list.name) AS info "
                + "WHERE info.seqno = 0 AND info.name = 'timestamp'"
        )
        return try statement.step() && statement.integer(at: 0) > 0
    }
}

/// The faults of an .mcap file that writing it anew mends, by what `check` finds in it.
struct MCAPExamination {
    /// The first thing that is wrong; empty where nothing is.
    private(set) var complaint = ""
    /// Messages that a walk over the file meets.
    private(set) var messageCount = 0

    var isSound: Bool { complaint.isEmpty }

    /// - Parameter findings: The findings of `check` in the file's bag; nil to read the file now.
    init(_ path: FilePath, _ findings: [BagFinding]? = nil) throws(BagError) {
        var found = findings ?? []
        if findings == nil {
            let report = try BagChecker.check(path)
            found = report.findings
            messageCount = report.messageCount
        }
        let name = path.lastComponent?.string ?? ""
        let mended = found.first { finding in
            // A file without index is legal, but rosbag2 cannot play it in time order: it gets one.
            (finding.severity == .error && finding.kind.isMendedInFile || finding.kind == .mcapNoIndex)
                && finding.files.contains(name)
        }
        guard let mended else { return }
        complaint = mended.places.first { $0.file == name }?.description ?? mended.kind.rawValue
    }
}
