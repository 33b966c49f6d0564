/// A combination of bag options that is not possible.
package struct BagOptionsConflict: Error, Hashable, Sendable, CustomStringConvertible {
    /// The option to change.
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
            return BagOptionsConflict(
                option: .serialization,
                expected: "cdr for the storage mcap",
                found: serialization.rawValue
            )
        }
        guard compressionMode != .none else { return nil }
        return BagOptionsConflict(
            option: .compressionMode,
            expected: "none for the storage mcap, which compresses its chunks",
            found: compressionMode.rawValue
        )
    }

    private var sqliteConflict: BagOptionsConflict? {
        switch (compression, compressionMode) {
        case (.none, .none): return nil
        case (.none, let mode):
            return BagOptionsConflict(
                option: .compression,
                expected: "zstd for the mode \(mode.rawValue)",
                found: "none"
            )
        case (.lz4, _):
            return BagOptionsConflict(
                option: .compression,
                expected: "none or zstd for the storage sqlite3",
                found: "lz4"
            )
        case (.zstd, .none):
            return BagOptionsConflict(option: .compressionMode, expected: "file or message for zstd", found: "none")
        case (.zstd, .file) where durability == .resilient:
            // Readers expect all files of such a bag to be compressed: the open one would make it unreadable.
            return BagOptionsConflict(
                option: .compressionMode,
                expected: "message for a resilient bag, whose open file has to be readable",
                found: "file"
            )
        case (.zstd, _): return nil
        }
    }
}
