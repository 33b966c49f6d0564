import Platform

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
