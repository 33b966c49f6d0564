import BagTools
import Platform
import SystemPackage
import TestSupport

/// A lone .db3 file of schema 4, row by row; what it says may be wrong.
struct HandmadeBag {
    struct Topic {
        var name: String
        var typeName: String
        /// nil for a type that the file does not describe.
        var definition: String?
        var hash = ""
        var format = "cdr"
        var qos = ""
    }

    struct Row {
        /// Index into the topics.
        var topic: Int
        var time: Int64
        var bytes: [UInt8]
    }

    let directory: TemporaryDirectory
    let path: FilePath

    init(_ topics: [Topic], _ rows: [Row]) throws {
        directory = try TemporaryDirectory()
        path = directory.appending("made.db3")
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        try database.execute(HandmadeBag.tables)
        for (index, topic) in topics.enumerated() {
            let statement = try database.prepare("INSERT INTO topics VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
            try statement.bind(Int64(index), at: 1)
            for (column, text) in [topic.name, topic.typeName, topic.format, topic.qos, topic.hash].enumerated() {
                try statement.bind(text, at: Int32(column + 2))
            }
            try statement.run()
            guard let definition = topic.definition else { continue }
            let insertion = try database.prepare(
                "INSERT INTO message_definitions VALUES (NULL, ?1, 'ros2msg', ?2, ?3)"
            )
            for (column, text) in [topic.typeName, definition, topic.hash].enumerated() {
                try insertion.bind(text, at: Int32(column + 1))
            }
            try insertion.run()
        }
        try database.execute("BEGIN")
        let insertion = try database.prepare("INSERT INTO messages VALUES (NULL, ?1, ?2, ?3)")
        for row in rows {
            try insertion.bind(Int64(row.topic), at: 1)
            try insertion.bind(row.time, at: 2)
            try row.bytes.withUnsafeBytes { bytes in
                try insertion.bindWithoutCopy(bytes, at: 3)
                try insertion.run()
            }
        }
        try database.execute("COMMIT")
    }

    func check(_ options: BagCheckOptions = BagCheckOptions()) throws -> BagCheckReport {
        // The directory goes with this value.
        try withExtendedLifetime(directory) { try BagChecker.check(path, options: options) }
    }

    private static let tables = """
        CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL);
        CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL, metadata TEXT NOT NULL);
        CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,
            serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL,
            type_description_hash TEXT NOT NULL);
        CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT NOT NULL, encoding TEXT NOT NULL,
            encoded_message_definition TEXT NOT NULL, type_description_hash TEXT NOT NULL);
        CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,
            data BLOB NOT NULL);
        CREATE INDEX timestamp_idx ON messages (timestamp ASC);
        INSERT INTO schema VALUES (4, 'jazzy');
        """

    /// Changes a .db3 file.
    static func execute(_ sql: String, _ path: FilePath) throws {
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        try database.execute(sql)
        try database.close()
    }
}
