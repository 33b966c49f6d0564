/// The box around all that a camera sees up to a depth, in the target's axes.
struct FrustumBox {
    var minimum: SIMD4<Float>
    var maximum: SIMD4<Float>
    /// The longest ray, in metres.
    var reachMetres: Float

    init(_ projection: Projection, rows: DepthRows, depth: Float) {
        var minimum = projection.translation
        var maximum = projection.translation
        var reach: Float = 0
        for row in [0, rows.rows - 1] {
            for column in [0, rows.columns - 1] {
                let corner = projection.point(depth: depth, column: column, row: row)
                for axis in 0..<3 {
                    minimum[axis] = min(minimum[axis], corner[axis])
                    maximum[axis] = max(maximum[axis], corner[axis])
                }
                let ray = corner - projection.translation
                reach = max(reach, (ray * ray).sum().squareRoot())
            }
        }
        self.minimum = minimum
        self.maximum = maximum
        reachMetres = reach
    }

    /// The largest distance of a coordinate from zero.
    var magnitude: Float {
        var largest: Float = 0
        for axis in 0..<3 { largest = max(largest, abs(minimum[axis]), abs(maximum[axis])) }
        return largest
    }

    /// The box to the depth limit, or to the largest depth there is where that limit is far away.
    init(_ projection: Projection, rows: DepthRows, parameters: CloudParameters) {
        let limit = Float(parameters.maximumDepthMetres)
        var depth = limit
        if limit > 10 {
            depth = 0
            for index in 0..<rows.paddedCount where rows.depth[index] < limit && rows.depth[index] > depth {
                depth = rows.depth[index]
            }
        }
        self.init(projection, rows: rows, depth: depth)
    }

    /// Throws where a voxel grid or a neighbourhood would have too large numbers.
    func checkRange(_ parameters: CloudParameters) throws(CloudError) {
        var sizes = [parameters.gridSizeMetres, parameters.neighbourhoodSizeMetres]
        sizes.append(parameters.outlierRadiusMetres)
        for case let size? in sizes {
            guard Double(magnitude) / size < Double(GridLimits.maximumIndex) else {
                throw .voxelOverflow(sizeMetres: size, coordinateMetres: Double(magnitude))
            }
        }
    }

    /// Whether no point can be out of range, so that distances need not be looked at.
    func isInRange(_ parameters: CloudParameters) -> Bool {
        guard let metres = parameters.maximumRangeMetres else { return true }
        guard parameters.rangeCentre == .sensor else { return false }
        return Double(reachMetres) * 1.001 < metres
    }
}
