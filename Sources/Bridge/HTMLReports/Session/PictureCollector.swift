import Codecs
import Messages
import Perception
import Recording
import Sessions
import Text

/// Collects the pictures of a session's frames, in the order of time.
final class PictureCollector {
    private struct Thumbnail {
        var seconds: Double
        var frameIndex: Int
        var image: [UInt8]
        var depth: [UInt8]?
    }

    private(set) var points = PointCollector()
    private(set) var diagnostics = Diagnostics()
    private var sheet: [Thumbnail] = []
    private(set) var validShare: TimeColumns
    private(set) var confidence: [TimeColumns]
    private(set) var scale: TimeColumns
    private(set) var error: TimeColumns
    private var grid = [Float](repeating: 0, count: PictureMaker.gridSize.count)
    private var gridCount = 0
    private var calibrated = 0
    private var refused = 0

    init(seconds: Double) {
        let columns = TimeColumns(seconds: seconds)
        (validShare, scale, error) = (columns, columns, columns)
        confidence = [columns, columns, columns]
    }

    func add(_ made: FramePictures) {
        diagnostics.append(made.diagnostics)
        if let image = made.thumbnail {
            sheet.append(
                Thumbnail(
                    seconds: made.seconds,
                    frameIndex: made.frameIndex,
                    image: image,
                    depth: made.depthThumbnail
                )
            )
        }
        if let cloud = made.cloud {
            points.add(cloud, confidence: made.cloudConfidence, at: made.seconds / validShare.seconds)
        }
        if let depth = made.depth {
            validShare.add(depth.valid * 100, at: made.seconds)
            for (level, share) in depth.confidence.enumerated() where confidence.indices.contains(level) {
                confidence[level].add(share * 100, at: made.seconds)
            }
            for (index, share) in depth.grid.enumerated() where grid.indices.contains(index) { grid[index] += share }
            gridCount += 1
        }
        if let calibration = made.calibration {
            calibrated += 1
            scale.add(calibration.scale, at: made.seconds)
            error.add(calibration.rmseMetres, at: made.seconds)
        }
        if made.calibrationRefused { refused += 1 }
    }

    private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }

    // MARK: - Sections

    func sheetSection(_ summary: SessionSummary) -> ReportPage.Section {
        guard !sheet.isEmpty else {
            return .absent(
                "images",
                "Images",
                summary.hasImages ? "No image could be read." : Self.sentence(summary.absence(of: .images))
            )
        }
        var section = ReportPage.Section("images", "Images")
        let tiles = sheet.map { one in
            let label = "frame \(one.frameIndex), \(one.seconds.text(decimals: 1)) s"
            return ContactSheet.Tile(seconds: one.seconds, image: one.image, depth: one.depth, label: label)
        }
        section.figures = [
            ContactSheet.figure(
                tiles,
                caption:
                    "Evenly spread over the recording, turned upright by gravity. Depth: blue is near (0.2 m), red is "
                    + "far (5 m), faint where the confidence is low, striped where it is lowest, grey where there is none."
            )
        ]
        return section
    }

    func depthSection(_ summary: SessionSummary) -> ReportPage.Section {
        guard gridCount > 0 else {
            return .absent(
                "depth",
                "Depth",
                summary.hasDepth ? "No depth map could be read." : Self.sentence(summary.absence(of: .depth))
            )
        }
        var section = ReportPage.Section("depth", "Depth")
        section.place = .closed
        let size = PictureMaker.gridSize
        var svg = SVG(
            width: 1000,
            height: 300,
            title: "Where depth is valid",
            description: "Share of \(gridCount) depth maps that have a value, over the sensor's image; mean "
                + "\(validShare.total.mean.text(decimals: 1)) %"
        )
        var pixels: [UInt8] = []
        for value in grid {
            let (red, green, blue) = ColourMap.viridis.colour(Double(value) / Double(gridCount))
            pixels += [red, green, blue]
        }
        if let png = try? PNG.encode(RGBImage(width: size.width, height: size.height, pixels: pixels)) {
            svg.image("data:image/png;base64," + Base64.text(png), SIMD2(20, 20), SIMD2(347, 260))
        }
        Self.legend(&svg, .viridis, "share of depth maps with a value", ["0 %", "50 %", "100 %"], x: 400, y: 60)
        Self.legend(&svg, .turbo, "colours of depth", ["0.2 m", "2.6 m", "5 m"], x: 400, y: 150)
        section.figures = [ReportPage.Figure(svg, name: "depth")]
        section.rows = [ReportPage.Row("depth", "least", "mean", "most")]
        section.rows.append(Self.row("valid %", validShare))
        for level in confidence.indices where !confidence[level].isEmpty {
            section.rows.append(Self.row("confidence \(level) %", confidence[level]))
        }
        return section
    }

    private static func legend(
        _ svg: inout SVG,
        _ map: ColourMap,
        _ title: String,
        _ marks: [String],
        x: Double,
        y: Double
    ) {
        svg.text(title, SIMD2(x, y - 8), "")
        for step in 0..<64 {
            let left = x + Double(step) * 5
            svg.path([SIMD2(left, y + 10), SIMD2(left + 5.5, y + 10)], colour: map.text(Double(step) / 63), width: 20)
        }
        for (place, mark) in marks.enumerated() {
            let at = x + 320 * Double(place) / Double(max(1, marks.count - 1))
            svg.text(mark, SIMD2(at, y + 36), "soft", place == 0 ? .start : place == marks.count - 1 ? .end : .middle)
        }
    }

    static func row(_ name: String, _ columns: TimeColumns, decimals: Int = 1) -> ReportPage.Row {
        let total = columns.total
        return ReportPage.Row([name] + [total.low, total.mean, total.high].map { $0.text(decimals: decimals) })
    }

    func calibrationSection(_ summary: SessionSummary) -> ReportPage.Section {
        guard summary.hasRelativeDepth else {
            return .absent("relative", "Relative depth", "The session has no relative depth.")
        }
        var section = ReportPage.Section("relative", "Relative depth")
        section.place = .closed
        section.notes = [
            "\(calibrated) of \(calibrated + refused) frames that were tried could be calibrated by LiDAR."
        ]
        let chart = StripChart(
            [
                StripChart.Strip("scale", unit: "m per unit", [("", scale)]),
                StripChart.Strip("error", unit: "m, RMS", [("", error)], span: 0...0.1),
            ],
            name: "relative",
            seconds: scale.seconds,
            title: "Calibration of relative depth",
            description: "Scale and error of the fit to LiDAR depth, by time"
        )
        if calibrated > 0 { section.figures = [ReportPage.Figure(chart)] }
        section.rows = [
            ReportPage.Row("calibration", "least", "mean", "most"), Self.row("scale", scale, decimals: 3),
            Self.row("error m", error, decimals: 3),
        ]
        if calibrated == 0 { section.rows = [] }
        return section
    }
}
