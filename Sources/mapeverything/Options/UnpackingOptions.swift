import ArgumentParser
import Bags

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
