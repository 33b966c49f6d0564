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

/// Projects a depth grid and keeps the first pixel of each voxel.
///
/// Row by row in two passes: the first computes the keys of a row with vectors, the second adds to the bit set what is
/// not in the same voxel as the pixel to the left or above, which on a surface is a small part.
struct BrickInsertion {
    var rows: DepthRows
    var projection: Projection
    var limits: PixelLimits
    var inverseVoxelSize: Float
    /// The voxel coordinates that the grid's place 0 stands for.
    var base: SIMD4<Int32>

    /// Occupies the voxels of all valid pixels; writes the key and the pixel of each voxel's first one, in pixel order.
    ///
    /// `keys` and `pixels` have room for one more than all pixels. Returns the number of voxels.
    func run(
        words: UnsafeMutablePointer<UInt64>,
        keys: UnsafeMutablePointer<UInt32>,
        pixels: UnsafeMutablePointer<UInt32>,
        memory: RowMemory,
        counts: inout CloudCounts
    ) -> Int {
        var (above, here) = memory.reserve(width: rows.paddedWidth)
        var tally = PixelTally()
        var count = 0
        for row in 0..<rows.rows {
            if rows.isEdgeFiltered {
                writeKeys(row, to: here, isEdgeFiltered: true, &tally)
            } else {
                writeKeys(row, to: here, isEdgeFiltered: false, &tally)
            }
            count = insert(row, here, above, words, keys + count, pixels + count) &+ count
            swap(&above, &here)
        }
        tally.note(in: &counts)
        counts.keep(count, after: .voxel)
        return count
    }

    /// The voxel of each pixel of a row, and whether the pixel is valid.
    @inline(__always)
    private func writeKeys(_ row: Int, to output: KeyRow, isEdgeFiltered: Bool, _ tally: inout PixelTally) {
        let baseX = Integers(repeating: base.x &+ roundingMagicBits)
        let baseY = Integers(repeating: base.y &+ roundingMagicBits)
        let baseZ = Integers(repeating: base.z &+ roundingMagicBits)
        let depths = rows.depth + row &* rows.paddedWidth
        let measured = rows.measured + row &* rows.paddedWidth
        let confidences = UnsafeRawPointer(rows.confidence + row &* rows.confidenceStride)
        let term = projection.rowTerms[row]
        let axis = projection.columnAxis
        let origin = projection.translation
        let keys = UnsafeMutableRawPointer(output.keys)
        let valid = UnsafeMutableRawPointer(output.isValid)
        var column = 0
        while column < rows.paddedWidth {
            // In parts, so that the counts of the bytes hold.
            let end = min(column &+ PixelFlags.pixelsPerSum, rows.paddedWidth)
            var inside = PixelFlags()
            var confident = PixelFlags()
            var used = PixelFlags()
            while column < end {
                let depth = load(depths + column)
                let confidence = confidences.loadUnaligned(fromByteOffset: column, as: UInt64.self)
                let isInside = limits.depthFlags(isEdgeFiltered ? load(measured + column) : depth)
                let isConfident = isInside & limits.confidenceFlags(confidence)
                let isUsed = isEdgeFiltered ? isConfident & ~laneBytes(isZero(depth)) : isConfident
                inside.add(isInside)
                confident.add(isConfident)
                if isEdgeFiltered { used.add(isUsed) }
                let slope = load(projection.slopes + column)
                let x = (slope * axis.x + term.x) * depth + origin.x
                let y = (slope * axis.y + term.y) * depth + origin.y
                let z = (slope * axis.z + term.z) * depth + origin.z
                let key = BrickKey.keys(
                    floorIndices(x * inverseVoxelSize, base: baseX),
                    floorIndices(y * inverseVoxelSize, base: baseY),
                    floorIndices(z * inverseVoxelSize, base: baseZ)
                )
                keys.storeBytes(of: key, toByteOffset: column &* 4, as: Integers.self)
                valid.storeBytes(of: isUsed, toByteOffset: column, as: UInt64.self)
                column &+= 8
            }
            tally.add(inside: inside, confident: confident, used: isEdgeFiltered ? used : confident)
        }
    }

    /// Occupies the voxels of a row; returns how many were free.
    @inline(__always)
    private func insert(
        _ row: Int,
        _ here: KeyRow,
        _ above: KeyRow,
        _ words: UnsafeMutablePointer<UInt64>,
        _ keys: UnsafeMutablePointer<UInt32>,
        _ pixels: UnsafeMutablePointer<UInt32>
    ) -> Int {
        let rowBits = UInt32(truncatingIfNeeded: row) &<< 16
        var count = 0
        var column = 0
        while column < rows.paddedWidth {
            let key = here.key(column)
            let repeatsLeft = laneBytes(bits(key .== here.key(column &- 1))) & here.valid(column &- 1)
            let repeatsAbove = laneBytes(bits(key .== above.key(column))) & above.valid(column)
            // The lowest bit of each byte stands for a pixel.
            var candidates = here.valid(column) & ~(repeatsLeft | repeatsAbove) & 0x0101_0101_0101_0101
            while candidates != 0 {
                let pixel = column &+ candidates.trailingZeroBitCount &>> 3
                candidates &= candidates &- 1
                let key = here.keys[pixel]
                let place = Int(key &>> 6)
                let word = words[place]
                let shift = UInt64(key & 63)
                words[place] = word | 1 &<< shift
                keys[count] = key
                pixels[count] = rowBits | UInt32(truncatingIfNeeded: pixel)
                count &+= Int(truncatingIfNeeded: ~(word &>> shift) & 1)
            }
            column &+= 8
        }
        return count
    }
}

/// The keys of one row, and for each pixel a byte that is 1 where it is valid; both may be read one place before the start.
struct KeyRow {
    var keys: UnsafeMutablePointer<UInt32>
    var isValid: UnsafeMutablePointer<UInt8>

    @inline(__always)
    func key(_ column: Int) -> Integers {
        UnsafeRawPointer(keys + column).loadUnaligned(as: Integers.self)
    }

    @inline(__always)
    func valid(_ column: Int) -> UInt64 {
        UnsafeRawPointer(isValid + column).loadUnaligned(as: UInt64.self)
    }
}

/// Memory for two rows of keys.
final class RowMemory {
    private let keys = Scratch<UInt32>()
    private let valid = Scratch<UInt8>()

    /// Two rows without any valid pixel.
    func reserve(width: Int) -> (KeyRow, KeyRow) {
        let stride = width + 8
        let keys = keys.reserve(2 * stride)
        let valid = valid.reserve(2 * stride)
        keys.update(repeating: 0, count: 2 * stride)
        valid.update(repeating: 0, count: 2 * stride)
        return (
            KeyRow(keys: keys + 8, isValid: valid + 8),
            KeyRow(keys: keys + stride + 8, isValid: valid + stride + 8)
        )
    }
}
