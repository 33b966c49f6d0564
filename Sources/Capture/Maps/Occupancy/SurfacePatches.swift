import Glibc

/// Upward surfaces in squares of 0.4 m, each level or sloping or neither, and what they are together.
struct SurfacePatches {
    private struct Patch {
        var column: SIMD2<Int32>
        /// Above the floor at its middle, in metres.
        var height: Double
        var slope: (x: Double, y: Double)
        var cells: Int
        var spread: (low: Double, high: Double)
    }

    private(set) var levels: [Floor.Level] = []
    private(set) var slopes: [Floor.Slope] = []

    private static let edgeMetres = 0.4
    /// Surfaces of one column farther apart than this are two.
    private static let gapMetres = 0.08
    private static let leastShare = 0.3
    private static let levelSlope = 0.035
    private static let steepest = 0.6
    private static let roughest = 0.02
    private static let leastSquareMetres = (level: 0.25, slope: 0.5)
    private static let mostLevels = 8
    /// Levels within this of another, or of the floor, are the same.
    private static let levelMetres = 0.05

    init(_ points: [HeightPlane.Point], above floor: Floor, cellSquareMetres: Double) {
        var columns: [SIMD2<Int32>: [HeightPlane.Point]] = [:]
        let limit = 1e6
        for point in points where abs(point.x) < limit && abs(point.y) < limit {
            let x = Int32((point.x / Self.edgeMetres).rounded(.down))
            let y = Int32((point.y / Self.edgeMetres).rounded(.down))
            columns[SIMD2(x, y), default: []].append(point)
        }
        let needed = Int(Self.leastShare * Self.edgeMetres * Self.edgeMetres / cellSquareMetres)
        var (level, sloping): ([Patch], [Patch]) = ([], [])
        for column in columns.keys.sorted(by: { ($0.y, $0.x) < ($1.y, $1.x) }) {
            for part in Self.parts(columns[column] ?? []) where part.count >= max(3, needed) {
                guard let patch = Self.patch(part, column, floor) else { continue }
                let steep = hypot(patch.slope.x, patch.slope.y)
                if steep <= Self.levelSlope {
                    level.append(patch)
                } else if steep <= Self.steepest {
                    sloping.append(patch)
                }
            }
        }
        levels = Self.levels(level, cellSquareMetres)
        slopes = Self.slopes(sloping, cellSquareMetres)
    }

    /// The surfaces of a column, one above the other.
    private static func parts(_ points: [HeightPlane.Point]) -> [ArraySlice<HeightPlane.Point>] {
        let sorted = points.sorted { ($0.z, $0.y, $0.x) < ($1.z, $1.y, $1.x) }
        var parts: [ArraySlice<HeightPlane.Point>] = []
        var start = 0
        for index in sorted.indices {
            let isLast = index + 1 == sorted.count
            if isLast || Double(sorted[index + 1].z - sorted[index].z) > gapMetres {
                parts.append(sorted[start...index])
                start = index + 1
            }
        }
        return parts
    }

    private static func patch(
        _ points: ArraySlice<HeightPlane.Point>,
        _ column: SIMD2<Int32>,
        _ floor: Floor
    ) -> Patch? {
        guard let plane = HeightPlane(points) else { return nil }
        let squares = points.reduce(0.0) { $0 + plane.distance($1) * plane.distance($1) }
        guard squares < roughest * roughest * Double(points.count) else { return nil }
        let (x, y) = plane.middle
        let ground = floor.height(x: x, y: y)
        let slope = (
            x: plane.slope.x - (floor.height(x: x + 1, y: y) - ground),
            y: plane.slope.y - (floor.height(x: x, y: y + 1) - ground)
        )
        let rise = hypot(slope.x, slope.y) * edgeMetres / 2
        let height = plane.height - ground
        return Patch(
            column: column,
            height: height,
            slope: slope,
            cells: points.count,
            spread: (height - rise, height + rise)
        )
    }

    private static func levels(_ patches: [Patch], _ cellSquareMetres: Double) -> [Floor.Level] {
        var left = patches.filter { abs($0.height) > levelMetres }.sorted { $0.height < $1.height }
        var levels: [Floor.Level] = []
        while levels.count < mostLevels, !left.isEmpty {
            // The span with the most cells.
            var best = (start: 0, end: 0, cells: 0)
            var (start, cells) = (0, 0)
            for index in left.indices {
                cells += left[index].cells
                while left[index].height - left[start].height > levelMetres {
                    cells -= left[start].cells
                    start += 1
                }
                if cells > best.cells { best = (start, index + 1, cells) }
            }
            let area = Double(best.cells) * cellSquareMetres
            guard area >= leastSquareMetres.level else { break }
            let sum = left[best.start..<best.end].reduce(0.0) { $0 + $1.height * Double($1.cells) }
            levels.append(Floor.Level(heightMetres: sum / Double(best.cells), areaSquareMetres: area))
            left.removeSubrange(best.start..<best.end)
        }
        return levels
    }

    /// Sloping patches beside each other that rise the same way.
    private static func slopes(_ patches: [Patch], _ cellSquareMetres: Double) -> [Floor.Slope] {
        var byColumn: [SIMD2<Int32>: [Int]] = [:]
        for (index, patch) in patches.enumerated() { byColumn[patch.column, default: []].append(index) }
        func belongs(_ one: Patch, _ other: Patch) -> Bool {
            let lengths = hypot(one.slope.x, one.slope.y) * hypot(other.slope.x, other.slope.y)
            let along = one.slope.x * other.slope.x + one.slope.y * other.slope.y
            return along > 0.9 * lengths && one.spread.low < other.spread.high + levelMetres
                && other.spread.low < one.spread.high + levelMetres
        }
        var isTaken = [Bool](repeating: false, count: patches.count)
        var slopes: [Floor.Slope] = []
        for first in patches.indices where !isTaken[first] {
            isTaken[first] = true
            var group = [first]
            var next = 0
            while next < group.count {
                let patch = patches[group[next]]
                next += 1
                for side in 0..<9 as Range<Int32> {
                    let column = patch.column &+ SIMD2(side % 3 &- 1, side / 3 &- 1)
                    for other in byColumn[column] ?? [] where !isTaken[other] && belongs(patch, patches[other]) {
                        isTaken[other] = true
                        group.append(other)
                    }
                }
            }
            let members = group.map { patches[$0] }
            let cells = members.reduce(0) { $0 + $1.cells }
            let area = Double(cells) * cellSquareMetres
            guard area >= leastSquareMetres.slope else { continue }
            let steep = members.reduce(0.0) { $0 + hypot($1.slope.x, $1.slope.y) * Double($1.cells) } / Double(cells)
            slopes.append(
                Floor.Slope(
                    degrees: atan(steep) * 180 / .pi,
                    lowestMetres: members.map(\.spread.low).min() ?? 0,
                    highestMetres: members.map(\.spread.high).max() ?? 0,
                    areaSquareMetres: area
                )
            )
        }
        return slopes.sorted { $0.areaSquareMetres > $1.areaSquareMetres }
    }
}
