/// The contents of an MCAP file besides topics and rows.
package struct MCAPContents: Sendable, Hashable {
    /// The chunks of one compression.
    package struct ChunkTotals: Sendable, Hashable {
        /// `lz4`, `zstd`, or empty for none.
        package var compression: String
        package var chunkCount: Int
        package var compressedBytes: Int
        package var uncompressedBytes: Int
    }

    package struct Attachment: Sendable, Hashable {
        package var name: String
        package var mediaType: String
        package var bytes: Int
        package var logTime: Int64

        package init(name: String, mediaType: String, bytes: Int, logTime: Int64) {
            self.name = name
            self.mediaType = mediaType
            self.bytes = bytes
            self.logTime = logTime
        }
    }

    /// A metadata record that messages do not need.
    package struct MetadataRecord: Sendable, Hashable {
        package var name: String
        package var values: [String: String]
    }

    package var profile = ""
    package var library = ""
    package var schemaCount = 0
    package var channelCount = 0
    /// The totals of the chunks of each compression, in the order of its name.
    package var chunks: [ChunkTotals] = []
    package var attachments: [Attachment] = []
    package var metadataRecords: [MetadataRecord] = []
    /// True if the file has a summary with what its chunks hold.
    package var isIndexed = false

    package init() {}
}

/// A file that lies in an .mcap file beside the messages.
package struct BagAttachment: Sendable, Hashable {
    package var name: String
    package var mediaType: String
    /// In nanoseconds.
    package var logTime: UInt64
    /// In nanoseconds; 0 where it is not known.
    package var createTime: UInt64
    package var bytes: [UInt8]
}
