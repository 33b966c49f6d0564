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

    /// The operation as JSON text.
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
