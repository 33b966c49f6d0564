import JSONText
package import Messages

/// What a client asks of a rosbridge server (rosbridge protocol 2), as values with a fixed JSON form.
///
/// Keys come in a fixed order and without white space, so that the same session gives the same bytes.
package enum Operation: Sendable {
    /// Announces a topic; a latched one keeps its last message for late subscribers.
    case advertise(topic: String, type: String, id: String? = nil, isLatched: Bool = false, queueSize: Int? = nil)
    case unadvertise(topic: String)
    /// - Parameter topic: the argument of the services of rosapi that are about a topic.
    case callService(service: String, id: String, topic: String? = nil)

    /// The announcement of a topic, with its depth as the server's queue size.
    ///
    /// The queue is never shorter than rosbridge's own default of 100: a subscriber that joins within the first second
    /// gets what is in it. For a latched topic the server keeps one message, whatever is asked.
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
