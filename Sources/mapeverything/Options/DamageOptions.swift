import ArgumentParser
import Bags

/// What is done about a bag that is damaged.
struct DamageOptions: ParsableArguments {
    @Flag(help: "Read what can be read of a damaged bag and count what is missing. Default: refuse a damaged bag.")
    var acceptDamage = false

    @OptionGroup
    var unpacking: UnpackingOptions

    func limit() throws(UsageError) -> UnpackLimit { try unpacking.limit() }

    /// Of a session everything that is sound is always taken.
    var forBags: GivenOptions {
        GivenOptions(expected: "a bag", [("--accept-damage", acceptDamage)]) + unpacking.forBags
    }
}

/// How large the compressed files of a bag may become.
struct UnpackingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Largest size that a .zstd file may unpack to: 1GB, 1GiB or a number of bytes. "
                + "Default: 200 times its size, at least 256MiB."
        )
    )
    var maxUnpacked: ByteSize?

    func limit() throws(UsageError) -> UnpackLimit {
        guard let maxUnpacked else { return UnpackLimit() }
        return UnpackLimit(fileBytes: try maxUnpacked.bytes("--max-unpacked", in: 1...(1 << 50)))
    }

    var forBags: GivenOptions { GivenOptions(expected: "a bag", [("--max-unpacked", maxUnpacked != nil)]) }
}
