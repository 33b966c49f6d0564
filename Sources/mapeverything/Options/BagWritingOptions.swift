import ArgumentParser
import Bags

/// How a bag is written; the same for `bag`, `record` and `replay --save-local`.
struct BagWritingOptions: ParsableArguments {
    @Option(help: "sqlite3 or mcap: the kind of the files.")
    var storage = BagOptions.Storage.sqlite3

    @Option(help: "The form of one distribution's recorder: humble, iron, jazzy, kilted, rolling; any: all read it.")
    var rosDistro = BagOptions.Distribution.any

    @Option(help: "none or zstd; lz4 too with --storage mcap.")
    var compression = BagOptions.Compression.none

    @Option(help: "file or message: what zstd compresses with --storage sqlite3 (default: file, as a whole).")
    var compressionMode: BagOptions.CompressionMode?

    @Option(
        help: ArgumentHelp("Begin a new chunk at about this size: 64MB, 64MiB or a number of MB.", valueName: "size")
    )
    var chunkSizeMb = ByteSize("64MB")

    @Option(help: "Begin a new chunk after this many seconds of messages.")
    var chunkSeconds: Double?

    @Option(help: "cdr, or rosbridge_json: each blob a whole publish operation, as the phone app writes it.")
    var serialization = BagOptions.Serialization.cdr

    @Option(help: "fast, or resilient: what came half a second ago survives a kill.")
    var durability: BagOptions.Durability?

    @Flag(help: "Replace a bag that is already there.")
    var force = false

    func options(durability preset: BagOptions.Durability, customData: [String: String]) throws -> BagOptions {
        let chunkBytes = try chunkSizeMb.bytes("--chunk-size-mb", plain: .megabytes, in: 100_000...1_000_000_000_000)
        if let chunkSeconds, !(chunkSeconds > 0 && chunkSeconds.isFinite) {
            throw UsageError("--chunk-seconds", expected: "seconds above 0", found: "\(chunkSeconds)")
        }
        let options = BagOptions(
            storage: storage,
            serialization: serialization,
            durability: durability ?? preset,
            distribution: rosDistro,
            compression: compression,
            compressionMode: compressionMode,
            maximumChunkBytes: chunkBytes,
            maximumChunkSeconds: chunkSeconds,
            force: force,
            customData: customData
        )
        if let conflict = options.conflict {
            throw UsageError("--\(conflict.option.rawValue)", expected: conflict.expected, found: conflict.found)
        }
        return options
    }
}

extension BagOptions.Storage: ExpressibleByArgument {}
extension BagOptions.Distribution: ExpressibleByArgument {}
extension BagOptions.Compression: ExpressibleByArgument {}
extension BagOptions.CompressionMode: ExpressibleByArgument {}
extension BagOptions.Serialization: ExpressibleByArgument {}
extension BagOptions.Durability: ExpressibleByArgument {}
