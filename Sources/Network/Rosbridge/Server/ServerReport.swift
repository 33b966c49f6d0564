/// The report of a server.
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
    /// The number of messages that came again after a lost connection, and were left out.
    package var repeated = 0
    /// The number of operations of which some fragments never arrived.
    package var unfinished = 0
    /// The dropped unknown keys, sorted by topic and path.
    package var unknownFields: [UnknownField]

    package init(clients: Int = 0, received: Int = 0, refused: Int = 0, unknownFields: [UnknownField] = []) {
        self.clients = clients
        self.received = received
        self.refused = refused
        self.unknownFields = unknownFields
    }
}

/// Counts unknown keys, over all clients of a server.
struct UnknownFieldTally {
    /// The maximum number of distinct paths, so that clients with made-up keys cannot exhaust memory.
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
