/// A named stream of messages of one type.
package struct Topic: Sendable, Hashable {
    package var name: String
    package var type: any MessageType
    package var qos: QoS
    /// The treatment of this topic by a live sink that cannot keep up.
    package var delivery: Delivery

    package init(name: String, type: any MessageType, qos: QoS = .reliable(depth: 10), delivery: Delivery = .every) {
        self.name = name
        self.type = type
        self.qos = qos
        self.delivery = delivery
    }

    package init(name: String, type: any Message.Type, qos: QoS = .reliable(depth: 10), delivery: Delivery = .every) {
        self.init(name: name, type: type.kind, qos: qos, delivery: delivery)
    }

    package var typeName: String { type.typeName }

    /// True if late subscribers get the last message: it is sent again after a reconnect and at each chunk's start.
    package var isLatched: Bool { qos.durability == .transientLocal }

    package static func == (left: Topic, right: Topic) -> Bool {
        left.name == right.name && left.typeName == right.typeName && left.qos == right.qos
            && left.delivery == right.delivery
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(typeName)
    }
}

/// The lane of a topic in a bounded queue.
package enum Delivery: Hashable, Sendable {
    /// Latched topics: never dropped, sent first.
    case control
    /// Small and steady (pose, tf, imu, gps): each message counts.
    case every
    /// Large (images, clouds, of a bag any topic of large messages): a live sink may drop the oldest when it cannot keep up.
    case latest

    /// The rate below which each message counts, however large: no newer one comes soon.
    package static let rarestBulkHertz = 0.1
}

extension Topic {
    /// True if ROS takes the name for a topic: tokens of letters, digits and `_` after slashes, no digit first, no `__`
    /// (design.ros2.org, topic and service names).
    package static func isValidName(_ name: String) -> Bool {
        let tokens = name.split(separator: "/", omittingEmptySubsequences: false)
        guard tokens.count > 1, tokens[0].isEmpty, !name.contains("__") else { return false }
        return tokens.dropFirst().allSatisfy { token in
            guard let first = token.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
                return false
            }
            return token.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
        }
    }
}

/// Names that the first builds of the phone app wrote, and what they are called since.
package enum LegacyNames {
    /// `/mapping/...` for `/reconstructor/...`.
    package static func topic(_ name: String) -> String {
        guard name == "/reconstructor" || name.hasPrefix("/reconstructor/") else { return name }
        return "/mapping" + name.dropFirst("/reconstructor".count)
    }

    /// `mapeverything_msgs/...` for `reconstructor_msgs/...`, and the long form `pkg/msg/Name` for `pkg/Name`.
    package static func type(_ name: String) -> String {
        var parts = name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2 { parts.insert("msg", at: 1) }
        if parts.first == "reconstructor_msgs" { parts[0] = "mapeverything_msgs" }
        return parts.joined(separator: "/")
    }
}

/// How names change on the way out: remaps first, then the namespace.
package struct TopicNaming: Sendable {
    /// The topics that all robots share, and that no namespace is put before.
    private static let shared = ["/tf", "/tf_static", "/clock"]

    package var remaps: [TopicRemap] = []
    /// Such as `/robot1`; empty for none.
    ///
    /// It is put before every topic but `/tf`, `/tf_static` and `/clock`, which all robots share.
    package var namespace = ""

    package init() {}

    package func name(_ name: String) -> String {
        if let remap = remaps.last(where: { $0.from == name }) { return remap.to }
        guard !namespace.isEmpty, !Self.shared.contains(name) else { return name }
        let prefix = namespace.hasPrefix("/") ? namespace : "/" + namespace
        return (prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix) + name
    }
}

/// The quality of service with which a topic is offered, as far as bags and rosbridge can say it.
package struct QoS: Hashable, Sendable {
    package enum History: Int, Sendable { case keepLast = 1, keepAll = 2 }
    package enum Reliability: Int, Sendable { case reliable = 1, bestEffort = 2 }
    package enum Durability: Int, Sendable { case transientLocal = 1, volatile = 2 }

    package var history: History
    package var depth: Int
    package var reliability: Reliability
    package var durability: Durability

    package init(history: History, depth: Int, reliability: Reliability, durability: Durability) {
        self.history = history
        self.depth = depth
        self.reliability = reliability
        self.durability = durability
    }

    /// Reliable, volatile, keep the last `depth`.
    package static func reliable(depth: Int) -> QoS {
        QoS(history: .keepLast, depth: depth, reliability: .reliable, durability: .volatile)
    }

    /// Reliable, transient local, keep the last one: what `/tf_static` needs.
    package static let latched = QoS(history: .keepLast, depth: 1, reliability: .reliable, durability: .transientLocal)

    /// The profile as rosbag2 keeps it in text: a YAML list of one map, with numbers for the policies.
    ///
    /// Humble and Jazzy both read the numbers; names are read by Jazzy alone. Infinite durations are rmw's.
    package var rosbag2Text: String {
        let infinite = "    sec: 9223372036\n    nsec: 854775807"
        let lines = [
            "- history: \(history.rawValue)", "  depth: \(depth)", "  reliability: \(reliability.rawValue)",
            "  durability: \(durability.rawValue)", "  deadline:", infinite, "  lifespan:", infinite,
            "  liveliness: 1", "  liveliness_lease_duration:", infinite, "  avoid_ros_namespace_conventions: false",
        ]
        return lines.joined(separator: "\n")
    }
}
