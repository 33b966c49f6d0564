import Bags
import JSONText
import Messages
import SystemPackage

extension BagInspectionReport {
    var json: JSONValue {
        [
            "kind": .string("bag"), "storage": .string(summary.storageIdentifier),
            "schema_version": .integer(Int64(summary.schemaVersion)),
            "metadata_version": .integer(Int64(summary.metadataVersion)),
            "ros_distro": .string(summary.distribution),
            "compression_format": .string(summary.compressionFormat),
            "compression_mode": .string(summary.compressionMode),
            "compression_ratio": summary.compressionRatio.map { .number($0) } ?? .null,
            "messages": .integer(Int64(summary.messageCount)), "bytes": .integer(Int64(summary.bytes)),
            "first_stamp_ns": summary.times.map { .integer($0.first) } ?? .null,
            "last_stamp_ns": summary.times.map { .integer($0.last) } ?? .null,
            "custom_data": Self.strings(summary.customData), "topics": .array(summary.topics.map(topic)),
            "frames": summary.frames.map(frames) ?? .null, "files": .array(summary.files.map(file)),
            "warnings": .array(summary.warnings.map { .string($0) }),
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
            "count": .integer(Int64(topic.messageCount)), "rate_hz": topic.rate.map { .number($0) } ?? .null,
            "bytes": .integer(Int64(topic.bytes)), "stored_bytes": .integer(Int64(topic.storedBytes)),
            "mbit_per_s": Self.megabits(topic).map { .number($0) } ?? .null,
            "first_stamp_ns": topic.times.map { .integer($0.first) } ?? .null,
            "last_stamp_ns": topic.times.map { .integer($0.last) } ?? .null,
            "median_gap_s": topic.gaps.map { Self.seconds($0.spread.median) } ?? .null,
            "largest_gap_s": topic.gaps.map { Self.seconds($0.spread.maximum) } ?? .null,
            "long_gaps": topic.gaps.map { .integer(Int64($0.longCount)) } ?? .null,
            "qos": .string(Self.text(topic.qos)), "offered_qos_profiles": .string(topic.topic.qosText),
            "latched": .bool(topic.isLatched), "files_without": .integer(Int64(topic.filesWithout.count)),
            "definition": .string(topic.topic.definitionEncoding), "type_hash": .string(topic.topic.typeHash),
            "headers": topic.headers.map(headers) ?? .null,
        ]
    }

    private func headers(_ headers: BagSummary.Headers) -> JSONValue {
        [
            "count": .integer(Int64(headers.count)), "unreadable": .integer(Int64(headers.unreadableCount)),
            "unstamped": .integer(Int64(headers.unstampedCount)), "backward": .integer(Int64(headers.backwardCount)),
            "frame_ids": .array(headers.frameIDs.map { .string($0) }),
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
                        "count": .integer(Int64($0.messageCount)),
                    ]
                }
            ),
            "roots": .array(tree.roots.map { .string($0) }), "trees": .integer(Int64(tree.parts.count)),
            "contested": .array(tree.contested.map { .string($0) }),
            "unconnected": .array(tree.unconnected.map { .string($0) }),
        ]
    }

    private func file(_ file: BagSummary.FileSummary) -> JSONValue {
        [
            "name": .string(file.path.lastComponent?.string ?? ""), "storage": .string(file.storageIdentifier),
            "messages": .integer(Int64(file.messageCount)), "bytes": .integer(Int64(file.bytes)),
            "unpacked_bytes": .integer(Int64(file.unpackedBytes)),
            "first_stamp_ns": file.times.map { .integer($0.first) } ?? .null,
            "last_stamp_ns": file.times.map { .integer($0.last) } ?? .null,
            "mcap": file.container.map(container) ?? .null,
        ]
    }

    private func container(_ contents: MCAPContents) -> JSONValue {
        [
            "profile": .string(contents.profile), "library": .string(contents.library),
            "schemas": .integer(Int64(contents.schemaCount)), "channels": .integer(Int64(contents.channelCount)),
            "indexed": .bool(contents.isIndexed),
            "chunks": .array(
                contents.chunks.map {
                    [
                        "compression": .string($0.compression), "count": .integer(Int64($0.chunkCount)),
                        "compressed_bytes": .integer(Int64($0.compressedBytes)),
                        "uncompressed_bytes": .integer(Int64($0.uncompressedBytes)),
                    ]
                }
            ),
            "attachments": .array(
                contents.attachments.map {
                    [
                        "name": .string($0.name), "media_type": .string($0.mediaType),
                        "bytes": .integer(Int64($0.bytes)),
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
