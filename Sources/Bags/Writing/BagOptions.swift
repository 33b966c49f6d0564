/// How a bag is written.
package struct BagOptions: Sendable, Hashable {
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

    package var serialization: Serialization
    package var durability: Durability
    /// The file size at which the next chunk begins; nil for no limit.
    ///
    /// One larger message gets a chunk of its own.
    package var maximumChunkBytes: Int?
    /// The span of message time after which the next chunk begins; nil for no limit.
    package var maximumChunkSeconds: Double?
    /// Replaces a bag that is already there; anything else that is there is never touched.
    package var force: Bool
    /// Provenance for `custom_data`; written in the order of the keys.
    package var customData: [String: String]
    /// What `ros_distro` says.
    package var distribution: String

    package init(
        serialization: Serialization = .cdr,
        durability: Durability = .fast,
        maximumChunkBytes: Int? = 64 << 20,
        maximumChunkSeconds: Double? = nil,
        force: Bool = false,
        customData: [String: String] = [:],
        distribution: String = "rolling"
    ) {
        self.serialization = serialization
        self.durability = durability
        self.maximumChunkBytes = maximumChunkBytes
        self.maximumChunkSeconds = maximumChunkSeconds
        self.force = force
        self.customData = customData
        self.distribution = distribution
    }

    /// 64 KiB pages make large blobs cheap; small chunks would be mostly empty pages.
    var pageBytes: Int {
        (maximumChunkBytes ?? .max) < 8 << 20 ? 4096 : 65536
    }
}
