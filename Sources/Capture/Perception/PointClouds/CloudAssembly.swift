/// The recipe from a projected grid to a packed cloud, and the choice between the fast and the general way.
final class CloudAssembly {
    private let bricks = BrickStages()
    private let stages = PointStages()
    private let pointMemory = Scratch<SIMD4<Float>>()

    /// The cloud of the rows' valid pixels.
    func cloud(
        _ rows: DepthRows,
        _ projection: Projection,
        _ colours: ColourTable?,
        _ parameters: CloudParameters
    ) throws(CloudError) -> PointCloud {
        let box = FrustumBox(projection, rows: rows, parameters: parameters)
        try box.checkRange(parameters)
        var counts = CloudCounts(pixels: rows.columns * rows.rows)
        if let place = firstPointGrid(box, parameters) {
            return brickCloud(rows, projection, colours, parameters, box, place, &counts)
        }
        let points = pointMemory.reserve(rows.paddedCount + 1)
        var count = projectAll(rows, projection, parameters, points, &counts)
        let averages = parameters.gridSizeMetres != nil && parameters.voxelPoint == .centroid
        if averages { paint(points, count, colours) }
        if let size = parameters.gridSizeMetres {
            count =
                averages
                ? stages.keepCentroid(points, count: count, sizeMetres: Float(size))
                : stages.keepFirst(points, count: count, sizeMetres: Float(size))
            counts.keep(count, after: .voxel)
        }
        count = removeDistant(points, count, projection, parameters, box, &counts)
        count = removeOutliers(points, count, parameters, box, &counts)
        if !averages { paint(points, count, colours) }
        return pack(points, count, counts)
    }

    /// The brick grid for the first points of voxels, or `nil` where the voxels do not fit or are averaged.
    private func firstPointGrid(_ box: FrustumBox, _ parameters: CloudParameters) -> BrickPlace? {
        guard let size = parameters.gridSizeMetres, parameters.voxelPoint == .first else { return nil }
        return bricks.place(box, sizeMetres: size)
    }

    /// The first points of voxels by way of the brick grid.
    private func brickCloud(
        _ rows: DepthRows,
        _ projection: Projection,
        _ colours: ColourTable?,
        _ parameters: CloudParameters,
        _ box: FrustumBox,
        _ place: BrickPlace,
        _ counts: inout CloudCounts
    ) -> PointCloud {
        let isInRange = box.isInRange(parameters)
        let inGrid = isInRange ? neighboursInGrid(parameters) : nil
        let pixels = bricks.pixels(rows, projection, parameters, place, minimumNeighbours: inGrid ?? 0, counts: &counts)
        if inGrid != nil {
            counts.keep(pixels.count, after: .outlier)
            return pack(UnsafeBufferPointer(pixels), rows, projection, colours, counts)
        }
        if isInRange, let (minimum, coarser) = neighboursInCoarserGrid(box, parameters) {
            let count = bricks.keepNeighboured(pixels, rows, projection, coarser, minimum: minimum)
            counts.keep(count, after: .outlier)
            return pack(UnsafeBufferPointer(rebasing: pixels[..<count]), rows, projection, colours, counts)
        }
        let points = pointMemory.reserve(pixels.count)
        for (index, tag) in pixels.enumerated() {
            points[index] = projection.point(tag, rows)
            points[index].w = Float(bitPattern: tag)
        }
        var count = removeDistant(points, pixels.count, projection, parameters, box, &counts)
        count = removeOutliers(points, count, parameters, box, &counts)
        paint(points, count, colours)
        return pack(points, count, counts)
    }

    /// The neighbours that a voxel needs, where the outlier filter works on the voxel grid itself; 0 where it is off.
    private func neighboursInGrid(_ parameters: CloudParameters) -> Int? {
        switch parameters.outlierFilter {
        case .off: 0
        case .neighbours(let minimum, _):
            parameters.neighbourhoodSizeMetres == parameters.gridSizeMetres ? minimum : nil
        case .radius: nil
        }
    }

    /// The neighbours that a point needs in a brick grid for the outlier filter alone, and that grid.
    private func neighboursInCoarserGrid(
        _ box: FrustumBox,
        _ parameters: CloudParameters
    ) -> (minimum: Int, place: BrickPlace)? {
        guard case .neighbours(let minimum, _) = parameters.outlierFilter,
            let size = parameters.neighbourhoodSizeMetres,
            let place = bricks.place(box, sizeMetres: size)
        else { return nil }
        return (minimum, place)
    }

    /// Keeps the points in range; returns their number.
    private func removeDistant(
        _ points: UnsafeMutablePointer<SIMD4<Float>>,
        _ start: Int,
        _ projection: Projection,
        _ parameters: CloudParameters,
        _ box: FrustumBox,
        _ counts: inout CloudCounts
    ) -> Int {
        guard let metres = parameters.maximumRangeMetres, !box.isInRange(parameters) else { return start }
        let centre = parameters.rangeCentre == .sensor ? projection.translation : .zero
        let count = stages.keepWithin(points, count: start, metres: Float(metres), of: centre)
        counts.keep(count, after: .range)
        return count
    }

    /// Keeps the points with enough neighbours; returns their number.
    private func removeOutliers(
        _ points: UnsafeMutablePointer<SIMD4<Float>>,
        _ start: Int,
        _ parameters: CloudParameters,
        _ box: FrustumBox,
        _ counts: inout CloudCounts
    ) -> Int {
        var count = start
        switch parameters.outlierFilter {
        case .off: break
        case .neighbours(let minimum, _):
            guard let size = parameters.neighbourhoodSizeMetres else { break }
            if let place = bricks.place(box, sizeMetres: size) {
                count = bricks.keepNeighboured(points, count: start, place, minimum: minimum)
            } else {
                count = stages.keepNeighboured(points, count: start, sizeMetres: Float(size), minimum: minimum)
            }
        case .radius(_, let minimum):
            guard let metres = parameters.outlierRadiusMetres else { break }
            count = stages.keepWithNeighboursInRadius(points, count: start, metres: metres, minimum: minimum)
        }
        counts.keep(count, after: .outlier)
        return count
    }

    /// All valid pixels as points that carry their pixel.
    private func projectAll(
        _ rows: DepthRows,
        _ projection: Projection,
        _ parameters: CloudParameters,
        _ points: UnsafeMutablePointer<SIMD4<Float>>,
        _ counts: inout CloudCounts
    ) -> Int {
        let nearest = Float(parameters.minimumDepthMetres)
        let farthest = Float(parameters.maximumDepthMetres)
        let leastConfidence = parameters.minimumConfidence
        var inside = 0
        var confident = 0
        var count = 0
        for row in 0..<rows.rows {
            let depths = rows.depth + row &* rows.paddedWidth
            let measured = rows.measured + row &* rows.paddedWidth
            let confidences = rows.confidence + row &* rows.confidenceStride
            for column in 0..<rows.columns {
                guard measured[column] > nearest && measured[column] < farthest else { continue }
                inside &+= 1
                guard confidences[column] >= leastConfidence else { continue }
                confident &+= 1
                let depth = depths[column]
                // What the edge filter dropped.
                if depth == 0 { continue }
                var point = projection.point(depth: depth, column: column, row: row)
                point.w = Float(bitPattern: PixelTag.tag(column: column, row: row))
                points[count] = point
                count &+= 1
            }
        }
        counts.keep(inside, after: .depth)
        counts.keep(confident, after: .confidence)
        counts.keep(count, after: .edge)
        return count
    }

    /// Replaces the pixel that each point carries by its colour.
    private func paint(_ points: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int, _ colours: ColourTable?) {
        for index in 0..<count {
            let tag = points[index].w.bitPattern
            points[index].w = Float(bitPattern: colours?.colour(tag) ?? ColourTable.white)
        }
    }

    private func pack(_ points: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int, _ counts: CloudCounts) -> PointCloud {
        let bytes = UnsafeRawBufferPointer(start: points, count: count * PointCloud.bytesPerPoint)
        return PointCloud(count: count, packed: [UInt8](bytes), counts: counts)
    }

    /// Projects the remaining pixels once more, which is cheaper than to have kept all their coordinates.
    private func pack(
        _ pixels: UnsafeBufferPointer<UInt32>,
        _ rows: DepthRows,
        _ projection: Projection,
        _ colours: ColourTable?,
        _ counts: CloudCounts
    ) -> PointCloud {
        let size = pixels.count * PointCloud.bytesPerPoint
        let packed = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            guard let target = UnsafeMutableRawPointer(buffer.baseAddress) else { return }
            for index in 0..<pixels.count {
                let tag = pixels[index]
                var point = projection.point(tag, rows)
                point.w = Float(bitPattern: colours?.colour(tag) ?? ColourTable.white)
                target.storeBytes(of: point, toByteOffset: index &* 16, as: SIMD4<Float>.self)
            }
            initialized = size
        }
        return PointCloud(count: pixels.count, packed: packed, counts: counts)
    }
}
