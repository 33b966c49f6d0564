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

/// How many messages an .mcap file has: what its statistics say, or, where they do not, what its opening has counted.
struct MCAPCensus {
    private(set) var census = StoredCensus()

    init(_ file: MCAPFile) {
        for (channel, count) in file.messageCounts ?? [:] {
            census.counts[Int64(channel)] = Int(clamping: count)
        }
        census.times = file.timeRange.map {
            TimeSpan(first: Int64(clamping: $0.lowerBound), last: Int64(clamping: $0.upperBound))
        }
        tellDamage(file)
        compareStatistics(file)
    }

    /// Notes the damage where messages are, the first places.
    private mutating func tellDamage(_ file: MCAPFile) {
        let problems = file.dataProblems
        census.damage = problems.prefix(5).map(\.description)
        if problems.count > 5 { census.damage.append("\(problems.count - 5) more places like these") }
    }

    private mutating func compareStatistics(_ file: MCAPFile) {
        guard let statistics = file.statistics else { return }
        let claimed = Int(clamping: statistics.messageCount)
        let counted = clampedSum(census.counts.values)
        if claimed != counted {
            let judge = file.isCounted ? "there are" : "of its channels, together,"
            census.damage.append("Statistics.message_count is \(claimed), \(judge) \(counted)")
        } else if file.isCounted {
            for pair in statistics.channelMessageCounts {
                let counted = census.counts[Int64(pair.channelID)] ?? 0
                guard Int(clamping: pair.value) != counted else { continue }
                census.damage.append(
                    "Statistics say \(pair.value) messages of channel \(pair.channelID), there are \(counted)"
                )
            }
        }
        let others = [
            ("attachment_count", Int(clamping: statistics.attachmentCount), file.attachments.count),
            ("metadata_count", Int(clamping: statistics.metadataCount), file.metadata.count),
        ]
        for (field, claimed, found) in others where claimed > found {
            census.damage.append("Statistics.\(field) is \(claimed), there are \(found)")
        }
        let strangers = census.counts.keys.filter { file.channelsByID[UInt16(clamping: $0)] == nil }
        for channel in strangers.sorted() {
            let count = census.counts.removeValue(forKey: channel) ?? 0
            let reason = "of channel \(channel), which the file does not have"
            census.unreadable.append(UnreadableRows(count: count, reason: reason))
        }
    }
}
