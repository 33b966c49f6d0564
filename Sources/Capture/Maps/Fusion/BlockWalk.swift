import CFusion
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

    /// What a frame concerns.
    struct Part: Sendable {
        /// The blocks of the band, in the order of pixels; a few come again.
        var band: [BlockKey]
        /// The numbers of known blocks that it looks through, ascending; those of the band may be among them.
        var seenThrough: [Int]
    }

    /// Looks at one of several parts of a frame's rows, and of the known blocks.
    func part(_ part: Int, of count: Int, known: [BlockKey]) -> Part {
        let numbers = (known.count * part / count)..<(known.count * (part + 1) / count)
        return Part(
            band: bandKeys(part: part, of: count, hasWideLanes: CFusionHasWideLanes()),
            seenThrough: numbers.filter { isSeenThrough(known[$0]) }
        )
    }

    /// The blocks of the band in one of several parts of the frame's rows.
    ///
    /// - Parameter hasWideLanes: whether this processor's wide instructions are used; the result is the same.
    func bandKeys(part: Int = 0, of count: Int = 1, hasWideLanes: Bool) -> [BlockKey] {
        let camera = frame.camera
        let (right, up, back) = frame.worldFromCamera.rotation.columns
        let scale = 1 / (8 * voxelMetres)
        let stride = pixelStride
        func numbers(_ place: Vector3) -> (Double, Double, Double) { (place.x, place.y, place.z) }
        func step(_ index: Int) -> Double { Self.bandSteps[index] * truncation }
        var band = CFusionBand(
            origin: numbers(frame.worldFromCamera.translation * scale),
            across: numbers(right * scale),
            line: (0, 0, 0),
            cx: camera.cx,
            fx: camera.fx,
            steps: (step(0), step(1), step(2), step(3), step(4)),
            width: Int32(camera.width),
            stride: Int32(stride),
            limit: BlockKey.limit - 2
        )
        let rows = Array(Swift.stride(from: stride / 2, to: camera.height, by: stride))
        var found: [BlockKey] = []
        withUnsafeTemporaryAllocation(of: CFusionRecent.self, capacity: 1) { recent in
            CFusionForget(recent.baseAddress)
            let room = Self.bandSteps.count * (camera.width / stride + 1)
            withUnsafeTemporaryAllocation(of: (Int32, Int32, Int32, Int32).self, capacity: room) { keys in
                for row in rows[(rows.count * part / count)..<(rows.count * (part + 1) / count)] {
                    band.line = numbers((up * ((camera.cy - Double(row)) / camera.fy) - back) * scale)
                    let pixels = frame.depth[(row * camera.width)..<((row + 1) * camera.width)]
                    let count = pixels.withUnsafeBufferPointer {
                        CFusionFindBlocks(&band, $0.baseAddress, recent.baseAddress, keys.baseAddress, hasWideLanes)
                    }
                    for key in keys[..<Int(count)] { found.append(BlockKey(key.0, key.1, key.2)) }
                }
            }
        }
        return found
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
        guard let column = Self.nearest(centre.x / centre.z, below: frame.camera.width),
            let row = Self.nearest(centre.y / centre.z, below: frame.camera.height)
        else { return false }
        return frame.depth[row * frame.camera.width + column] > centre.z + radius
    }

    /// The nearest whole number, if it is one of a grid; `rounded()` is a call on processors without SSE4.
    @inline(__always)
    private static func nearest(_ place: Float, below count: Int) -> Int? {
        guard place > -0.5, place < Float(count) - 0.5 else { return nil }
        let whole = Int(place)
        return place - Float(whole) >= 0.5 ? whole + 1 : whole
    }
}
