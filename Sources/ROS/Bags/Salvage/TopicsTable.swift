package import Platform

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
