import Bags
import JSONText
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
            "custom_data": Self.strings(summary.customData), "topics": topics,
            "frames": summary.frames.map(frames) ?? .null, "files": files.json,
            "warnings": .strings(summary.warnings),
        ]
    }

    private var topics: JSONValue {
        Table(amounts + timing + offers + [.json("headers") { $0.headers.map(headers) ?? .null }], summary.topics).json
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

    static func json(_ contents: MCAPContents) -> JSONValue {
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
        .object(sorted: values) { .string($0) }
    }
}
