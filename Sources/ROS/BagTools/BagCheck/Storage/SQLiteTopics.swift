import Bags
import Platform

/// The topics of a .db3 file, by the file's own numbers.
enum SQLiteTopics {
    private struct Definition {
        var encoding: String
        var text: String
        var hash: String
    }

    /// Reads the tables `topics` and `message_definitions`, and declares what they say.
    static func declare(
        _ database: SQLiteDatabase,
        _ structure: SQLiteStructure,
        _ name: String,
        _ registry: CheckedTopics,
        _ context: CheckContext
    ) throws(SQLiteError) -> [Int64: CheckedTopic] {
        let definitions = try definitions(database, structure)
        let format = structure.has("topics", ["serialization_format"]) ? "serialization_format" : "'cdr'"
        let qos = structure.has("topics", ["offered_qos_profiles"]) ? "offered_qos_profiles" : "''"
        let hash = structure.has("topics", ["type_description_hash"]) ? "type_description_hash" : "''"
        let statement = try database.prepare(
            "SELECT id, name, type, \(format), \(qos), \(hash) FROM topics ORDER BY id"
        )
        var topics: [Int64: CheckedTopic] = [:]
        var names: Set<String> = []
        while try statement.step() {
            let type = statement.text(at: 2)
            let definition = definitions[type]
            let topic = BagTopic(
                name: statement.text(at: 1),
                typeName: type,
                serializationFormat: statement.text(at: 3),
                qosText: statement.text(at: 4),
                typeHash: statement.text(at: 5),
                definitionText: definition?.text ?? "",
                definitionEncoding: definition?.encoding ?? ""
            )
            let declaration = TopicDeclaration(
                topic: topic,
                definitionHash: definition?.hash ?? "",
                owesDefinition: structure.has("message_definitions"),
                file: name
            )
            if !names.insert(topic.name).inserted {
                context.at(file: name, topic: topic.name)
                    .add(.error, .topicDuplicate, "one row of the table topics", "another, of \(type)")
            }
            topics[statement.integer(at: 0)] = registry.declare(declaration, context)
        }
        return topics
    }

    private static func definitions(
        _ database: SQLiteDatabase,
        _ structure: SQLiteStructure
    ) throws(SQLiteError) -> [String: Definition] {
        let wanted: Set<String> = ["topic_type", "encoding", "encoded_message_definition"]
        guard structure.has("message_definitions", wanted) else { return [:] }
        let hasHash = structure.has("message_definitions", ["type_description_hash"])
        let statement = try database.prepare(
            """
            SELECT topic_type, encoding, encoded_message_definition, \(hasHash ? "type_description_hash" : "''")
            FROM message_definitions
            """
        )
        var definitions: [String: Definition] = [:]
        while try statement.step() {
            definitions[statement.text(at: 0)] = Definition(
                encoding: statement.text(at: 1),
                text: statement.text(at: 2),
                hash: statement.text(at: 3)
            )
        }
        return definitions
    }
}

/// The tables of a .db3 file, with what is wrong with them.
struct SQLiteStructure {
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
