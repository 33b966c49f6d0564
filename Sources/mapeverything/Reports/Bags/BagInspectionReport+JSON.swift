import Bags
import JSONText
import Messages
import SystemPackage

extension BagInspectionReport {
    var json: JSONValue {
        [
            "kind": .string("bag"), "storage": .string(summary.storageIdentifier),
            "schema_version": .integer(summary.schemaVersion),
            "metadata_version": .integer(summary.metadataVersion),
            "ros_distro": .string(summary.distribution),
            "compression_format": .string(summary.compressionFormat),
            "compression_mode": .string(summary.compressionMode),
            "compression_ratio": .number(summary.compressionRatio),
            "messages": .integer(summary.messageCount), "bytes": .integer(summary.bytes),
            "first_stamp_ns": summary.times.map { .integer($0.first) } ?? .null,
            "last_stamp_ns": summary.times.map { .integer($0.last) } ?? .null,
            "custom_data": Self.strings(summary.customData), "topics": .array(summary.topics.map(topic)),
            "frames": summary.frames.map(frames) ?? .null, "files": .array(summary.files.map(file)),
            "warnings": .strings(summary.warnings),
        ]
    }

    static func megabits(_ topic: BagSummary.TopicSummary) -> Double? {
        topic.rate.map { $0 * Double(topic.bytes) / Double(max(1, topic.messageCount)) * 8 / 1e6 }
    }

    static func text(_ qos: QoS) -> String {
        let reliability = qos.reliability == .reliable ? "reliable" : "best effort"
        let durability = qos.durability == .transientLocal ? "transient local" : "volatile"
        return "\(reliability), \(durability), " + (qos.history == .keepLast ? "last \(qos.depth)" : "all")
    }

    private func topic(_ topic: BagSummary.TopicSummary) -> JSONValue {
        [
            "name": .string(topic.topic.name), "type": .string(topic.topic.typeName),
            "serialization_format": .string(topic.topic.serializationFormat),
            "count": .integer(topic.messageCount), "rate_hz": .number(topic.rate),
            "bytes": .integer(topic.bytes), "stored_bytes": .integer(topic.storedBytes),
            "mbit_per_s": Self.megabits(topic).map { .number($0) } ?? .null,
            "first_stamp_ns": topic.times.map { .integer($0.first) } ?? .null,
            "last_stamp_ns": topic.times.map { .integer($0.last) } ?? .null,
            "median_gap_s": topic.gaps.map { Self.seconds($0.spread.median) } ?? .null,
            "largest_gap_s": topic.gaps.map { Self.seconds($0.spread.maximum) } ?? .null,
            "long_gaps": topic.gaps.map { .integer($0.longCount) } ?? .null,
            "qos": .string(Self.text(topic.qos)), "offered_qos_profiles": .string(topic.topic.qosText),
            "latched": .bool(topic.isLatched), "files_without": .integer(topic.filesWithout.count),
            "definition": .string(topic.topic.definitionEncoding), "type_hash": .string(topic.topic.typeHash),
            "headers": topic.headers.map(headers) ?? .null,
        ]
    }

    private func headers(_ headers: BagSummary.Headers) -> JSONValue {
        [
            "count": .integer(headers.count), "unreadable": .integer(headers.unreadableCount),
            "unstamped": .integer(headers.unstampedCount), "backward": .integer(headers.backwardCount),
            "frame_ids": .strings(headers.frameIDs),
            "skew_s": headers.skewNanoseconds.map {
                [
                    "least": Self.seconds($0.minimum), "median": Self.seconds($0.median),
                    "most": Self.seconds($0.maximum),
                ]
            } ?? .null,
        ]
    }

    private func frames(_ tree: FrameTree) -> JSONValue {
        [
            "transforms": .array(
                tree.edges.map {
                    [
                        "parent": .string($0.parent), "child": .string($0.child), "static": .bool($0.isStatic),
                        "count": .integer($0.messageCount),
                    ]
                }
            ),
            "roots": .strings(tree.roots), "trees": .integer(tree.parts.count),
            "contested": .strings(tree.contested),
            "unconnected": .strings(tree.unconnected),
        ]
    }

    private func file(_ file: BagSummary.FileSummary) -> JSONValue {
        [
            "name": .string(file.path.lastComponent?.string ?? ""), "storage": .string(file.storageIdentifier),
            "messages": .integer(file.messageCount), "bytes": .integer(file.bytes),
            "unpacked_bytes": .integer(file.unpackedBytes),
            "first_stamp_ns": file.times.map { .integer($0.first) } ?? .null,
            "last_stamp_ns": file.times.map { .integer($0.last) } ?? .null,
            "mcap": file.container.map(container) ?? .null,
        ]
    }

    private func container(_ contents: MCAPContents) -> JSONValue {
        [
            "profile": .string(contents.profile), "library": .string(contents.library),
            "schemas": .integer(contents.schemaCount), "channels": .integer(contents.channelCount),
            "indexed": .bool(contents.isIndexed),
            "chunks": .array(
                contents.chunks.map {
                    [
                        "compression": .string($0.compression), "count": .integer($0.chunkCount),
                        "compressed_bytes": .integer($0.compressedBytes),
                        "uncompressed_bytes": .integer($0.uncompressedBytes),
                    ]
                }
            ),
            "attachments": .array(
                contents.attachments.map {
                    [
                        "name": .string($0.name), "media_type": .string($0.mediaType),
                        "bytes": .integer($0.bytes),
                    ]
                }
            ),
            "metadata": .array(
                contents.metadataRecords.map { ["name": .string($0.name), "values": Self.strings($0.values)] }
            ),
        ]
    }

    private static func seconds(_ nanoseconds: Int64) -> JSONValue { .number(Double(nanoseconds) / 1e9) }

    private static func strings(_ values: [String: String]) -> JSONValue {
        .object(
            JSONObject(
                values.sorted { $0.key < $1.key }.map { JSONObject.Member(key: $0.key, value: .string($0.value)) }
            )
        )
    }
}
