/// What a server has done.
package struct ServerReport: Equatable, Sendable {
    package struct UnknownField: Equatable, Sendable {
        package var topic: String
        /// The path of the key, such as `header.seq`.
        package var path: String
        package var count: Int

        package init(topic: String, path: String, count: Int) {
            self.topic = topic
            self.path = path
            self.count = count
        }
    }

    package var clients: Int
    package var received: Int
    package var refused: Int
    /// Operations of which fragments came, and the rest never did.
    package var unfinished = 0
    /// Keys that were dropped because their type does not have them; sorted by topic and path.
    package var unknownFields: [UnknownField]

    package init(clients: Int = 0, received: Int = 0, refused: Int = 0, unknownFields: [UnknownField] = []) {
        self.clients = clients
        self.received = received
        self.refused = refused
        self.unknownFields = unknownFields
    }
}

/// Counts keys that no field has, for all clients of a server.
struct UnknownFieldTally {
    /// Paths that are told apart, so that clients that make up keys do not fill the memory.
    private static let maximumPaths = 1_000

    private struct Key: Hashable {
        var topic: String
        var path: String
    }

    private var counts: [Key: Int] = [:]

    mutating func add(_ topic: String, _ path: String, _ count: Int) {
        let key = Key(topic: topic, path: path)
        guard counts.count < Self.maximumPaths || counts[key] != nil else { return }
        counts[key, default: 0] += count
    }

    /// Sorted by topic and path.
    var fields: [ServerReport.UnknownField] {
        counts.map { .init(topic: $0.key.topic, path: $0.key.path, count: $0.value) }
            .sorted { ($0.topic, $0.path) < ($1.topic, $1.path) }
    }
}
