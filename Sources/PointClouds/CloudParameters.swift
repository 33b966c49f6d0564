/// What decides which depth pixels become points of a cloud, and where.
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

    /// How lonely points are found, after the voxel grid and the bounding box.
    package enum OutlierFilter: Sendable, Hashable {
        case off
        /// Drops points with fewer than `minimum` occupied voxels among the 26 around their own.
        ///
        /// `voxelSizeMetres` is the size of this neighbourhood's voxels; `nil` takes the size of the voxel grid, or the
        /// default of 0.10 m where there is no grid.
        case neighbours(minimum: Int = 3, voxelSizeMetres: Double? = nil)
        /// Drops points with fewer than `minimum` other points at a distance of at most `metres`.
        ///
        /// The rule of PCL's RadiusOutlierRemoval. Open3D's counts the point itself and asks for more than the minimum,
        /// which is the same.
        case radius(metres: Double, minimum: Int = 3)
    }

    /// What `boundingBoxMetres` is measured from.
    package enum BoundingBoxCentre: String, Sendable, Hashable, CaseIterable {
        case sensor
        case worldOrigin
    }

    /// Which pixel of the image gives a depth pixel its colour.
    package enum ColourRule: String, Sendable, Hashable, CaseIterable {
        /// The one under the centre of the depth pixel.
        case pixelCentre
        /// The one under the corner nearest to the origin of the sensor grid, as the phone app takes it.
        case pixelCorner
    }

    /// Depths must be greater than this.
    package var minimumDepthMetres: Double = 0.1
    /// Depths must be less than this; may be infinite.
    package var maximumDepthMetres: Double = 5
    /// The least confidence, 0, 1 or 2, where the frame has a confidence map.
    package var minimumConfidence: UInt8 = 1
    /// Whether flying pixels are dropped: those without any 4-neighbour of nearly the same depth.
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
    /// Points farther than this from the centre of the box are dropped (a sphere, by its history called a box); `nil`
    /// keeps all.
    package var boundingBoxMetres: Double? = 20
    package var boundingBoxCentre: BoundingBoxCentre = .sensor
    /// Where in its pixel a depth value is measured, in pixels from the corner.
    package var pixelCentreOffset: Double = 0.5
    package var colourRule: ColourRule = .pixelCentre

    package init() {}

    /// The phone app's own choices.
    package static var app: CloudParameters {
        var parameters = CloudParameters()
        parameters.minimumConfidence = 0
        parameters.edgeFilter = false
        parameters.stride = 4
        parameters.boundingBoxCentre = .worldOrigin
        parameters.pixelCentreOffset = 0
        parameters.colourRule = .pixelCorner
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
        parameters.boundingBoxMetres = nil
        return parameters
    }
}

extension CloudParameters {
    static let defaultVoxelSizeMetres = 0.10

    /// The edge of a voxel, or `nil` where there is no voxel grid.
    var gridSizeMetres: Double? {
        voxelSizeMetres == 0 ? nil : voxelSizeMetres
    }

    /// The edge of a voxel of the outlier filter's neighbourhood, where that is the filter.
    var neighbourhoodSizeMetres: Double? {
        guard case .neighbours(_, let size) = outlierFilter else { return nil }
        return size ?? gridSizeMetres ?? Self.defaultVoxelSizeMetres
    }

    /// Throws unless every number makes sense.
    package func validate() throws(CloudError) {
        try require(minimumDepthMetres >= 0, "minimumDepthMetres", minimumDepthMetres, "0 or more")
        try require(
            maximumDepthMetres > minimumDepthMetres,
            "maximumDepthMetres",
            maximumDepthMetres,
            "more than the minimum depth"
        )
        try require(edgeLimitMetres >= 0, "edgeLimitMetres", edgeLimitMetres, "0 or more")
        try require(edgeLimitRatio >= 0, "edgeLimitRatio", edgeLimitRatio, "0 or more")
        try require(stride >= 1, "stride", Double(stride), "1 or more")
        try requireLength(gridSizeMetres, "voxelSizeMetres")
        try requireLength(boundingBoxMetres, "boundingBoxMetres")
        try require(pixelCentreOffset.isFinite, "pixelCentreOffset", pixelCentreOffset, "a finite number")
        switch outlierFilter {
        case .off: break
        case .neighbours(let minimum, let size):
            try require((0...26).contains(minimum), "outlier neighbours", Double(minimum), "0 to 26")
            try requireLength(size, "outlier voxelSizeMetres")
        case .radius(let metres, let minimum):
            try requireLength(metres, "outlier radius")
            try require(minimum >= 0, "outlier minimum", Double(minimum), "0 or more")
        }
    }

    private func requireLength(_ metres: Double?, _ name: String) throws(CloudError) {
        guard let metres else { return }
        try require(metres > 0 && metres.isFinite, name, metres, "a positive length")
    }

    private func require(
        _ condition: Bool,
        _ name: String,
        _ value: Double,
        _ expected: String
    ) throws(CloudError) {
        guard condition else { throw .parameter(name: name, expected: expected, found: value) }
    }
}
