import Bags
import DynamicMessages
import Messages

/// The messages of rows of a rosbridge_json bag.
enum RosbridgeMessage {
    /// The message; an error tells what is wrong with the text.
    static func decode(
        _ bytes: UnsafeRawBufferPointer,
        of topic: CheckedTopic,
        at spot: Spot,
        _ context: CheckContext
    ) throws -> MessageContent? {
        var unknown = UnknownFields()
        let content: MessageContent
        let named: String?
        switch topic.interpreter {
        case .compiled(let type):
            (content, named) = try RosbridgeRow.read(bytes, keys: type.jsonKeys) {
                .compiled(try type.decoding(json: &$0, unknown: &unknown))
            }
        case .dynamic(let schema):
            (content, named) = try RosbridgeRow.read(bytes, keys: schema.jsonKeys) {
                .dynamic(try schema.decode(json: &$0, unknown: &unknown))
            }
        case .service, .unknown: return nil
        }
        if let name = named, name != topic.name {
            let found = "the topic \"\(name)\""
            context.findings.add(
                .error,
                .messageEnvelope,
                topic: topic.name,
                at: spot,
                expected: topic.name,
                found: found
            )
        }
        if !unknown.isEmpty {
            let names = unknown.counts.prefix(8).map(\.path).joined(separator: ", ")
            context.findings.add(
                .warning,
                .messageUnknownField,
                topic: topic.name,
                at: spot,
                expected: "fields of \(topic.typeName) alone",
                found: names
            )
        }
        return content
    }
}
