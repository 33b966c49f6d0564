package import PointClouds

/// The word for an outlier filter on the command line and in profiles.
package enum OutlierChoice: String, Sendable, Hashable, CaseIterable {
    case neighbours
    case radius
    case off

    /// A radius that reaches about as far as the 27 voxels around a point do.
    private static let radiusInVoxels = 1.75

    /// The filter that the word means.
    ///
    /// - Parameters:
    ///   - minimum: neighbours that a point needs; 3 by default.
    ///   - sizeMetres: the size of the neighbourhood's voxels; that of the voxel grid by default.
    package func filter(
        minimum: Int?,
        sizeMetres: Double?,
        _ parameters: CloudParameters
    ) -> CloudParameters.OutlierFilter {
        switch self {
        case .off: return .off
        case .neighbours: return .neighbours(minimum: minimum ?? 3, voxelSizeMetres: sizeMetres)
        case .radius:
            let grid = parameters.voxelSizeMetres.flatMap { $0 > 0 ? $0 : nil }
            return .radius(metres: Self.radiusInVoxels * (sizeMetres ?? grid ?? 0.1), minimum: minimum ?? 3)
        }
    }
}
