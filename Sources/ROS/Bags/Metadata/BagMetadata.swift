package import SystemPackage

/// The contents of metadata.yaml of a bag (rosbag2's BagMetadata).
package struct BagMetadata: Sendable, Hashable {
    package struct TopicRecord: Sendable, Hashable {
        package var name: String
        package var typeName: String
        package var serializationFormat: String
        /// The offered QoS profiles as YAML text, with numbers or names as values; may be empty.
        package var qosText = ""
        /// RIHS01 hash; empty if not known.
        package var typeHash = ""
        package var messageCount = 0
    }

    package struct FileRecord: Sendable, Hashable {
        /// Relative to the bag's directory.
        package var path: String
        package var times: TimeSpan?
        package var messageCount = 0
    }

    package var version: Int
    package var storageIdentifier: String
    package var times: TimeSpan?
    package var messageCount = 0
    package var topics: [TopicRecord] = []
    /// In playing order.
    package var files: [FileRecord] = []
    package var compressionFormat = ""
    package var compressionMode = ""
    package var customData: [String: String] = [:]
    package var distribution = ""
}

extension BagMetadata {
    package init(version: Int, storage storageIdentifier: String) {
        self.init(version: version, storageIdentifier: storageIdentifier)
    }

    /// Adds a file with what it has.
    package mutating func add(_ summary: BagSummary, _ name: String) {
        files.append(FileRecord(path: name, times: summary.times, messageCount: summary.messageCount))
        messageCount += summary.messageCount
        times.include(summary.times)
        for topic in summary.topics {
            if let index = topics.firstIndex(where: { $0.name == topic.topic.name }) {
                topics[index].messageCount += topic.messageCount
            } else {
                topics.append(topic.topic.record(messageCount: topic.messageCount))
            }
        }
    }
}

/// The times of the first and the last message, in nanoseconds since 1970; both belong to it.
package struct TimeSpan: Sendable, Hashable {
    package var first: Int64
    package var last: Int64

    package init(first: Int64, last: Int64) {
        self.first = first
        self.last = last
    }

    /// Zero rather than an overflow for absurd spans.
    package var durationNanoseconds: Int64 {
        let (duration, overflow) = last.subtractingReportingOverflow(first)
        return overflow ? 0 : max(0, duration)
    }

    /// From the first to the last time, negative where that is earlier; spans that no number holds end at the limits.
    ///
    /// Times of bags are not to be trusted: two of them are never subtracted otherwise.
    package var lengthNanoseconds: Int64 {
        let (length, overflow) = last.subtractingReportingOverflow(first)
        return overflow ? (last < first ? .min : .max) : length
    }

    package mutating func include(_ time: Int64) {
        first = min(first, time)
        last = max(last, time)
    }
}

extension TimeSpan? {
    package mutating func include(_ time: Int64) {
        if self?.include(time) == nil { self = TimeSpan(first: time, last: time) }
    }

    package mutating func include(_ other: TimeSpan?) {
        guard let other else { return }
        include(other.first)
        include(other.last)
    }
}

/// metadata.yaml as a file, for those who make one without writing a bag.
package enum BagMetadataFile {
    package static let name = metadataFileName

    package static func read(in directory: FilePath) throws(BagError) -> BagMetadata {
        let path = directory.appending(name)
        return try MetadataParser.parse(try readTextFile(path), path: path)
    }

    /// True if every key that a version obliges is there: rosbag2 refuses a file without one.
    ///
    /// The phone app names version 8 and leaves out what versions 7 and 8 brought.
    package static func hasObligatoryKeys(in directory: FilePath) throws(BagError) -> Bool {
        let text = try readTextFile(directory.appending(name))
        let metadata = try read(in: directory)
        var keys = ["duration", "starting_time", "message_count", "topics_with_message_count", "relative_file_paths"]
        if metadata.version >= 3 { keys += ["compression_format", "compression_mode"] }
        if metadata.version >= 5 { keys.append("files") }
        if metadata.version >= 6 { keys.append("custom_data") }
        if metadata.version >= 4, !metadata.topics.isEmpty { keys.append("offered_qos_profiles") }
        if metadata.version >= 7, !metadata.topics.isEmpty { keys.append("type_description_hash") }
        if metadata.version >= 8 { keys.append("ros_distro") }
        return keys.allSatisfy { text.contains("\($0):") }
    }

    /// The text of the file, in the form of its version.
    package static func text(_ metadata: BagMetadata) -> String { MetadataText.file(metadata) }

    /// The text that the table `metadata` of a .db3 holds.
    package static func tableText(_ metadata: BagMetadata) -> String { MetadataText.table(metadata) }
}
