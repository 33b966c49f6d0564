package import PointClouds

/// How frames become one map.
package struct MapParameters: Sendable, Hashable {
    /// The distance between neighbouring samples of the field, in metres.
    package var voxelSizeMetres: Double = 0.02
    /// The field reaches this many voxels to either side of a surface.
    package var truncationVoxels: Double = 4
    /// What blocks may take; beyond it none is added, and the frames that needed more are counted.
    package var maximumBytes: Int = 2_000_000_000
    /// Connected pieces of the mesh with less area are dropped, in square metres.
    package var minimumComponentSquareMetres: Double = 0.01
    /// Which pixels count, as for clouds.
    package var depthLimits = CloudParameters()

    package init() {}

    package var truncationMetres: Double { voxelSizeMetres * truncationVoxels }

    /// Throws unless every number makes sense.
    package func validate() throws(CloudError) {
        try require((0.001...1).contains(voxelSizeMetres), "voxelSizeMetres", voxelSizeMetres, "0.001 to 1")
        try require((1...16).contains(truncationVoxels), "truncationVoxels", truncationVoxels, "1 to 16")
        try require(maximumBytes >= 0, "maximumBytes", Double(maximumBytes), "0 or more")
        let area = minimumComponentSquareMetres
        try require(area >= 0 && area.isFinite, "minimumComponentSquareMetres", area, "0 or more")
        try depthLimits.validate()
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
