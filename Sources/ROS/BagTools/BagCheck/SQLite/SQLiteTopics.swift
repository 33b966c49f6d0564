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
        _ registry: TopicRegistry,
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
            let declaration = TopicDeclaration(
                name: statement.text(at: 1),
                typeName: type,
                serializationFormat: statement.text(at: 3),
                qosText: statement.text(at: 4),
                typeHash: statement.text(at: 5),
                definitionHash: definition?.hash ?? "",
                definitionEncoding: definition?.encoding ?? "",
                definitionText: definition?.text ?? "",
                owesDefinition: structure.has("message_definitions"),
                file: name
            )
            if !names.insert(declaration.name).inserted {
                context.at(file: name, topic: declaration.name)
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
