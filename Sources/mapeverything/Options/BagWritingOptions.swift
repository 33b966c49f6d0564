import ArgumentParser
import Bags

/// How a bag is written; the same for `bag`, `record` and `replay --save-local`.
struct BagWritingOptions: ParsableArguments {
    @Option(help: "File format of the bag: sqlite3 (.db3) or mcap.")
    var storage = BagOptions.Storage.sqlite3

    @Option(help: "Write the bag as this distribution's recorder does; any: in a form that all of them read.")
    var rosDistro = BagOptions.Distribution.any

    @Option(help: "Compression: none, zstd, or lz4 (with --storage mcap only).")
    var compression = BagOptions.Compression.none

    @Option(help: "What zstd compresses with --storage sqlite3: each file as a whole, or each message. Default: file.")
    var compressionMode: BagOptions.CompressionMode?

    @Option(help: .value("size", "Start a new bag file at about this size: 64MB, 64MiB or a number of MB."))
    var chunkSizeMb = ByteSize("64MB")

    @Option(help: "Start a new bag file after this many seconds of messages. Default: no limit.")
    var chunkSeconds: Double?

    @Option(help: "Encoding of the messages: cdr, or rosbridge_json (publish operations, as in the app's bags).")
    var serialization = BagOptions.Serialization.cdr

    @Option(help: "fast, or resilient: a kill costs half a second. Default: fast; record and replay: resilient.")
    var durability: BagOptions.Durability?

    @OptionGroup
    var force: ForceOptions

    func options(durability preset: BagOptions.Durability, customData: [String: String]) throws -> BagOptions {
        let chunkBytes = try chunkSizeMb.bytes("--chunk-size-mb", plain: .megabytes, in: 100_000...1_000_000_000_000)
        let seconds = chunkSeconds ?? 1
        try UsageError.require(seconds > 0 && seconds.isFinite, "--chunk-seconds", "seconds above 0", seconds)
        let options = BagOptions(
            storage: storage,
            serialization: serialization,
            durability: durability ?? preset,
            distribution: rosDistro,
            compression: compression,
            compressionMode: compressionMode,
            maximumChunkBytes: chunkBytes,
            maximumChunkSeconds: chunkSeconds,
            force: force.isGiven,
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
