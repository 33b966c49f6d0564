import Bags
import Messages

/// Reads messages of either serialization, and tells what is wrong with their bytes.
struct MessageDecoder {
    /// The bytes of a message that was encoded again; kept, so that memory is taken once.
    private var scratch: [UInt8] = []

    /// The message, or nil with a finding.
    mutating func decode(
        _ bytes: UnsafeRawBufferPointer,
        of topic: CheckedTopic,
        at spot: Spot,
        _ context: CheckContext
    ) -> (any AnyMessage)? {
        func add(_ severity: BagFinding.Severity, _ kind: BagFindingKind, _ expected: String, _ found: String) {
            context.at(spot, topic: topic.name).add(severity, kind, expected, found)
        }
        if topic.isPassedOver { return nil }
        guard let decoder = topic.decoder else {
            add(.warning, .messageUnknownType, "a type that the bag or this program describes", topic.typeName)
            return nil
        }
        do {
            var unknown = UnknownFields()
            let (message, named) = try decoder.decode(bytes, unknown: &unknown)
            if decoder.serialization == .cdr {
                try encodeAgain(message, like: bytes)
                for oddity in CDRComparison.oddities(of: bytes, encodedAgain: scratch) {
                    add(oddity.severity, oddity.kind, oddity.expected, oddity.found)
                }
            }
            if let named, named != topic.name {
                add(.error, .messageEnvelope, topic.name, "the topic \"\(named)\"")
            }
            if !unknown.isEmpty {
                let names = unknown.counts.prefix(8).map(\.path).joined(separator: ", ")
                add(.warning, .messageUnknownField, "fields of \(topic.typeName) alone", names)
            }
            return message
        } catch {
            let severity: BagFinding.Severity = topic.isTypeTrusted ? .error : .warning
            add(severity, .messageDecode, "a \(topic.typeName) in \(bytes.count) bytes", "\(error)")
            return nil
        }
    }

    private mutating func encodeAgain(_ message: any AnyMessage, like bytes: UnsafeRawBufferPointer) throws {
        scratch.removeAll(keepingCapacity: true)
        message.appendCDR(to: &scratch)
        guard let described = message as? DescribedMessage, described.schema.layout.hasWideStrings,
            !CDRComparison.isEqual(bytes, scratch)
        else { return }
        // The width of wstrings is not in the data; Fast CDR 2 has another than everyone before.
        let narrow = try described.schema.encodedCDR(described.value(), wideUnitSize: 2)
        if CDRComparison.isEqual(bytes, narrow) { scratch = narrow }
    }
}
