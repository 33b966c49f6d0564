import Codecs
import Messages
import Perception
import Platform
import Recording
import Text

/// The points as a picture that can be turned, with a drawn one for paper and without scripts.
struct CloudSection {
    let section: ReportPage.Section
    let blocks: [(id: String, base64: String)]

    private static let background: (UInt8, UInt8, UInt8) = (0x14, 0x18, 0x1D)

    /// Nil where there is nothing to show.
    init?(_ collector: PointCollector, limit: Int, _ way: CameraWay) {
        let cut = way.ceilingMetres
        let points = Self.spread(collector.thinned(to: limit))
        guard points.count >= 10 else { return nil }
        let box = CloudView(points, below: cut, from: way.middle)
        guard let image = Self.poster(points, box, below: cut), let poster = try? PNG.encode(image),
            let small = try? JPEGEncoder().encode(image, quality: 80)
        else { return nil }
        let cube = Double(collector.cubeMetres)
        let numbers: [(String, Double)] = [
            ("size", box.edge), ("turn", box.turnRadians), ("up", box.upRadians), ("metres", box.pointMetres),
            ("cut", cut == .infinity ? 1e9 : Double(cut)),
        ]
        let centre = box.centre.map { $0.text(decimals: 4) }.joined(separator: ",")
        let data =
            numbers.map { "data-\($0.0)=\"\($0.1.text(decimals: 4))\" " }.joined()
            + "data-centre=\"\(centre)\" data-count=\"\(points.count)\""
            + (collector.showsHeights ? " data-heights=\"1\"" : "")
        var section = ReportPage.Section("cloud", "Point cloud")
        section.figures = [
            ReportPage.Figure(
                html:
                    "<div class=\"tools\" id=\"tools\" role=\"toolbar\" aria-label=\"View\" hidden></div>"
                    + "<div class=\"view\" id=\"view\" style=\"--aspect:\((Double(box.size.width) / Double(box.size.height)).text(decimals: 3))\"><img width=\"\(box.size.width)\" height=\"\(box.size.height)\" "
                    + "alt=\"\(points.count) points in perspective\" src=\"data:image/jpeg;base64,\(Base64.text(small))\">"
                    + "<canvas id=\"turn\" tabindex=\"0\" role=\"img\" aria-label=\"\(points.count) points; arrow keys turn, "
                    + "plus and minus come nearer, c is for what is above the camera, 0 starts again\" \(data)></canvas></div>",
                caption:
                    "Drag to turn about what is under the pointer, shift and drag to move, the wheel (after a click) or two fingers to "
                    + "come nearer and turn, three to move. Keys: arrows, + and -, t from above, c what is above the camera, 0 again. "
                    + "\(Readable.count(points.count)) points, one for each \((cube * 100).text(decimals: 0)) cm."
                    + collector.remark,
                picture: (
                    "cloud", .png(poster, size: SIMD2(Double(box.size.width), Double(box.size.height)))
                )
            )
        ]
        section.rows = [
            ReportPage.Row("cloud", "points"), ReportPage.Row("of all frames looked at", "\(collector.seen)"),
            ReportPage.Row("one for each cube", "\(collector.points.count)"),
            ReportPage.Row("shown", "\(points.count)"),
        ]
        if collector.distant > 0 { section.rows.append(ReportPage.Row("too far off", "\(collector.distant)")) }
        self.section = section
        blocks = [("points", Base64.text(Self.bytes(points, centre: box.centre, edge: box.edge)))]
    }

    /// A small picture of points, as the page has it; nil where there is nothing to show.
    ///
    /// - Parameter pixels: Of its longer side.
    static func thumbnail(_ collector: PointCollector, _ way: CameraWay, pixels: Int) -> [UInt8]? {
        let cut = way.ceilingMetres
        let points = spread(collector.points)
        guard points.count >= 10 else { return nil }
        let box = CloudView(points, below: cut, from: way.middle).with(longerSide: pixels)
        return poster(points, box, below: cut).flatMap { try? JPEGEncoder().encode($0, quality: 80) }
    }

    /// Such that every beginning of the list is an even selection of all.
    private static func spread(_ points: [PointCollector.Point]) -> [PointCollector.Point] {
        guard points.count > 2 else { return points }
        var step = Int(Double(points.count) * 0.618)
        func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }
        while step > 1, divisor(points.count, step) != 1 { step -= 1 }
        return points.indices.map { points[$0 * step % points.count] }
    }

    /// Eight bytes a point, little endian: x, y, z in parts of the cube, and the colour in 5, 6 and 5 bits; then a byte of each.
    ///
    /// - Parameter edge: Of the cube that has all points.
    static func bytes(_ points: [PointCollector.Point], centre: [Double], edge: Double) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(9 * points.count)
        func append(_ value: UInt16) {
            bytes.append(UInt8(truncatingIfNeeded: value))
            bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        for point in points {
            for axis in 0..<3 {
                let share = (Double(point.place[axis]) - centre[axis]) / edge + 0.5
                append(UInt16(max(0, min(65_535, (share * 65_535).rounded()))))
            }
            let (red, green, blue) = (point.colour >> 16 & 255, point.colour >> 8 & 255, point.colour & 255)
            append(UInt16((red >> 3) << 11 | (green >> 2) << 5 | blue >> 3))
        }
        return bytes + points.map(\.tag)
    }

    /// The same view as the script begins with.
    private static func poster(_ points: [PointCollector.Point], _ box: CloudView, below cut: Float) -> RGBImage? {
        let (width, height) = (box.size.width, box.size.height)
        var pixels = [UInt8](repeating: 0, count: 3 * width * height)
        for index in 0..<width * height {
            (pixels[3 * index], pixels[3 * index + 1], pixels[3 * index + 2]) = background
        }
        var depths = [Double](repeating: .infinity, count: width * height)
        let fitted = box.fit()
        let focal = Double(height) * 1.1
        for point in points where point.place.z <= cut {
            let place = box.seen(point)
            let (right, up, depth) = (place[0] - fitted.right, place[1] - fitted.up, fitted.distance + place[2])
            guard depth > 0.05 else { continue }
            let x = Double(width) / 2 + right / depth * focal
            let y = Double(height) / 2 - up / depth * focal
            guard x >= 0, y >= 0, x < Double(width - 1), y < Double(height - 1) else { continue }
            let half = max(1, min(6, Int(box.pointMetres * focal / depth / 2)))
            for row in max(0, Int(y) - half)...min(height - 1, Int(y) + half) {
                for column in max(0, Int(x) - half)...min(width - 1, Int(x) + half)
                where depth < depths[row * width + column] {
                    let index = row * width + column
                    depths[index] = depth
                    for (place, shift) in [16, 8, 0].enumerated() {
                        pixels[3 * index + place] = UInt8(truncatingIfNeeded: point.colour >> UInt32(shift))
                    }
                }
            }
        }
        return RGBImage(width: width, height: height, pixels: pixels)
    }
}
