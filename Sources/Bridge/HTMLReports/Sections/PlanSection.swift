import Codecs
import Messages
import Platform
import Recording
import Text

/// The map from above with the camera's way over it.
struct PlanSection {
    private(set) var section = ReportPage.Section("map", "Map from above")

    private static let size = SIMD2(1000.0, 720.0)
    private static let wayColours = 63.0
    /// Of the pixels: a page of a megabyte has room for so much.
    private static let largestBytes = 150_000
    /// Pixels between views along the way.
    private static let viewSpacing = 25.0

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
        let view = PlanView(way + bounds, in: (70, 15, Self.size.x - 20, Self.size.y - PlanView.footHeight))
        let covered = Int((Double(collector.cubeMetres) * view.scale).rounded(.up))
        svg.data = [view.data]
        view.drawGrid(on: &svg)
        if let raster = Self.raster(points, below: walk.ceilingMetres, view, covered: max(1, min(8, covered))) {
            svg.image(raster.address, raster.origin, raster.size)
        }
        Self.drawWay(walk, view, &svg)
        Self.drawViews(places, view, &svg)
        if let first = way.first, let last = way.last {
            svg.circle(view.pixel(first), radius: 5, "good", hint: "start")
            svg.text("start", view.pixel(first) + SIMD2(8, 4), "head")
            svg.circle(view.pixel(last), radius: 5, "warn", hint: "end")
            svg.text("end", view.pixel(last) + SIMD2(8, 16), "head")
        }
        view.drawScale(on: &svg)
        if let headingDegrees { Self.drawNorth(headingDegrees, &svg) }
        let cube = (Double(collector.cubeMetres) * 100).text(decimals: 0)
        section.place = .first
        section.figures = [
            ReportPage.Figure(
                svg,
                name: "map",
                caption:
                    "The way goes from dark to bright with time; triangles show where the camera looks. Points: one for each "
                    + "\(cube) cm, up to 0.3 m above the camera." + collector.remark
                    + (headingDegrees == nil ? " The map has no direction on the Earth: up is its y axis." : ""),
                metreScale: view.scale
            )
        ]
        section.rows = [ReportPage.Row("map", "value"), ReportPage.Row("points", "\(points.count)")]
        let extent = view.span.high - view.span.low
        section.rows.append(
            ReportPage.Row("shown m", "\(extent.x.text(decimals: 1)) x \(extent.y.text(decimals: 1))")
        )
        section.rows.append(
            ReportPage.Row("seen from above m\u{B2}", collector.areaSeen(below: walk.ceilingMetres).text(decimals: 1))
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
        var size = GridSize(width: width, height: height)
        guard var png = try? PNG.encode(rgba: rgba, size: size) else { return nil }
        // Photographs have no two pixels alike: half of them to a side are enough then.
        if png.count > largestBytes {
            rgba = halved(rgba, size)
            size = GridSize(width: width / 2, height: height / 2)
            png = (try? PNG.encode(rgba: rgba, size: size)) ?? png
        }
        return Raster(
            address: "data:image/png;base64," + Base64.text(png),
            origin: topLeft,
            size: SIMD2(Double(width), Double(height))
        )
    }

    /// Every second pixel of every second row.
    private static func halved(_ rgba: [UInt8], _ size: GridSize) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(rgba.count / 4)
        for row in 0..<size.height / 2 {
            for column in 0..<size.width / 2 {
                let first = 4 * (2 * row * size.width + 2 * column)
                result += rgba[first..<first + 4]
            }
        }
        return result
    }

    /// The way in as many colours as the eye can tell apart; where nothing is known for long there is no line.
    private static func drawWay(_ walk: CameraWay, _ view: PlanView, _ svg: inout SVG) {
        let longest = max(2, 4 * walk.seconds / Double(max(1, walk.places.count)))
        var line: [SIMD2<Double>] = []
        var lines: [(line: [SIMD2<Double>], colour: String)] = []
        var colour = 0
        func close() {
            if line.count > 1 { lines.append((line, ColourMap.viridis.text(Double(colour) / wayColours))) }
        }
        var last: CameraWay.Place?
        for place in walk.places {
            let now = Int(max(0, min(1, place.seconds / walk.seconds)) * wayColours)
            let isApart = last.map { place.seconds - $0.seconds >= longest } ?? true
            if isApart || now != colour {
                close()
                // The next colour begins where the last one ends.
                line = isApart ? [] : line.suffix(1)
                colour = now
            }
            line.append(view.pixel(SIMD2(place.x, place.y)))
            last = place
        }
        close()
        for (line, _) in lines { svg.path(line, "under") }
        for (line, colour) in lines { svg.path(line, colour: colour, width: 3) }
    }

    /// Where the camera looked, now and then: a triangle that opens to what it saw.
    private static func drawViews(_ places: [CameraWay.Place], _ view: PlanView, _ svg: inout SVG) {
        let count = min(200, places.count)
        var last: SIMD2<Double>?
        for index in 0..<count {
            let place = places[index * places.count / count]
            let ahead = SIMD2(place.viewX, -place.viewY) * 14
            let start = view.pixel(SIMD2(place.x, place.y))
            let step = last.map { start - $0 } ?? SIMD2(repeating: viewSpacing)
            guard (ahead * ahead).sum() > 0, (step * step).sum() >= viewSpacing * viewSpacing else { continue }
            last = start
            let side = SIMD2(-ahead.y, ahead.x) * 0.6
            svg.path([start, start + ahead + side, start + ahead - side], "soft", closes: true)
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
