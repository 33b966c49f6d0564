import ArgumentParser
import Bags

/// How a bag is written; the same for `bag`, `record` and `replay --save-local`.
struct BagWritingOptions: ParsableArguments {
    @Option(help: "Begin a new chunk at about this size.")
    var chunkSizeMb: Double = 64

    @Option(help: "Begin a new chunk after this many seconds of messages.")
    var chunkSeconds: Double?

    @Option(help: "cdr, or rosbridge_json: each blob a whole publish operation, as the phone app writes it.")
    var serialization = BagOptions.Serialization.cdr

    @Option(help: "fast, or resilient: what came half a second ago survives a kill.")
    var durability: BagOptions.Durability?

    @Flag(help: "Replace a bag that is already there.")
    var force = false

    func options(durability preset: BagOptions.Durability, customData: [String: String]) throws -> BagOptions {
        guard chunkSizeMb >= 0.1, chunkSizeMb <= 1_000_000 else {
            throw UsageError("--chunk-size-mb", expected: "0.1 to 1000000", found: "\(chunkSizeMb)")
        }
        if let chunkSeconds, !(chunkSeconds > 0 && chunkSeconds.isFinite) {
            throw UsageError("--chunk-seconds", expected: "seconds above 0", found: "\(chunkSeconds)")
        }
        return BagOptions(
            serialization: serialization,
            durability: durability ?? preset,
            maximumChunkBytes: Int(chunkSizeMb * 1_048_576),
            maximumChunkSeconds: chunkSeconds,
            force: force,
            customData: customData
        )
    }
}

extension BagOptions.Serialization: ExpressibleByArgument {}
extension BagOptions.Durability: ExpressibleByArgument {}
