package import Text

/// A value in rosbridge JSON that does not fit its field.
package struct JSONMismatch: Error, Hashable, Sendable, CustomStringConvertible {
    /// The field, such as `pose.position.x`; empty for the message itself.
    package var path: String
    package var error: JSONError

    package init(path: String = "", _ error: JSONError) {
        self.path = path
        self.error = error
    }

    package var description: String { path.isEmpty ? error.description : "field \"\(path)\": \(error.description)" }

    package func inside(_ component: String) -> JSONMismatch {
        JSONMismatch(path: joinPath(component, path), error)
    }
}

/// The keys of JSON objects that no field has: what rosbridge refuses a whole message for.
package struct UnknownFields: Hashable, Sendable {
    /// True if the first one is an error, as it is for rosbridge.
    package var isStrict: Bool
    /// The bridge's time while it reads what clients publish: what a header without a stamp gets, and the text "now".
    ///
    /// As in rosbridge_suite's message_conversion; nil reads what was recorded, where no stamp is zero.
    package var now: Time?
    private var occurrences: [String: Int] = [:]

    /// How many paths are told apart.
    private let limit: Int

    package init(isStrict: Bool = false, limit: Int = 1_000) {
        self.isStrict = isStrict
        self.limit = limit
    }

    package var isEmpty: Bool { occurrences.isEmpty }

    /// The paths without indices, such as `poses.header.seq`, with how often each was met; sorted by path.
    package var counts: [(path: String, count: Int)] {
        occurrences.sorted { $0.key < $1.key }.map { (path: $0.key, count: $0.value) }
    }

    /// Counts a key that no field has, by its path without indices.
    package mutating func count(_ path: String) {
        // A hostile text could make up keys without end, in number and in length.
        let path = path.utf8.count <= 256 ? path : "\(path.prefix(200))…"
        guard occurrences.count < limit || occurrences[path] != nil else { return }
        occurrences[path, default: 0] += 1
    }
}

/// A key of JSON messages that the type of their topic does not have.
package struct UnknownKey: Sendable, Hashable {
    package var topic: String
    /// Such as `header.seq`.
    package var path: String
    package var count: Int
}

/// Counts unknown keys by topic and path.
package struct UnknownKeyTally: Sendable {
    /// A hostile bag or client could make up keys without end.
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
