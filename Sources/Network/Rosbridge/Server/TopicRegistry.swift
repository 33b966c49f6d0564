import Messages

/// The topics that the clients of a server have advertised; a topic has the same type for all clients.
struct TopicRegistry: Sendable {
    private struct Entry {
        var topic: Topic
        /// The number of clients that have advertised it and not unadvertised it.
        var advertisers = 0
        /// True if anything was published on it; if so, its name and type are in the bag.
        var isUsed = false
    }

    private let limit: Int
    private let typeNamed: ServerOptions.TypeLookup
    private var entries: [String: Entry] = [:]

    /// - Parameter limit: the maximum number of topics, so that clients cannot make the table grow without end.
    init(limit: Int, typeNamed: @escaping ServerOptions.TypeLookup) {
        self.limit = limit
        self.typeNamed = typeNamed
    }

    /// Sorted by name.
    var all: [Topic] { entries.values.map(\.topic).sorted { $0.name < $1.name } }

    /// Notes an advertised topic; refuses a type that differs from the known one.
    mutating func advertise(
        _ name: String,
        type typeName: String,
        isLatched: Bool,
        queueSize: Int
    ) throws(Refusal) -> Topic {
        let name = TopicRegistry.absolute(name)
        guard Topic.isValidName(name), name.utf8.count <= 255 else {
            throw Refusal(topic: name, "advertise: expected a ROS name (letters, digits, _ and /), found another")
        }
        let type: any MessageType
        do {
            type = try typeNamed(typeName)
        } catch {
            throw Refusal(topic: name, "advertise: \(error)")
        }
        if let known = entries[name]?.topic {
            guard known.typeName == type.typeName else {
                throw Refusal(topic: name, "advertise: expected type \(known.typeName), found \(type.typeName)")
            }
            entries[name]?.advertisers += 1
            return known
        }
        if entries.count >= limit { forgetUnused() }
        guard entries.count < limit else {
            throw Refusal(topic: name, "advertise: expected at most \(limit) topics, found more")
        }
        let topic = Topic(
            name: name,
            type: type,
            qos: isLatched ? .latched : .reliable(depth: min(max(queueSize, 1), 1_000)),
            delivery: isLatched ? .control : .every
        )
        entries[name] = Entry(topic: topic, advertisers: 1)
        return topic
    }

    /// Notes that a client has unadvertised the topic or disconnected.
    mutating func unadvertise(_ name: String) { entries[name]?.advertisers -= 1 }

    /// Returns the topic, if it is known, and notes that it is published on.
    mutating func use(_ name: String) -> Topic? {
        entries[name]?.isUsed = true
        return entries[name]?.topic
    }

    /// Makes room: drops topics that no client advertises any more and on which nothing was ever published.
    private mutating func forgetUnused() {
        entries = entries.filter { $0.value.isUsed || $0.value.advertisers > 0 }
    }

    /// Makes a topic name absolute; relative names are resolved against the root namespace.
    static func absolute(_ name: String) -> String { name.hasPrefix("/") ? name : "/" + name }
}
