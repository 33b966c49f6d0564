package import SystemPackage

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
