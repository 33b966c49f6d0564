import Platform
import SystemPackage

/// One .db3 file of any schema version, for reading.
final class SQLiteStorageReader: StorageReader {
    let schemaVersion: Int
    let topics: [StoredTopic]
    let ownMetadata: BagMetadata?
    let unpackedBytes: Int?
    private let connection: SQLiteConnection
    private let codec: BlobCodec
    private let tolerance: BagTolerance
    private let salvage: SalvageNote?
    private var counted: StoredCensus?

    var storageIdentifier: String { "sqlite3" }
    let warnings: [String]
    var container: MCAPContents? { nil }

    /// - Parameters:
    ///   - path: What errors name; the connection may be to an unpacked copy.
    ///   - unpackedBytes: The size of that copy.
    ///   - salvage: How the copy came to be, where rows were saved into it.
    ///   - warnings: What was odd about the packing of the file as a whole.
    init(
        _ connection: SQLiteConnection,
        path: FilePath,
        unpackedBytes: Int?,
        messages compression: BlobCodec.Compression,
        tolerating tolerance: BagTolerance,
        salvage: SalvageNote? = nil,
        warnings: [String]
    ) throws(BagError) {
        self.connection = connection
        self.warnings = warnings + connection.warnings
        self.salvage = salvage
        self.unpackedBytes = unpackedBytes
        self.tolerance = tolerance
        codec = BlobCodec(compression: compression, path: path)
        let database = connection.database
        let tables = try reading { try database.names(of: "table") }
        guard tables.isSuperset(of: ["topics", "messages"]) else {
            throw .damaged(
                path,
                place: "tables",
                expected: "topics and messages",
                found: tables.isEmpty ? "none" : tables.sorted().joined(separator: ", ")
            )
        }
        schemaVersion = try storedVersion(database, tables)
        topics = try storedTopics(database)
        ownMetadata = tables.contains("metadata") ? storedMetadata(database, path) : nil
    }

    func census() throws(BagError) -> StoredCensus {
        if let counted { return counted }
        var census = try reading { try SQLiteCensus(connection.database, topics: Set(topics.map(\.number))).census }
        salvage?.tell(&census)
        counted = census
        return census
    }

    func placedRows() throws(BagError) -> any PlacedRows { try SQLitePlacedRows(connection, codec: codec) }

    func rows(
        _ query: BagQuery,
        _ census: StoredCensus,
        wantedBytes: [Int64: Int]?
    ) throws(BagError) -> any StoredRows {
        let wanted = Set(topics.filter { query.topics?.contains($0.topic.name) ?? true }.map(\.number))
        let isPart = wanted.count < topics.count || census.unreadable.contains { $0.count > 0 }
        let rows = SQLiteRowQuery(query: query, wanted: wanted, isPart: isPart, census: census)
        guard let wantedBytes else {
            return try SQLiteStoredRows(connection, rows, codec: codec, tolerance: tolerance)
        }
        return try SQLiteStoredHeads(
            connection,
            rows,
            codec: codec,
            tolerance: tolerance,
            wantedBytes: wantedBytes
        )
    }
}

/// The schema version in the table `schema`, which came with version 3; before that the columns tell.
private func storedVersion(
    _ database: SQLiteDatabase,
    _ tables: Set<String>
) throws(BagError) -> Int {
    try reading {
        let stored = tables.contains("schema") ? try database.integer("SELECT schema_version FROM schema") : nil
        if let stored { return Int(stored) }
        return try database.columns(of: "topics").contains("offered_qos_profiles") ? 2 : 1
    }
}

/// The last row of the table `metadata`; what cannot be read there is ignored.
private func storedMetadata(_ database: SQLiteDatabase, _ path: FilePath) -> BagMetadata? {
    let text: String?? = try? reading {
        let statement = try database.prepare("SELECT metadata FROM metadata ORDER BY id DESC LIMIT 1")
        return try statement.step() ? statement.text(at: 0) : nil
    }
    guard case let text?? = text else { return nil }
    return try? MetadataParser.parse(inner: text, path: path)
}

/// A type's definition as the table has it.
private struct StoredDefinition {
    var encoding: String
    var text: String
}

/// The definitions by type; `ros2msg` is preferred where a type has several.
private func messageDefinitions(_ database: SQLiteDatabase) throws(BagError) -> [String: StoredDefinition] {
    try reading {
        let statement = try database.prepare(
            "SELECT topic_type, encoding, encoded_message_definition FROM message_definitions ORDER BY id"
        )
        var definitions: [String: StoredDefinition] = [:]
        while try statement.step() {
            let type = statement.text(at: 0)
            guard definitions[type]?.encoding != "ros2msg" else { continue }
            definitions[type] = StoredDefinition(encoding: statement.text(at: 1), text: statement.text(at: 2))
        }
        return definitions
    }
}

/// The table `topics` of any schema version, with the definitions where there are some.
func storedTopics(_ database: SQLiteDatabase) throws(BagError) -> [StoredTopic] {
    try reading {
        let hasDefinitions = try database.names(of: "table").contains("message_definitions")
        let definitions = hasDefinitions ? try messageDefinitions(database) : [:]
        let columns = try database.columns(of: "topics")
        let qos = columns.contains("offered_qos_profiles") ? "offered_qos_profiles" : "''"
        let hash = columns.contains("type_description_hash") ? "type_description_hash" : "''"
        let statement = try database.prepare(
            "SELECT coalesce(id, rowid), name, type, serialization_format, \(qos), \(hash) FROM topics ORDER BY 1"
        )
        var topics: [StoredTopic] = []
        while try statement.step() {
            let definition = definitions[statement.text(at: 2)]
            let topic = BagTopic(
                name: statement.text(at: 1),
                typeName: statement.text(at: 2),
                serializationFormat: statement.text(at: 3),
                qosText: statement.text(at: 4),
                typeHash: statement.text(at: 5),
                definitionText: definition?.text ?? "",
                definitionEncoding: definition?.encoding ?? ""
            )
            topics.append(StoredTopic(number: statement.integer(at: 0), topic: topic))
        }
        return topics
    }
}
