import JSONText
package import Messages

/// The operations that a client sends to a rosbridge server (rosbridge protocol 2), with a fixed JSON form.
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
        var writer = JSONWriter()
        writer.beginObject()
        switch self {
        case .advertise(let topic, let type, let id, let isLatched, let queueSize):
            writer.member("op", "advertise")
            if let id { writer.member("id", id) }
            writer.member("topic", topic)
            writer.member("type", type)
            writer.key("latch")
            writer.append(isLatched)
            if let queueSize {
                writer.key("queue_size")
                writer.append(queueSize)
            }
        case .unadvertise(let topic):
            writer.member("op", "unadvertise")
            writer.member("topic", topic)
        case .callService(let service, let id, let topic):
            writer.member("op", "call_service")
            writer.member("id", id)
            writer.member("service", service)
            if let topic {
                writer.key("args")
                writer.beginObject()
                writer.member("topic", topic)
                writer.endObject()
            }
        }
        writer.endObject()
        return writer.bytes
    }
}

extension JSONWriter {
    mutating func member(_ key: String, _ value: String) {
        self.key(key)
        append(value)
    }
}
