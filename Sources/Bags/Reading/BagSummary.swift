import Containers
import Glibc
package import SystemPackage

/// What a bag holds, counted from its rows.
package struct BagSummary: Sendable, Hashable {
    package struct TopicSummary: Sendable, Hashable {
        package var topic: BagTopic
        package var messageCount: Int
        /// Sum of the blobs.
        package var bytes: Int
        package var times: TimeSpan?
        /// The longest time between two messages, in nanoseconds; nil for fewer than two.
        package var largestGapNanoseconds: Int64?

        /// Messages per second over the span of the topic; nil for fewer than two or no span.
        package var rate: Double? {
            guard messageCount > 1, let times, times.last > times.first else { return nil }
            return Double(messageCount - 1) / (Double(times.durationNanoseconds) / 1e9)
        }
    }

    package struct FileSummary: Sendable, Hashable {
        package var path: FilePath
        package var bytes: Int
        package var messageCount: Int
        package var times: TimeSpan?
    }

    package var metadataVersion: Int
    package var schemaVersion: Int
    package var storageIdentifier: String
    package var distribution: String
    package var customData: [String: String]
    package var messageCount: Int
    package var bytes: Int
    package var times: TimeSpan?
    /// In the order of the bag.
    package var topics: [TopicSummary]
    /// In playing order.
    package var files: [FileSummary]
    /// What is odd, such as counts in metadata.yaml that the rows do not bear out.
    package var warnings: [String]
}

extension BagReader {
    /// Counts all rows; the blobs stay on disk.
    package func summary() throws(BagError) -> BagSummary {
        var tallies = [TopicTally](repeating: TopicTally(), count: topics.count)
        var summaries: [BagSummary.FileSummary] = []
        for file in storageFiles {
            summaries.append(try tally(file, into: &tallies))
        }
        var times: TimeSpan?
        for file in summaries { times.include(file.times) }
        let topicSummaries = zip(topics, tallies).map { $1.summary(of: $0) }
        return BagSummary(
            metadataVersion: metadata.version,
            schemaVersion: schemaVersion,
            storageIdentifier: metadata.storageIdentifier,
            distribution: metadata.distribution,
            customData: metadata.customData,
            messageCount: summaries.reduce(0) { $0 + $1.messageCount },
            bytes: topicSummaries.reduce(0) { $0 + $1.bytes },
            times: times,
            topics: topicSummaries,
            files: summaries,
            warnings: warnings + disagreements(topicSummaries, times)
        )
    }

    private func tally(_ file: BagFile, into tallies: inout [TopicTally]) throws(BagError) -> BagSummary.FileSummary {
        var result = BagSummary.FileSummary(path: file.path, bytes: fileBytes(file.path), messageCount: 0, times: nil)
        var counted = tallies
        try file.open().scan(wantedBytes: { _ in 0 }) { row in
            guard let index = file.indices[row.topic] else { return }
            result.messageCount += 1
            result.times.include(row.time)
            counted[index].note(row.time, row.byteCount)
        }
        tallies = counted
        return result
    }

    /// Where metadata.yaml says something else than the rows.
    private func disagreements(_ summaries: [BagSummary.TopicSummary], _ times: TimeSpan?) -> [String] {
        guard hasMetadataFile else { return [] }
        var texts: [String] = []
        for record in metadata.topics {
            let count = summaries.first { $0.topic.name == record.name }?.messageCount ?? 0
            guard count != record.messageCount else { continue }
            texts.append(
                "\(record.name): \(metadataFileName) says \(record.messageCount) messages, the rows are \(count)"
            )
        }
        if let times, let claimed = metadata.times, times != claimed {
            texts.append(
                "\(metadataFileName) says \(claimed.first) to \(claimed.last) ns, "
                    + "the rows are from \(times.first) to \(times.last) ns"
            )
        }
        return texts
    }
}

/// The running figures of one topic.
private struct TopicTally {
    private var messageCount = 0
    private var bytes = 0
    private var times: TimeSpan?
    private var largestGap: Int64?

    mutating func note(_ time: Int64, _ size: Int) {
        if let last = times?.last {
            largestGap = max(largestGap ?? 0, TimeSpan(first: last, last: time).durationNanoseconds)
        }
        messageCount += 1
        bytes += size
        times.include(time)
    }

    func summary(of topic: BagTopic) -> BagSummary.TopicSummary {
        BagSummary.TopicSummary(
            topic: topic,
            messageCount: messageCount,
            bytes: bytes,
            times: times,
            largestGapNanoseconds: largestGap
        )
    }
}
