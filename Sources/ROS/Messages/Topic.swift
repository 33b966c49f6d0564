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
