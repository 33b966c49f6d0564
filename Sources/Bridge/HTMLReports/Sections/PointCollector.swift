import Perception
import Text

/// The points of many clouds, one for each cube of space: as many as there is room for, whatever the clouds hold.
///
/// Where the room ends, cubes become twice as large.
struct PointCollector {
    struct Point {
        /// In the frame `map`, in metres.
        var place: SIMD3<Float>
        /// 0x00RRGGBB.
        var colour: UInt32
        /// The confidence (0, 1, 2; 3 where it is not known) in the upper two bits, and the 64th of the time in the others.
        var tag: UInt8
    }

    private static let reachMetres: Float = 5000

    private let limit: Int
    private(set) var cubeMetres: Float
    private var indices: [UInt64: Int32] = [:]
    private(set) var points: [Point] = []
    /// True if the colours are those of heights.
    private(set) var showsHeights = false
    private(set) var seen = 0
    /// Farther off than any walk goes.
    private(set) var distant = 0

    /// - Parameters:
    ///   - limit: How many points there is room for.
    ///   - cubeMetres: The edge of a cube, as long as the room lasts.
    init(limit: Int = 1 << 19, cubeMetres: Float = 0.02) { (self.limit, self.cubeMetres) = (limit, cubeMetres) }

    /// - Parameters:
    ///   - confidence: Of each point, where it is known.
    ///   - share: When it was seen, in parts of the whole time.
    mutating func add(_ cloud: PointCloud, confidence: [UInt8], at share: Double) {
        for index in 0..<cloud.count {
            let place = cloud.position(index)
            let level = confidence.indices.contains(index) ? confidence[index] : 3
            add(place.x, place.y, place.z, colour: cloud.colour(index), confidence: level, at: share)
        }
    }

    mutating func add(
        _ x: Float,
        _ y: Float,
        _ z: Float,
        colour: UInt32,
        confidence: UInt8 = 3,
        at share: Double
    ) {
        seen += 1
        guard x.isFinite, y.isFinite, z.isFinite, max(abs(x), abs(y), abs(z)) < Self.reachMetres else {
            distant += 1
            return
        }
        let tag = min(confidence, 3) << 6 | UInt8(max(0, min(63, share * 64)))
        add(Point(place: SIMD3(x, y, z), colour: colour, tag: tag))
    }

    private mutating func add(_ point: Point) {
        let key = key(point.place)
        guard indices[key] == nil else { return }
        if points.count == limit { coarsen() }
        indices[self.key(point.place)] = Int32(points.count)
        points.append(point)
    }

    /// 21 bits for each axis: 5 km at 2 cm are 18.
    private func key(_ place: SIMD3<Float>) -> UInt64 {
        let cell = (place / cubeMetres).rounded(.down)
        func part(_ value: Float) -> UInt64 { UInt64(max(0, min(0x1F_FFFF, value + 0x10_0000))) }
        return part(cell.x) << 42 | part(cell.y) << 21 | part(cell.z)
    }

    private mutating func coarsen() {
        cubeMetres *= 2
        indices.removeAll(keepingCapacity: true)
        var kept: [Point] = []
        for point in points {
            let key = key(point.place)
            guard indices[key] == nil else { continue }
            indices[key] = Int32(kept.count)
            kept.append(point)
        }
        points = kept
    }

    /// Gives points that all have one colour, as where no image showed anything, colours by height: dark below, bright above.
    ///
    /// - Parameter ceiling: What is above it is as bright as can be, for the map shows what is below.
    mutating func colourByHeight(below ceiling: Float) {
        guard let first = points.first, points.allSatisfy({ $0.colour == first.colour }) else { return }
        let heights = HeightColours(points.map(\.place.z).filter { $0 <= ceiling })
        for index in points.indices { points[index].colour = heights.colour(points[index].place.z) }
        showsHeights = true
    }

    /// What the colours are, where they are none of images.
    var remark: String { showsHeights ? " Colours are heights: no image showed any of it." : "" }

    /// At most so many, evenly spread over the order in which they came, so that the same input gives the same ones.
    func thinned(to limit: Int) -> [Point] {
        guard points.count > limit, limit > 0 else { return limit > 0 ? points : [] }
        return (0..<limit).map { points[$0 * points.count / limit] }
    }

    /// Square metres of the ground on which something below a height was seen from above: squares of 10 cm, or one cube.
    func areaSeen(below cut: Float) -> Double {
        let edge = max(0.1, cubeMetres)
        var squares: Set<UInt64> = []
        for point in points where point.place.z <= cut {
            let cell = (SIMD2(point.place.x, point.place.y) / edge).rounded(.down)
            squares.insert(UInt64(bitPattern: Int64(cell.x)) << 32 | UInt64(UInt32(bitPattern: Int32(cell.y))))
        }
        return Double(squares.count) * Double(edge * edge)
    }
}
