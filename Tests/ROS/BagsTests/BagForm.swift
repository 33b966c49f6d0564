import Bags
import Messages
import SystemPackage
import Testing

/// One way to write a bag, as the options allow it.
struct BagForm: Sendable, Hashable, CustomTestStringConvertible {
    var storage: BagOptions.Storage
    var serialization = BagOptions.Serialization.cdr
    var durability = BagOptions.Durability.fast
    var distribution = BagOptions.Distribution.any
    var compression = BagOptions.Compression.none
    var compressionMode: BagOptions.CompressionMode?

    /// Every combination that makes sense.
    static let all: [BagForm] = BagOptions.Distribution.allCases.flatMap { distribution in
        stored.map { form in
            var form = form
            form.distribution = distribution
            return form
        }
    }

    /// Every combination of storage, serialization, compression and durability.
    static let stored: [BagForm] = BagOptions.Storage.allCases.flatMap { storage in
        BagOptions.Serialization.allCases.flatMap { serialization in
            BagOptions.Durability.allCases.flatMap { durability in
                BagOptions.Compression.allCases.flatMap { compression in
                    BagOptions.CompressionMode.allCases.map { mode in
                        BagForm(
                            storage: storage,
                            serialization: serialization,
                            durability: durability,
                            compression: compression,
                            compressionMode: mode
                        )
                    }
                }
            }
        }
    }
    .filter { $0.options().conflict == nil }

    /// The distributions whose rosbag2 must take the form.
    var readers: [String] {
        switch distribution {
        case .any, .humble, .iron: ["humble", "iron", "jazzy"]
        case .jazzy, .kilted, .rolling: ["jazzy"]
        }
    }

    var testDescription: String {
        let mode = compressionMode?.rawValue ?? "default"
        return "\(storage) \(serialization.rawValue) \(durability) \(distribution) \(compression) \(mode)"
    }

    func options(
        maximumChunkBytes: Int? = 64 << 20,
        maximumChunkSeconds: Double? = nil,
        customData: [String: String] = ["mapeverything.version": "1.0", "mapeverything.profile": "x: \"y\""]
    ) -> BagOptions {
        BagOptions(
            storage: storage,
            serialization: serialization,
            durability: durability,
            distribution: distribution,
            compression: compression,
            compressionMode: compressionMode,
            maximumChunkBytes: maximumChunkBytes,
            maximumChunkSeconds: maximumChunkSeconds,
            customData: customData
        )
    }
}
