/// The tables of a .db3 file, as rosbag2's SQLite storage creates them.
///
/// This one description serves writing, reading, checking and salvaging.
package enum BagTable: String, CaseIterable, Sendable {
    case schema
    case metadata
    case topics
    case messageDefinitions = "message_definitions"
    case messages

    package struct Column: Sendable {
        package let name: String
        /// Its type and constraint in SQL.
        let definition: String
        /// The schema version that introduced it.
        package let since: Int

        var isInteger: Bool { definition.hasPrefix("INTEGER") }

        fileprivate init(_ name: String, _ definition: String, since: Int) {
            (self.name, self.definition, self.since) = (name, definition, since)
        }
    }

    package var columns: [Column] {
        switch self {
        case .schema: [key("schema_version", since: 3), text("ros_distro", since: 3)]
        case .metadata: [key("id", since: 3), integer("metadata_version", since: 3), text("metadata", since: 3)]
        case .topics:
            [
                key("id"), text("name"), text("type"), text("serialization_format"),
                text("offered_qos_profiles", since: 2), text("type_description_hash", since: 4),
            ]
        case .messageDefinitions:
            [
                key("id", since: 4), text("topic_type", since: 4), text("encoding", since: 4),
                text("encoded_message_definition", since: 4), text("type_description_hash", since: 4),
            ]
        case .messages:
            [key("id"), integer("topic_id"), integer("timestamp"), Column("data", "BLOB NOT NULL", since: 1)]
        }
    }

    /// The schema version that introduced the table.
    package var since: Int { columns.map(\.since).min() ?? 1 }

    /// The names of the columns that all versions have.
    package var oldestColumns: [String] { columns.filter { $0.since == since }.map(\.name) }

    /// The statement that creates the table, with all or some of its columns.
    func creation(with isWanted: (Column) -> Bool) -> String {
        let list = columns.filter(isWanted).map { "\($0.name) \($0.definition)" }
        return "CREATE TABLE \(rawValue)(\(list.joined(separator: ", ")))"
    }

    /// The index by which readers find messages by time.
    package static let timeIndex = "CREATE INDEX timestamp_idx ON messages (timestamp ASC)"

    private func key(_ name: String, since: Int = 1) -> Column { Column(name, "INTEGER PRIMARY KEY", since: since) }
    private func integer(_ name: String, since: Int = 1) -> Column { Column(name, "INTEGER NOT NULL", since: since) }
    private func text(_ name: String, since: Int = 1) -> Column { Column(name, "TEXT NOT NULL", since: since) }
}
