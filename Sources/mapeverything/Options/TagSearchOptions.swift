import ArgumentParser
import Tags

/// Which tags are looked for in images, and how large they are.
struct TagSearchOptions: ParsableArguments {
    @Option(help: "Family of the tags, such as tag36h11, tag25h9 or tagStandard41h12.")
    var family = "tag36h11"

    @Option(
        name: .customLong("tag-size"),
        help: ArgumentHelp(
            "Edge of the tags in metres, such as 0.152, or 1-7=0.173 for some of them; or auto, as LiDAR measures it."
        )
    )
    var sizes: [String] = ["auto"]

    @Flag(help: "Search images at half their size: faster, blind for small tags.")
    var fast = false

    @Option(help: "Most bits of a tag that may be wrong, 0 to 2.")
    var hamming = 1

    @Option(help: "Least contrast of a tag's bits, 0 to 255.")
    var margin = 50.0

    @Option(
        name: .customLong("min-edge"),
        help: "Shortest edge of a tag in the image, in pixels. Default: what the library can read."
    )
    var minimumEdge = 0.0

    @OptionGroup
    var workers: WorkerOptions

    @OptionGroup
    var progress: ProgressOptions

    func tagFamily() throws(UsageError) -> TagFamily { try TagFamily.named(family, by: "--family") }

    func parameters() throws(UsageError) -> TagDetectorParameters {
        var parameters = TagDetectorParameters()
        parameters.families = [try tagFamily()]
        parameters.isFast = fast
        guard (0...2).contains(hamming) else {
            throw UsageError("--hamming", expected: "0, 1 or 2", found: "\(hamming)")
        }
        guard (0...255).contains(margin) else { throw UsageError("--margin", expected: "0 to 255", found: "\(margin)") }
        guard (0...16_384).contains(minimumEdge) else {
            throw UsageError("--min-edge", expected: "0 to 16384", found: "\(minimumEdge)")
        }
        parameters.maximumHamming = hamming
        parameters.minimumEdgePixels = minimumEdge
        parameters.minimumMargin = margin
        return parameters
    }

    func measurer() throws(UsageError) -> TagMeasurer {
        guard let sizes = TagSizes(sizes) else {
            throw UsageError(
                "--tag-size",
                expected: "metres, IDS=metres or auto, such as 0.152 or 1-7=0.173",
                found: sizes.joined(separator: " ")
            )
        }
        return TagMeasurer(sizes: sizes)
    }
}

extension TagFamily {
    /// The family that an option names.
    static func named(_ name: String, by option: String) throws(UsageError) -> TagFamily {
        guard let family = TagFamily(name) else {
            let names = TagFamily.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError(option, expected: "one of \(names)", found: name)
        }
        return family
    }
}
