package import Messages
package import Platform
package import SystemPackage

/// The contents of a bag, counted from its rows.
package struct BagSummary: Sendable, Hashable {
    /// How much is looked at.
    package enum Depth: Sendable {
        /// Times and sizes; the messages stay on disk.
        case rows
        /// The headers of all messages too.
        case headers
    }

    /// The times between the messages of a topic, in nanoseconds.
    package struct Gaps: Sendable, Hashable {
        package var spread: Spread
        /// The time of the message before the longest gap.
        package var largestSince: Int64
        /// Gaps longer than three times the median; 0 where that is 0.
        package var longCount: Int
    }

    /// A summary of the headers of a topic's messages.
    package struct Headers: Sendable, Hashable {
        /// Messages with a header that could be read.
        package var count: Int
        /// Messages whose header could not be read.
        package var unreadableCount: Int
        /// Messages with the stamp 0.
        package var unstampedCount: Int
        /// Stamps that are earlier than the one before.
        package var backwardCount: Int
        /// The time of the row minus the stamp, without unstamped messages.
        package var skewNanoseconds: Spread?
        /// Sorted.
        package var frameIDs: [String]
        /// True if there are more frames than are kept (64).
        package var hasMoreFrameIDs: Bool
    }

    package struct TopicSummary: Sendable, Hashable {
        package var topic: BagTopic
        package var messageCount: Int
        /// Sum of the messages.
        package var bytes: Int
        /// Sum of what they take in the files where each is compressed on its own; else `bytes`.
        package var storedBytes: Int
        package var smallestMessage: Int
        package var largestMessage: Int
        package var times: TimeSpan?
        /// Nil for fewer than two messages.
        package var gaps: Gaps?
        /// Nil for types without a header, and where headers were not looked at.
        package var headers: Headers?
        /// The first profile that was offered; ours by default if none was stored.
        package var qos: QoS
        /// How many publishers offered one.
        package var profileCount: Int
        /// True if late subscribers get the last message, however late.
        package var isLatched: Bool
        /// The places in `BagSummary.files` of those that have no message of this topic, for latched topics.
        package var filesWithout: [Int]

        /// Messages per second over the span of the topic; nil for fewer than two or no span.
        package var rate: Double? {
            guard messageCount > 1, let times, times.last > times.first else { return nil }
            return Double(messageCount - 1) / (Double(times.durationNanoseconds) / 1e9)
        }
    }

    package struct FileSummary: Sendable, Hashable {
        package var path: FilePath
        package var bytes: Int
        /// The size without the compression of the whole file; `bytes` if there is none.
        package var unpackedBytes: Int
        package var messageCount: Int
        /// Sum of the messages.
        package var messageBytes: Int
        package var times: TimeSpan?
        package var storageIdentifier: String
        package var schemaVersion: Int
        /// The contents of an MCAP file besides messages.
        package var container: MCAPContents?
    }

    package var metadataVersion: Int
    package var schemaVersion: Int
    package var storageIdentifier: String
    package var distribution: String
    package var customData: [String: String]
    package var compressionFormat: String
    package var compressionMode: String
    package var messageCount: Int
    package var bytes: Int
    package var times: TimeSpan?
    /// In the order of the bag.
    package var topics: [TopicSummary]
    /// In playing order.
    package var files: [FileSummary]
    /// Nil without transforms, and where headers were not looked at.
    package var frames: FrameTree?
    /// The oddities of the bag, such as counts in metadata.yaml that the rows do not bear out.
    package var warnings: [String]
    /// Of its rows; `check` looks at the messages.
    package var verdict: Verdict

    /// How many times smaller compression made the bag: whole files, chunks, or messages; nil for none of them.
    package var compressionRatio: Double? {
        var (plain, packed) = (0, 0)
        for file in files {
            for chunks in file.container?.chunks ?? [] where !chunks.compression.isEmpty {
                plain += chunks.uncompressedBytes
                packed += chunks.compressedBytes
            }
            if file.unpackedBytes != file.bytes {
                plain += file.unpackedBytes
                packed += file.bytes
            }
        }
        for topic in topics where topic.storedBytes != topic.bytes {
            plain += topic.bytes
            packed += topic.storedBytes
        }
        return packed > 0 ? Double(plain) / Double(packed) : nil
    }
}
