import Codecs
import Platform
import Recording

/// How a cloud is looked at first: from where it fills the picture, so that all of its box is in it.
struct CloudView {
    /// The middle of the box of 96 of a hundred points on each axis: a single one far off does not make all others small.
    private(set) var centre = [0.0, 0, 0]
    private var half = [0.1, 0.1, 0.1]
    /// The edge of the cube that has all points.
    private(set) var edge = 0.1
    /// About the vertical, and up from the ground.
    private(set) var turnRadians = 0.0
    private(set) var upRadians = 0.85
    /// Of the picture: what stands upright has little room in a wide one.
    private(set) var size = GridSize(width: 1000, height: 560)
    /// How large a point is, for surfaces without holes.
    private(set) var pointMetres = 0.02

    /// - Parameters:
    ///   - points: Spread evenly, so that shares of all points are those of some.
    ///   - stand: Where the camera was, from above.
    init(_ points: [PointCollector.Point], below cut: Float, from stand: SIMD2<Double>?) {
        let some = points.prefix(20_000).filter { $0.place.z <= cut }
        var most = 0.0
        for axis in 0..<3 {
            let values = some.map { $0.place[axis] }.sorted()
            if let last = values.indices.last {
                let (low, high) = (Double(values[last / 50]), Double(values[last - last / 50]))
                centre[axis] = (low + high) / 2
                half[axis] = max((high - low) / 2, 0.1)
            }
            for point in points { most = max(most, abs(Double(point.place[axis]) - centre[axis])) }
        }
        edge = max(2 * most, 0.1)
        pointMetres = 1.5 * Self.spacing(points)
        let few = Array(some.prefix(4000))
        choose(few, stand)
        guard coverage(few).filled < 0.42 else { return }
        var other = self
        other.size = GridSize(width: 680, height: 680)
        other.choose(few, stand)
        if other.coverage(few).filled > coverage(few).filled { self = other }
    }

    /// The same view in a picture of another size.
    func with(longerSide pixels: Int) -> CloudView {
        var view = self
        let longer = max(size.width, size.height)
        view.size = GridSize(width: size.width * pixels / longer, height: size.height * pixels / longer)
        return view
    }

    /// The distance of points on surfaces: cubes of a size at which a few share one have so many along each side.
    private static func spacing(_ points: [PointCollector.Point]) -> Double {
        var cube: Float = 0.01
        while cube < 5 {
            var cells: Set<SIMD3<Int32>> = []
            for point in points {
                let cell = (point.place / cube).rounded(.down)
                cells.insert(SIMD3(Int32(cell.x), Int32(cell.y), Int32(cell.z)))
            }
            let shared = Double(points.count) / Double(max(1, cells.count))
            if shared >= 4 { return Double(cube) / shared.squareRoot() }
            cube *= 2
        }
        return 0.05
    }

    /// Of some views, from the side of the camera, as walls were seen from inside, the one whose picture has most on it.
    private mutating func choose(_ points: [PointCollector.Point], _ stand: SIMD2<Double>?) {
        let base = half[0] >= half[1] ? 0 : Double.pi / 2
        var best = (share: -1.0, turn: base + 0.4, up: 0.85)
        for turn in [-0.5, -0.3, -0.15, 0.15, 0.3, 0.5].flatMap({ [base + $0, base + $0 + .pi] }) {
            let (x, y) = (centre[0], centre[1])
            let ahead = stand.map { (x - $0.x) * sine(turn) + (y - $0.y) * cosine(turn) } ?? 0
            guard ahead >= 0 else { continue }
            for up in [0.5, 0.7, 0.9, 1.1] {
                (turnRadians, upRadians) = (turn, up)
                // A picture that is full enough is not better for being fuller.
                let (filled, seen) = coverage(points)
                let share = min(filled, 0.45) + 0.5 * seen
                if share > best.share { best = (share, turn, up) }
            }
        }
        (turnRadians, upRadians) = (best.turn, best.up)
    }

    /// The share of a coarse picture that has a point, and that of the points that no other one hides.
    private func coverage(_ points: [PointCollector.Point]) -> (filled: Double, seen: Double) {
        let (width, height) = (28 * size.width / size.height, 28)
        let fitted = fit()
        var nearest = [Double](repeating: .infinity, count: width * height)
        let places = points.compactMap { point -> (cell: Int, depth: Double)? in
            let place = seen(point)
            let depth = fitted.distance + place[2]
            guard depth > 0.05 else { return nil }
            let scale = 1.1 * Double(height) / depth
            let x = Double(width) / 2 + (place[0] - fitted.right) * scale
            let y = Double(height) / 2 - (place[1] - fitted.up) * scale
            guard x >= 0, y >= 0, x < Double(width), y < Double(height) else { return nil }
            let cell = Int(y) * width + Int(x)
            nearest[cell] = min(nearest[cell], depth)
            return (cell, depth)
        }
        let shown = places.count { $0.depth < 1.1 * nearest[$0.cell] }
        return (
            Double(nearest.count { $0 < .infinity }) / Double(nearest.count),
            Double(shown) / Double(max(1, points.count))
        )
    }

    func seen(_ point: PointCollector.Point) -> [Double] {
        seen((0..<3).map { Double(point.place[$0]) - centre[$0] })
    }

    /// To the right, up and ahead of the centre.
    private func seen(_ p: [Double]) -> [Double] {
        let (st, ct) = (sine(turnRadians), cosine(turnRadians))
        let (su, cu) = (sine(upRadians), cosine(upRadians))
        let ahead = p[0] * st + p[1] * ct
        return [p[0] * ct - p[1] * st, p[2] * cu + ahead * su, ahead * cu - p[2] * su]
    }

    /// From how far all of the box is in a picture, and where its middle is then: as `fit` of viewer-view.js does.
    func fit() -> (distance: Double, right: Double, up: Double) {
        let filled = 0.94
        let scales = [2.2 * Double(size.height) / Double(size.width), 2.2]
        var (most, least) = ([-Double.infinity, -.infinity], [-Double.infinity, -.infinity])
        for corner in 0..<8 {
            let place = seen((0..<3).map { corner >> $0 & 1 == 1 ? half[$0] : -half[$0] })
            for side in 0..<2 {
                most[side] = max(most[side], place[side] * scales[side] - filled * place[2])
                least[side] = max(least[side], -place[side] * scales[side] - filled * place[2])
            }
        }
        let distance = (0..<2).map { (most[$0] + least[$0]) / (2 * filled) }.max() ?? 1
        return (distance, (most[0] - least[0]) / (2 * scales[0]), (most[1] - least[1]) / (2 * scales[1]))
    }
}
