package import Messages

/// Turns the rows of a bag into messages of the types this program defines.
package struct BagDecoder: Sendable {
    /// The topics by `BagRow.topic`; nil where the type is not one of ours.
    package let topics: [Topic?]
    /// Keys of rosbridge_json rows that their types do not have, collected by `decode`.
    package private(set) var unknownFields = UnknownFields()
    private let stored: [BagTopic]

    package init(topics: [BagTopic]) {
        stored = topics
        self.topics = topics.map { topic in
            guard let type = MessageTypes.type(named: topic.typeName) else { return nil }
            return Topic(name: topic.name, type: type, qos: QoS(rosbag2Text: topic.qosText))
        }
    }

    /// The message of a row.
    ///
    /// Throws `unknownTopic` for a type that is not ours and `message` for bytes that are no such message.
    package mutating func decode(_ row: BagRow) throws(BagError) -> StampedMessage {
        let stored = stored[row.topic]
        guard let topic = topics[row.topic] else {
            throw .unknownTopic(stored.name, reason: "expected a known type, found \(stored.typeName)")
        }
        let message: any AnyMessage
        do {
            switch stored.serializationFormat {
            case BagOptions.Serialization.cdr.rawValue:
                message = try row.bytes.withUnsafeBytes { try topic.type.payload(cdr: $0) }
            case BagOptions.Serialization.rosbridgeJSON.rawValue:
                (message, _) = try RosbridgeRow.read(row.bytes, keys: topic.type.jsonKeys) {
                    try topic.type.payload(json: &$0, unknown: &unknownFields)
                }
            default:
                throw BagError.message(
                    topic: stored.name,
                    reason: "expected cdr or rosbridge_json, found \"\(stored.serializationFormat)\""
                )
            }
        } catch let error as BagError {
            throw error
        } catch {
            throw .message(topic: stored.name, reason: "at \(row.timeNanoseconds) ns: \(error)")
        }
        return StampedMessage(topic: topic, timeNanoseconds: row.timeNanoseconds, message: message)
    }
}
