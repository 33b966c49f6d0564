import ArgumentParser
import Bags

/// What is done about a bag that is damaged.
struct DamageOptions: ParsableArguments {
    @Flag(help: "Take of a damaged bag what can be read and count what is missing, instead of refusing it.")
    var acceptDamage = false

    @OptionGroup
    var unpacking: UnpackingOptions

    func limit() throws(UsageError) -> UnpackLimit { try unpacking.limit() }

    /// Refuses them for a session, of which everything that is sound is always taken.
    func refuseForSession(_ path: String) throws(UsageError) {
        if acceptDamage { throw UsageError("--accept-damage", expected: "a bag", found: "the session \(path)") }
        try unpacking.refuseForSession(path)
    }
}

/// How large the compressed files of a bag may become.
struct UnpackingOptions: ParsableArguments {
    @Option(
        help: "The largest size that a .zstd file may unpack to (default: 200 times its own, at least 256MiB)."
    )
    var maxUnpacked: ByteSize?

    func limit() throws(UsageError) -> UnpackLimit {
        guard let maxUnpacked else { return UnpackLimit() }
        return UnpackLimit(fileBytes: try maxUnpacked.bytes("--max-unpacked", in: 1...(1 << 50)))
    }

    func refuseForSession(_ path: String) throws(UsageError) {
        if maxUnpacked != nil { throw UsageError("--max-unpacked", expected: "a bag", found: "the session \(path)") }
    }
}
