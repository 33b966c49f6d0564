import Recording

/// Which blocks a frame concerns: those in the band around its surfaces, and those with something that it sees through.
struct BlockWalk {
    private let frame: MapFrame
    private let projection: FieldProjection
    private let voxelMetres: Double
    private let truncation: Double

    /// Places along the band at which its block is looked up, in parts of the truncation.
    private static let bandSteps: [Double] = [-1, -0.5, 0, 0.5, 1]
    /// The distance of the pixels that are looked at, at the far end of a LiDAR's range, as a part of a block's edge.
    private static let spacingPart = 0.35
    private static let usualReachMetres = 5.0

    init(_ frame: MapFrame, voxelMetres: Double, truncationMetres: Double) {
        self.frame = frame
        self.voxelMetres = voxelMetres
        truncation = truncationMetres
        projection = FieldProjection(frame, voxelMetres: voxelMetres)
    }

    /// The blocks of the band in one of several parts of the frame, each once, in the order of pixels.
    static func bandKeys(_ frame: MapFrame, _ parameters: MapParameters, part: Int, of count: Int) -> [BlockKey] {
        let walk = BlockWalk(
            frame,
            voxelMetres: parameters.voxelSizeMetres,
            truncationMetres: parameters.truncationMetres
        )
        var found = BlockTable()
        walk.forEachBandBlock(part: part, of: count) { key in
            if found.number(of: key) == nil { _ = found.add(key) }
        }
        return found.keys
    }

    /// Calls `body` with the block of each place in the band, in the order of pixels; blocks come again, but not twice
    /// in a row from neighbouring pixels.
    ///
    /// - Parameters:
    ///   - part: which part of the frame's rows is looked at.
    ///   - count: into how many parts they are cut.
    func forEachBandBlock(part: Int = 0, of count: Int = 1, _ body: (BlockKey) -> Void) {
        let camera = frame.camera
        let (right, up, back) = frame.worldFromCamera.rotation.columns
        let scale = 1 / (8 * voxelMetres)
        let origin = Place(frame.worldFromCamera.translation * scale)
        let across = Place(right * scale)
        let stride = pixelStride
        let steps = Self.bandSteps
        var latest = [SIMD4<Int32>](repeating: SIMD4(repeating: .min), count: steps.count)
        let rows = Array(Swift.stride(from: stride / 2, to: camera.height, by: stride))
        for row in rows[(rows.count * part / count)..<(rows.count * (part + 1) / count)] {
            let line = Place((up * ((camera.cy - Double(row)) / camera.fy) - back) * scale)
            for column in Swift.stride(from: stride / 2, to: camera.width, by: stride) {
                let depth = Double(frame.depth[row * camera.width + column])
                guard depth > 0 else { continue }
                let ray = line.lanes + across.lanes * ((Double(column) - camera.cx) / camera.fx)
                for (index, step) in steps.enumerated() {
                    let key = Place.floor(origin.lanes + ray * max(depth + step * truncation, 0))
                    if key == latest[index] || (index > 0 && key == latest[index - 1]) { continue }
                    latest[index] = key
                    guard Place.isNumbered(key) else { continue }
                    body(BlockKey(key.x, key.y, key.z))
                }
            }
        }
    }

    /// Every how many pixels one is looked at: their distance stays below a part of a block.
    private var pixelStride: Int {
        let focal = min(frame.camera.fx, frame.camera.fy)
        let pixels = Self.spacingPart * 8 * voxelMetres * focal / Self.usualReachMetres
        return max(1, Int(min(pixels, 16)))
    }

    /// True if the frame looks through a block: all of it lies before what was measured behind its centre.
    func isSeenThrough(_ key: BlockKey) -> Bool {
        let centre =
            projection.start(key) + (projection.alongX + projection.alongY + projection.alongZ) * 3.5
        let radius = Float(voxelMetres * 7)
        guard centre.z > radius else { return false }
        let column = (centre.x / centre.z).rounded()
        let row = (centre.y / centre.z).rounded()
        guard column >= 0, row >= 0, column < Float(frame.camera.width), row < Float(frame.camera.height) else {
            return false
        }
        return frame.depth[Int(row) * frame.camera.width + Int(column)] > centre.z + radius
    }
}

/// Places in units of a block, four lanes in double precision.
private struct Place {
    let lanes: SIMD4<Double>

    init(_ vector: Vector3) { lanes = SIMD4(vector.x, vector.y, vector.z, 0) }

    /// Adding this rounds a number of less than 2^51 to an integer, which the low bits of the sum then hold.
    private static let magic = 6_755_399_441_055_744.0

    /// The whole numbers below; numbers too large for a block wrap, which `isNumbered` does not let pass in practice.
    @inline(__always)
    static func floor(_ place: SIMD4<Double>) -> SIMD4<Int32> {
        let shifted = place + magic
        let low = SIMD4<Int32>(truncatingIfNeeded: unsafeBitCast(shifted, to: SIMD4<Int64>.self))
        let up = SIMD4<Int32>(truncatingIfNeeded: unsafeBitCast((shifted - magic) .> place, to: SIMD4<Int64>.self))
        return low &+ up
    }

    @inline(__always)
    static func isNumbered(_ key: SIMD4<Int32>) -> Bool {
        let limit = BlockKey.limit - 2
        return abs(key.x) < limit && abs(key.y) < limit && abs(key.z) < limit
    }
}
