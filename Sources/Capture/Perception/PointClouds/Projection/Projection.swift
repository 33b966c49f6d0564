import Recording

/// How the pixels of a depth grid become points: `depth * (columnAxis * slope[column] + rowTerm[row]) + translation`.
///
/// Depth is measured along the optical axis. The three axes are lanes 0 to 2, lane 3 is 0. Every implementation does
/// these operations in this order and in single precision, so that all give bit-identical points.
struct Projection {
    var columnAxis: SIMD4<Float>
    var translation: SIMD4<Float>
    /// x / z of each column in the camera's axes, 0 in the padding.
    var slopes: UnsafePointer<Float>
    var rowTerms: UnsafePointer<SIMD4<Float>>

    @inline(__always)
    func point(depth: Float, column: Int, row: Int) -> SIMD4<Float> {
        (columnAxis * slopes[column] + rowTerms[row]) * depth + translation
    }

    /// The point of a pixel of the rows that the tables were made for.
    @inline(__always)
    func point(_ tag: UInt32, _ rows: DepthRows) -> SIMD4<Float> {
        let column = PixelTag.column(tag)
        let row = PixelTag.row(tag)
        return point(depth: rows.depth[row &* rows.paddedWidth &+ column], column: column, row: row)
    }
}

/// A pixel of a depth grid in 32 bits.
enum PixelTag {
    @inline(__always)
    static func tag(column: Int, row: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: row) &<< 16 | UInt32(truncatingIfNeeded: column)
    }

    @inline(__always)
    static func column(_ tag: UInt32) -> Int { Int(tag & 0xFFFF) }

    @inline(__always)
    static func row(_ tag: UInt32) -> Int { Int(tag &>> 16) }
}

/// Makes the tables of `Projection`.
final class ProjectionTables {
    private let slopes = Scratch<Float>()
    private let rowTerms = Scratch<SIMD4<Float>>()

    /// The projection of rows that were taken from a grid of the given size, each `stride`-th row and column.
    ///
    /// - Parameters:
    ///   - camera: for the whole depth grid, whose pixels are at whole numbers.
    ///   - targetFromCamera: from camera axes (x right, y up, z backward).
    func projection(
        rows: DepthRows,
        camera: CameraIntrinsics,
        targetFromCamera: Transform,
        parameters: CloudParameters
    ) -> Projection {
        let (right, up, back) = targetFromCamera.rotation.columns
        let slopes = slopes.reserve(rows.paddedWidth)
        slopes.update(repeating: 0, count: rows.paddedWidth)
        for column in 0..<rows.columns {
            let x = Double(column * parameters.stride)
            slopes[column] = Float((x - camera.cx) / camera.fx)
        }
        let terms = rowTerms.reserve(rows.rows)
        for row in 0..<rows.rows {
            let y = Double(row * parameters.stride)
            terms[row] = lanes(up * ((camera.cy - y) / camera.fy) - back)
        }
        return Projection(
            columnAxis: lanes(right),
            translation: lanes(targetFromCamera.translation),
            slopes: UnsafePointer(slopes),
            rowTerms: UnsafePointer(terms)
        )
    }
}

private func lanes(_ vector: Vector3) -> SIMD4<Float> {
    SIMD4(Float(vector.x), Float(vector.y), Float(vector.z), 0)
}

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

    /// True if no point can be out of range, so that distances need not be looked at.
    func isInRange(_ parameters: CloudParameters) -> Bool {
        guard let metres = parameters.maximumRangeMetres else { return true }
        guard parameters.rangeCentre == .sensor else { return false }
        return Double(reachMetres) * 1.001 < metres
    }
}
