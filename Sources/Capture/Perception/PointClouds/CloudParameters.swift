/// The parameters that decide which depth pixels become points of a cloud, and where.
///
/// The defaults are those of a metric cloud in the `map` frame.
package struct CloudParameters: Sendable, Hashable {
    /// Which point stands for a voxel.
    package enum VoxelPoint: String, Sendable, Hashable, CaseIterable {
        /// The first one in row-major pixel order; later ones are dropped.
        case first
        /// The mean of positions and colours.
        case centroid
    }

    /// How outliers are found, after the voxel grid and the range.
    ///
    /// The size of a neighbourhood that is `nil` is that of the voxel grid, but at least 0.10 m: depth pixels lie up to
    /// 2.6 cm apart at 5 m, and a finer neighbourhood drops whole walls.
    package enum OutlierFilter: Sendable, Hashable {
        case off
        /// Drops points with fewer than `minimum` occupied voxels among the 26 around their own.
        ///
        /// `voxelSizeMetres` is the size of this neighbourhood's voxels.
        case neighbours(minimum: Int = 3, voxelSizeMetres: Double? = nil)
        /// Drops points with fewer than `minimum` other points at a distance of at most `metres`.
        ///
        /// The rule of PCL's RadiusOutlierRemoval. Open3D's counts the point itself and asks for more than the minimum,
        /// which is the same. `nil` reaches about as far as the 27 voxels of a neighbourhood do.
        case radius(metres: Double? = nil, minimum: Int = 3)

        /// The radius that stands for a neighbourhood of 27 voxels, in edges of a voxel.
        package static let radiusInVoxels = 1.75
    }

    /// The point that `maximumRangeMetres` is measured from.
    package enum RangeCentre: String, Sendable, Hashable, CaseIterable {
        case sensor
        case worldOrigin
    }

    /// Which point of the view a depth pixel stands for.
    package enum PixelPoint: String, Sendable, Hashable, CaseIterable {
        /// Its centre, for position and colour.
        case centre
        /// As the phone app has it: the focal lengths and the principal point are scaled alike to the depth grid, and the
        /// colour is that of the image pixel under the corner nearest to the grid's origin.
        case corner
    }

    /// Depths must be greater than this.
    package var minimumDepthMetres: Double = 0.1
    /// Depths must be less than this; may be infinite.
    package var maximumDepthMetres: Double = 5
    /// The least confidence, 0, 1 or 2, where the frame has a confidence map.
    package var minimumConfidence: UInt8 = 1
    /// True if flying pixels are dropped: those without any 4-neighbour of nearly the same depth.
    package var edgeFilter: Bool = true
    /// A neighbour supports a pixel if their depths differ by at most the larger of this and `edgeLimitRatio` times the
    /// pixel's depth.
    package var edgeLimitMetres: Double = 0.05
    /// See `edgeLimitMetres`.
    package var edgeLimitRatio: Double = 0.04
    /// Takes each n-th row and column, from the first.
    package var stride: Int = 1
    /// The edge of a voxel; `nil` or 0 keeps all points.
    package var voxelSizeMetres: Double? = defaultVoxelSizeMetres
    package var voxelPoint: VoxelPoint = .first
    package var outlierFilter: OutlierFilter = .neighbours()
    /// Points farther than this from the sensor or the origin are dropped; `nil` keeps all.
    package var maximumRangeMetres: Double? = 20
    package var rangeCentre: RangeCentre = .sensor
    package var pixelPoint: PixelPoint = .centre

    package init() {}

    /// The phone app's own choices.
    package static var app: CloudParameters {
        var parameters = CloudParameters()
        parameters.minimumConfidence = 0
        parameters.edgeFilter = false
        parameters.stride = 4
        parameters.rangeCentre = .worldOrigin
        parameters.pixelPoint = .corner
        return parameters
    }

    /// For a cloud of relative depth, whose unit is unknown: every finite positive value, no voxels, no distances.
    package static var relative: CloudParameters {
        var parameters = CloudParameters()
        parameters.minimumDepthMetres = 0
        parameters.maximumDepthMetres = .infinity
        parameters.edgeLimitMetres = 0
        parameters.voxelSizeMetres = nil
        parameters.outlierFilter = .off
        parameters.maximumRangeMetres = nil
        return parameters
    }
}

extension CloudParameters {
    static let defaultVoxelSizeMetres = 0.10
    /// The least size of the outlier filter's neighbourhood, where none is given.
    static let leastNeighbourhoodMetres = 0.10

    /// The edge of a voxel, or `nil` where there is no voxel grid.
    var gridSizeMetres: Double? {
        voxelSizeMetres == 0 ? nil : voxelSizeMetres
    }

    /// The edge of a voxel of the outlier filter's neighbourhood, where that is the filter.
    package var neighbourhoodSizeMetres: Double? {
        guard case .neighbours(_, let size) = outlierFilter else { return nil }
        return size ?? defaultNeighbourhoodMetres
    }

    /// The radius of the outlier filter, where that is the filter.
    package var outlierRadiusMetres: Double? {
        guard case .radius(let metres, _) = outlierFilter else { return nil }
        return metres ?? OutlierFilter.radiusInVoxels * defaultNeighbourhoodMetres
    }

    private var defaultNeighbourhoodMetres: Double { max(gridSizeMetres ?? 0, Self.leastNeighbourhoodMetres) }

    /// Throws unless every number makes sense.
    package func validate() throws(CloudError) {
        try CloudError.require(minimumDepthMetres >= 0, "minimumDepthMetres", minimumDepthMetres, "0 or more")
        try CloudError.require(
            maximumDepthMetres > minimumDepthMetres,
            "maximumDepthMetres",
            maximumDepthMetres,
            "more than the minimum depth"
        )
        try CloudError.require(minimumConfidence <= 2, "minimumConfidence", Double(minimumConfidence), "0, 1 or 2")
        try CloudError.require(edgeLimitMetres >= 0, "edgeLimitMetres", edgeLimitMetres, "0 or more")
        try CloudError.require(edgeLimitRatio >= 0, "edgeLimitRatio", edgeLimitRatio, "0 or more")
        try CloudError.require(stride >= 1, "stride", Double(stride), "1 or more")
        try requireLength(gridSizeMetres, "voxelSizeMetres")
        try requireLength(maximumRangeMetres, "maximumRangeMetres")
        switch outlierFilter {
        case .off: break
        case .neighbours(let minimum, let size):
            try CloudError.require((0...26).contains(minimum), "outlier neighbours", Double(minimum), "0 to 26")
            try requireLength(size, "outlier voxelSizeMetres")
        case .radius(let metres, let minimum):
            try requireLength(metres, "outlier radius")
            try CloudError.require(minimum >= 0, "outlier minimum", Double(minimum), "0 or more")
        }
    }

    private func requireLength(_ metres: Double?, _ name: String) throws(CloudError) {
        guard let metres else { return }
        try CloudError.require(metres > 0 && metres.isFinite, name, metres, "a positive length")
    }
}

/// Why no cloud can be built from a depth map.
package enum CloudError: Error, Hashable, Sendable, CustomStringConvertible {
    case parameter(name: String, expected: String, found: Double)
    /// A grid's arrays do not have the length that its width and height say.
    case gridCount(grid: String, expected: Int, found: Int)
    case gridSize(grid: String, width: Int, height: Int)
    /// The image does not show the view of the sensor, turned as said.
    case imageShape(expectedWidth: Int, expectedHeight: Int, width: Int, height: Int)
    case intrinsics(String)
    case poseNotFinite
    /// The voxels are so small, or the points so far away, that voxel numbers overflow.
    case voxelOverflow(sizeMetres: Double, coordinateMetres: Double)

    /// - Throws: a parameter's error where the condition does not hold.
    package static func require(
        _ condition: Bool,
        _ name: String,
        _ value: Double,
        _ expected: String
    ) throws(CloudError) {
        guard condition else { throw .parameter(name: name, expected: expected, found: value) }
    }

    package var description: String {
        switch self {
        case .parameter(let name, let expected, let found):
            "cloud parameter: \(name): expected \(expected), found \(found)"
        case .gridCount(let grid, let expected, let found):
            "\(grid): expected \(expected) values, found \(found)"
        case .gridSize(let grid, let width, let height):
            "\(grid): expected a size of 1 to \(GridLimits.maximumSide) each way, found \(width)x\(height)"
        case .imageShape(let expectedWidth, let expectedHeight, let width, let height):
            "image: expected the shape of \(expectedWidth)x\(expectedHeight), found \(width)x\(height)"
        case .intrinsics(let problem):
            "camera intrinsics: expected a finite camera with positive focal lengths, found \(problem)"
        case .poseNotFinite:
            "camera pose: expected finite numbers, found infinity or NaN"
        case .voxelOverflow(let size, let coordinate):
            "voxel grid: expected coordinates within \(GridLimits.maximumIndex) voxels of \(size) m, "
                + "found \(coordinate) m"
        }
    }
}

/// The bounds of what fits into the packed numbers of pixels and voxels.
enum GridLimits {
    /// Rows and columns of a depth grid or an image.
    static let maximumSide = 32_768
    /// Pixels of a depth grid.
    static let maximumCount = 1 << 26
    /// The largest number of a voxel along an axis, either side of zero.
    static let maximumIndex = (1 << 20) - 4
}
