import Containers

/// Saves the small tables of a damaged .db3 file, which say what its messages are.
struct SQLiteTableSalvage {
    let source: SQLiteDatabase
    let target: SQLiteDatabase
    /// How many rows of a table are met at most: pages that lead in circles have no end.
    let mostRows: Int

    /// Makes the tables of the same schema version, and copies all but the messages.
    ///
    /// - Returns: How many topics are not whole: more than name, type and serialization could not be read.
    func copy(_ known: [Int64: BagTopic]) throws(SQLiteError) -> Int {
        let tables = try source.names(of: "table")
        // They came with versions 2 and 4.
        let present = (try? source.columns(of: "topics")) ?? []
        let columns = ["offered_qos_profiles", "type_description_hash"].filter(present.contains)
        for table in ["schema", "metadata", "topics", "message_definitions", "messages"]
        where tables.contains(table) || table == "topics" || table == "messages" {
            try target.execute(Self.statement(table, columns))
        }
        try copy("schema", tables, ["schema_version", "ros_distro"])
        try copy("topics", tables, ["id", "name", "type", "serialization_format"] + columns)
        let partialTopicCount = try copyTopicsByNumber(columns)
        try copy(
            "message_definitions",
            tables,
            ["id", "topic_type", "encoding", "encoded_message_definition", "type_description_hash"]
        )
        let table = try TopicsTable(target)
        for (number, topic) in known.sorted(by: { $0.key < $1.key }) {
            let count = try target.integer("SELECT count(*) FROM topics WHERE id = \(number)") ?? 0
            if count == 0 { try table.insert(topic, number: number) }
        }
        return partialTopicCount
    }

    private static func statement(_ table: String, _ topicColumns: [String]) -> String {
        switch table {
        case "schema": "CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL)"
        case "metadata":
            "CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL, metadata TEXT NOT NULL)"
        case "topics":
            "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, "
                + "serialization_format TEXT NOT NULL" + topicColumns.map { ", \($0) TEXT NOT NULL" }.joined() + ")"
        case "message_definitions":
            "CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT NOT NULL, encoding TEXT NOT NULL, "
                + "encoded_message_definition TEXT NOT NULL, type_description_hash TEXT NOT NULL)"
        default:
            "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, "
                + "data BLOB NOT NULL)"
        }
    }

    /// Copies the topics by number that the walk over the table has not given.
    ///
    /// Something of them cannot be read, such as QoS profiles on a page that is lost, or they lie behind a page that is.
    /// Name, type and serialization make a topic; what else is not there is left empty.
    ///
    /// - Returns: Of how many topics something else is not there.
    private func copyTopicsByNumber(_ columns: [String]) throws(SQLiteError) -> Int {
        let names = ["name", "type", "serialization_format"] + columns
        let places = names.indices.map { "?\($0 + 2)" }.joined(separator: ", ")
        let insert = try target.prepare(
            "INSERT OR IGNORE INTO topics(id, \(names.joined(separator: ", "))) VALUES (?1, \(places))"
        )
        var partialTopicCount = 0
        for number in topicNumbers() {
            // Most numbers that are tried have no topic.
            guard let name = text(of: "name", topic: number) else { continue }
            let values = [name] + names.dropFirst().map { text(of: $0, topic: number) }
            guard values.prefix(3).allSatisfy({ $0?.isEmpty == false }) else { continue }
            if values.contains(nil) { partialTopicCount += 1 }
            try insert.bind(number, at: 1)
            for (index, value) in values.enumerated() { try insert.bind(value ?? "", at: Int32(index + 2)) }
            try insert.run()
        }
        return partialTopicCount
    }

    /// The numbers of topics as far as they can be read in order, and where that is not all, those that recorders give.
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

    /// Recorders number topics from 1 on.
    private static let mostTopics: Int64 = 4096

    private func text(of column: String, topic number: Int64) -> String? {
        guard let statement = try? source.prepare("SELECT \(column) FROM topics WHERE id = ?1") else { return nil }
        try? statement.bind(number, at: 1)
        return (try? statement.step()) == true ? statement.text(at: 0) : nil
    }

    /// Copies a small table as far as it can be read.
    private func copy(_ table: String, _ tables: Set<String>, _ columns: [String]) throws(SQLiteError) {
        guard tables.contains(table) else { return }
        let names = columns.joined(separator: ", ")
        guard let rows = try? source.prepare("SELECT \(names) FROM \(table)") else { return }
        let places = columns.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let insert = try target.prepare("INSERT OR IGNORE INTO \(table)(\(names)) VALUES (\(places))")
        // Pages that lead in circles may be met very often.
        var left = mostRows
        while left > 0, (try? rows.step()) == true {
            left -= 1
            // A cell that was overwritten with zeros reads as a row without values.
            guard !rows.text(at: 1).isEmpty else { continue }
            for (index, column) in columns.enumerated() {
                if column == "id" || column == "schema_version" {
                    try insert.bind(rows.integer(at: Int32(index)), at: Int32(index + 1))
                } else {
                    try insert.bind(rows.text(at: Int32(index)), at: Int32(index + 1))
                }
            }
            try insert.run()
        }
    }
}
