import Bags
import JSONText

extension MCAPContents {
    /// What the file has besides messages: for people each chunk, attachment and record in a line of its own.
    var facts: [Fact] {
        [
            Fact("profile", profile, "profile", .string(profile)),
            Fact("library", library, "library", .string(library)),
            Fact("schemas", "\(schemaCount)", "schemas", .integer(schemaCount)),
            Fact("channels", "\(channelCount)", "channels", .integer(channelCount)),
            Fact("indexed", isIndexed ? "yes" : "no", "indexed", .bool(isIndexed)),
            Fact("attachments", "\(attachments.count)"),
        ] + chunkFacts + attachmentFacts + metadataFacts
    }

    private var chunkFacts: [Fact] {
        chunks.map { chunks in
            let name = chunks.compression.isEmpty ? "none" : chunks.compression
            let packed = chunks.compression.isEmpty ? "" : " in \(Format.bytes(chunks.compressedBytes))"
            return Fact("chunks", "\(chunks.chunkCount) (\(name)): \(Format.bytes(chunks.uncompressedBytes))\(packed)")
        } + [
            .json("chunks", each: chunks) { chunks in
                [
                    "compression": .string(chunks.compression), "count": .integer(chunks.chunkCount),
                    "compressed_bytes": .integer(chunks.compressedBytes),
                    "uncompressed_bytes": .integer(chunks.uncompressedBytes),
                ]
            }
        ]
    }

    private var attachmentFacts: [Fact] {
        attachments.map { Fact("attachment", "\($0.name), \($0.mediaType), \(Format.bytes($0.bytes))") } + [
            .json("attachments", each: attachments) {
                ["name": .string($0.name), "media_type": .string($0.mediaType), "bytes": .integer($0.bytes)]
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
