package import Messages
import Text

/// The operations without a message that a client sends to a rosbridge server (rosbridge protocol 2), in a fixed form.
///
/// Publishing is `RosbridgeEnvelope`.
///
/// Keys have a fixed order and there is no white space, so that the same session gives the same bytes.
package enum Operation: Sendable {
    /// Advertises a topic; the server keeps the last message of a latched one for late subscribers.
    case advertise(topic: String, type: String, id: String? = nil, isLatched: Bool = false, queueSize: Int? = nil)
    case unadvertise(topic: String)
    /// - Parameter topic: the argument of rosapi services about a topic.
    case callService(service: String, id: String, topic: String? = nil)

    /// The advertisement of a topic, with its QoS depth as the server's queue size.
    ///
    /// The queue size is at least rosbridge's own default of 100: a subscriber that joins within a second gets what is
    /// queued. For a latched topic the server keeps one message, whatever the size.
    package static func advertise(_ topic: Topic) -> Operation {
        .advertise(
            topic: topic.name,
            type: topic.typeName,
            isLatched: topic.isLatched,
            queueSize: topic.isLatched ? nil : max(topic.qos.depth, 100)
        )
    }

    package var json: [UInt8] {
        var members: [(String, JSONValue)] = []
        switch self {
        case .advertise(let topic, let type, let id, let isLatched, let queueSize):
            members = [("op", "advertise")] + (id.map { [("id", .string($0))] } ?? [])
            members += [("topic", .string(topic)), ("type", .string(type)), ("latch", .bool(isLatched))]
            if let queueSize { members.append(("queue_size", .integer(queueSize))) }
        case .unadvertise(let topic): members = [("op", "unadvertise"), ("topic", .string(topic))]
        case .callService(let service, let id, let topic):
            members = [("op", "call_service"), ("id", .string(id)), ("service", .string(service))]
            if let topic { members.append(("args", ["topic": .string(topic)])) }
        }
        return Array(JSONValue.object(members).text().utf8)
    }
}

/// The answer of a service, as far as a publisher needs it.
package struct CallAnswer: Equatable, Sendable {
    /// True if the service exists.
    package var isAnswered: Bool
    /// The subscribers that `/rosapi/subscribers` lists.
    package var subscribers: [String]?
    /// The type of each topic that `/rosapi/topics` lists.
    package var topics: [String: String]?

    package init(isAnswered: Bool, subscribers: [String]? = nil, topics: [String: String]? = nil) {
        self.isAnswered = isAnswered
        self.subscribers = subscribers
        self.topics = topics
    }
}

/// A message of a rosbridge server to a publisher.
package enum ServerReply: Equatable, Sendable {
    /// The response to a service call, whether the service exists or not.
    case serviceResponse(id: String, CallAnswer)
    /// A status message, such as a refused publish; rosbridge for ROS 2 sends none, other servers do.
    case status(level: String, text: String)
    case other

    /// Parses a frame; anything that is not JSON or not one of these operations is `other`.
    package init(_ bytes: [UInt8]) {
        self = .other
        guard let value = try? JSONValue.parse(bytes, valueLimit: 10_000, allowsNonFinite: true) else { return }
        switch value["op"]?.string {
        case "service_response":
            guard let id = value["id"]?.string ?? value["id"]?.integer.map(String.init) else { return }
            let values = value["values"]
            let names = values?["topics"]?.array?.map { $0.string ?? "" }
            let types = values?["types"]?.array?.map { $0.string ?? "" }
            let answer = CallAnswer(
                isAnswered: value["result"]?.bool ?? true,
                subscribers: values?["subscribers"]?.array?.compactMap(\.string),
                topics: names.flatMap { names in
                    types.map { Dictionary(zip(names, $0), uniquingKeysWith: { first, _ in first }) }
                }
            )
            self = .serviceResponse(id: id, answer)
        case "status":
            self = .status(level: value["level"]?.string ?? "error", text: value["msg"]?.string ?? "")
        default:
            return
        }
    }
}
