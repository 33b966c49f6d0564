/// Where in the world a brick grid lies.
struct BrickPlace {
    var grid: BrickGrid
    /// The voxel coordinates of its place 0.
    var base: SIMD4<Int32>
    var inverseSize: Float
}

/// The stages of a cloud that the brick grid does, with the memory they need.
final class BrickStages {
    private let keyMemory = Scratch<UInt32>()
    private let pixelMemory = Scratch<UInt32>()
    private let rowMemory = RowMemory()
    /// Made when first needed; 16 MB of address space.
    private var grid: BrickGrid?

    /// A brick grid around a box of voxels of a size, or `nil` where the box is too large.
    func place(_ box: FrustumBox, sizeMetres: Double) -> BrickPlace? {
        let inverseSize = 1 / Float(sizeMetres)
        // Rounding moves points by far less than these two voxels, which neighbours need anyway.
        let base = floorIndices(box.minimum * inverseSize) &- 2
        let top = floorIndices(box.maximum * inverseSize) &+ 2
        let extent = top &- base
        guard max(extent.x, extent.y, extent.z) < Int32(BrickGrid.places) else { return nil }
        if grid == nil { grid = BrickGrid() }
        return grid.map { BrickPlace(grid: $0, base: base, inverseSize: inverseSize) }
    }

    /// The first valid pixel of each voxel that has enough neighbours, in row-major order.
    ///
    /// The pixels are valid until the next call. Counts what the limits, the edge filter and the voxel grid dropped, and
    /// not yet what the neighbours did.
    func pixels(
        _ rows: DepthRows,
        _ projection: Projection,
        _ parameters: CloudParameters,
        _ place: BrickPlace,
        minimumNeighbours: Int,
        counts: inout CloudCounts
    ) -> UnsafeMutableBufferPointer<UInt32> {
        let keys = keyMemory.reserve(rows.paddedCount + 1)
        let pixels = pixelMemory.reserve(rows.paddedCount + 1)
        let insertion = BrickInsertion(
            rows: rows,
            projection: projection,
            limits: PixelLimits(parameters),
            inverseVoxelSize: place.inverseSize,
            base: place.base
        )
        let voxels = insertion.run(
            words: place.grid.words,
            keys: keys,
            pixels: pixels,
            memory: rowMemory,
            counts: &counts
        )
        var count = voxels
        if minimumNeighbours > 0 {
            count = place.grid.keepNeighboured(pixels: pixels, keys: keys, count: voxels, minimum: minimumNeighbours)
        }
        place.grid.clear(keys, count: voxels)
        return UnsafeMutableBufferPointer(start: pixels, count: count)
    }

    /// The outlier filter on pixels that a finer grid left, in place; returns the number of pixels left.
    func keepNeighboured(
        _ pixels: UnsafeMutableBufferPointer<UInt32>,
        _ rows: DepthRows,
        _ projection: Projection,
        _ place: BrickPlace,
        minimum: Int
    ) -> Int {
        guard let start = pixels.baseAddress else { return 0 }
        let keys = keyMemory.reserve(pixels.count)
        for index in 0..<pixels.count {
            let point = projection.point(start[index], rows)
            keys[index] = BrickKey.key(floorIndices(point * place.inverseSize) &- place.base)
        }
        place.grid.occupy(keys, count: pixels.count)
        let kept = place.grid.keepNeighbouredRuns(pixels: start, keys: keys, count: pixels.count, minimum: minimum)
        place.grid.clear(keys, count: pixels.count)
        return kept
    }

    /// The outlier filter on points that are in no brick grid yet; returns the number of points left.
    func keepNeighboured(
        _ points: UnsafeMutablePointer<SIMD4<Float>>,
        count: Int,
        _ place: BrickPlace,
        minimum: Int
    ) -> Int {
        let keys = keyMemory.reserve(count)
        let indices = pixelMemory.reserve(count)
        for index in 0..<count {
            keys[index] = BrickKey.key(floorIndices(points[index] * place.inverseSize) &- place.base)
            indices[index] = UInt32(truncatingIfNeeded: index)
        }
        place.grid.occupy(keys, count: count)
        let kept = place.grid.keepNeighbouredRuns(pixels: indices, keys: keys, count: count, minimum: minimum)
        place.grid.clear(keys, count: count)
        for index in 0..<kept { points[index] = points[Int(indices[index])] }
        return kept
    }
}
