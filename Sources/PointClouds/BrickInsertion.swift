/// Projects a depth grid and keeps the first pixel of each voxel.
struct BrickInsertion {
    var rows: DepthRows
    var projection: Projection
    var minimumDepth: Float
    var maximumDepth: Float
    var minimumConfidence: UInt8
    var inverseVoxelSize: Float
    /// The voxel coordinates that the grid's place 0 stands for.
    var base: SIMD4<Int32>

    /// Occupies the voxels of all valid pixels; writes the key and the pixel of each voxel's first one, in pixel order.
    ///
    /// `keys` and `pixels` have room for one more than all pixels. Returns the number of voxels.
    func run(
        words: UnsafeMutablePointer<UInt64>,
        keys: UnsafeMutablePointer<UInt32>,
        pixels: UnsafeMutablePointer<UInt32>
    ) -> Int {
        withUnsafeTemporaryAllocation(of: Integers.self, capacity: 1) { scratch -> Int in
            guard let scratch = scratch.baseAddress else { return 0 }
            return scratch.withMemoryRebound(to: UInt32.self, capacity: 8) { lanes in
                run(words: words, keys: keys, pixels: pixels, lanes: lanes)
            }
        }
    }

    private func run(
        words: UnsafeMutablePointer<UInt64>,
        keys: UnsafeMutablePointer<UInt32>,
        pixels: UnsafeMutablePointer<UInt32>,
        lanes: UnsafeMutablePointer<UInt32>
    ) -> Int {
        let baseX = Integers(repeating: base.x &+ roundingMagicBits)
        let baseY = Integers(repeating: base.y &+ roundingMagicBits)
        let baseZ = Integers(repeating: base.z &+ roundingMagicBits)
        let width = rows.paddedWidth
        let leastConfidence = Int32(minimumConfidence)
        var count = 0
        // The valid pixel before this group's first one, and its key: a run of pixels in one voxel has one candidate.
        var previousKey: UInt32 = 0
        var previousIsValid: UInt32 = 0
        for row in 0..<rows.rows {
            let depths = rows.depth + row &* width
            let confidences = UnsafeRawPointer(rows.confidence + row &* rows.confidenceStride)
            let term = projection.rowTerms[row]
            let rowBits = UInt32(truncatingIfNeeded: row) &<< 16
            var column = 0
            while column < width {
                let depth = load(depths + column)
                let confidence = Integers(
                    truncatingIfNeeded: confidences.loadUnaligned(fromByteOffset: column, as: SIMD8<UInt8>.self)
                )
                let valid =
                    bits(depth .> minimumDepth) & bits(depth .< maximumDepth) & bits(confidence .>= leastConfidence)
                let validBits = packedBits(valid)
                if validBits == 0 {
                    previousIsValid = 0
                    column &+= 8
                    continue
                }
                let slope = load(projection.slopes + column)
                let x = (slope * projection.columnAxis.x + term.x) * depth + projection.translation.x
                let y = (slope * projection.columnAxis.y + term.y) * depth + projection.translation.y
                let z = (slope * projection.columnAxis.z + term.z) * depth + projection.translation.z
                let key = BrickKey.keys(
                    floorIndices(x * inverseVoxelSize, base: baseX),
                    floorIndices(y * inverseVoxelSize, base: baseY),
                    floorIndices(z * inverseVoxelSize, base: baseZ)
                )
                let before = Integers(
                    Int32(bitPattern: previousKey),
                    key[0],
                    key[1],
                    key[2],
                    key[3],
                    key[4],
                    key[5],
                    key[6]
                )
                let repeated = packedBits(bits(key .== before)) & (validBits &<< 1 | previousIsValid)
                previousKey = UInt32(bitPattern: key[7])
                previousIsValid = validBits &>> 7
                var candidates = validBits & ~repeated
                if candidates != 0 {
                    UnsafeMutableRawPointer(lanes).storeBytes(of: key, as: Integers.self)
                    let pixel = rowBits | UInt32(truncatingIfNeeded: column)
                    repeat {
                        let lane = candidates.trailingZeroBitCount
                        candidates &= candidates &- 1
                        let key = lanes[lane]
                        let place = Int(key &>> 6)
                        let word = words[place]
                        let bit = 1 &<< UInt64(key & 63)
                        words[place] = word | bit
                        keys[count] = key
                        pixels[count] = pixel &+ UInt32(truncatingIfNeeded: lane)
                        count &+= word & bit == 0 ? 1 : 0
                    } while candidates != 0
                }
                column &+= 8
            }
        }
        return count
    }
}
