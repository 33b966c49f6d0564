package import Messages

/// A key of JSON messages that the type of their topic does not have.
package struct UnknownKey: Sendable, Hashable {
    package var topic: String
    package var path: String
    package var count: Int
}

/// Counts unknown keys by topic and path.
package struct UnknownKeyTally: Sendable {
    /// A hostile bag could make up keys without end.
    private static let limit = 1000

    private var counts: [String: [String: Int]] = [:]
    private var size = 0

    package init() {}

    package mutating func add(_ fields: UnknownFields, topic: String) {
        for (path, count) in fields.counts { add(UnknownKey(topic: topic, path: path, count: count)) }
    }

    package mutating func add(_ other: UnknownKeyTally) {
        for key in other.keys { add(key) }
    }

    private mutating func add(_ key: UnknownKey) {
        if counts[key.topic]?[key.path] == nil {
            guard size < Self.limit else { return }
            size += 1
        }
        counts[key.topic, default: [:]][key.path, default: 0] += key.count
    }

    /// Sorted by topic and path.
    package var keys: [UnknownKey] {
        counts.flatMap { topic, paths in paths.map { UnknownKey(topic: topic, path: $0.key, count: $0.value) } }
            .sorted { ($0.topic, $0.path) < ($1.topic, $1.path) }
    }
}
