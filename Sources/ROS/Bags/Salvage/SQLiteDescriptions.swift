import SystemPackage

/// The topics and types in the leaves of a .db3 file whose tables do not lead there.
struct SQLiteDescriptions {
    /// The topics by number.
    private(set) var topics: [Int64: BagTopic] = [:]
    /// Texts in the order of the columns, by number.
    private(set) var definitions: [Int64: [String]] = [:]

    /// Nil where no topic is found.
    init?(leavesOf path: FilePath) {
        guard var leaves = try? SQLiteLeafRows(path) else { return nil }
        defer { leaves.close() }
        leaves.forEach { row in
            if let topic = row.topic {
                topics[topic.number] = topics[topic.number] ?? topic.topic
            } else if let texts = row.definition {
                definitions[row.number] = definitions[row.number] ?? texts
            }
        }
        if topics.isEmpty { return nil }
    }

    /// The schema version, which the columns of the topics tell.
    var schemaVersion: Int {
        if topics.values.contains(where: { !$0.typeHash.isEmpty }) || !definitions.isEmpty { return 4 }
        return topics.values.contains { !$0.qosText.isEmpty } ? 3 : 2
    }
}
