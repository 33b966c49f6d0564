package import Messages

package struct BagOptions: Sendable, Hashable {
    package enum Storage: String, Sendable, CaseIterable {
        case sqlite3
        case mcap
    }

    package enum Serialization: String, Sendable, CaseIterable {
        case cdr
        /// The whole rosbridge publish operation as JSON text.
        case rosbridgeJSON = "rosbridge_json"
    }

    /// The part of the bag that survives if the process dies while writing.
    package enum Durability: String, Sendable, CaseIterable {
        /// Complete chunks survive; the current chunk is lost. For runs that can be repeated.
        case fast
        /// Messages older than half a second survive, also those in the current chunk.
        case resilient
    }

    /// The ROS distribution whose recorder's form is written.
    package enum Distribution: String, Sendable, CaseIterable {
        /// The richest format that all distributions read.
        case any
        case humble
        case iron
        case jazzy
        case kilted
        case rolling
    }

    package enum Compression: String, Sendable, CaseIterable {
        case none
        /// LZ4 in the chunks of an .mcap file; not for sqlite3.
        case lz4
        case zstd
    }

    /// The unit of compression in a .db3 bag; .mcap files always compress their chunks.
    package enum CompressionMode: String, Sendable, CaseIterable {
        case none
        /// Each .db3 file as a whole, once it is closed: `NAME_<n>.db3.zstd`.
        case file
        case message
    }

    package var storage: Storage
    package var serialization: Serialization
    package var durability: Durability
    package var distribution: Distribution
    package var compression: Compression
    package var compressionMode: CompressionMode
    /// The file size, before compression, at which the next chunk begins; nil for no limit.
    ///
    /// A larger message gets a chunk of its own.
    package var maximumChunkBytes: Int?
    /// The span of message time after which the next chunk begins; nil for no limit.
    package var maximumChunkSeconds: Double?
    /// True for one .mcap file at the path, without a folder and a metadata.yaml; the limits of chunks do not hold then.
    package var isLoneFile = false
    /// Replaces an existing bag; anything else is never touched.
    package var force: Bool
    /// The provenance for `custom_data` and for the Metadata record of an .mcap file; written in key order.
    package var customData: [String: String]
    /// The profile of .mcap files: another where their messages are of another world than ROS 2.
    package var profile = "ros2"

    /// - Parameter compressionMode: nil for the storage's default: whole files for sqlite3.
    package init(
        storage: Storage = .sqlite3,
        serialization: Serialization = .cdr,
        durability: Durability = .fast,
        distribution: Distribution = .any,
        compression: Compression = .none,
        compressionMode: CompressionMode? = nil,
        maximumChunkBytes: Int? = 64 << 20,
        maximumChunkSeconds: Double? = nil,
        force: Bool = false,
        customData: [String: String] = [:]
    ) {
        self.storage = storage
        self.serialization = serialization
        self.durability = durability
        self.distribution = distribution
        self.compression = compression
        self.compressionMode = compressionMode ?? (storage == .sqlite3 && compression != .none ? .file : .none)
        self.maximumChunkBytes = maximumChunkBytes
        self.maximumChunkSeconds = maximumChunkSeconds
        self.force = force
        self.customData = customData
    }

    /// 64 KiB pages make large blobs cheap; in small chunks they would be mostly empty.
    var pageBytes: Int {
        (maximumChunkBytes ?? .max) < 8 << 20 ? 4096 : 65536
    }
}

extension BagOptions.Serialization {
    /// Replaces the content of `bytes` by a message in this serialization.
    func encode(_ message: any AnyMessage, topic: String, into bytes: inout [UInt8]) throws(BagError) {
        bytes.removeAll(keepingCapacity: true)
        do {
            try append(message, topic: topic, to: &bytes)
        } catch {
            throw .message(topic: topic, reason: "\(error)")
        }
    }

    /// Appends a message in this serialization; appends nothing if it throws.
    package func append(
        _ message: any AnyMessage,
        topic: String,
        to bytes: inout [UInt8]
    ) throws(JSONEncodingError) {
        switch self {
        case .cdr: message.appendCDR(to: &bytes)
        case .rosbridgeJSON: try RosbridgeEnvelope.appendPublish(topic: topic, message: message, to: &bytes)
        }
    }
}

extension BagOptions {
    /// Makes the metadata of a bag with these chunks.
    func metadata(of chunks: [ChunkContent], topics: [BagTopic]) -> BagMetadata {
        var times: TimeSpan?
        for chunk in chunks { times.include(chunk.times) }
        let records = topics.enumerated().map { index, topic in
            topic.record(messageCount: chunks.reduce(0) { $0 + $1.messageCount(ofTopic: index) })
        }
        let form = DistributionForm(distribution)
        var metadata = BagMetadata(
            version: form.metadataVersion,
            storageIdentifier: storage.rawValue,
            times: times,
            messageCount: chunks.reduce(0) { $0 + $1.messageCount },
            topics: records,
            files: chunks.map(\.record),
            customData: customData,
            distribution: form.name
        )
        if compressionMode != .none {
            // Upper case, as rosbag2's recorder writes it.
            metadata.compressionFormat = compression.rawValue
            metadata.compressionMode = compressionMode.rawValue.uppercased()
        }
        return metadata
    }
}

/// A combination of bag options that is not possible.
package struct BagOptionsConflict: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Option: String, Sendable {
        case serialization
        case compression
        case compressionMode = "compression-mode"
    }

    package var option: Option
    package var expected: String
    package var found: String

    package var description: String { "\(option.rawValue): expected \(expected), found \(found)" }
}

extension BagOptions {
    /// The conflict in the options, if any; a bag with conflicting options is not created.
    package var conflict: BagOptionsConflict? {
        storage == .mcap ? mcapConflict : sqliteConflict
    }

    private var mcapConflict: BagOptionsConflict? {
        if serialization != .cdr {
            return conflict(.serialization, "cdr for the storage mcap", serialization.rawValue)
        }
        guard compressionMode != .none else { return nil }
        let expected = "none for the storage mcap, which compresses its chunks"
        return conflict(.compressionMode, expected, compressionMode.rawValue)
    }

    private var sqliteConflict: BagOptionsConflict? {
        switch (compression, compressionMode) {
        case (.none, .none): return nil
        case (.none, let mode): return conflict(.compression, "zstd for the mode \(mode.rawValue)", "none")
        case (.lz4, _): return conflict(.compression, "none or zstd for the storage sqlite3", "lz4")
        case (.zstd, .none): return conflict(.compressionMode, "file or message for zstd", "none")
        case (.zstd, .file) where durability == .resilient:
            // Readers expect all files of such a bag to be compressed: the open one would make it unreadable.
            let expected = "message for a resilient bag, whose open file has to be readable"
            return conflict(.compressionMode, expected, "file")
        case (.zstd, _): return nil
        }
    }

    private func conflict(
        _ option: BagOptionsConflict.Option,
        _ expected: String,
        _ found: String
    ) -> BagOptionsConflict {
        BagOptionsConflict(option: option, expected: expected, found: found)
    }
}
