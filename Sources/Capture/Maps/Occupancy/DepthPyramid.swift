import Recording

/// The least and the greatest depth of squares of pixels, of 8 pixels a side and of each power of two above.
///
/// Pixels without depth count as depth below zero: no square with one of them is seen through as a whole.
struct DepthPyramid {
    private struct Level {
        var columns: Int
        var rows: Int
        var least: [Float]
        var greatest: [Float]
    }

    private var levels: [Level] = []

    /// - Parameter farthest: what is farther counts as not measured, in metres.
    init(_ frame: MapFrame, farthest: Float) {
        let (width, height) = (frame.camera.width, frame.camera.height)
        guard width > 0, height > 0, frame.depth.count == width * height else { return }
        var level = Level(columns: (width + 7) / 8, rows: (height + 7) / 8, least: [], greatest: [])
        let count = level.columns * level.rows
        level.least = [Float](repeating: .infinity, count: count)
        level.greatest = [Float](repeating: -.infinity, count: count)
        frame.depth.withUnsafeBufferPointer { depth in
            level.least.withUnsafeMutableBufferPointer { least in
                level.greatest.withUnsafeMutableBufferPointer { greatest in
                    for row in 0..<height {
                        let first = (row &>> 3) &* level.columns
                        for tile in 0..<level.columns {
                            var (low, high) = (least[first &+ tile], greatest[first &+ tile])
                            for pixel in (row &* width &+ tile &* 8)..<(row &* width &+ min(width, tile &* 8 &+ 8)) {
                                let metres = depth[pixel] < farthest ? depth[pixel] : MapFrame.invalid
                                low = metres < low ? metres : low
                                high = metres > high ? metres : high
                            }
                            (least[first &+ tile], greatest[first &+ tile]) = (low, high)
                        }
                    }
                }
            }
        }
        levels = [level]
        while let last = levels.last, last.columns > 1 || last.rows > 1 { levels.append(Self.above(last)) }
    }

    private static func above(_ below: Level) -> Level {
        var level = Level(columns: (below.columns + 1) / 2, rows: (below.rows + 1) / 2, least: [], greatest: [])
        for row in 0..<level.rows {
            for column in 0..<level.columns {
                var (low, high) = (Float.infinity, -Float.infinity)
                for y in (2 * row)..<min(2 * row + 2, below.rows) {
                    for x in (2 * column)..<min(2 * column + 2, below.columns) {
                        low = min(low, below.least[y * below.columns + x])
                        high = max(high, below.greatest[y * below.columns + x])
                    }
                }
                level.least.append(low)
                level.greatest.append(high)
            }
        }
        return level
    }

    /// The greatest depth of all; nil where nothing was measured.
    var farthest: Float? {
        guard let greatest = levels.last?.greatest.first, greatest > 0 else { return nil }
        return greatest
    }

    /// Bounds of the depth in a rectangle of pixels, which lies within the image.
    @inline(__always)
    func range(columns: ClosedRange<Int>, rows: ClosedRange<Int>) -> (least: Float, greatest: Float) {
        let extent = max(columns.upperBound &- columns.lowerBound, rows.upperBound &- rows.lowerBound)
        var height = 0
        while height &+ 1 < levels.count, extent &>> (height &+ 3) > 3 { height &+= 1 }
        let shift = height &+ 3
        var (low, high) = (Float.infinity, -Float.infinity)
        for row in (rows.lowerBound &>> shift)...(rows.upperBound &>> shift) {
            for column in (columns.lowerBound &>> shift)...(columns.upperBound &>> shift) {
                let place = row &* levels[height].columns &+ column
                let (least, greatest) = (levels[height].least[place], levels[height].greatest[place])
                low = least < low ? least : low
                high = greatest > high ? greatest : high
            }
        }
        return (low, high)
    }
}
