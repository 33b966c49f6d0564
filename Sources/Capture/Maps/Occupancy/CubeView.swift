import Recording

/// How cubes of cells lie against what a frame saw.
struct CubeView {
    /// A cube against the depth of the pixels that it falls on.
    enum Side {
        /// Outside of the view, or behind everything.
        case unseen
        /// Before everything, at each of its cells.
        case free
        /// - Parameter isInside: True if all of it falls on pixels.
        case mixed(isInside: Bool)
    }

    private let frame: MapFrame
    private let pyramid: DepthPyramid
    private let projection: FieldProjection
    private let cellMetres: Double
    /// A ray goes on for this behind a cell's centre that it passes, along the optical axis.
    private let margin: Float
    /// From the corner of a cell to its centre.
    private let toCentre: SIMD4<Float>
    private let lastColumn: Float
    private let lastRow: Float
    private let rowLength: Float
    /// Beyond this depth pixels are farther apart than cells: a ray may miss the cell whose centre it is nearest to.
    private let sparseMetres: Float
    /// Half a cell on the image at a depth of one metre, in pixels.
    private let halfCell: SIMD2<Float>

    private static let nearestMetres = BlockIntegrator.nearestMetres
    private static let ramp = Floats(0, 1, 2, 3, 4, 5, 6, 7)

    init(_ frame: MapFrame, _ pyramid: DepthPyramid, cellMetres: Double) {
        self.frame = frame
        self.pyramid = pyramid
        self.cellMetres = cellMetres
        projection = FieldProjection(frame, voxelMetres: cellMetres)
        margin = Float(0.5 * cellMetres)
        toCentre = (projection.alongX + projection.alongY + projection.alongZ) * 0.5
        lastColumn = Float(frame.camera.width - 1)
        lastRow = Float(frame.camera.height - 1)
        rowLength = Float(frame.camera.width)
        sparseMetres = Float(cellMetres * min(frame.camera.fx, frame.camera.fy))
        halfCell = SIMD2(Float(frame.camera.fx * cellMetres / 2), Float(frame.camera.fy * cellMetres / 2))
    }

    /// The blocks of a box around the view, up to a depth in metres.
    func blocks(within depth: Double) -> (low: SIMD3<Int32>, high: SIMD3<Int32>)? {
        let camera = frame.camera
        let pose = frame.worldFromCamera
        let scale = 1 / (8 * cellMetres)
        var (low, high) = (pose.translation * scale, pose.translation * scale)
        for corner in 0..<4 {
            let column = corner & 1 == 0 ? -0.5 : Double(camera.width) - 0.5
            let row = corner & 2 == 0 ? -0.5 : Double(camera.height) - 0.5
            let ray = Vector3((column - camera.cx) / camera.fx, (camera.cy - row) / camera.fy, -1)
            let end = (pose * (ray * depth)) * scale
            low = Vector3(min(low.x, end.x), min(low.y, end.y), min(low.z, end.z))
            high = Vector3(max(high.x, end.x), max(high.y, end.y), max(high.z, end.z))
        }
        let limit = Double(BlockKey.limit) / 2
        guard [low, high].allSatisfy({ max(abs($0.x), abs($0.y), abs($0.z)) < limit }) else { return nil }
        return (SIMD3<Int32>(low.rounded(.down)), SIMD3<Int32>(high.rounded(.down)))
    }

    /// - Parameter cells: the edge of the cube.
    func side(_ key: BlockKey, cells: Int32) -> Side {
        let start = projection.start(key) + toCentre
        let length = Float(cells &- 1)
        let steps = (projection.alongX * length, projection.alongY * length, projection.alongZ * length)
        var (low, high) = (SIMD4<Float>(repeating: .infinity), SIMD4<Float>(repeating: -.infinity))
        var isBehind = false
        for corner in 0..<8 {
            var point = start
            if corner & 1 != 0 { point += steps.0 }
            if corner & 2 != 0 { point += steps.1 }
            if corner & 4 != 0 { point += steps.2 }
            low.z = min(low.z, point.z)
            high.z = max(high.z, point.z)
            // Where a corner is behind the camera, the cube may fall on any pixel.
            guard point.z > Self.nearestMetres else {
                isBehind = true
                continue
            }
            let inverse = 1 / point.z
            let place = point * inverse
            (low.x, high.x) = (min(low.x, place.x), max(high.x, place.x))
            (low.y, high.y) = (min(low.y, place.y), max(high.y, place.y))
        }
        guard high.z > Self.nearestMetres else { return .unseen }
        if isBehind { return .mixed(isInside: false) }
        if high.x < -0.5 || high.y < -0.5 || low.x > lastColumn + 0.5 || low.y > lastRow + 0.5 { return .unseen }
        // A little less than what rounds into the grid: the sums of steps have errors of their own.
        let isInside = low.x > -0.4 && low.y > -0.4 && high.x < lastColumn + 0.4 && high.y < lastRow + 0.4
        let columns = Int(max(low.x - 0.6, 0))...Int(min(max(high.x + 0.6, 0), lastColumn))
        let rows = Int(max(low.y - 0.6, 0))...Int(min(max(high.y + 0.6, 0), lastRow))
        let (least, greatest) = pyramid.range(columns: columns, rows: rows)
        if low.z + margin >= greatest { return .unseen }
        if isInside, high.z + margin < least, high.z < sparseMetres { return .free }
        return .mixed(isInside: isInside)
    }

    /// The cells of a block that rays pass through, as a word for each z; false without any.
    func freeCells(_ key: BlockKey, isInside: Bool, _ words: inout [UInt64]) -> Bool {
        let start = projection.start(key) + toCentre
        let acrossX = Self.ramp * projection.alongX.x
        let downX = Self.ramp * projection.alongX.y
        let depthX = Self.ramp * projection.alongX.z
        let reach = start.z + 7 * (abs(projection.alongX.z) + abs(projection.alongY.z) + abs(projection.alongZ.z))
        let isSparse = reach >= sparseMetres
        var any: UInt64 = 0
        frame.depth.withUnsafeBufferPointer { buffer in
            guard let depth = buffer.baseAddress else { return }
            for z in 0..<8 {
                var word: UInt64 = 0
                let layer = start + projection.alongZ * Float(z)
                for y in 0..<8 {
                    let point = layer + projection.alongY * Float(y)
                    let metres = depthX + point.z
                    let inverse = 1 / metres
                    let across = (acrossX + point.x) * inverse
                    let down = (downX + point.y) * inverse
                    var column = rounded(across)
                    var row = rounded(down)
                    var seen = Integers(repeating: -1)
                    if !isInside {
                        seen = inGrid(column, lastColumn) & inGrid(row, lastRow) & bits(metres .> Self.nearestMetres)
                        if laneBytes(seen) == 0 { continue }
                        column = select(seen, column, Floats.zero)
                        row = select(seen, row, Floats.zero)
                    }
                    let pixels = integers(row * rowLength + column)
                    seen &= bits(gather(depth, pixels) - metres .> margin)
                    if isSparse {
                        seen &= within(across - column, halfCell.x * inverse) & within(down - row, halfCell.y * inverse)
                    }
                    let lanes = laneBytes(seen) & 0x0101_0101_0101_0101
                    word |= ((lanes &* 0x0102_0408_1020_4080) &>> 56) &<< UInt64(y &* 8)
                }
                words[z] = word
                any |= word
            }
        }
        return any != 0
    }

    @inline(__always)
    private func within(_ values: Floats, _ limit: Floats) -> Integers {
        bits(values .<= limit) & bits(values .>= -limit)
    }
}
