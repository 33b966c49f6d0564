import Messages
import Platform
import SystemPackage

/// Bags in the layouts of others, made table by table.
struct HandmadeBag {
    struct Row {
        var topic: String
        var time: Int64
        var bytes: [UInt8]

        init(_ topic: String, _ time: Int64, _ bytes: [UInt8]) {
            self.topic = topic
            self.time = time
            self.bytes = bytes
        }

        init(_ topic: String, _ time: Int64, json: String) {
            self.init(topic, time, Array(json.utf8))
        }
    }

    struct TopicRow {
        var name: String
        var type: String
        var definition = ""
        var hash = ""
    }

    /// A chunk as the phone app writes it: two tables, no schema, an empty QoS, JSON in the blobs.
    static func appChunk(_ path: FilePath, topics: [TopicRow], rows: [Row]) throws {
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        try database.execute(
            """
            CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,
                serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);
            CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,
                data BLOB NOT NULL);
            CREATE INDEX timestamp_idx ON messages (timestamp ASC);
            """
        )
        for (index, topic) in topics.enumerated() {
            try database.execute(
                "INSERT INTO topics VALUES (\(index + 1), '\(topic.name)', '\(topic.type)', 'rosbridge_json', '')"
            )
        }
        try insert(rows, topics, database)
    }

    /// A CDR file of schema 4 with definitions, as recorders from Iron on write it.
    static func recorded(_ path: FilePath, topics: [TopicRow], rows: [Row]) throws {
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        try database.execute(
            """
            CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL);
            INSERT INTO schema VALUES (4, 'jazzy');
            CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL, metadata TEXT NOT NULL);
            CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,
                serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL,
                type_description_hash TEXT NOT NULL);
            CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT NOT NULL, encoding TEXT NOT NULL,
                encoded_message_definition TEXT NOT NULL, type_description_hash TEXT NOT NULL);
            CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,
                data BLOB NOT NULL);
            CREATE INDEX timestamp_idx ON messages (timestamp ASC);
            """
        )
        for (index, topic) in topics.enumerated() {
            try database.execute(
                "INSERT INTO topics VALUES (\(index + 1), '\(topic.name)', '\(topic.type)', 'cdr', '', '\(topic.hash)')"
            )
            guard !topic.definition.isEmpty else { continue }
            let statement = try database.prepare(
                "INSERT INTO message_definitions VALUES (?1, ?2, 'ros2msg', ?3, ?4)"
            )
            try statement.bind(Int64(index + 1), at: 1)
            try statement.bind(topic.type, at: 2)
            try statement.bind(topic.definition, at: 3)
            try statement.bind(topic.hash, at: 4)
            try statement.run()
        }
        try insert(rows, topics, database)
    }

    private static func insert(_ rows: [Row], _ topics: [TopicRow], _ database: SQLiteDatabase) throws {
        let statement = try database.prepare("INSERT INTO messages(topic_id, timestamp, data) VALUES (?1, ?2, ?3)")
        for row in rows {
            let number = (topics.firstIndex { $0.name == row.topic } ?? -1) + 1
            try statement.bind(Int64(number), at: 1)
            try statement.bind(row.time, at: 2)
            try row.bytes.withUnsafeBytes { bytes in
                try statement.bindWithoutCopy(bytes, at: 3)
                try statement.run()
            }
        }
        try database.close()
    }

    /// A publish operation, as it is in the app's blobs.
    static func operation(_ topic: String, _ message: any Message) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try RosbridgeEnvelope.appendPublish(topic: topic, message: message, to: &bytes)
        return bytes
    }
}
