import Codecs
package import Drawing
import JSONText
package import Messages
import Recording
import Replay

/// Collects what a page of a bag shows, while the bag is played through: memory does not grow with the bag.
package actor BagReportSink: MessageSink {
    /// How a topic went.
    private struct Row {
        var typeName: String
        var count = 0
        var bytes = 0
        var frames: Set<String> = []
        var last: Int64?
        var largestGap = 0.0
        var gapStart = 0.0
        var rate: TimeColumns
        /// Record time minus the stamp in the header, in seconds.
        var delay: TimeColumns
        var backwards = 0
    }

    private struct Thumbnail: Sendable {
        var topic: String
        var seconds: Double
        var bytes: [UInt8]
    }

    private static let thumbnails = 24
    private static let framesKept = 20

    private let first: Int64
    private let seconds: Double
    private let counts: [String: Int]
    private var rows: [String: Row] = [:]
    private var order: [String] = []
    private var poseTopic: String?
    private var poseFrame = ""
    private var way: CameraWay
    private var height: TimeColumns
    private var points = PointCollector()
    private var cloudsElsewhere = 0
    private var images = SpreadSample<Thumbnail>(limit: 2 * thumbnails)
    private var imageTopic: String?

    /// - Parameters:
    ///   - span: The times that the page is about, in nanoseconds.
    ///   - counts: How many messages the bag holds of each topic, by name.
    package init(span: ClosedRange<Int64>, counts: [String: Int]) {
        self.counts = counts
        first = span.lowerBound
        seconds = max(1e-3, Double(span.upperBound &- span.lowerBound) / 1e9)
        way = CameraWay(seconds: seconds)
        height = TimeColumns(seconds: seconds)
    }

    package func open(_ topics: [Topic]) {
        let columns = TimeColumns(seconds: seconds)
        for topic in topics where rows[topic.name] == nil {
            rows[topic.name] = Row(typeName: topic.typeName, rate: columns, delay: columns)
            order.append(topic.name)
        }
        // The way is drawn from what was told most often; of GPS and visual odometry that is the visual.
        let kinds = [
            Odometry.typeName, PoseStamped.typeName, PoseWithCovarianceStamped.typeName, TransformStamped.typeName,
        ]
        poseTopic = kinds.flatMap { kind in topics.filter { $0.typeName == kind }.map(\.name) }
            .reduce(nil) { best, name in
                best.map { (counts[$0] ?? 0) >= (counts[name] ?? 0) } == true ? best : name
            }
        imageTopic = topics.first { $0.typeName == CompressedImage.typeName }?.name
    }

    package func write(_ message: StampedMessage) {
        let name = message.topic.name
        let now = Double(message.timeNanoseconds &- first) / 1e9
        count(message, name, now)
        if name == poseTopic { addPose(message, now) }
        if name == imageTopic, let image = message.message.compiled(as: CompressedImage.self),
            image.data.starts(with: [0xFF, 0xD8])
        {
            images.add(Thumbnail(topic: name, seconds: now, bytes: image.data))
        }
        if message.topic.typeName == PointCloud2.typeName, let cloud = message.message.compiled(as: PointCloud2.self) {
            addCloud(cloud)
        }
    }

    private func count(_ message: StampedMessage, _ name: String, _ now: Double) {
        guard rows[name] != nil else { return }
        let stamp = message.message.headerStampNanoseconds
        let frame = message.message.headerFrameID
        let bytes = message.message.encodedCDRSize
        rows[name]?.count += 1
        rows[name]?.bytes += bytes
        if let frame, (rows[name]?.frames.count ?? 0) < Self.framesKept { rows[name]?.frames.insert(frame) }
        if let stamp, stamp > 0 { rows[name]?.delay.add(Double(message.timeNanoseconds &- stamp) / 1e9, at: now) }
        if let last = rows[name]?.last {
            let interval = Double(message.timeNanoseconds &- last) / 1e9
            if interval < 0 { rows[name]?.backwards += 1 }
            if interval > 0 { rows[name]?.rate.add(1 / interval, at: now) }
            if interval > rows[name]?.largestGap ?? 0 {
                rows[name]?.largestGap = interval
                rows[name]?.gapStart = now - interval
            }
        }
        rows[name]?.last = message.timeNanoseconds
    }

    private func addPose(_ message: StampedMessage, _ now: Double) {
        guard let posed = PosedMessage(message.message) else { return }
        if poseFrame.isEmpty { poseFrame = posed.frameID }
        guard posed.frameID == poseFrame else { return }
        let (p, q) = (posed.pose.position, posed.pose.orientation)
        let n = posed.norm
        let turn = Recording.Quaternion(x: q.x / n, y: q.y / n, z: q.z / n, w: q.w / n)
        // A body looks along its x axis (REP-103).
        way.add(Recording.Vector3(p.x, p.y, p.z), view: turn.rotating(Recording.Vector3(1, 0, 0)), at: now)
        height.add(p.z, at: now)
    }

    private func addCloud(_ cloud: PointCloud2) {
        let isInMap = cloud.header.frameID == (poseFrame.isEmpty ? "map" : poseFrame) || cloud.header.frameID == "map"
        guard isInMap, let layout = CloudLayout(cloud) else { return cloudsElsewhere += 1 }
        // As many as are seen: a lidar of a car has a hundred thousand.
        let step = max(1, layout.count / 20_000)
        for index in stride(from: 0, to: layout.count, by: step) {
            let (x, y, z) = layout.position(index, cloud.data)
            points.add(x, y, z, colour: layout.colour(index, cloud.data))
        }
    }

    package func finish() -> SinkReport { report() }

    package func report() -> SinkReport {
        SinkReport(
            topics: order.compactMap { name in
                rows[name].map { SinkReport.TopicCount(name: name, written: $0.count, bytes: $0.bytes) }
            }
        )
    }

    // MARK: - The page

    /// - Parameters:
    ///   - verdict: What a check of the bag says, in a sentence.
    ///   - limit: Most points of the cloud that can be turned.
    package func page(
        title: String,
        subtitle: String,
        verdict: (text: String, tone: ReportPage.Tone),
        findings: [(tone: ReportPage.Tone, text: String, advice: String)],
        points limit: Int,
        version: String
    ) -> ReportPage {
        var page = ReportPage(title: title, subtitle: subtitle)
        page.verdict = verdict
        page.findings = findings
        let messages = rows.values.reduce(0) { $0 + $1.count }
        page.facts = [
            ("begins", CalendarText.utc(nanoseconds: first)), ("duration", seconds.text(decimals: 1) + " s"),
            ("topics", "\(order.count)"),
            ("messages", "\(messages)"),
            ("as CDR", (Double(rows.values.reduce(0) { $0 + $1.bytes }) / 1e6).text(decimals: 1) + " MB"),
        ]
        if !way.places.isEmpty { page.facts.append(("walked", way.metresWalked.text(decimals: 1) + " m")) }
        page.sections = [topicSection, timeSection]
        var plan = PlanSection(way, points, headingDegrees: nil).section
        if way.places.isEmpty, points.points.isEmpty {
            plan = .absent(
                "map",
                "Map from above",
                "The bag has no topic of poses, odometry or clouds in the frame map."
            )
        } else if let poseTopic {
            plan.notes.append("The way is that of \(poseTopic), in the frame \(poseFrame).")
        }
        if cloudsElsewhere > 0 {
            plan.notes.append("\(cloudsElsewhere) clouds are in another frame than the poses, and are not drawn.")
        }
        page.sections.append(plan)
        if let cloud = CloudSection(points, limit: limit, below: way.ceilingMetres) {
            page.sections.append(cloud.section)
            page.blocks = cloud.blocks
            page.script = cloud.script
        }
        if !height.isEmpty { page.sections.append(heightSection) }
        page.sections.append(imageSection)
        page.footer = "Made by mapeverything \(version) from \(title)."
        page.json = .object([
            "generator": .string("mapeverything \(version)"), "bag": .string(title), "begins_ns": .integer(first),
            "duration_s": .number(seconds), "messages": .integer(messages),
            "sections": .array(page.sections.map(\.json)),
        ])
        return page
    }

    private var topicSection: ReportPage.Section {
        var section = ReportPage.Section("topics", "Topics")
        section.showsRows = true
        section.rows = [
            ReportPage.Row(
                ["topic", "type", "messages", "Hz", "largest gap s", "at s", "kB", "behind its stamp s", "frames"]
            )
        ]
        for name in order.sorted() {
            guard let row = rows[name] else { continue }
            let hertz = row.rate.isEmpty ? "" : rate(row).text(decimals: 2)
            let delay = row.delay.isEmpty ? "" : row.delay.total.mean.text(decimals: 3)
            let gap = row.largestGap > 0 ? row.largestGap.text(decimals: 3) : ""
            section.rows.append(
                ReportPage.Row([
                    name, row.typeName, "\(row.count)", hertz, gap, gap.isEmpty ? "" : row.gapStart.text(decimals: 2),
                    (Double(row.bytes) / 1000).text(decimals: 1), delay, row.frames.sorted().joined(separator: ", "),
                ])
            )
            if row.backwards > 0 {
                section.notes.append("\(name): \(row.backwards) times a message is filed before the one ahead of it.")
            }
        }
        return section
    }

    /// Of all intervals together.
    private func rate(_ row: Row) -> Double {
        let known = row.rate.total.count
        guard known > 0, let last = row.last else { return 0 }
        let span = Double(last &- first) / 1e9
        return span > 0 ? Double(row.count - 1) / span : 0
    }

    private var timeSection: ReportPage.Section {
        var section = ReportPage.Section("time", "Over time")
        let shown = order.sorted().filter { (rows[$0]?.rate.total.count ?? 0) > 1 }
        let strips = shown.prefix(40).compactMap { name in
            rows[name].map { StripChart.Strip(shortened(name), unit: "Hz", [("", $0.rate)], span: 0...1) }
        }
        guard !strips.isEmpty else {
            section.notes = ["No topic has more than two messages."]
            return section
        }
        let svg = StripChart.svg(
            strips,
            seconds: seconds,
            title: "Rates of topics",
            description: "Messages a second of \(strips.count) topics, by the time between neighbours"
        )
        section.figures = [ReportPage.Figure(svg, name: "time", caption: "Where a line ends, messages stop.")]
        if shown.count > 40 { section.notes = ["The first 40 of \(shown.count) topics."] }
        return section
    }

    /// What has room beside a strip.
    private func shortened(_ name: String) -> String {
        name.utf8.count <= 19 ? name : "\u{2026}" + String(name.suffix(18))
    }

    private var heightSection: ReportPage.Section {
        var section = ReportPage.Section("height", "Height")
        let svg = StripChart.svg(
            [StripChart.Strip("height", unit: "m, z", [("", height)], span: -0.2...0.2)],
            seconds: seconds,
            title: "Height",
            description: "From \(height.total.low.text(decimals: 2)) to \(height.total.high.text(decimals: 2)) m"
        )
        section.figures = [ReportPage.Figure(svg, name: "height")]
        section.rows = [
            ReportPage.Row("what", "least", "mean", "most"), PictureCollector.row("height m", height, decimals: 2),
        ]
        return section
    }

    private var imageSection: ReportPage.Section {
        guard let imageTopic else { return .absent("images", "Images", "The bag has no topic of compressed images.") }
        let kept = images.items
        let count = min(Self.thumbnails, kept.count)
        let decoder = try? JPEGDecoder()
        let tiles = (0..<count).compactMap { index -> String? in
            let one = kept[(2 * index + 1) * kept.count / (2 * count)]
            guard let image = try? decoder?.decodeFull(one.bytes), let small = PictureMaker.thumbnail(image) else {
                return nil
            }
            return PictureCollector.tile(small, "jpeg", "\(one.seconds.text(decimals: 1)) s")
        }
        guard !tiles.isEmpty else {
            return .absent("images", "Images", "\(imageTopic) has no JPEG that could be decoded.")
        }
        var section = ReportPage.Section("images", "Images")
        section.notes = ["\(imageTopic), as they are stored."]
        section.figures = [ReportPage.Figure(html: "<div class=\"sheet\">\n\(tiles.joined())</div>")]
        return section
    }
}
