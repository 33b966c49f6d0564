import Recording

/// Fuses a frame into blocks: the running weighted mean of Curless and Levoy (1996) along the optical axis.
///
/// A voxel takes part if its pixel's depth is at most the truncation away from it. The weight is 1 / z^2, half of that
/// for medium confidence; from a voxel behind the surface on it falls to 0, so that thin things get no ghost on the
/// other side. What lies farther before the surface is free, which is a vote and no distance: it takes weight from
/// voxels that lie behind a surface, a part of what a sample gives, until nothing is left of them. So what is looked
/// through now and then stays, and what many later frames look through goes.
struct BlockIntegrator {
    private let frame: MapFrame
    private let projection: FieldProjection
    private let truncation: Float
    /// Distances within this take the surface's colour: at 70 degrees one end of an edge through it does.
    private let colourReach: Float
    /// The weight falls behind the surface over this part of the truncation.
    private let fallOff: Float
    private let lastColumn: Float
    private let lastRow: Float
    private let rowLength: Float

    /// One sample weighs no more than one at half a metre, whatever is nearer.
    static let largestSample: Float = 4
    static let nearestMetres: Float = 0.05
    /// The weight that a frame looking through takes away, as a part of that which a frame seeing a surface adds.
    ///
    /// A fabric that a fifth of the views look through keeps its weight; who was seen in a few frames is gone after four
    /// times as many.
    static let carvingPart: Float = 0.25
    private static let ramp = Floats(0, 1, 2, 3, 4, 5, 6, 7)

    init(_ frame: MapFrame, voxelMetres: Double, truncationVoxels: Double) {
        self.frame = frame
        projection = FieldProjection(frame, voxelMetres: voxelMetres)
        truncation = Float(voxelMetres * truncationVoxels)
        colourReach = Float(voxelMetres * min(1.5, truncationVoxels))
        fallOff = Float(truncationVoxels / max(1, truncationVoxels - 1))
        lastColumn = Float(frame.camera.width - 1)
        lastRow = Float(frame.camera.height - 1)
        rowLength = Float(frame.camera.width)
    }

    /// How a block lies in the view.
    private enum View { case outside, partial, inside }

    private func view(_ start: SIMD4<Float>) -> View {
        var low = SIMD4<Float>(repeating: .infinity)
        var high = -low
        var isBehind = false
        for corner in 0..<8 {
            var point = start
            if corner & 1 != 0 { point += projection.alongX * 7 }
            if corner & 2 != 0 { point += projection.alongY * 7 }
            if corner & 4 != 0 { point += projection.alongZ * 7 }
            if point.z <= Self.nearestMetres { isBehind = true }
            let inverse = 1 / point.z
            let place = point * inverse
            low = SIMD4(min(low.x, place.x), min(low.y, place.y), 0, 0)
            high = SIMD4(max(high.x, place.x), max(high.y, place.y), 0, 0)
        }
        if isBehind { return .partial }
        if high.x < -0.5 || high.y < -0.5 || low.x > lastColumn + 0.5 || low.y > lastRow + 0.5 { return .outside }
        // A little less than what rounds into the grid: the sums of steps have errors of their own.
        let isInside = low.x > -0.4 && low.y > -0.4 && high.x < lastColumn + 0.4 && high.y < lastRow + 0.4
        return isInside ? .inside : .partial
    }

    func integrate(
        _ key: BlockKey,
        into block: UnsafeMutablePointer<Int16>,
        _ depth: UnsafePointer<Float>,
        _ colours: UnsafePointer<UInt32>?
    ) {
        let start = projection.start(key)
        switch view(start) {
        case .outside: break
        case .partial: integrate(start, block, depth, colours, isInside: false)
        case .inside: integrate(start, block, depth, colours, isInside: true)
        }
    }

    /// Takes weight from the voxels of a block that the frame looks through.
    func carve(_ key: BlockKey, in block: UnsafeMutablePointer<Int16>, _ depth: UnsafePointer<Float>) {
        integrate(projection.start(key), block, depth, nil, isInside: false, isSeenThrough: true)
    }

    /// True if any of eight voxels lies behind a surface.
    @inline(__always)
    private func isNegative(_ values: UnsafePointer<Int16>) -> Bool {
        laneBits(signs(loadShorts(values + BlockLayout.distance))) != 0
    }

    @inline(__always)
    private func integrate(
        _ start: SIMD4<Float>,
        _ block: UnsafeMutablePointer<Int16>,
        _ depth: UnsafePointer<Float>,
        _ colours: UnsafePointer<UInt32>?,
        isInside: Bool,
        isSeenThrough: Bool = false
    ) {
        let acrossX = Self.ramp * projection.alongX.x
        let downX = Self.ramp * projection.alongX.y
        let depthX = Self.ramp * projection.alongX.z
        for line in 0..<64 {
            let y = Float(line & 7)
            let z = Float(line &>> 3)
            if isSeenThrough, !isNegative(block + line &* 8) { continue }
            let point = start + projection.alongY * y + projection.alongZ * z
            let metres = depthX + point.z
            let inverse = 1 / metres
            var column = rounded((acrossX + point.x) * inverse)
            var row = rounded((downX + point.y) * inverse)
            var seen = Integers(repeating: -1)
            if !isInside {
                seen = inGrid(column, lastColumn) & inGrid(row, lastRow) & bits(metres .> Self.nearestMetres)
                if laneBytes(seen) == 0 { continue }
                column = select(seen, column, Floats.zero)
                row = select(seen, row, Floats.zero)
            }
            let pixels = integers(row * rowLength + column)
            let measured = gather(depth, pixels)
            let distance = measured - metres
            seen &= bits(distance .> -truncation)
            // Only what lies behind a surface can be carved.
            let free = bits(distance .> truncation)
            seen &= ~free | Integers(truncatingIfNeeded: signs(loadShorts(block + BlockLayout.distance + line &* 8)))
            let lanes = laneBytes(seen)
            if lanes == 0 { continue }
            let weight = fuse(distance, measured, inverse, seen, free, block, line &* 8)
            guard let colours else { continue }
            let near = lanes & laneBytes(bits(distance .< colourReach) & bits(distance .> -colourReach))
            paint(near, pixels, weight, block, line &* 8, colours)
        }
    }

    /// Updates distances and weights of eight voxels, of which those in `free` lose weight; gives what the samples weigh.
    @inline(__always)
    private func fuse(
        _ distance: Floats,
        _ measured: Floats,
        _ inverse: Floats,
        _ seen: Integers,
        _ free: Integers,
        _ block: UnsafeMutablePointer<Int16>,
        _ first: Int
    ) -> Floats {
        let part = distance * (1 / truncation)
        let isSure = (unsafeBitCast(measured, to: Integers.self) &<< 31) &>> 31
        let confidence = select(isSure, Floats(repeating: 1), Floats(repeating: 0.5))
        let unbehind = smaller((part + 1) * fallOff, Floats(repeating: 1))
        let sample =
            smaller(confidence * inverse * inverse, Floats(repeating: Self.largestSample)) * unbehind
            * BlockLayout.weightUnit
        let values = block + first
        let oldDistance = loadShorts(values + BlockLayout.distance)
        let oldWeight = loadShorts(values + BlockLayout.weight)
        let before = floats(Integers(truncatingIfNeeded: oldWeight))
        let mean = floats(Integers(truncatingIfNeeded: oldDistance))
        let sum = before + select(free, sample * -Self.carvingPart, sample)
        let moved = mean + (part * BlockLayout.distanceUnit - mean) * (sample / sum)
        let weight = smaller(sum, Floats(repeating: BlockLayout.largestWeight))
        let newDistance = Shorts(truncatingIfNeeded: integers(select(free, mean, moved)))
        let newWeight = Shorts(truncatingIfNeeded: integers(weight))
        let changed = Shorts(truncatingIfNeeded: seen)
        // Without weight a voxel is as if it had never been seen.
        let carved = Shorts(truncatingIfNeeded: free) & changed & signs(newWeight &- 1)
        let kept = changed & ~carved
        storeShorts(newDistance & kept | oldDistance & ~changed, values + BlockLayout.distance)
        storeShorts(newWeight & kept | oldWeight & ~changed, values + BlockLayout.weight)
        var left = laneBits(carved)
        while left != 0 {
            let voxel = first &+ left.trailingZeroBitCount
            left &= left &- 1
            block[BlockLayout.count + voxel] = 0
            for channel in 0..<4 { block[BlockLayout.colour + voxel &* 4 &+ channel] = 0 }
        }
        return sample
    }

    /// Updates colour and count of the voxels near the surface, of which `near` has a byte each.
    @inline(__always)
    private func paint(
        _ near: UInt64,
        _ pixels: Integers,
        _ weights: Floats,
        _ block: UnsafeMutablePointer<Int16>,
        _ first: Int,
        _ colours: UnsafePointer<UInt32>
    ) {
        var left = near
        while left != 0 {
            let lane = left.trailingZeroBitCount &>> 3
            left &= ~(0xFF &<< (UInt64(lane) &<< 3))
            let colour = Int32(bitPattern: colours[Int(pixels[lane])])
            ColourMean.add(colour, weights[lane], at: block + BlockLayout.colour + (first &+ lane) &* 4)
            let count = block + BlockLayout.count + first + lane
            if count[0] < Int16.max { count[0] &+= 1 }
        }
    }
}

/// The weighted mean of colours in four Int16: red, green, blue, weight.
enum ColourMean {
    @inline(__always)
    static func add(_ colour: Int32, _ weight: Float, at address: UnsafeMutablePointer<Int16>) {
        let old = UnsafeRawPointer(address).loadUnaligned(as: SIMD4<Int16>.self)
        let channels = SIMD4<Int32>(colour &>> 16, colour &>> 8, colour, 0) & 0xFF
        let mean = floats(SIMD4<Int32>(truncatingIfNeeded: old))
        let sum = mean.w + weight
        var moved = mean + (floats(channels) * BlockLayout.colourUnit - mean) * (weight / max(sum, 1e-6))
        moved.w = min(sum, BlockLayout.largestWeight)
        let stored = unsafeBitCast(moved + roundingMagic, to: SIMD4<Int32>.self) &- roundingMagicBits
        UnsafeMutableRawPointer(address)
            .storeBytes(of: SIMD4<Int16>(truncatingIfNeeded: stored), as: SIMD4<Int16>.self)
    }

    @inline(__always)
    private static func floats(_ values: SIMD4<Int32>) -> SIMD4<Float> {
        unsafeBitCast(values &+ roundingMagicBits, to: SIMD4<Float>.self) - roundingMagic
    }
}
