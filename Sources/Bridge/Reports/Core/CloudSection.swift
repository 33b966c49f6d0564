import Codecs
import Messages
import Perception
import Recording
import Text

/// The points as a picture that can be turned, with a drawn one for paper and without scripts.
struct CloudSection {
    let section: ReportPage.Section
    let blocks: [(id: String, base64: String)]
    let script: String

    private static let size = GridSize(width: 1000, height: 560)
    /// The view at the beginning, of the drawn picture, too: turn about the vertical, and up from the ground.
    private static let turnRadians = 0.7
    private static let upRadians = 0.9
    private static let background: (UInt8, UInt8, UInt8) = (0x14, 0x18, 0x1D)

    /// Nil where there is nothing to show.
    init?(_ collector: PointCollector, limit: Int, below cut: Float) {
        let points = Self.spread(collector.thinned(to: limit))
        guard points.count >= 10 else { return nil }
        let box = Box(points)
        guard let poster = Self.poster(points, box, below: cut) else { return nil }
        let label =
            "\(points.count) points; drag or use the arrow keys to turn, plus and minus to come nearer (once it has the focus "
            + "the wheel, too), shift and drag to move, c for what is above the camera, 0 to start again"
        let data =
            "data-centre=\"\(box.centre.map { $0.text(decimals: 4) }.joined(separator: ","))\" "
            + "data-size=\"\(box.edge.text(decimals: 4))\" data-count=\"\(points.count)\" "
            + "data-turn=\"\(Self.turnRadians)\" data-up=\"\(Self.upRadians)\" data-cut=\"\((cut == .infinity ? 1e9 : Double(cut) - box.centre[2]).text(decimals: 4))\" data-reach=\"\(box.reach.text(decimals: 4))\""
        var section = ReportPage.Section("cloud", "Point cloud")
        section.figures = [
            ReportPage.Figure(
                html:
                    "<div class=\"view\" id=\"view\"><img width=\"\(Self.size.width)\" height=\"\(Self.size.height)\" "
                    + "alt=\"\(points.count) points in perspective\" src=\"data:image/png;base64,\(Base64.text(poster))\">"
                    + "<canvas id=\"turn\" tabindex=\"0\" role=\"img\" aria-label=\"\(SVG.escaped(label))\" \(data)></canvas></div>",
                caption: label + ". \(collector.points.count) of \(collector.seen) points are one for each "
                    + "\((Double(collector.cubeMetres) * 100).text(decimals: 0)) cm.",
                picture: (
                    "cloud", .png(poster, size: SIMD2(Double(Self.size.width), Double(Self.size.height)))
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
        blocks = [("points", Base64.text(Self.bytes(points, box)))]
        script = PageFiles.cloudScript
    }

    /// Where the points are: most of them, so that a single one far off does not make all others small.
    private struct Box {
        var centre: [Double]
        /// The edge of the cube that has all points.
        var edge: Double
        /// From the centre to nearly all points.
        var reach: Double

        init(_ points: [PointCollector.Point]) {
            var middle: [Double] = []
            var most = 0.0
            // Shares of all points are those of some: the list is spread evenly.
            let some = points.prefix(20_000)
            for axis in 0..<3 {
                let values = some.map { $0.place[axis] }.sorted()
                middle.append(Double(values[values.count / 100] + values[values.count - 1 - values.count / 100]) / 2)
                for point in points { most = max(most, abs(Double(point.place[axis]) - middle[axis])) }
            }
            let centre = middle
            let distances = some.map { point in
                (0..<3).reduce(0.0) {
                    $0 + (Double(point.place[$1]) - centre[$1]) * (Double(point.place[$1]) - centre[$1])
                }
            }.sorted()
            self.centre = centre
            edge = max(2 * most, 0.1)
            reach = max(distances[distances.count * 97 / 100].squareRoot(), 0.1)
        }
    }

    /// Such that every beginning of the list is an even selection of all.
    private static func spread(_ points: [PointCollector.Point]) -> [PointCollector.Point] {
        guard points.count > 2 else { return points }
        var step = Int(Double(points.count) * 0.618)
        func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }
        while step > 1, divisor(points.count, step) != 1 { step -= 1 }
        return points.indices.map { points[$0 * step % points.count] }
    }

    /// Eight bytes a point, little endian: x, y, z in parts of the cube, and the colour in 5, 6 and 5 bits.
    private static func bytes(_ points: [PointCollector.Point], _ box: Box) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(8 * points.count)
        func append(_ value: UInt16) {
            bytes.append(UInt8(truncatingIfNeeded: value))
            bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        }
        for point in points {
            for axis in 0..<3 {
                let share = (Double(point.place[axis]) - box.centre[axis]) / box.edge + 0.5
                append(UInt16(max(0, min(65_535, (share * 65_535).rounded()))))
            }
            let (red, green, blue) = (point.colour >> 16 & 255, point.colour >> 8 & 255, point.colour & 255)
            append(UInt16((red >> 3) << 11 | (green >> 2) << 5 | blue >> 3))
        }
        return bytes
    }

    /// The same view as the script begins with.
    private static func poster(_ points: [PointCollector.Point], _ box: Box, below cut: Float) -> [UInt8]? {
        let (width, height) = (size.width, size.height)
        var pixels = [UInt8](repeating: 0, count: 3 * width * height)
        for index in 0..<width * height {
            (pixels[3 * index], pixels[3 * index + 1], pixels[3 * index + 2]) = background
        }
        var depths = [Double](repeating: .infinity, count: width * height)
        let (st, ct, su, cu) = (sine(turnRadians), cosine(turnRadians), sine(upRadians), cosine(upRadians))
        let distance = box.reach * 2.1
        let focal = Double(height) * 1.1
        for point in points where point.place.z <= cut {
            let p = (0..<3).map { Double(point.place[$0]) - box.centre[$0] }
            let right = p[0] * ct - p[1] * st
            let ahead = p[0] * st + p[1] * ct
            let up = p[2] * cu + ahead * su
            let depth = distance + ahead * cu + p[2] * -su
            guard depth > 0.05 else { continue }
            let x = Double(width) / 2 + right / depth * focal
            let y = Double(height) / 2 - up / depth * focal
            guard x >= 0, y >= 0, x < Double(width - 1), y < Double(height - 1) else { continue }
            let half = max(1, min(3, Int(0.012 * focal / depth)))
            for row in Int(y)...min(height - 1, Int(y) + half) {
                for column in Int(x)...min(width - 1, Int(x) + half) where depth < depths[row * width + column] {
                    let index = row * width + column
                    depths[index] = depth
                    for (place, shift) in [16, 8, 0].enumerated() {
                        pixels[3 * index + place] = UInt8(truncatingIfNeeded: point.colour >> UInt32(shift))
                    }
                }
            }
        }
        return try? PNG.encode(RGBImage(width: width, height: height, pixels: pixels))
    }
}

/// The points of many clouds, one for each cube of space: as many as there is room for, whatever the clouds hold.
///
/// Where the room ends, cubes become twice as large.
struct PointCollector {
    struct Point {
        /// In the frame `map`, in metres.
        var place: SIMD3<Float>
        /// 0x00RRGGBB.
        var colour: UInt32
    }

    private static let largest = 1 << 19
    private static let reachMetres: Float = 5000

    private(set) var cubeMetres: Float = 0.02
    private var indices: [UInt64: Int32] = [:]
    private(set) var points: [Point] = []
    private(set) var seen = 0
    /// Farther off than any walk goes.
    private(set) var distant = 0

    mutating func add(_ cloud: PointCloud) {
        for index in 0..<cloud.count {
            let place = cloud.position(index)
            add(place.x, place.y, place.z, colour: cloud.colour(index))
        }
    }

    mutating func add(_ x: Float, _ y: Float, _ z: Float, colour: UInt32) {
        seen += 1
        guard x.isFinite, y.isFinite, z.isFinite, max(abs(x), abs(y), abs(z)) < Self.reachMetres else {
            distant += 1
            return
        }
        add(Point(place: SIMD3(x, y, z), colour: colour))
    }

    private mutating func add(_ point: Point) {
        let key = key(point.place)
        guard indices[key] == nil else { return }
        if points.count == Self.largest { coarsen() }
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
