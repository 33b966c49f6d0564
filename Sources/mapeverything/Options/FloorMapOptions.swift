import ArgumentParser
import Maps

/// What counts as an obstacle above the floor, and how a map of it is written.
struct FloorMapOptions: ParsableArguments {
    @Option(help: .value("metres", ".yaml and .tif: what is lower above the floor is no obstacle. Default: 0.05."))
    var minHeight: Double?

    @Option(help: .value("metres", ".yaml and .tif: what is higher above the floor is no obstacle. Default: 1.8."))
    var maxHeight: Double?

    @Option(
        help: .value(
            "mode",
            ".yaml: trinary (occupied, free or unknown), scale (steps, as a PNG) or raw. Default: trinary."
        )
    )
    var mapMode: Nav2Map.Mode?

    var mode: Nav2Map.Mode { mapMode ?? .trinary }

    func apply(to parameters: inout OccupancyParameters) throws(UsageError) {
        let (low, high) = (minHeight ?? parameters.minimumHeightMetres, maxHeight ?? parameters.maximumHeightMetres)
        try UsageError.require((0...10).contains(low), "--min-height", "0.000 to 10.000 metres", low)
        let isAbove = high > low && high <= 100
        try UsageError.require(isAbove, "--max-height", "metres above --min-height, up to 100.000", high)
        (parameters.minimumHeightMetres, parameters.maximumHeightMetres) = (low, high)
    }
}

extension Nav2Map.Mode: Choice {}
