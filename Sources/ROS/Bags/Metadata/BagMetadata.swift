/// The contents of metadata.yaml of a bag (rosbag2's BagMetadata).
package struct BagMetadata: Sendable, Hashable {
    package struct TopicRecord: Sendable, Hashable {
        package var name: String
        package var typeName: String
        package var serializationFormat: String
        /// The offered QoS profiles as YAML text, with numbers or names as values; may be empty.
        package var qosText: String
        /// RIHS01 hash; empty if not known.
        package var typeHash: String
        package var messageCount: Int

        package init(
            name: String,
            typeName: String,
            serializationFormat: String,
            qosText: String = "",
            typeHash: String = "",
            messageCount: Int = 0
        ) {
            self.name = name
            self.typeName = typeName
            self.serializationFormat = serializationFormat
            self.qosText = qosText
            self.typeHash = typeHash
            self.messageCount = messageCount
        }
    }

    package struct FileRecord: Sendable, Hashable {
        /// Relative to the bag's directory.
        package var path: String
        package var times: TimeSpan?
        package var messageCount: Int

        package init(path: String, times: TimeSpan? = nil, messageCount: Int = 0) {
            self.path = path
            self.times = times
            self.messageCount = messageCount
        }
    }

    package var version: Int
    package var storageIdentifier: String
    package var times: TimeSpan?
    package var messageCount: Int
    package var topics: [TopicRecord]
    /// In playing order.
    package var files: [FileRecord]
    package var compressionFormat: String
    package var compressionMode: String
    package var customData: [String: String]
    package var distribution: String

    package init(
        version: Int,
        storageIdentifier: String,
        times: TimeSpan? = nil,
        messageCount: Int = 0,
        topics: [TopicRecord] = [],
        files: [FileRecord] = [],
        compressionFormat: String = "",
        compressionMode: String = "",
        customData: [String: String] = [:],
        distribution: String = ""
    ) {
        self.version = version
        self.storageIdentifier = storageIdentifier
        self.times = times
        self.messageCount = messageCount
        self.topics = topics
        self.files = files
        self.compressionFormat = compressionFormat
        self.compressionMode = compressionMode
        self.customData = customData
        self.distribution = distribution
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
