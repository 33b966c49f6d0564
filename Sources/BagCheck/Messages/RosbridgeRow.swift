import DynamicMessages
import JSONText
import ROS

/// A row of a rosbridge_json bag: a whole publish operation, or its `msg` alone.
enum RosbridgeRow {
    /// The message; an error tells what is wrong with the text.
    static func decode(
        _ bytes: UnsafeRawBufferPointer,
        of topic: CheckedTopic,
        at spot: Spot,
        _ context: CheckContext
    ) throws -> MessageContent? {
        let envelope = try Envelope(bytes)
        if let name = envelope.topic, name != topic.name {
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
        var scanner = envelope.scannerAtMessage
        var unknown = UnknownFields()
        let content: MessageContent
        switch topic.interpreter {
        case .compiled(let type): content = .compiled(try type.decoding(json: &scanner, unknown: &unknown))
        case .dynamic(let schema): content = .dynamic(try schema.decode(json: &scanner, unknown: &unknown))
        case .service, .unknown: return nil
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

    /// Where the message is in the row.
    private struct Envelope {
        var topic: String?
        var scannerAtMessage: JSONScanner

        init(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
            let whole = JSONScanner(bytes, allowsNonFinite: true)
            var scanner = whole
            var operation: String?
            var messageAt: (scanner: JSONScanner, isObject: Bool)?
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                if key == "msg" {
                    let kind = try scanner.peek()
                    messageAt = (scanner, kind == .object)
                    try scanner.skipValue()
                } else if key == "topic", try scanner.peek() == .string {
                    topic = try scanner.string()
                } else if key == "op", try scanner.peek() == .string {
                    operation = try scanner.string()
                } else {
                    try scanner.skipValue()
                }
            }
            try scanner.finish()
            // A bare message may have a field `msg` of its own, as rcl_interfaces/msg/Log has; a text, then.
            if let messageAt, operation == "publish" || (operation == nil && messageAt.isObject) {
                scannerAtMessage = messageAt.scanner
            } else if operation == "publish" {
                throw JSONError(offset: bytes.count, expected: "the key \"msg\"", found: "the end of the object")
            } else {
                topic = nil
                scannerAtMessage = whole
            }
        }
    }
}
