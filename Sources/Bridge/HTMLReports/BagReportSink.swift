import Codecs
package import Messages
package import Platform
import Recording
import Text
import Translation

/// Collects what a page of a bag shows, while the bag is played through: memory does not grow with the bag.
package actor BagReportSink: MessageSink {
    /// How a topic went.
    struct Row {
        var typeName: String
        var count = 0
        var bytes = 0
        var frames: Set<String> = []
        var first: Int64?
        var last: Int64?
        var largestGap = 0.0
        var gapStart = 0.0
        var rate: RateColumns
        /// Record time minus the stamp in the header, in seconds.
        var delay: TimeColumns
        var backwards = 0
        /// True if its first message is a depth image.
        var isDepth = false
    }

    struct Thumbnail: Sendable {
        var topic: String
        var seconds: Double
        var bytes: [UInt8]
    }

    static let thumbnails = 24
    private static let framesKept = 20

    let first: Int64
    let seconds: Double
    let counts: [String: Int]
    /// True for what the live page shows at once, and not for a page of its own.
    private let isCoarse: Bool
    private(set) var rows: [String: Row] = [:]
    private(set) var order: [String] = []
    private var poseTopic: String?
    private(set) var poseFrame = ""
    private(set) var way: CameraWay
    private(set) var height: TimeColumns
    private(set) var speed: TimeColumns
    private(set) var turnRate: TimeColumns
    private var lastPose: (seconds: Double, mapFromBody: Recording.Transform)?
    private(set) var points: PointCollector
    private var tree = FrameTree()
    private var cloudsElsewhere = 0
    private var cloudsSeen = 0
    private var cloudStep = 1
    private(set) var fixes = SpreadSample<WholeScene.Fix>(limit: WholeScene.places)
    private(set) var images = SpreadSample<Thumbnail>(limit: 2 * thumbnails)
    private(set) var imageTopic: String?

    /// - Parameters:
    ///   - span: The times that the page is about, in nanoseconds.
    ///   - counts: How many messages the bag holds of each topic, by name.
    ///   - isCoarse: True for ``scene`` alone: of some clouds some points.
    package init(span: ClosedRange<Int64>, counts: [String: Int], isCoarse: Bool = false) {
        self.counts = counts
        self.isCoarse = isCoarse
        points = isCoarse ? WholeScene.collector : PointCollector()
        first = span.lowerBound
        seconds = max(1e-3, Double(span.upperBound &- span.lowerBound) / 1e9)
        way = isCoarse ? CameraWay(seconds: seconds, limit: WholeScene.places) : CameraWay(seconds: seconds)
        let columns = TimeColumns(seconds: seconds)
        (height, speed, turnRate) = (columns, columns, columns)
    }

    package func open(_ topics: [Topic]) {
        let columns = TimeColumns(seconds: seconds)
        for topic in topics where rows[topic.name] == nil {
            rows[topic.name] = Row(
                typeName: topic.typeName,
                rate: RateColumns(seconds: seconds),
                delay: columns
            )
            order.append(topic.name)
        }
        let clouds = topics.filter { $0.typeName == PointCloud2.typeName }.reduce(0) { $0 + (counts[$1.name] ?? 0) }
        cloudStep = isCoarse ? max(1, clouds / WholeScene.clouds) : 1
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
        if message.topic.typeName == PointCloud2.typeName {
            cloudsSeen += 1
            if cloudsSeen % cloudStep == 0, let cloud = message.message.compiled(as: PointCloud2.self) {
                addCloud(cloud, now)
            }
        }
        if isCoarse, let fix = message.message.compiled(as: NavSatFix.self) { add(fix) }
        if message.topic.typeName == TFMessage.typeName, let message = message.message.compiled(as: TFMessage.self) {
            tree.take(message)
        }
    }

    private func count(_ message: StampedMessage, _ name: String, _ now: Double) {
        guard rows[name] != nil else { return }
        let stamp = message.message.headerStampNanoseconds
        let frame = message.message.headerFrameID
        let bytes = message.message.encodedCDRSize
        if rows[name]?.count == 0 { rows[name]?.isDepth = Self.isDepth(message) }
        rows[name]?.count += 1
        rows[name]?.bytes += bytes
        if let frame, (rows[name]?.frames.count ?? 0) < Self.framesKept { rows[name]?.frames.insert(frame) }
        rows[name]?.rate.add(at: now)
        if let stamp, stamp > 0 { rows[name]?.delay.add(Double(message.timeNanoseconds &- stamp) / 1e9, at: now) }
        if let last = rows[name]?.last {
            let interval = Double(message.timeNanoseconds &- last) / 1e9
            if interval < 0 { rows[name]?.backwards += 1 }
            if interval > rows[name]?.largestGap ?? 0 {
                rows[name]?.largestGap = interval
                rows[name]?.gapStart = now - interval
            }
        }
        if rows[name]?.first == nil { rows[name]?.first = message.timeNanoseconds }
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
        let optical = turn * Coordinates.baseFromCamera.rotation * Coordinates.opticalFromCamera.inverse.rotation
        way.add(Recording.Vector3(p.x, p.y, p.z), turn: optical, at: now)
        height.add(p.z, at: now)
        let pose = Recording.Transform(rotation: turn, translation: Recording.Vector3(p.x, p.y, p.z))
        if let (before, last) = lastPose, now > before, now - before < 1 {
            let step = last.inverse * pose
            speed.add(step.translation.length / (now - before), at: now)
            turnRate.add(step.rotation.angleRadians * 180 / .pi / (now - before), at: now)
        }
        lastPose = (now, pose)
    }

    private func add(_ fix: NavSatFix) {
        guard fix.status.status >= 0, fix.latitude.isFinite, fix.longitude.isFinite else { return }
        let error = fix.positionCovariance[0].squareRoot()
        fixes.add(
            WholeScene.Fix(latitude: fix.latitude, longitude: fix.longitude, errorMetres: error > 0 ? error : nil)
        )
    }

    private func addCloud(_ cloud: PointCloud2, _ now: Double) {
        let frame = cloud.header.frameID
        // Clouds of the map are as they are, whatever the frame of the poses.
        let place =
            frame == FrameName.map
            ? .identity : tree.transform(from: frame, to: poseFrame.isEmpty ? FrameName.map : poseFrame)
        guard let place, let layout = CloudLayout(cloud) else { return cloudsElsewhere += 1 }
        // As many as are seen: a lidar of a car has a hundred thousand.
        let step = max(1, layout.count / (isCoarse ? 4_000 : 20_000))
        for index in stride(from: 0, to: layout.count, by: step) {
            let (x, y, z) = layout.position(index, cloud.data)
            let point = place * Recording.Vector3(Double(x), Double(y), Double(z))
            points.add(
                Float(point.x),
                Float(point.y),
                Float(point.z),
                colour: layout.colour(index, cloud.data),
                at: now / seconds
            )
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
    ///   - verdict: What a check of the bag says.
    ///   - doubted: The topics of which the check found something.
    ///   - limit: Most points of the cloud that can be turned.
    ///   - byteCount: Of the bag on disk.
    package func page(
        title: String,
        subtitle: String,
        verdict: Verdict,
        findings: [(tone: ReportPage.Tone, text: String, advice: String)],
        doubted: Set<String> = [],
        points limit: Int,
        byteCount: Int,
        version: String
    ) -> ReportPage {
        var page = ReportPage(title: title, subtitle: subtitle)
        page.verdict = (verdict.sentence + ".", ReportPage.Tone(verdict))
        page.findings = findings
        let messages = rows.values.reduce(0) { $0 + $1.count }
        page.facts = [
            ("duration", Readable.duration(seconds)), ("messages", Readable.count(messages)),
            ("size", Readable.bytes(byteCount)), ("begins", CalendarText.readable(nanoseconds: first)),
            ("topics", "\(order.count)"), ("as CDR", Readable.bytes(rows.values.reduce(0) { $0 + $1.bytes })),
        ]
        if !way.places.isEmpty { page.facts.insert(("walked", way.metresWalked.text(decimals: 1) + " m"), at: 2) }
        points.colourByHeight(below: way.ceilingMetres)
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
            plan.notes.append(
                "\(cloudsElsewhere) clouds are in a frame whose place among the poses is not known, and are not drawn."
            )
        }
        page.sections.append(plan)
        if let cloud = CloudSection(points, limit: limit, way) {
            page.sections.append(cloud.section)
            page.blocks = cloud.blocks
        }
        page.sections += [timeSection, topicSection]
        page.cursor = ReportPage.Cursor(seconds: seconds, begins: first, view: SIMD2(0.6, 0.45), way: way.base64)
        if !height.isEmpty { page.sections.append(heightSection) }
        page.sections.append(imageSection)
        let shown = page.sections.filter { $0.place != .absent }.map(\.id)
        page.streams = streams(doubted: doubted, sections: Set(shown))
        page.footer = "Made by mapeverything \(version) from \(title)."
        page.json = .object([
            "generator": .string("mapeverything \(version)"), "bag": .string(title), "begins_ns": .integer(first),
            "duration_s": .number(seconds), "messages": .integer(messages),
            "verdict": .string(verdict.word.rawValue), "looked_at": .string(verdict.examined),
            "sections": .array(page.sections.map(\.json)),
        ])
        return page
    }
}
