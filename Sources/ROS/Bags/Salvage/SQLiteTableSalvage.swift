package import Platform
package import SystemPackage

/// Saves the small tables of a damaged .db3 file, which describe its messages.
struct SQLiteTableSalvage {
    let source: SQLiteDatabase
    let target: SQLiteDatabase
    /// The maximum number of rows read from a table, because circular pages have no end.
    let mostRows: Int

    /// Creates the tables of the same schema version, and copies all but the messages.
    ///
    /// Rows that its tables do not lead to are taken from the leaves of the file.
    ///
    /// - Returns: The number of incomplete topics, of which only name, type and serialization could be read.
    func copy(_ known: [Int64: BagTopic], leavesOf path: FilePath) throws(SQLiteError) -> Int {
        let tables = (try? source.names(of: "table")) ?? []
        let present = (try? source.columns(of: BagTable.topics.rawValue)) ?? []
        let hasTopics = holds(.topics, "name LIKE '/%' AND type LIKE '%/%' AND serialization_format > ''")
        let hasDefinitions = holds(.messageDefinitions, "topic_type LIKE '%/%' AND encoded_message_definition > ''")
        let leaves =
            hasTopics && (hasDefinitions || !tables.contains(BagTable.messageDefinitions.rawValue))
            ? nil : SQLiteDescriptions(leavesOf: path)
        let version = hasTopics ? 1 : leaves?.schemaVersion ?? 1
        let later = BagTable.topics.columns.filter {
            $0.since > 1 && ($0.since <= version || present.contains($0.name))
        }
        .map(\.name)
        for table in BagTable.allCases where tables.contains(table.rawValue) || table.since <= version {
            try target.execute(table.creation { $0.since == table.since || later.contains($0.name) })
        }
        if let leaves { try insert(leaves, topics: !hasTopics, definitions: !hasDefinitions) }
        try copy(.schema, tables)
        try addSchema(later)
        try copy(.topics, tables) { $0.since == 1 || later.contains($0.name) }
        let partialTopicCount = try copyTopicsByNumber(later)
        try copy(.messageDefinitions, tables)
        let table = try TopicsTable(target)
        for (number, topic) in known.sorted(by: { $0.key < $1.key }) {
            let count = try target.integer("SELECT count(*) FROM topics WHERE id = \(number)") ?? 0
            if count == 0 { try table.insert(topic, number: number) }
        }
        return partialTopicCount
    }

    /// True if the source has such a row.
    private func holds(_ table: BagTable, _ condition: String) -> Bool {
        (try? source.integer("SELECT 1 FROM \(table.rawValue) WHERE \(condition) LIMIT 1")) == 1
    }

    /// A file without a row in the table of its version would be taken for one of the first.
    private func addSchema(_ columns: [String]) throws(SQLiteError) {
        guard try target.names(of: "table").contains(BagTable.schema.rawValue),
            try target.integer("SELECT count(*) FROM schema") == 0
        else { return }
        try target.execute("INSERT INTO schema VALUES (\(columns.contains("type_description_hash") ? 4 : 3), '')")
    }

    /// Writes what was found on the leaves.
    private func insert(_ leaves: SQLiteDescriptions, topics: Bool, definitions: Bool) throws(SQLiteError) {
        let table = try TopicsTable(target)
        for (number, topic) in leaves.topics.sorted(by: { $0.key < $1.key }) where topics {
            try table.insert(topic, number: number)
        }
        guard definitions, try target.names(of: "table").contains(BagTable.messageDefinitions.rawValue) else { return }
        let insert = try target.prepare("INSERT INTO message_definitions VALUES (?1, ?2, ?3, ?4, ?5)")
        for (number, texts) in leaves.definitions.sorted(by: { $0.key < $1.key }) {
            try insert.bind(number, at: 1)
            for (index, text) in texts.enumerated() { try insert.bind(text, at: Int32(index + 2)) }
            try insert.run()
        }
    }

    /// Copies, by number, the topics that the walk over the table has not found.
    ///
    /// They lie behind a lost page, or a part of them, such as QoS profiles, is on one. A topic needs name, type and
    /// serialization; missing other columns are left empty.
    ///
    /// - Returns: The number of topics with missing columns.
    private func copyTopicsByNumber(_ columns: [String]) throws(SQLiteError) -> Int {
        let names = ["name", "type", "serialization_format"] + columns
        let places = names.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
        let insert = try target.prepare(
            "INSERT OR IGNORE INTO topics(id, \(names.joined(separator: ", "))) VALUES (?1, \(places))"
        )
        // Prepared once: thousands of numbers are tried.
        let readers = names.map { try? source.prepare("SELECT \($0) FROM topics WHERE id = ?1") }
        var partialTopicCount = 0
        for number in topicNumbers() {
            // Most of the numbers tried have no topic.
            guard let name = text(readers[0], topic: number) else { continue }
            let values = [name] + readers.dropFirst().map { text($0, topic: number) }
            // A page of another table may stand in the place of this one.
            guard values.prefix(3).allSatisfy({ $0?.isEmpty == false }), values[1]?.contains("/") == true else {
                continue
            }
            if values.contains(nil) { partialTopicCount += 1 }
            try insert.bind(number, at: 1)
            for (index, value) in values.enumerated() { try insert.bind(value ?? "", at: Int32(index + 2)) }
            try insert.run()
        }
        return partialTopicCount
    }

    /// The topic numbers that can be read in order; if that is incomplete, also those that recorders assign.
    private func topicNumbers() -> [Int64] {
        var numbers: [Int64] = []
        do throws(SQLiteError) {
            let rows = try source.prepare("SELECT id FROM topics")
            while numbers.count < mostRows, try rows.step() { numbers.append(rows.integer(at: 0)) }
            return numbers
        } catch {
            let met = Set(numbers)
            return numbers + (1...Self.mostTopics).filter { !met.contains($0) }
        }
    }

    /// Recorders number topics from 1.
    private static let mostTopics: Int64 = 4096

    private func text(_ reader: SQLiteStatement?, topic number: Int64) -> String? {
        guard let reader else { return nil }
        defer { reader.reset() }
        try? reader.bind(number, at: 1)
        return (try? reader.step()) == true ? reader.text(at: 0) : nil
    }

    /// Copies a small table as far as it is readable.
    private func copy(
        _ table: BagTable,
        _ tables: Set<String>,
        with isWanted: (BagTable.Column) -> Bool = { _ in true }
    ) throws(SQLiteError) {
        guard tables.contains(table.rawValue) else { return }
        let columns = table.columns.filter(isWanted)
        let names = columns.map(\.name).joined(separator: ", ")
        guard let rows = try? source.prepare("SELECT \(names) FROM \(table.rawValue)") else { return }
        let places = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let insert = try target.prepare("INSERT OR IGNORE INTO \(table.rawValue)(\(names)) VALUES (\(places))")
        // Circular pages may repeat rows without end.
        var left = mostRows
        while left > 0, (try? rows.step()) == true {
            left -= 1
            // A cell overwritten with zeros reads as a row without values, and one of another table has others.
            let isOfTable = columns.indices.allSatisfy { rows.isInteger(at: Int32($0)) == columns[$0].isInteger }
            guard isOfTable, !rows.text(at: 1).isEmpty || table == .schema else { continue }
            for (index, column) in columns.enumerated() {
                if column.isInteger {
                    try insert.bind(rows.integer(at: Int32(index)), at: Int32(index + 1))
                } else {
                    try insert.bind(rows.text(at: Int32(index)), at: Int32(index + 1))
                }
            }
            try insert.run()
        }
    }
}

/// The table `topics` of any schema version, for writing.
package struct TopicsTable {
    private let database: SQLiteDatabase
    private let columns: Set<String>

    package init(_ database: SQLiteDatabase) throws(SQLiteError) {
        self.database = database
        columns = try database.columns(of: "topics")
    }

    package func insert(_ topic: BagTopic, number: Int64) throws(SQLiteError) {
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

/// The topics of a .db3 file by its numbers.
package enum TopicsByNumber {
    /// Reads the topics by number; empty if the table cannot be read.
    package static func read(_ path: FilePath) -> [Int64: BagTopic] {
        guard FileKind(of: path) == .sqlite,
            let connection = try? SQLiteConnection(opening: path, tolerating: .everything),
            let topics = try? storedTopics(connection.database)
        else { return [:] }
        // A page of another table may stand in the place of this one.
        return byNumber(topics.filter { $0.topic.typeName.contains("/") })
    }

    static func byNumber(_ topics: [StoredTopic]) -> [Int64: BagTopic] {
        Dictionary(topics.map { ($0.number, $0.topic) }) { first, _ in first }
    }
}
