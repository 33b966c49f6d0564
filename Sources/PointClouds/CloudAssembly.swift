/// The recipe from a projected grid to a packed cloud, and the choice between the fast and the general way.
final class CloudAssembly {
    private let stages = PointStages()
    private let pointMemory = Scratch<SIMD4<Float>>()
    private let keyMemory = Scratch<UInt32>()
    private let pixelMemory = Scratch<UInt32>()
    private let rowMemory = RowMemory()
    /// Made when first needed; 16 MB of address space.
    private var bricks: BrickGrid?

    /// The cloud of the rows' valid pixels.
    func cloud(
        _ rows: DepthRows,
        _ projection: Projection,
        _ colours: ColourTable?,
        _ parameters: CloudParameters
    ) throws(CloudError) -> PointCloud {
        let box = frustum(rows, projection, parameters)
        try checkRange(box, parameters)
        if let fast = brickCloud(rows, projection, colours, parameters, box) { return fast }
        let points = pointMemory.reserve(rows.paddedCount + 1)
        var count = projectAll(rows, projection, parameters, points)
        let averages = parameters.gridSizeMetres != nil && parameters.voxelPoint == .centroid
        if averages { paint(points, count, colours) }
        if let size = parameters.gridSizeMetres {
            count =
                averages
                ? stages.keepCentroid(points, count: count, sizeMetres: Float(size))
                : stages.keepFirst(points, count: count, sizeMetres: Float(size))
        }
        count = removeFarAndLonely(points, count, projection, parameters, box)
        if !averages { paint(points, count, colours) }
        return pack(points, count)
    }

    // MARK: The general way

    private func removeFarAndLonely(
        _ points: UnsafeMutablePointer<SIMD4<Float>>,
        _ start: Int,
        _ projection: Projection,
        _ parameters: CloudParameters,
        _ box: FrustumBox
    ) -> Int {
        var count = start
        if let metres = parameters.boundingBoxMetres, !isInside(box, parameters) {
            let centre = parameters.boundingBoxCentre == .sensor ? projection.translation : .zero
            count = stages.keepWithin(points, count: count, metres: Float(metres), of: centre)
        }
        switch parameters.outlierFilter {
        case .off: break
        case .neighbours(let minimum, _):
            let size = parameters.neighbourhoodSizeMetres ?? 0.10
            if let place = brickPlace(box, size) {
                count = keepNeighboured(points, count, place, minimum)
            } else {
                count = stages.keepNeighboured(points, count: count, sizeMetres: Float(size), minimum: minimum)
            }
        case .radius(let metres, let minimum):
            count = stages.keepWithNeighboursInRadius(points, count: count, metres: metres, minimum: minimum)
        }
        return count
    }

    /// All valid pixels as points that carry their pixel.
    private func projectAll(
        _ rows: DepthRows,
        _ projection: Projection,
        _ parameters: CloudParameters,
        _ points: UnsafeMutablePointer<SIMD4<Float>>
    ) -> Int {
        let nearest = Float(parameters.minimumDepthMetres)
        let farthest = Float(parameters.maximumDepthMetres)
        let leastConfidence = parameters.minimumConfidence
        var count = 0
        for row in 0..<rows.rows {
            let depths = rows.depth + row &* rows.paddedWidth
            let confidences = rows.confidence + row &* rows.confidenceStride
            for column in 0..<rows.columns {
                let depth = depths[column]
                guard depth > nearest && depth < farthest && confidences[column] >= leastConfidence else { continue }
                var point = projection.point(depth: depth, column: column, row: row)
                point.w = Float(bitPattern: PixelTag.tag(column: column, row: row))
                points[count] = point
                count &+= 1
            }
        }
        return count
    }

    /// Replaces the pixel that each point carries by its colour.
    private func paint(_ points: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int, _ colours: ColourTable?) {
        for index in 0..<count {
            let tag = points[index].w.bitPattern
            let colour = colours?.colour(column: PixelTag.column(tag), row: PixelTag.row(tag)) ?? PixelTag.white
            points[index].w = Float(bitPattern: colour)
        }
    }

    private func pack(_ points: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int) -> PointCloud {
        let bytes = UnsafeRawBufferPointer(start: points, count: count * PointCloud.bytesPerPoint)
        return PointCloud(count: count, packed: [UInt8](bytes))
    }

    // MARK: The fast way

    /// The cloud by way of the brick grid, or `nil` where that does not serve.
    private func brickCloud(
        _ rows: DepthRows,
        _ projection: Projection,
        _ colours: ColourTable?,
        _ parameters: CloudParameters,
        _ box: FrustumBox
    ) -> PointCloud? {
        guard let size = parameters.gridSizeMetres, parameters.voxelPoint == .first else { return nil }
        guard let place = brickPlace(box, size) else { return nil }
        let bricks = place.grid
        let keys = keyMemory.reserve(rows.paddedCount + 1)
        let pixels = pixelMemory.reserve(rows.paddedCount + 1)
        let insertion = BrickInsertion(
            rows: rows,
            projection: projection,
            limits: PixelLimits(parameters),
            inverseVoxelSize: place.inverseSize,
            base: place.base
        )
        let voxels = insertion.run(words: bricks.words, keys: keys, pixels: pixels, memory: rowMemory)
        if isInside(box, parameters), let minimum = neighboursInGrid(parameters, size) {
            let count = bricks.keepNeighboured(pixels: pixels, keys: keys, count: voxels, minimum: minimum)
            bricks.clear(keys, count: voxels)
            return packPixels(pixels, count, rows, projection, colours)
        }
        bricks.clear(keys, count: voxels)
        let points = pointMemory.reserve(voxels)
        for index in 0..<voxels {
            let tag = pixels[index]
            points[index] = point(tag, rows, projection)
            points[index].w = Float(bitPattern: tag)
        }
        let count = removeFarAndLonely(points, voxels, projection, parameters, box)
        paint(points, count, colours)
        return pack(points, count)
    }

    /// A brick grid around a box of voxels of a size, or `nil` where the box is too large.
    private func brickPlace(_ box: FrustumBox, _ sizeMetres: Double) -> BrickPlace? {
        let inverseSize = 1 / Float(sizeMetres)
        // Rounding moves points by far less than these two voxels, which neighbours need anyway.
        let base = floorIndices(box.minimum * inverseSize) &- 2
        let top = floorIndices(box.maximum * inverseSize) &+ 2
        let extent = top &- base
        guard max(extent.x, extent.y, extent.z) < Int32(BrickGrid.places) else { return nil }
        if bricks == nil { bricks = BrickGrid() }
        return bricks.map { BrickPlace(grid: $0, base: base, inverseSize: inverseSize) }
    }

    /// The outlier filter on points that are in no brick grid yet.
    private func keepNeighboured(
        _ points: UnsafeMutablePointer<SIMD4<Float>>,
        _ count: Int,
        _ place: BrickPlace,
        _ minimum: Int
    ) -> Int {
        let keys = keyMemory.reserve(count)
        let indices = pixelMemory.reserve(count)
        for index in 0..<count {
            keys[index] = BrickKey.key(floorIndices(points[index] * place.inverseSize) &- place.base)
            indices[index] = UInt32(truncatingIfNeeded: index)
        }
        place.grid.occupy(keys, count: count)
        let kept = place.grid.keepNeighboured(pixels: indices, keys: keys, count: count, minimum: minimum)
        place.grid.clear(keys, count: count)
        for index in 0..<kept { points[index] = points[Int(indices[index])] }
        return kept
    }

    /// The neighbours that a voxel needs, where the outlier filter works on the voxel grid itself; 0 where it is off.
    private func neighboursInGrid(_ parameters: CloudParameters, _ size: Double) -> Int? {
        switch parameters.outlierFilter {
        case .off: 0
        case .neighbours(let minimum, _): parameters.neighbourhoodSizeMetres == size ? minimum : nil
        case .radius: nil
        }
    }

    /// Projects the remaining pixels once more, which is cheaper than to have kept all their coordinates.
    private func packPixels(
        _ pixels: UnsafePointer<UInt32>,
        _ count: Int,
        _ rows: DepthRows,
        _ projection: Projection,
        _ colours: ColourTable?
    ) -> PointCloud {
        let size = count * PointCloud.bytesPerPoint
        let packed = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            guard let target = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
            for index in 0..<count {
                let tag = pixels[index]
                var point = point(tag, rows, projection)
                let colour = colours?.colour(column: PixelTag.column(tag), row: PixelTag.row(tag)) ?? PixelTag.white
                point.w = Float(bitPattern: colour)
                target.storeBytes(of: point, toByteOffset: index &* 16, as: SIMD4<Float>.self)
            }
            initialized = size
        }
        return PointCloud(count: count, packed: packed)
    }

    @inline(__always)
    private func point(_ tag: UInt32, _ rows: DepthRows, _ projection: Projection) -> SIMD4<Float> {
        let column = PixelTag.column(tag)
        let row = PixelTag.row(tag)
        return projection.point(depth: rows.depth[row &* rows.paddedWidth &+ column], column: column, row: row)
    }

    // MARK: Range

    /// The box around all points: to the depth limit, or to the largest depth there is where that limit is far away.
    private func frustum(_ rows: DepthRows, _ projection: Projection, _ parameters: CloudParameters) -> FrustumBox {
        let limit = Float(parameters.maximumDepthMetres)
        if limit <= 10 { return FrustumBox(projection, rows: rows, depth: limit) }
        var largest: Float = 0
        for index in 0..<rows.paddedCount {
            let depth = rows.depth[index]
            if depth < limit && depth > largest { largest = depth }
        }
        return FrustumBox(projection, rows: rows, depth: largest)
    }

    /// Throws where a voxel grid or a neighbourhood would have too large numbers.
    private func checkRange(_ box: FrustumBox, _ parameters: CloudParameters) throws(CloudError) {
        var sizes: [Double] = []
        if let size = parameters.gridSizeMetres { sizes.append(size) }
        if let size = parameters.neighbourhoodSizeMetres { sizes.append(size) }
        if case .radius(let metres, _) = parameters.outlierFilter { sizes.append(metres) }
        for size in sizes {
            guard Double(box.magnitude) / size < Double(GridLimits.maximumIndex) else {
                throw .voxelOverflow(sizeMetres: size, coordinateMetres: Double(box.magnitude))
            }
        }
    }

    /// Whether no point can be outside the bounding box, so that it need not be looked at.
    private func isInside(_ box: FrustumBox, _ parameters: CloudParameters) -> Bool {
        guard let metres = parameters.boundingBoxMetres else { return true }
        guard parameters.boundingBoxCentre == .sensor else { return false }
        return Double(box.reachMetres) * 1.001 < metres
    }
}

/// Where in the world a brick grid lies.
private struct BrickPlace {
    var grid: BrickGrid
    /// The voxel coordinates of its place 0.
    var base: SIMD4<Int32>
    var inverseSize: Float
}

/// A pixel of a depth grid in 32 bits.
enum PixelTag {
    static let white: UInt32 = 0xFF_FFFF

    @inline(__always)
    static func tag(column: Int, row: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: row) &<< 16 | UInt32(truncatingIfNeeded: column)
    }

    @inline(__always)
    static func column(_ tag: UInt32) -> Int { Int(tag & 0xFFFF) }

    @inline(__always)
    static func row(_ tag: UInt32) -> Int { Int(tag &>> 16) }
}
