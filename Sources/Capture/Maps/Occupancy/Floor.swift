import Glibc
import Platform

/// The floor of a map: a plane that is nearly level, and what else there is to stand on.
package struct Floor: Sendable {
    /// A level surface beside the floor.
    package struct Level: Sendable, Hashable {
        /// Above the floor, in metres; below 0 for what lies lower.
        package var heightMetres: Double
        package var areaSquareMetres: Double
    }

    /// A surface that rises, such as a ramp.
    package struct Slope: Sendable, Hashable {
        package var degrees: Double
        /// Its lowest and its highest part above the floor, in metres.
        package var lowestMetres: Double
        package var highestMetres: Double
        package var areaSquareMetres: Double
    }

    /// The height at the middle of what was seen of it, in metres of the frame `map`.
    package fileprivate(set) var heightMetres: Double
    /// What was seen of it.
    package fileprivate(set) var areaSquareMetres: Double
    /// The distance of what was seen of it from the plane, as a root mean square.
    package fileprivate(set) var spreadMetres: Double
    /// Level surfaces beside it, the largest first.
    package internal(set) var levels: [Level] = []
    package internal(set) var slopes: [Slope] = []

    private let middle: (x: Double, y: Double)
    private let slope: (x: Double, y: Double)

    /// The angle between the plane and a level one.
    package var tiltDegrees: Double { atan(hypot(slope.x, slope.y)) * 180 / .pi }

    /// The height of the plane at a place, in metres of the frame `map`.
    @inline(__always)
    package func height(x: Double, y: Double) -> Double {
        heightMetres + slope.x * (x - middle.x) + slope.y * (y - middle.y)
    }

    fileprivate init(_ plane: HeightPlane, areaSquareMetres: Double, spreadMetres: Double) {
        (heightMetres, middle, slope) = (plane.height, plane.middle, plane.slope)
        (self.areaSquareMetres, self.spreadMetres) = (areaSquareMetres, spreadMetres)
    }
}

/// Why there is no floor.
package struct MissingFloor: Error, Sendable, CustomStringConvertible {
    /// The most that was seen of a level surface below the camera, in square metres.
    package var areaSquareMetres: Double

    package var expected: String {
        "a level surface of \(FloorFinder.leastSquareMetres) m2 or more, 0.3 m or more below the camera"
    }

    package var found: String {
        areaSquareMetres > 0 ? "none larger than \((areaSquareMetres * 100).rounded() / 100) m2" : "none"
    }

    package var description: String { "floor: expected \(expected), found \(found)" }
}

/// Finds the floor: the largest level surface below the camera, and in it the plane.
///
/// Where a surface of at least half its size lies 0.3 to 1.3 m beneath, that one is the floor, and the larger one a table.
struct FloorFinder {
    static let leastSquareMetres = 0.5
    /// So far below the camera, at the median of its heights, everything else is no floor.
    private static let belowCamera: Float = 0.3
    /// The surfaces of one level lie within this.
    private static let levelMetres: Float = 0.06
    /// What is this far from the plane is not the floor, while the plane is sought and when it is found.
    private static let bounds = (wide: 0.06, narrow: 0.04)
    /// A steeper plane is no floor.
    static let steepest = 0.2

    private let points: [HeightPlane.Point]
    private let cellSquareMetres: Double
    private let cameraHeights: [Float]

    init(_ volume: OccupancyVolume, _ occupied: OccupiedCells) {
        let metres = volume.parameters.resolutionMetres
        cellSquareMetres = metres * metres
        cameraHeights = volume.cameraHeights
        points = occupied.cells.filter { !$0.surface.isNaN }.map {
            HeightPlane.Point(x: (Double($0.x) + 0.5) * metres, y: (Double($0.y) + 0.5) * metres, z: $0.surface)
        }
    }

    func floor() throws(MissingFloor) -> Floor {
        guard let camera = cameraHeights.median(), let level = level(below: camera - Self.belowCamera) else {
            throw MissingFloor(areaSquareMetres: 0)
        }
        var plane = HeightPlane(height: Double(level))
        var near: [HeightPlane.Point] = []
        for round in 0..<20 {
            let bound = round < 4 ? Self.bounds.wide : Self.bounds.narrow
            let chosen = points.filter { abs(plane.distance($0)) <= bound }
            guard let next = HeightPlane(chosen), hypot(next.slope.x, next.slope.y) < Self.steepest else { break }
            let isSettled = round > 4 && chosen.count == near.count
            (plane, near) = (next, chosen)
            if isSettled { break }
        }
        let area = Double(near.count) * cellSquareMetres
        guard area >= Self.leastSquareMetres else { throw MissingFloor(areaSquareMetres: area) }
        let squares = near.reduce(0.0) { $0 + plane.distance($1) * plane.distance($1) }
        var floor = Floor(
            plane,
            areaSquareMetres: area,
            spreadMetres: (squares / Double(max(1, near.count))).squareRoot()
        )
        let patches = SurfacePatches(points, above: floor, cellSquareMetres: cellSquareMetres)
        (floor.levels, floor.slopes) = (patches.levels, patches.slopes)
        return floor
    }

    /// The height of the largest level surface below a height.
    private func level(below limit: Float) -> Float? {
        let heights = points.map(\.z).filter { $0 < limit }.sorted()
        guard let largest = Self.largest(heights[...]) else { return nil }
        let beneath = heights.filter { $0 > largest.height - 1.3 && $0 < largest.height - 0.3 }
        if let lower = Self.largest(beneath[...]), 2 * lower.count >= largest.count { return lower.height }
        return largest.height
    }

    /// The middle of the span in which most heights lie, of heights in ascending order.
    private static func largest(_ heights: ArraySlice<Float>) -> (height: Float, count: Int)? {
        var best: (height: Float, count: Int)?
        var first = heights.startIndex
        for index in heights.indices {
            while heights[index] - heights[first] > levelMetres { first += 1 }
            let count = index - first + 1
            if count > best?.count ?? 0 { best = (heights[first + count / 2], count) }
        }
        return best
    }
}

/// A plane of heights over x and y, by least squares.
struct HeightPlane {
    struct Point {
        var x: Double
        var y: Double
        var z: Float
    }

    private(set) var height: Double
    private(set) var middle = (x: 0.0, y: 0.0)
    private(set) var slope = (x: 0.0, y: 0.0)

    init(height: Double) { self.height = height }

    /// Nil where the points do not span a plane.
    init?(_ points: some Collection<Point>) {
        guard points.count >= 3 else { return nil }
        let share = 1 / Double(points.count)
        var (x, y, z) = (0.0, 0.0, 0.0)
        for point in points { (x, y, z) = (x + point.x, y + point.y, z + Double(point.z)) }
        middle = (x * share, y * share)
        height = z * share
        var (xx, xy, yy, xz, yz) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for point in points {
            let (dx, dy, dz) = (point.x - middle.x, point.y - middle.y, Double(point.z) - height)
            (xx, xy, yy) = (xx + dx * dx, xy + dx * dy, yy + dy * dy)
            (xz, yz) = (xz + dx * dz, yz + dy * dz)
        }
        let determinant = xx * yy - xy * xy
        guard determinant > 1e-6 * (xx + yy) * (xx + yy), determinant > 0 else { return nil }
        slope = ((xz * yy - yz * xy) / determinant, (yz * xx - xz * xy) / determinant)
    }

    /// How far a point lies above the plane, in metres.
    func distance(_ point: Point) -> Double {
        Double(point.z) - height - slope.x * (point.x - middle.x) - slope.y * (point.y - middle.y)
    }
}
