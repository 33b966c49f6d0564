import ArgumentParser
import Perception
import Translation

/// Which pixels of a depth map count.
struct DepthOptions: ParsableArguments {
    @Option(
        help: .rare(
            "Least LiDAR confidence: 0 (low), 1 (medium), 2 (high). Default: 1, unless the profile has another.",
            "level"
        )
    )
    var minConfidence: Int?

    @Option(help: .rare("Keep depths above this many metres. Default: 0.1, unless the profile has another.", "metres"))
    var minDepth: Double?

    @Option(help: .value("metres", "Keep depths below this. Default: 5, or the profile's."))
    var maxDepth: Double?

    @Flag(
        inversion: .prefixedNo,
        help: .rare("Drop flying pixels at the edges of objects. Default: on, unless the profile says off.")
    )
    var edgeFilter: Bool?

    func apply(to parameters: inout CloudParameters) throws {
        if let minConfidence {
            try UsageError.require((0...2).contains(minConfidence), "--min-confidence", "0, 1 or 2", minConfidence)
            parameters.minimumConfidence = UInt8(minConfidence)
        }
        if let minDepth { parameters.minimumDepthMetres = minDepth }
        if let maxDepth { parameters.maximumDepthMetres = maxDepth }
        if let edgeFilter { parameters.edgeFilter = edgeFilter }
    }
}

/// How clouds are made.
struct CloudOptions: ParsableArguments {
    enum Colour: String, Choice {
        case eighth, full
    }

    @OptionGroup var depth: DepthOptions

    @Option(
        help: .value(
            "metres",
            "Edge of a voxel in metres; 0: no voxel grid. Default: the profile's (data: 0.02; record: 0.1)."
        )
    )
    var voxelSize: Double?

    @Option(
        help: .rare("Point kept for each voxel: first or centroid. Default: the profile's (record: first).", "point")
    )
    var voxelPoint: CloudParameters.VoxelPoint?

    @Option(
        help: .rare("Outlier filter: neighbours, radius or off. Default: the profile's (record: neighbours).", "filter")
    )
    var outlier: OutlierChoice?

    @Option(help: .rare("Voxel size of the outlier filter in metres. Default: --voxel-size, at least 0.1.", "metres"))
    var outlierVoxel: Double?

    @Option(
        help: .rare(
            "Occupied neighbouring voxels, or points within the radius, that a point needs. Default: 3.",
            "count"
        )
    )
    var outlierNeighbours: Int?

    @Option(help: .rare("Size of the image that colours are taken from: eighth or full. Default: eighth.", "size"))
    var colour: Colour?

    func apply(to parameters: inout CloudParameters) throws {
        try depth.apply(to: &parameters)
        if let voxelSize { parameters.voxelSizeMetres = voxelSize }
        if let voxelPoint {
            let size = parameters.voxelSizeMetres ?? 0
            try UsageError.require(size != 0, "--voxel-point", "a voxel size above 0", "none")
            parameters.voxelPoint = voxelPoint
        }
        let request = OutlierRequest(choice: outlier, minimum: outlierNeighbours, sizeMetres: outlierVoxel)
        let isSound = !request.contradictsItself
        try UsageError.require(isSound, "--outlier", "a filter for the options about it", "off")
        request.apply(to: &parameters.outlierFilter)
        try parameters.validate()
    }
}

extension OutlierChoice: Choice {}
extension CloudParameters.VoxelPoint: Choice {}
