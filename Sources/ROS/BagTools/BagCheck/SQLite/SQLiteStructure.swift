import Bags
import Platform
import SystemPackage

/// The tables of a .db3 file, with what is wrong with them.
struct SQLiteStructure {
    /// Columns by table.
    private(set) var columns: [String: Set<String>] = [:]
    /// The version that the table `schema` states, or the columns where there is none.
    private(set) var schemaVersion = 1

    var hasRows: Bool {
        has("topics", ["id", "name", "type"]) && has("messages", ["id", "topic_id", "timestamp", "data"])
    }

    func has(_ table: String, _ wanted: Set<String> = []) -> Bool {
        columns[table].map { $0.isSuperset(of: wanted) } ?? false
    }

    init(_ database: SQLiteDatabase, _ name: String, _ context: CheckContext) throws(SQLiteError) {
        for table in try database.names(of: "table") { columns[table] = try database.columns(of: table) }
        checkTables(name, context)
        try checkSchema(database, name, context)
        if has("messages") { try checkIndex(database, name, context) }
    }

    private func checkTables(_ name: String, _ context: CheckContext) {
        for owed in [BagTable.topics, .messages] {
            let (table, wanted) = (owed.rawValue, Set(owed.oldestColumns))
            guard let found = columns[table] else {
                let names = columns.isEmpty ? "no tables" : columns.keys.sorted().joined(separator: ", ")
                context.at(file: name).add(.error, .databaseTables, "the table \(table)", names)
                continue
            }
            guard !found.isSuperset(of: wanted) else { continue }
            let expected = "the columns \(wanted.sorted().joined(separator: ", ")) of table \(table)"
            context.at(file: name).add(.error, .databaseColumns, expected, found.sorted().joined(separator: ", "))
        }
    }

    /// Without the table it is version 2, or 1 where topics have no QoS yet.
    private mutating func checkSchema(
        _ database: SQLiteDatabase,
        _ name: String,
        _ context: CheckContext
    ) throws(SQLiteError) {
        schemaVersion = has("topics", ["offered_qos_profiles"]) ? 2 : 1
        guard has("schema") else { return }
        func add(_ expected: String, _ found: String) {
            context.at(file: name).add(foreign: .warning, .databaseSchema, expected, found)
        }
        guard let stored = try database.integer("SELECT schema_version FROM schema") else {
            return add("a row in the table schema", "none")
        }
        schemaVersion = Int(clamping: stored)
        if !(3...4).contains(schemaVersion) { add("schema_version 3 or 4", "\(schemaVersion)") }
        for table in BagTable.allCases where table.since > 1 && table.since <= schemaVersion {
            if !has(table.rawValue) { add("the table \(table.rawValue) of schema \(schemaVersion)", "none") }
        }
        for column in BagTable.topics.columns where (2...max(2, schemaVersion)).contains(column.since) {
            guard has("topics"), !has("topics", [column.name]) else { continue }
            add("topics.\(column.name) of schema \(schemaVersion)", "no such column")
        }
    }

    private func checkIndex(
        _ database: SQLiteDatabase,
        _ name: String,
        _ context: CheckContext
    ) throws(SQLiteError) {
        let sql = "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND tbl_name = 'messages'"
        guard try database.integer(sql) == 0 else { return }
        context.at(file: name).add(foreign: .warning, .databaseIndex, "an index on messages.timestamp", "none")
    }
}

extension SQLiteDatabase {
    /// The first column of every row.
    func texts(_ sql: String) throws(SQLiteError) -> [String] {
        let statement = try prepare(sql)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(at: 0)) }
        return texts
    }
}
