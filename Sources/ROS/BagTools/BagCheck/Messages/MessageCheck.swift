import Bags
import Messages

/// A message on its way through the checks; the bytes are valid only during the call.
struct ExaminedMessage {
    let topic: CheckedTopic
    /// The number of the file in playing order.
    let file: Int
    let spot: Spot
    /// The row's time, or the log time.
    let timeNanoseconds: Int64
    let bytes: UnsafeRawBufferPointer
    /// nil where the message could not be read, or nothing describes its type.
    let content: (any AnyMessage)?
    /// The time that the message itself gives, where its type has one.
    let stampNanoseconds: Int64?
}

/// One question that is asked of every message, in the order of the files and rows.
///
/// A check keeps a bounded state of each topic, and tells what it finds as it goes or at the end.
protocol MessageCheck: AnyObject {
    func examine(_ message: ExaminedMessage, _ context: CheckContext)
    /// After the last message of a file.
    func finishFile(_ file: Int, _ name: String, _ context: CheckContext)
    /// After the last message.
    func finish(_ context: CheckContext)
}

extension MessageCheck {
    func finishFile(_ file: Int, _ name: String, _ context: CheckContext) {}
    func finish(_ context: CheckContext) {}
}

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
        if topic.isPassedOver {
            // What is not looked into has a header of CDR all the same.
            guard topic.serializationFormat == BagOptions.Serialization.cdr.rawValue else { return nil }
            do throws(CDRError) {
                try CDRDecoder.checkHeader(bytes)
            } catch {
                add(.error, .messageDecode, error.expected, error.found)
            }
            return nil
        }
        guard let decoder = topic.decoder else {
            if topic.isOfOtherRelease {
                add(.warning, .messageOtherRelease, "a release whose \(topic.typeName) is known", "another release")
                return nil
            }
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

/// Hands stored messages to the checks, those that are compressed one by one after unpacking them.
struct StoredMessages {
    /// True if each message is a Zstandard frame; nil where nothing says so, and its first bytes tell.
    let areCompressed: Bool?
    let context: CheckContext
    let pipeline: MessagePipeline

    func examine(_ topic: CheckedTopic, _ spot: Spot, _ time: Int64, _ bytes: UnsafeRawBufferPointer) {
        // Neither CDR nor JSON begins as a Zstandard frame does.
        guard areCompressed ?? bytes.starts(with: FileKind.zstdMagic) else {
            return pipeline.examine(topic, at: spot, timeNanoseconds: time, bytes: bytes)
        }
        // A message that unpacks to more than 4096 times its size is refused above 64 MiB; an image of one colour shrinks to
        // a thousandth.
        let plausible = bytes.count.multipliedReportingOverflow(by: 4096)
        let limit = min(1_000_000_000, max(64 << 20, plausible.overflow ? .max : plausible.partialValue))
        do throws(CompressionError) {
            let message = try Zstandard.decompress(bytes, limit: limit)
            context.hasUnpacked = true
            message.withUnsafeBytes { pipeline.examine(topic, at: spot, timeNanoseconds: time, bytes: $0) }
        } catch {
            pipeline.count(topic, time, bytes.count)
            context.at(spot, topic: topic.name).add(.error, .compressionMessage, "a zstd frame", error.description)
        }
    }
}
