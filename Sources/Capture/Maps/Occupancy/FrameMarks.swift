import Recording

/// What one frame says of cells: those that its rays pass through, and those in which they end.
///
/// A cell is at most once in either, as OctoMap has it: what ends in a cell outweighs what passes it. Masks have a bit for
/// each cell of a block of 8x8x8: x lowest, then y; each z is a word.
package struct FrameMarks: Sendable {
    /// The blocks that are concerned, each once, in the order in which they were met.
    var keys: [BlockKey] = []
    /// Eight words for each block.
    var free: [UInt64] = []
    var occupied: [UInt64] = []
    /// Where the heights of a block's cells begin in `heights`; -1 where no ray ends in the block.
    var heightStarts: [Int32] = []
    /// Where in its cell a ray ended, from bottom to top in 256 steps; 512 for each block, in the order of bits.
    var heights: [UInt8] = []
    /// The height of the camera in metres.
    var cameraHeight: Float = 0
    /// True if the frame passes more blocks than may be marked.
    var isCut = false
}

/// Marks the cells of frames; it keeps its memory from frame to frame: have one per worker.
///
/// A cell is free where the ray of the pixel that its centre falls on goes on for at least half a cell behind it: for each
/// cell of the view one look at the depth, instead of a walk along each ray. Cubes of cells before everything that their
/// pixels saw are free as a whole, and those behind it are left out as a whole (``DepthPyramid``), so that single cells are
/// looked at near surfaces only.
package final class FrameMarker {
    private let cellMetres: Double
    private var table = BlockTable()
    private var marks = FrameMarks()
    private var last: (key: BlockKey, number: Int)?
    private var cells = [UInt64](repeating: 0, count: 8)

    private let maximumBlocks: Int

    /// - Parameter maximumBytes: what the volume may take; a frame marks no more blocks as free than that has.
    package init(cellMetres: Double, maximumBytes: Int = .max) {
        self.cellMetres = cellMetres
        maximumBlocks = maximumBytes / OccupancyBlock.bytes
    }

    /// Half of this is the most that cells are numbered from the world's origin: 2^23.
    private static let reachCells = 8 * Double(BlockKey.limit)
    /// The farthest that a ray is looked at, in cells: numbers of a Float are still exact to a part of a cell.
    private static let rayCells = 65_536.0

    /// The marks of a frame whose pose counts from the map's origin, z up.
    ///
    /// - Returns: nil where the pose is no place, or cells there could not be numbered.
    package func marks(_ frame: MapFrame) -> FrameMarks? {
        let place = frame.worldFromCamera.translation / cellMetres
        let (right, up, back) = frame.worldFromCamera.rotation.columns
        let isFinite = [place, right, up, back].allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }
        guard isFinite, place.length < Self.reachCells / 2, let steepest = Self.steepest(frame.camera) else {
            return nil
        }
        table = BlockTable()
        marks = FrameMarks()
        last = nil
        marks.cameraHeight = Float(frame.worldFromCamera.translation.z)
        let reach = Float(Self.rayCells * cellMetres / steepest)
        let pyramid = DepthPyramid(frame, farthest: reach)
        markHits(frame, place, reach)
        if let farthest = pyramid.farthest { markFree(frame, pyramid, farthest) }
        defer { marks = FrameMarks() }
        return marks
    }

    /// At least the length of each pixel's ray at a depth of 1; nil for a camera that there cannot be.
    private static func steepest(_ camera: CameraIntrinsics) -> Double? {
        guard (1...1e6).contains(camera.fx), (1...1e6).contains(camera.fy), abs(camera.cx) < 1e6, abs(camera.cy) < 1e6
        else { return nil }
        let across = (abs(camera.cx) + Double(camera.width)) / camera.fx
        let down = (abs(camera.cy) + Double(camera.height)) / camera.fy
        return 1 + across + down
    }

    /// The number of a block among those of the frame.
    @inline(__always)
    private func number(of key: BlockKey) -> Int {
        if let last, last.key == key { return last.number }
        let number = table.number(of: key) ?? add(key)
        last = (key, number)
        return number
    }

    private func add(_ key: BlockKey) -> Int {
        marks.keys.append(key)
        for _ in 0..<8 {
            marks.free.append(0)
            marks.occupied.append(0)
        }
        marks.heightStarts.append(-1)
        return table.add(key)
    }

    // MARK: - Where rays end

    /// Marks the cell in which each pixel's ray ends.
    private func markHits(_ frame: MapFrame, _ place: Vector3, _ farthest: Float) {
        let base = place.rounded(.down)
        let origin = Self.lanes(place - base)
        let first = SIMD4<Int32>(Int32(base.x), Int32(base.y), Int32(base.z), 0)
        let (right, up, back) = frame.worldFromCamera.rotation.columns
        let camera = frame.camera
        let across = Self.lanes(right / (camera.fx * cellMetres))
        let width = camera.width
        // Taken out while it is changed, so that each access is not checked.
        var (occupied, heights) = (marks.occupied, marks.heights)
        (marks.occupied, marks.heights) = ([], [])
        var starts = marks.heightStarts
        marks.heightStarts = []
        var latest = BlockKey(.max, .max, .max)
        var (block, start) = (0, 0)
        frame.depth.withUnsafeBufferPointer { depth in
            for row in 0..<(depth.count / max(1, width)) {
                let level = (camera.cy - Double(row)) / camera.fy
                let line = Self.lanes((up * level - back - right * (camera.cx / camera.fx)) / cellMetres)
                for column in 0..<width {
                    let metres = depth[row &* width &+ column]
                    guard metres > 0, metres < farthest else { continue }
                    let point = origin + (line + across * Float(column)) * metres
                    let down = Self.floor(point)
                    let cell = down.cell &+ first
                    let key = BlockKey(cell.x &>> 3, cell.y &>> 3, cell.z &>> 3)
                    if key != latest {
                        latest = key
                        block = numberOfHit(key, &occupied, &starts, &heights)
                        start = Int(starts[block])
                    }
                    let inside = cell & 7
                    let bit = Int(inside.x &+ inside.y &* 8)
                    let word = Int(inside.z)
                    occupied[block &* 8 &+ word] |= 1 &<< UInt64(bit)
                    heights[start &+ word &* 64 &+ bit] = UInt8(min((point.z - down.whole.z) * 256, 255))
                }
            }
        }
        (marks.occupied, marks.heights, marks.heightStarts) = (occupied, heights, starts)
        last = nil
    }

    /// The number of a block in which a ray ends.
    private func numberOfHit(
        _ key: BlockKey,
        _ occupied: inout [UInt64],
        _ starts: inout [Int32],
        _ heights: inout [UInt8]
    ) -> Int {
        if let number = table.number(of: key) { return number }
        marks.keys.append(key)
        for _ in 0..<8 {
            marks.free.append(0)
            occupied.append(0)
        }
        starts.append(Int32(truncatingIfNeeded: heights.count))
        heights += repeatElement(0, count: 512)
        return table.add(key)
    }

    private static func lanes(_ vector: Vector3) -> SIMD4<Float> {
        SIMD4<Float>(SIMD4<Double>(vector.x, vector.y, vector.z, 0))
    }

    /// The whole numbers below numbers of less than 2^22.
    @inline(__always)
    private static func floor(_ point: SIMD4<Float>) -> (cell: SIMD4<Int32>, whole: SIMD4<Float>) {
        let shifted = point + roundingMagic
        let nearest = shifted - roundingMagic
        let over = unsafeBitCast(nearest .> point, to: SIMD4<Int32>.self)
        let cell = unsafeBitCast(shifted, to: SIMD4<Int32>.self) &- roundingMagicBits &+ over
        let one = unsafeBitCast(SIMD4<Float>(repeating: 1), to: SIMD4<Int32>.self) & over
        return (cell, nearest - unsafeBitCast(one, to: SIMD4<Float>.self))
    }

    // MARK: - What rays pass

    /// Marks the cells before what was seen, cube by cube.
    private func markFree(_ frame: MapFrame, _ pyramid: DepthPyramid, _ farthest: Float) {
        let view = CubeView(frame, pyramid, cellMetres: cellMetres)
        guard let box = view.blocks(within: Double(farthest)) else { return }
        // About eight cubes from one end of the view to the other.
        var edge: Int32 = 1
        while edge < 1 << 16, (0..<3).contains(where: { box.high[$0] &- box.low[$0] > 8 &* edge }) { edge &*= 2 }
        let mask = ~(edge &- 1)
        let (low, high) = (box.low & mask, box.high & mask)
        var z = low.z
        while z <= high.z {
            var y = low.y
            while y <= high.y {
                var x = low.x
                while x <= high.x {
                    markFree(view, SIMD3(x, y, z), edge)
                    x &+= edge
                }
                y &+= edge
            }
            z &+= edge
        }
    }

    private func markFree(_ view: CubeView, _ place: SIMD3<Int32>, _ edge: Int32) {
        switch view.side(BlockKey(place), cells: edge &* 8) {
        case .unseen: break
        case .free: fill(place, edge)
        case .mixed(let isInside):
            if edge == 1 { return markCells(view, BlockKey(place), isInside: isInside) }
            let half = edge / 2
            for corner in 0..<8 as Range<Int32> {
                let step = SIMD3<Int32>(corner & 1, corner &>> 1 & 1, corner &>> 2) &* half
                markFree(view, place &+ step, half)
            }
        }
    }

    /// Marks all cells of a cube of blocks.
    private func fill(_ place: SIMD3<Int32>, _ edge: Int32) {
        for z in 0..<edge {
            for y in 0..<edge {
                for x in 0..<edge {
                    guard hasRoom() else { return }
                    let block = number(of: BlockKey(place &+ SIMD3(x, y, z)))
                    for word in 0..<8 { marks.free[block &* 8 &+ word] = .max }
                }
            }
        }
    }

    private func hasRoom() -> Bool {
        if marks.keys.count >= maximumBlocks { marks.isCut = true }
        return !marks.isCut
    }

    private func markCells(_ view: CubeView, _ key: BlockKey, isInside: Bool) {
        guard hasRoom(), view.freeCells(key, isInside: isInside, &cells) else { return }
        let block = number(of: key)
        for word in 0..<8 { marks.free[block &* 8 &+ word] = cells[word] }
    }
}
