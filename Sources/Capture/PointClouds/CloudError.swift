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
