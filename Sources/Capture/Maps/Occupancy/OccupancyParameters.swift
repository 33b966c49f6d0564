package import Perception

/// How frames become an occupancy volume, and a volume a map of the floor.
package struct OccupancyParameters: Sendable, Hashable {
    /// The edge of a cell, in metres.
    package var resolutionMetres = 0.05
    /// What is lower than this above the floor is no obstacle, in metres.
    package var minimumHeightMetres = 0.05
    /// What is higher than this above the floor is no obstacle, in metres.
    package var maximumHeightMetres = 1.8
    /// The bytes that blocks may take; beyond it none is added, and the frames that needed more are counted.
    package var maximumBytes = 2_000_000_000
    /// The most cells that a map of the floor may have.
    package var maximumMapCells = 250_000_000
    /// Which pixels count, as for clouds.
    package var depthLimits = CloudParameters()

    package init() {}

    /// Throws unless every number makes sense.
    package func validate() throws(CloudError) {
        let (low, high) = (minimumHeightMetres, maximumHeightMetres)
        try CloudError.require((0.005...1).contains(resolutionMetres), "resolution", resolutionMetres, "0.005 to 1")
        try CloudError.require((0...10).contains(low), "minimumHeightMetres", low, "0 to 10")
        try CloudError.require(high > low && high <= 100, "maximumHeightMetres", high, "above the minimum, up to 100")
        try CloudError.require(maximumBytes >= 0, "maximumBytes", Double(maximumBytes), "0 or more")
        try depthLimits.validate()
    }
}
