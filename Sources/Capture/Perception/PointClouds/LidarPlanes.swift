import Recording

/// What is known of each LiDAR pixel, with a border that has no depth.
struct LidarPlanes {
    enum Plane: Int, CaseIterable {
        case red, green, blue
        /// By confidence; 0 where there is no depth.
        case trust
        /// In 1/m, and how it changes from pixel to pixel.
        case inverse, slopeRight, slopeDown
        case level
    }

    struct Pointers {
        let base: UnsafeRawPointer
        let size: Int
        let stride: Int
        let range: ClosedRange<Float>

        /// No nearer and no farther than the LiDAR saw anything.
        @inline(__always)
        func within(_ inverse: Float) -> Float { min(max(inverse, range.lowerBound), range.upperBound) }

        @inline(__always)
        subscript(plane: Plane, start: Int) -> SIMD4<Float> {
            base.loadUnaligned(fromByteOffset: (plane.rawValue * size + start) * 4, as: SIMD4<Float>.self)
        }
    }

    /// In LiDAR pixels.
    static let border = 2
    private static let trusts: [Float] = [0.15, 0.6, 1]
    /// Inverse depths that differ by more than this share are of two surfaces.
    private static let stepShare: Float = 0.06
    /// A surface bends by less than this share from pixel to pixel.
    private static let bendShare: Float = 0.02

    private var stride = 0
    private var size = 0
    private var values: [Float] = []
    private var range: ClosedRange<Float> = 0...0

    mutating func fill(_ depth: DepthMap, _ guide: RGBImage) {
        let (width, height) = (depth.width, depth.height)
        (stride, size) = (width + 2 * Self.border, (width + 2 * Self.border) * (height + 2 * Self.border))
        let count = size * Plane.allCases.count
        // Other planes keep old values where there is no depth: without trust they do not count.
        if values.count == count {
            for place in Plane.trust.rawValue * size..<(Plane.trust.rawValue + 1) * size { values[place] = 0 }
        } else {
            values = [Float](repeating: 0, count: count)
        }
        fillColours(depth.size, guide)
        let inverse = depth.metres.map { $0 > 0.001 && $0 < 1000 ? 1 / $0 : 0 }
        let seen = inverse.filter { $0 > 0 }
        range = (seen.min() ?? 0)...(seen.max() ?? 0)
        let right = Self.slopes(inverse, step: 1, width: width)
        let down = Self.slopes(inverse, step: width, width: width)
        for row in 0..<height {
            for column in 0..<width {
                let place = row * width + column
                guard inverse[place] > 0 else { continue }
                let target = (row + Self.border) * stride + column + Self.border
                let level = depth.confidence.map { min(Int($0[place]), 2) } ?? 2
                values[Plane.trust.rawValue * size + target] = Self.trusts[level]
                values[Plane.level.rawValue * size + target] = Float(level)
                values[Plane.inverse.rawValue * size + target] = inverse[place]
                values[Plane.slopeRight.rawValue * size + target] = Self.smooth(right, inverse, width, column, row)
                values[Plane.slopeDown.rawValue * size + target] = Self.smooth(down, inverse, width, column, row)
            }
        }
    }

    /// The slope at each pixel by its neighbours of both sides; NaN at bends and edges.
    private static func slopes(_ inverse: [Float], step: Int, width: Int) -> [Float] {
        inverse.indices.map { place in
            let column = step == 1 ? place % width : 1
            let hasNeighbours = step == 1 ? column > 0 && column + 1 < width : true
            guard hasNeighbours, place >= step, place + step < inverse.count else { return .nan }
            let (own, before, after) = (inverse[place], inverse[place - step], inverse[place + step])
            guard own > 0, before > 0, after > 0, abs(before + after - 2 * own) < bendShare * own else { return .nan }
            return (after - before) / 2
        }
    }

    /// The mean slope of the pixels of the same surface around one; 0 where none has a slope.
    private static func smooth(_ slopes: [Float], _ inverse: [Float], _ width: Int, _ column: Int, _ row: Int) -> Float
    {
        let (own, height) = (inverse[row * width + column], inverse.count / width)
        var (sum, count): (Float, Float) = (0, 0)
        for y in max(0, row - 1)...min(height - 1, row + 1) {
            for x in max(0, column - 1)...min(width - 1, column + 1) {
                let place = y * width + x
                guard !slopes[place].isNaN, abs(inverse[place] - own) < stepShare * own else { continue }
                sum += slopes[place]
                count += 1
            }
        }
        return count > 0 ? sum / count : 0
    }

    /// The mean colour of the part of the image that each LiDAR pixel covers.
    private mutating func fillColours(_ grid: GridSize, _ guide: RGBImage) {
        let columns = (0..<grid.width).map { Self.span($0, grid.width, guide.width) }
        let (size, stride) = (size, stride)
        values.withUnsafeMutableBufferPointer { values in
            guide.pixels.withUnsafeBufferPointer { pixels in
                for row in 0..<grid.height {
                    let rows = Self.span(row, grid.height, guide.height)
                    for column in 0..<grid.width {
                        var sum = SIMD3<Int>.zero
                        for y in rows {
                            for x in columns[column] {
                                let at = 3 * (y * guide.width + x)
                                sum &+= SIMD3(Int(pixels[at]), Int(pixels[at + 1]), Int(pixels[at + 2]))
                            }
                        }
                        let count = Float(rows.count * columns[column].count)
                        let target = (row + Self.border) * stride + column + Self.border
                        for channel in 0..<3 { values[channel * size + target] = Float(sum[channel]) / count }
                    }
                }
            }
        }
    }

    /// The fine pixels whose centres lie in a coarse one; at least one.
    private static func span(_ index: Int, _ coarse: Int, _ fine: Int) -> Range<Int> {
        let first = min((2 * index * fine + coarse) / (2 * coarse), fine - 1)
        return first..<max(min((2 * (index + 1) * fine + coarse) / (2 * coarse), fine), first + 1)
    }

    func withPointers(_ body: (Pointers) -> Void) {
        values.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            body(Pointers(base: base, size: size, stride: stride, range: range))
        }
    }
}
