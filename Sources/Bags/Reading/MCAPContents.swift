/// What an MCAP file has besides topics and rows.
package struct MCAPContents: Sendable, Hashable {
    /// The chunks of one compression.
    package struct ChunkTotals: Sendable, Hashable {
        /// `lz4`, `zstd`, or empty for none.
        package var compression: String
        package var chunkCount: Int
        package var compressedBytes: Int
        package var uncompressedBytes: Int

        package init(compression: String, chunkCount: Int, compressedBytes: Int, uncompressedBytes: Int) {
            self.compression = compression
            self.chunkCount = chunkCount
            self.compressedBytes = compressedBytes
            self.uncompressedBytes = uncompressedBytes
        }
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

    package struct MetadataRecord: Sendable, Hashable {
        package var name: String
        package var values: [String: String]

        package init(name: String, values: [String: String]) {
            self.name = name
            self.values = values
        }
    }

    package var profile = ""
    package var library = ""
    package var schemaCount = 0
    package var channelCount = 0
    /// By compression, in the order of its name.
    package var chunks: [ChunkTotals] = []
    package var attachments: [Attachment] = []
    package var metadataRecords: [MetadataRecord] = []
    /// Whether the file has a summary with what its chunks hold.
    package var isIndexed = false

    package init() {}
}
