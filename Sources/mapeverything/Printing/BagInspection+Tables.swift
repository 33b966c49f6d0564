import Bags
import Messages
import Text

/// The topics of a bag: several tables in text, one object for each topic in JSON.
extension BagInspection {
    typealias TopicColumns = [Column<BagSummary.TopicSummary>]

    /// The table of a first look.
    var brief: TopicColumns {
        [
            .left("topic") { .string($0.topic.name) }, .left("type") { .string($0.topic.typeName) }.types,
            .right("count") { .count($0.messageCount) }, .right("Hz") { .number($0.rate) },
            .right("size") { .bytes($0.bytes) },
            .right("largest gap") { .seconds(nanoseconds: $0.gaps?.spread.maximum) }.detail,
        ]
    }

    var amounts: TopicColumns {
        [
            .left("topic", "name") { .string($0.topic.name) },
            .left("type", "type") { .string($0.topic.typeName) }.types,
            .left("format", "serialization_format") { .string($0.topic.serializationFormat) },
            .right("count", "count") { .count($0.messageCount) }, .right("Hz", "rate_hz") { .number($0.rate) },
            .right("size", "bytes") { .bytes($0.bytes) }, .json("stored_bytes") { $0.storedBytes },
            .right("Mbit/s", "mbit_per_s") { .number(Self.megabits($0)) },
            .right("smallest") { Cell($0.messageCount > 0 ? Format.bytes($0.smallestMessage) : "-") },
            .right("largest") { Cell($0.messageCount > 0 ? Format.bytes($0.largestMessage) : "-") },
        ]
    }

    /// The times of the messages of each topic: in text from the bag's start, and the gaps between them.
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

    /// The offer of each topic, and what the bag knows of its type.
    var offers: TopicColumns {
        [
            .left("topic") { .string($0.topic.name) },
            .left("QoS", "qos") { topic in
                let qos = Self.text(topic.qos)
                let others = topic.profileCount > 1 ? " (1 of \(topic.profileCount))" : ""
                return Cell(qos + others, .string(qos))
            },
            .json("offered_qos_profiles") { $0.topic.qosText },
            .left("latched", "latched") { topic in
                let missing = topic.filesWithout.count
                let text = topic.isLatched ? (missing > 0 ? "yes, missing in \(missing) files" : "yes") : "no"
                return Cell(text, .bool(topic.isLatched))
            },
            .json("files_without") { $0.filesWithout.count },
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

    /// The time after the start, in seconds.
    private static func after(_ start: Int64, _ time: Int64) -> String {
        let length = TimeSpan(first: start, last: time).lengthNanoseconds
        return Format.number(Double(length) / 1e9, decimals: 3) + " s"
    }
}

extension BagSummary.Headers {
    /// True if there is something that a recorder does not write.
    var isOdd: Bool { unreadableCount + unstampedCount + backwardCount > 0 }

    var json: JSONValue {
        func seconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e9 }
        let skew = skewNanoseconds.map {
            JSONValue.of(["least": seconds($0.minimum), "median": seconds($0.median), "most": seconds($0.maximum)])
        }
        return .of([
            "count": count, "unreadable": unreadableCount, "unstamped": unstampedCount, "backward": backwardCount,
            "frame_ids": frameIDs, "skew_s": skew,
        ])
    }
}

extension MCAPContents {
    /// The content of the file besides messages: for people each chunk, attachment and record in a line of its own.
    var facts: [Fact] {
        [
            Fact("profile", profile, "profile", profile), Fact("library", library, "library", library),
            Fact("schemas", "\(schemaCount)", "schemas", schemaCount),
            Fact("channels", "\(channelCount)", "channels", channelCount),
            Fact("indexed", isIndexed ? "yes" : "no", "indexed", isIndexed),
            Fact("attachments", "\(attachments.count)"),
        ] + chunkFacts + attachmentFacts + metadataFacts
    }

    private var chunkFacts: [Fact] {
        chunks.map { chunks in
            let name = chunks.compression.isEmpty ? "none" : chunks.compression
            let packed = chunks.compression.isEmpty ? "" : " in \(Format.bytes(chunks.compressedBytes))"
            return Fact("chunks", "\(chunks.chunkCount) (\(name)): \(Format.bytes(chunks.uncompressedBytes))\(packed)")
        } + [
            .json("chunks", each: chunks) {
                .of([
                    "compression": $0.compression, "count": $0.chunkCount, "compressed_bytes": $0.compressedBytes,
                    "uncompressed_bytes": $0.uncompressedBytes,
                ])
            }
        ]
    }

    private var attachmentFacts: [Fact] {
        attachments.map { Fact("attachment", "\($0.name), \($0.mediaType), \(Format.bytes($0.bytes))") } + [
            .json("attachments", each: attachments) {
                .of(["name": $0.name, "media_type": $0.mediaType, "bytes": $0.bytes])
            }
        ]
    }

    private var metadataFacts: [Fact] {
        metadataRecords.flatMap { record in
            record.values.sorted { $0.key < $1.key }.map { key, value in
                let text = value.contains("\n") ? "(\(value.utf8.count) bytes)" : value
                return Fact("metadata", "\(record.name): \(key)=\(text)")
            }
        } + [
            .json("metadata", each: metadataRecords) { record in
                ["name": .string(record.name), "values": .object(sorted: record.values) { .string($0) }]
            }
        ]
    }
}

/// The coordinate frames of a bag as an indented tree.
struct FrameTreeText {
    private let tree: FrameTree
    private var lines: [String] = []
    private var shown: Set<String> = []

    init(_ tree: FrameTree) {
        self.tree = tree
        // A loop has no root: whatever no root leads to is shown from its first frame on.
        for root in tree.roots + tree.parts.compactMap(\.first) where !shown.contains(root) {
            if tree.roots.contains(root) || !tree.parts.contains(where: { $0.contains(root) && hasRoot($0) }) {
                append(root, depth: 0, remark: "")
            }
        }
    }

    var text: String {
        var text = (["frames"] + lines).joined(separator: "\n")
        if tree.parts.count > 1 { text += "\nthe frames are \(tree.parts.count) trees that nothing connects" }
        if !tree.contested.isEmpty { text += "\nmore than one parent: \(tree.contested.joined(separator: ", "))" }
        if !tree.unconnected.isEmpty {
            text += "\nin messages, but in no transform: \(tree.unconnected.joined(separator: ", "))"
        }
        if tree.isCut { text += "\nthere are more transforms than are kept" }
        return text
    }

    private func hasRoot(_ part: [String]) -> Bool { part.contains { tree.roots.contains($0) } }

    private mutating func append(_ frame: String, depth: Int, remark: String) {
        lines.append("  " + String(repeating: "  ", count: min(depth, 64)) + frame + remark)
        guard shown.insert(frame).inserted else { return }
        for edge in tree.edges where edge.parent == frame {
            let remark = edge.isStatic ? "  (static)" : "  (\(edge.messageCount) transforms)"
            append(edge.child, depth: depth + 1, remark: remark)
        }
    }
}

extension FrameTree {
    /// True if the frames are no single tree.
    var isOdd: Bool { parts.count > 1 || !contested.isEmpty || !unconnected.isEmpty || isCut }

    /// A tree in a few words; nil for none.
    var text: String? {
        guard let root = roots.first else { return nil }
        let others = Set(edges.map(\.child)).subtracting([root]).count
        return "\(root) with \(others) below it"
    }

    var json: JSONValue {
        let transforms = edges.map {
            JSONValue.of(["parent": $0.parent, "child": $0.child, "static": $0.isStatic, "count": $0.messageCount])
        }
        return .of([
            "transforms": transforms, "roots": roots, "trees": parts.count, "contested": contested,
            "unconnected": unconnected,
        ])
    }
}
