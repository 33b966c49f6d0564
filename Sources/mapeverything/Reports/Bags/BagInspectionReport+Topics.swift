import Bags
import JSONText
import Messages

/// The topics of a bag: several tables in text, one object for each topic in JSON.
extension BagInspectionReport {
    typealias TopicColumns = [Column<BagSummary.TopicSummary>]

    var amounts: TopicColumns {
        [
            .left("topic", "name") { .string($0.topic.name) }, .left("type", "type") { .string($0.topic.typeName) },
            .left("format", "serialization_format") { .string($0.topic.serializationFormat) },
            .right("count", "count") { .count($0.messageCount) }, .right("Hz", "rate_hz") { .number($0.rate) },
            .right("size", "bytes") { .bytes($0.bytes) }, .json("stored_bytes") { .integer($0.storedBytes) },
            .right("Mbit/s", "mbit_per_s") { .number(Self.megabits($0)) },
            .right("smallest") { Cell($0.messageCount > 0 ? Format.bytes($0.smallestMessage) : "-") },
            .right("largest") { Cell($0.messageCount > 0 ? Format.bytes($0.largestMessage) : "-") },
        ]
    }

    /// When each topic has messages: in text from the bag's start, and the gaps between them.
    var timing: TopicColumns {
        let start = summary.times?.first ?? 0
        func stamp(_ time: Int64?) -> Cell { Cell(time.map { Self.after(start, $0) } ?? "-", .integer(time)) }
        return [
            .left("topic") { .string($0.topic.name) }, .right("first", "first_stamp_ns") { stamp($0.times?.first) },
            .right("last", "last_stamp_ns") { stamp($0.times?.last) },
            .right("median gap", "median_gap_s") { .seconds(nanoseconds: $0.gaps?.spread.median) },
            .right("largest gap", "largest_gap_s") { .seconds(nanoseconds: $0.gaps?.spread.maximum) },
            .right("after") { stamp($0.gaps?.largestSince) },
            .right("gaps > 3 x median", "long_gaps") { topic in
                Cell(topic.gaps.map { "\($0.longCount)" } ?? "-", .integer(topic.gaps?.longCount))
            },
        ]
    }

    /// How each topic was offered, and what the bag knows of its type.
    var offers: TopicColumns {
        [
            .left("topic") { .string($0.topic.name) },
            .left("QoS", "qos") { topic in
                let qos = Self.text(topic.qos)
                let others = topic.profileCount > 1 ? " (1 of \(topic.profileCount))" : ""
                return Cell(qos + others, .string(qos))
            },
            .json("offered_qos_profiles") { .string($0.topic.qosText) },
            .left("latched", "latched") { topic in
                let missing = topic.filesWithout.count
                let text = topic.isLatched ? (missing > 0 ? "yes, missing in \(missing) files" : "yes") : "no"
                return Cell(text, .bool(topic.isLatched))
            },
            .json("files_without") { .integer($0.filesWithout.count) },
            .left("definition", "definition") { topic in
                let encoding = topic.topic.definitionEncoding
                return Cell(topic.topic.hasDefinition ? encoding : "none", .string(encoding))
            },
            .left("type hash", "type_hash") { topic in
                let hash = topic.topic.typeHash
                return Cell(hash.isEmpty ? "none" : hash, .string(hash))
            },
        ]
    }

    private static func megabits(_ topic: BagSummary.TopicSummary) -> Double? {
        topic.rate.map { $0 * Double(topic.bytes) / Double(max(1, topic.messageCount)) * 8 / 1e6 }
    }

    private static func text(_ qos: QoS) -> String {
        let reliability = qos.reliability == .reliable ? "reliable" : "best effort"
        let durability = qos.durability == .transientLocal ? "transient local" : "volatile"
        return "\(reliability), \(durability), " + (qos.history == .keepLast ? "last \(qos.depth)" : "all")
    }

    /// How long after the start a time is, in seconds.
    private static func after(_ start: Int64, _ time: Int64) -> String {
        let length = TimeSpan(first: start, last: time).lengthNanoseconds
        return Format.number(Double(length) / 1e9, decimals: 3) + " s"
    }
}
