import Codecs
import Drawing
import JSONText
import Messages
import Recording

/// The map from above with the camera's way over it.
struct PlanSection {
    private(set) var section = ReportPage.Section("map", "Map from above")

    private static let size = SIMD2(1000.0, 700.0)

    /// - Parameter headingDegrees: The azimuth of the map's y axis, where it is known.
    init(_ walk: CameraWay, _ collector: PointCollector, headingDegrees: Double?) {
        let places = walk.places
        let points = collector.points
        guard !places.isEmpty else {
            section.notes = ["There is no pose to be trusted."]
            return
        }
        let way = places.map { SIMD2($0.x, $0.y) }
        let bounds = Self.bounds(points)
        var svg = SVG(
            width: Self.size.x,
            height: Self.size.y,
            title: "Map from above",
            description:
                "\(points.count) points and the way of the camera, \(walk.metresWalked.text(decimals: 1)) m, in "
                + "metres of the frame map"
        )
        let view = PlanView(way + bounds, in: (50, 15, Self.size.x - 20, Self.size.y - 30))
        let covered = Int((Double(collector.cubeMetres) * view.scale).rounded(.up))
        if let raster = Self.raster(points, below: walk.ceilingMetres, view, covered: max(1, min(8, covered))) {
            svg.image(raster.address, raster.origin, raster.size)
        }
        view.drawGrid(on: &svg)
        for (index, pair) in zip(places, places.dropFirst()).enumerated() {
            guard pair.1.seconds - pair.0.seconds < max(2, 4 * walk.seconds / Double(places.count)) else { continue }
            let ends = [pair.0, pair.1].map { view.pixel(SIMD2($0.x, $0.y)) }
            let step = ends[1] - ends[0]
            // A part of every line must be seen.
            guard (step * step).sum() > 0.02 || index == 0 else { continue }
            svg.path(ends, colour: ColourMap.viridis.text(pair.0.seconds / walk.seconds), width: 2.5)
        }
        Self.drawViews(places, view, &svg)
        if let first = way.first, let last = way.last {
            svg.circle(view.pixel(first), radius: 5, "good", hint: "start")
            svg.text("start", view.pixel(first) + SIMD2(8, 4), "head")
            svg.circle(view.pixel(last), radius: 5, "warn", hint: "end")
            svg.text("end", view.pixel(last) + SIMD2(8, 16), "head")
        }
        if let headingDegrees { Self.drawNorth(headingDegrees, &svg) }
        let cube = (Double(collector.cubeMetres) * 100).text(decimals: 0)
        section.figures = [
            ReportPage.Figure(
                svg,
                name: "map",
                caption:
                    "The way goes from dark to bright with time; short lines are views. Points: one for each \(cube) cm, up to "
                    + "0.3 m above the camera."
            )
        ]
        section.rows = [ReportPage.Row("map", "value"), ReportPage.Row("points", "\(points.count)")]
        let extent = view.span.high - view.span.low
        section.rows.append(
            ReportPage.Row("shown m", "\(extent.x.text(decimals: 1)) x \(extent.y.text(decimals: 1))")
        )
        section.rows.append(ReportPage.Row("walked m", walk.metresWalked.text(decimals: 2)))
        if let first = places.first, let last = places.last {
            let (x, y, z) = (last.x - first.x, last.y - first.y, last.z - first.z)
            let distance = (x * x + y * y + z * z).squareRoot()
            section.rows.append(ReportPage.Row("from start to end m", distance.text(decimals: 2)))
        }
    }

    /// Where 98 of a hundred points are.
    private static func bounds(_ points: [PointCollector.Point]) -> [SIMD2<Double>] {
        guard points.count > 100 else { return [] }
        let step = max(1, points.count / 20_000)
        let some = stride(from: 0, to: points.count, by: step).map { points[$0].place }
        let (x, y) = (some.map(\.x).sorted(), some.map(\.y).sorted())
        let (low, high) = (some.count / 100, some.count - 1 - some.count / 100)
        return [SIMD2(Double(x[low]), Double(y[low])), SIMD2(Double(x[high]), Double(y[high]))]
    }

    private struct Raster {
        var address: String
        var origin: SIMD2<Double>
        var size: SIMD2<Double>
    }

    /// The highest point of each pixel, in its colour.
    private static func raster(
        _ points: [PointCollector.Point],
        below cut: Float,
        _ view: PlanView,
        covered: Int
    ) -> Raster? {
        let topLeft = view.pixel(SIMD2(view.span.low.x, view.span.high.y))
        let bottomRight = view.pixel(SIMD2(view.span.high.x, view.span.low.y))
        let (width, height) = (Int(bottomRight.x - topLeft.x), Int(bottomRight.y - topLeft.y))
        guard width > 0, height > 0, width < 4096, height < 4096 else { return nil }
        // A point covers the pixels that its cube does.
        var tops = [Float](repeating: -.infinity, count: width * height)
        var colours = [UInt32](repeating: 0, count: width * height)
        for point in points where point.place.z <= cut {
            let pixel = view.pixel(SIMD2(Double(point.place.x), Double(point.place.y))) - topLeft
            guard pixel.x >= 0, pixel.y >= 0, pixel.x < Double(width), pixel.y < Double(height) else { continue }
            let (column, row) = (Int(pixel.x), Int(pixel.y))
            for y in row...min(row + covered, height - 1) {
                for x in column...min(column + covered, width - 1) where tops[y * width + x] < point.place.z {
                    tops[y * width + x] = point.place.z
                    colours[y * width + x] = point.colour
                }
            }
        }
        var rgba = [UInt8](repeating: 0, count: 4 * width * height)
        for index in tops.indices where tops[index] > -.infinity {
            let colour = colours[index]
            for (place, shift) in [16, 8, 0].enumerated() {
                rgba[4 * index + place] = UInt8(truncatingIfNeeded: colour >> UInt32(shift))
            }
            rgba[4 * index + 3] = 255
        }
        guard let png = try? PNG.encode(rgba: rgba, size: GridSize(width: width, height: height)) else { return nil }
        return Raster(
            address: "data:image/png;base64," + Base64.text(png),
            origin: topLeft,
            size: SIMD2(Double(width), Double(height))
        )
    }

    /// Where the camera looked, now and then.
    private static func drawViews(_ places: [CameraWay.Place], _ view: PlanView, _ svg: inout SVG) {
        let count = min(40, places.count)
        for index in 0..<count {
            let place = places[index * places.count / count]
            let start = view.pixel(SIMD2(place.x, place.y))
            svg.line(start, start + SIMD2(place.viewX, -place.viewY) * 14, "soft")
        }
    }

    /// The world's y axis of the map has the azimuth of the heading.
    private static func drawNorth(_ headingDegrees: Double, _ svg: inout SVG) {
        let angle = -headingDegrees * .pi / 180
        let out = SIMD2(sine(angle), -cosine(angle))
        let middle = SIMD2(size.x - 60, 60)
        svg.line(middle - out * 22, middle + out * 22, "thick")
        svg.path(
            [
                middle + out * 10 + SIMD2(-out.y, out.x) * 7, middle + out * 22,
                middle + out * 10 - SIMD2(-out.y, out.x) * 7,
            ],
            "thick"
        )
        svg.text("N", middle + out * 36 + SIMD2(0, 4), "head", .middle)
    }
}
