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
        if let place = firstPointGrid(box, parameters) {
            return brickCloud(rows, projection, colours, parameters, box, place)
        }
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
        _ place: BrickPlace
    ) -> PointCloud {
        if box.isInside(parameters), let minimum = neighboursInGrid(parameters) {
            let pixels = bricks.pixels(rows, projection, parameters, place, minimumNeighbours: minimum)
            return pack(pixels, rows, projection, colours)
        }
        let pixels = bricks.pixels(rows, projection, parameters, place, minimumNeighbours: 0)
        let points = pointMemory.reserve(pixels.count)
        for (index, tag) in pixels.enumerated() {
            points[index] = projection.point(tag, rows)
            points[index].w = Float(bitPattern: tag)
        }
        let count = removeFarAndLonely(points, pixels.count, projection, parameters, box)
        paint(points, count, colours)
        return pack(points, count)
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

    private func removeFarAndLonely(
        _ points: UnsafeMutablePointer<SIMD4<Float>>,
        _ start: Int,
        _ projection: Projection,
        _ parameters: CloudParameters,
        _ box: FrustumBox
    ) -> Int {
        var count = start
        if let metres = parameters.boundingBoxMetres, !box.isInside(parameters) {
            let centre = parameters.boundingBoxCentre == .sensor ? projection.translation : .zero
            count = stages.keepWithin(points, count: count, metres: Float(metres), of: centre)
        }
        switch parameters.outlierFilter {
        case .off: return count
        case .neighbours(let minimum, _):
            let size = parameters.neighbourhoodSizeMetres ?? CloudParameters.defaultVoxelSizeMetres
            guard let place = bricks.place(box, sizeMetres: size) else {
                return stages.keepNeighboured(points, count: count, sizeMetres: Float(size), minimum: minimum)
            }
            return bricks.keepNeighboured(points, count: count, place, minimum: minimum)
        case .radius(let metres, let minimum):
            return stages.keepWithNeighboursInRadius(points, count: count, metres: metres, minimum: minimum)
        }
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
            points[index].w = Float(bitPattern: colours?.colour(tag) ?? ColourTable.white)
        }
    }

    private func pack(_ points: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int) -> PointCloud {
        let bytes = UnsafeRawBufferPointer(start: points, count: count * PointCloud.bytesPerPoint)
        return PointCloud(count: count, packed: [UInt8](bytes))
    }

    /// Projects the remaining pixels once more, which is cheaper than to have kept all their coordinates.
    private func pack(
        _ pixels: UnsafeBufferPointer<UInt32>,
        _ rows: DepthRows,
        _ projection: Projection,
        _ colours: ColourTable?
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
        return PointCloud(count: pixels.count, packed: packed)
    }
}
