import Codecs
import Messages
import Recording
package import Text

extension BagReportSink {
    /// The types that ``scene`` is made of.
    package static let sceneTypes: Set = [
        Odometry.typeName, PoseStamped.typeName, PoseWithCovarianceStamped.typeName, TransformStamped.typeName,
        TFMessage.typeName, PointCloud2.typeName, NavSatFix.typeName,
    ]

    /// All that came so far, for the live page.
    package var scene: JSONValue {
        var scene = WholeScene(way, points)
        if !poseFrame.isEmpty { scene.frame = poseFrame }
        scene.fixes = fixes.items
        return scene.json
    }

    var topicSection: ReportPage.Section {
        var section = ReportPage.Section("topics", "Topics")
        section.showsRows = true
        section.rows = [
            ReportPage.Row(
                ["topic", "type", "messages", "Hz", "largest gap", "at s", "size", "behind its stamp", "frames"]
            )
        ]
        for name in order.sorted() {
            guard let row = rows[name] else { continue }
            let hertz = rate(row).map { $0.text(decimals: 2) } ?? ""
            let delay = row.delay.isEmpty ? "" : Readable.duration(row.delay.total.mean)
            let gap = row.largestGap > 0 ? Readable.duration(row.largestGap) : ""
            section.rows.append(
                ReportPage.Row([
                    name, row.typeName, "\(row.count)", hertz, gap, gap.isEmpty ? "" : row.gapStart.text(decimals: 2),
                    Readable.bytes(row.bytes), delay, row.frames.sorted().joined(separator: ", "),
                ])
            )
            if row.backwards > 0 {
                section.notes.append("\(name): \(row.backwards) times a message is filed before the one ahead of it.")
            }
        }
        return section
    }

    /// The rate over all intervals together, in Hz.
    private func rate(_ row: Row) -> Double? {
        guard row.count > 1, let begin = row.first, let last = row.last, last > begin else { return nil }
        return Double(row.count - 1) * 1e9 / Double(last &- begin)
    }

    var timeSection: ReportPage.Section {
        var section = ReportPage.Section("time", "Over time")
        let shown = order.sorted().filter { (rows[$0]?.count ?? 0) > 2 }
        let strips = shown.prefix(40).compactMap { name in
            rows[name].map { row in
                StripChart.Strip(name, unit: "Hz", [("", row.rate.rates)], span: 0...1, steadyShare: 0.02)
            }
        }
        let motion = [
            StripChart.Strip("speed", unit: "m/s", [("", speed)], span: 0...1),
            StripChart.Strip("turn rate", unit: "deg/s", [("", turnRate)], span: 0...30),
        ]
        guard !strips.isEmpty else {
            section.notes = ["No topic has more than two messages."]
            return section
        }
        let chart = StripChart(
            motion + strips,
            name: "time",
            seconds: seconds,
            title: "Rates of topics",
            description: "Messages a second of \(strips.count) topics"
        )
        section.figures = [ReportPage.Figure(chart, caption: "Of each message the interval since the one before it.")]
        if shown.count > 40 { section.notes = ["The first 40 of \(shown.count) topics."] }
        return section
    }

    var heightSection: ReportPage.Section {
        var section = ReportPage.Section("height", "Height")
        let chart = StripChart(
            [StripChart.Strip("height", unit: "m, z", [("", height)], span: height.total.around(0.2))],
            name: "height",
            seconds: seconds,
            title: "Height",
            description: "From \(height.total.low.text(decimals: 2)) to \(height.total.high.text(decimals: 2)) m"
        )
        section.figures = [ReportPage.Figure(chart)]
        section.rows = [
            ReportPage.Row("what", "least", "mean", "most"), PictureCollector.row("height m", height, decimals: 2),
        ]
        return section
    }

    var imageSection: ReportPage.Section {
        guard let imageTopic else { return .absent("images", "Images", "The bag has no topic of compressed images.") }
        let kept = images.items
        let count = min(Self.thumbnails, kept.count)
        let decoder = try? JPEGDecoder()
        let tiles = (0..<count).compactMap { index -> ContactSheet.Tile? in
            let one = kept[(2 * index + 1) * kept.count / (2 * count)]
            guard let image = try? decoder?.decode(one.bytes), let small = PictureMaker.thumbnail(image) else {
                return nil
            }
            return ContactSheet.Tile(seconds: one.seconds, image: small, label: "\(one.seconds.text(decimals: 1)) s")
        }
        guard !tiles.isEmpty else {
            return .absent("images", "Images", "\(imageTopic) has no JPEG that could be decoded.")
        }
        var section = ReportPage.Section("images", "Images")
        section.notes = ["\(imageTopic), as they are stored."]
        section.figures = [ContactSheet.figure(tiles)]
        return section
    }
}
