import DynamicMessages
import JSONText
import Messages

/// Reads messages of either serialization, and tells what is wrong with their bytes.
struct MessageDecoder {
    /// What a message was encoded to again; kept, so that memory is taken once.
    private var scratch: [UInt8] = []

    /// The message, or nil with a finding.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        of topic: CheckedTopic,
        at spot: Spot,
        _ context: CheckContext
    ) -> MessageContent? {
        switch topic.interpreter {
        case .service: return nil
        case .unknown:
            let expected = "a type that the bag or this program describes"
            context.findings.add(
                .warning,
                .messageUnknownType,
                topic: topic.name,
                at: spot,
                expected: expected,
                found: topic.typeName
            )
            return nil
        case .compiled, .dynamic: break
        }
        do {
            switch topic.serializationFormat {
            case "cdr": return try decodeCDR(bytes, of: topic, at: spot, context)
            case "rosbridge_json": return try RosbridgeMessage.decode(bytes, of: topic, at: spot, context)
            default:
                context.findings.add(
                    .error,
                    .messageDecode,
                    topic: topic.name,
                    at: spot,
                    expected: "cdr or rosbridge_json",
                    found: "\"\(topic.serializationFormat)\""
                )
                return nil
            }
        } catch {
            context.findings.add(
                topic.isTypeTrusted ? .error : .warning,
                .messageDecode,
                topic: topic.name,
                at: spot,
                expected: "a \(topic.typeName) in \(bytes.count) bytes",
                found: "\(error)"
            )
            return nil
        }
    }

    private mutating func decodeCDR(
        _ bytes: UnsafeRawBufferPointer,
        of topic: CheckedTopic,
        at spot: Spot,
        _ context: CheckContext
    ) throws -> MessageContent? {
        let content: MessageContent
        scratch.removeAll(keepingCapacity: true)
        switch topic.interpreter {
        case .compiled(let type):
            let message = try type.decoding(cdr: bytes)
            message.appendCDR(to: &scratch)
            content = .compiled(message)
        case .dynamic(let schema):
            let message = try schema.decode(cdr: bytes)
            try schema.appendCDR(message, to: &scratch)
            if !CDRComparison.isEqual(bytes, scratch) {
                // The width of wstrings is not in the data; Fast CDR 2 has another than everyone before.
                let first = scratch
                scratch.removeAll(keepingCapacity: true)
                try schema.appendCDR(message, to: &scratch, wideUnitSize: 2)
                if !CDRComparison.isEqual(bytes, scratch) { scratch = first }
            }
            content = .dynamic(message)
        case .service, .unknown: return nil
        }
        for oddity in CDRComparison.oddities(of: bytes, encodedAgain: scratch) {
            context.findings.add(
                oddity.severity,
                oddity.kind,
                topic: topic.name,
                at: spot,
                expected: oddity.expected,
                found: oddity.found
            )
        }
        return content
    }
}
