/// How a bag is written.
package struct BagOptions: Sendable, Hashable {
    /// The kind of the files.
    package enum Storage: String, Sendable, CaseIterable {
        case sqlite3
        case mcap
    }

    /// What the blobs hold.
    package enum Serialization: String, Sendable, CaseIterable {
        case cdr
        /// The whole rosbridge publish operation as JSON text.
        case rosbridgeJSON = "rosbridge_json"
    }

    /// What becomes of the bag if the process dies while writing.
    package enum Durability: String, Sendable, CaseIterable {
        /// Whole chunks stay; the chunk at hand is lost. For what can be run again.
        case fast
        /// What came more than half a second ago stays, in the chunk at hand too.
        case resilient
    }

    /// The ROS distribution whose recorder's form is written.
    package enum Distribution: String, Sendable, CaseIterable {
        /// The richest form that all of the others read.
        case any
        case humble
        case iron
        case jazzy
        case kilted
        case rolling
    }

    /// How contents are made smaller.
    package enum Compression: String, Sendable, CaseIterable {
        case none
        /// Chunks of an .mcap file only.
        case lz4
        case zstd
    }

    /// What of a .db3 bag is compressed; the chunks of .mcap files have one way only.
    package enum CompressionMode: String, Sendable, CaseIterable {
        case none
        /// Each .db3 file as a whole, once it is closed: `NAME_<n>.db3.zstd`.
        case file
        /// Each message on its own.
        case message
    }

    package var storage: Storage
    package var serialization: Serialization
    package var durability: Durability
    package var distribution: Distribution
    package var compression: Compression
    package var compressionMode: CompressionMode
    /// The file size at which the next chunk begins, before compression of the file; nil for no limit.
    ///
    /// One larger message gets a chunk of its own.
    package var maximumChunkBytes: Int?
    /// The span of message time after which the next chunk begins; nil for no limit.
    package var maximumChunkSeconds: Double?
    /// Replaces a bag that is already there; anything else that is there is never touched.
    package var force: Bool
    /// Provenance for `custom_data` and for the Metadata record of an .mcap file; written in the order of the keys.
    package var customData: [String: String]

    /// - Parameter compressionMode: nil for what a storage does by itself: whole files for sqlite3.
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

    /// 64 KiB pages make large blobs cheap; small chunks would be mostly empty pages.
    var pageBytes: Int {
        (maximumChunkBytes ?? .max) < 8 << 20 ? 4096 : 65536
    }
}
