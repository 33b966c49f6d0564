import ROS

/// The topics that the clients of a server have announced: one type each, whoever announces it.
struct TopicRegistry: Sendable {
    /// More than any recording has; a client cannot make the table grow without end.
    static let maximumTopics = 10_000

    private var topics: [String: Topic] = [:]

    /// Sorted by name.
    var all: [Topic] { topics.values.sorted { $0.name < $1.name } }

    /// Notes a topic, or finds that it is known already, and refuses another type than before.
    mutating func advertise(
        _ name: String,
        type typeName: String,
        isLatched: Bool,
        queueSize: Int
    ) throws(Refusal) -> Topic {
        let name = TopicRegistry.absolute(name)
        guard Topic.isValidName(name) else {
            throw Refusal(topic: name, "advertise: expected a ROS name (letters, digits, _ and /), found another")
        }
        guard let type = MessageTypes.type(named: typeName) else {
            throw Refusal(topic: name, "advertise: expected a type that is compiled in, found \"\(typeName)\"")
        }
        if let known = topics[name] {
            guard known.typeName == type.typeName else {
                throw Refusal(topic: name, "advertise: expected type \(known.typeName), found \(type.typeName)")
            }
            return known
        }
        guard topics.count < TopicRegistry.maximumTopics else {
            throw Refusal(topic: name, "advertise: expected at most \(TopicRegistry.maximumTopics) topics, found more")
        }
        let topic = Topic(
            name: name,
            type: type,
            qos: isLatched ? .latched : .reliable(depth: min(max(queueSize, 1), 1_000)),
            delivery: isLatched ? .control : .every
        )
        topics[name] = topic
        return topic
    }

    func topic(named name: String) -> Topic? {
        topics[TopicRegistry.absolute(name)]
    }

    /// ROS names of topics without a leading slash are taken from the root.
    static func absolute(_ name: String) -> String {
        name.hasPrefix("/") ? name : "/" + name
    }
}
