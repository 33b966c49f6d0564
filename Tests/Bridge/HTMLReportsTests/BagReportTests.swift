import Foundation
import HTMLReports
import Messages
import Platform
import Sessions
import Testing
import Text

/// The page of a bag: its figures against those of messages that were made up here.
@Suite struct BagReportTests {
    private static let start: Int64 = 1_700_000_000_000_000_000
    private let poses = Topic(name: "/pose", type: PoseStamped.self)
    private let clouds = Topic(name: "/points", type: PointCloud2.self)
    private let transforms = Topic(name: "/tf", type: TFMessage.self)
    private let strings = Topic(name: "/notes", type: StringMessage.self)
    private let images = [
        Topic(name: "/left/image", type: Image.self), Topic(name: "/right/image", type: Image.self),
        Topic(name: "/depth/image_raw", type: Image.self), Topic(name: "/depth/confidence", type: Image.self),
    ]

    /// A pose ahead along x, filed `delay` seconds after its stamp.
    private func pose(_ seconds: Double, x: Double, delay: Double = 0) -> StampedMessage {
        let filed = Self.start + Int64((seconds * 1e9).rounded())
        var message = PoseStamped()
        message.header.frameID = "map"
        message.header.stamp = Time(nanosecondsSinceEpoch: filed - Int64((delay * 1e9).rounded()))
        message.pose.position.x = x
        message.pose.orientation.w = 1
        return StampedMessage(topic: poses, timeNanoseconds: filed, message: message)
    }

    private func page(
        _ messages: [StampedMessage],
        seconds: Int64 = 10,
        held: [String: Int] = [:],
        doubted: Set<String> = []
    ) async -> ReportPage {
        let span = Self.start...Self.start + seconds * 1_000_000_000
        let sink = BagReportSink(span: span, counts: ["/pose": messages.count].merging(held) { $1 })
        await sink.open([poses, strings, clouds, transforms] + images)
        for message in messages { await sink.write(message) }
        return await sink.page(
            title: "bag",
            subtitle: "",
            verdict: Verdict(errors: 0, examined: "every message decoded"),
            findings: [],
            doubted: doubted,
            points: 1000,
            byteCount: 30_400_000,
            version: "1"
        )
    }

    private func row(_ name: String, _ page: ReportPage) throws -> [String] {
        let topics = try #require(page.sections.first { $0.id == "topics" })
        return try #require(topics.rows.first { $0.cells.first == name }).cells
    }

    @Test("a rate is that of all intervals, a gap the longest of them and where it begins")
    func rates() async throws {
        // Four intervals in four seconds: 0.5, 0.5, 2.5 and 0.5.
        let page = await page([1, 1.5, 2, 4.5, 5].map { pose($0, x: 0, delay: 0.25) })
        let cells = try row("/pose", page)
        #expect(Array(cells[1...5]) == ["geometry_msgs/msg/PoseStamped", "5", "1.00", "2.5 s", "2.00"])
        #expect(cells[7] == "0.250 s" && cells[8] == "map")
        #expect(page.facts.first { $0.name == "begins" }?.value == "2023-11-14 22:13:20 UTC")
        #expect(page.facts.prefix(4).map(\.name) == ["duration", "messages", "walked", "size"])
        #expect(page.facts[3].value == "30.4 MB")
        #expect(page.facts.first { $0.name == "messages" }?.value == "5")
    }

    @Test("a topic without messages has a row and no figures")
    func emptyTopic() async throws {
        let cells = try row("/notes", await page([pose(1, x: 0)]))
        #expect(cells == ["/notes", "std_msgs/msg/String", "0", "", "", "", "0 B", "", ""])
    }

    @Test(
        "the head counts the messages of each stream: amber where some are lost or a check found something, else grey"
    )
    func streams() async throws {
        func image(_ index: Int, _ encoding: String) -> StampedMessage {
            var message = Image()
            message.encoding = encoding
            return StampedMessage(topic: images[index], timeNanoseconds: Self.start + 1, message: message)
        }
        let messages = [image(0, "rgb8"), image(0, "rgb8"), image(1, "mono8"), image(2, "16UC1"), image(3, "mono8")]
        func marks(_ page: ReportPage) -> [String] {
            page.streams.map { "\($0.share.name) \($0.share.text), \($0.share.amount.rawValue) \($0.section)" }
        }
        let rest = ["IMU none, none ", "fixes none, none ", "odometry none, none "]
        // Images that are no JPEG and a bag without clouds have no section: the table of topics has them.
        #expect(
            marks(await page(messages)) == [
                "images 3 in 2 topics, whole topics", "depth 1, whole topics", "clouds none, none ",
            ] + rest + ["transforms none, none "]
        )
        let damaged = await page(
            messages,
            held: ["/right/image": 70, "/points": 4],
            doubted: ["/depth/image_raw", "/tf"]
        )
        #expect(
            marks(damaged) == [
                "images 3 of 72 in 2 topics, part topics", "depth 1, part topics", "clouds 0 of 4, part topics",
            ] + rest + ["transforms none, part topics"]
        )
        let html = String(decoding: damaged.bytes, as: UTF8.self)
        #expect(html.contains("<li class=\"part\"><a href=\"#topics\">images <b>3 of 72 in 2 topics</b></a></li>"))
        #expect(html.contains("<li class=\"none\">IMU <b>none</b></li>"))
    }

    @Test("messages that are filed before the one ahead of them are counted")
    func backwards() async throws {
        let page = await page([1, 3, 2, 4, 3.5].map { pose($0, x: 0) })
        let topics = try #require(page.sections.first { $0.id == "topics" })
        #expect(topics.notes == ["/pose: 2 times a message is filed before the one ahead of it."])
    }

    @Test("the way is the sum of its steps; what trembles is none")
    func way() async throws {
        // Out by three metres and back by one, then steps of a centimetre around that place.
        let places = [0, 1, 2, 3, 2, 2.01, 2, 2.01, 2]
        let page = await page(places.enumerated().map { pose(Double($0.offset), x: $0.element) })
        #expect(page.facts.first { $0.name == "walked" }?.value == "4.0 m")
        let map = try #require(page.sections.first { $0.id == "map" })
        #expect(map.rows.first { $0.cells[0] == "from start to end m" }?.cells[1] == "2.00")
        #expect(map.notes.contains("The way is that of /pose, in the frame map."))
    }

    @Test("a cloud in another frame is drawn where the transforms before it place that frame, and else is counted")
    func clouds() async throws {
        var cloud = PointCloud2()
        cloud.header.frameID = "sensor"
        (cloud.height, cloud.width, cloud.pointStep, cloud.rowStep) = (1, 1, 12, 12)
        cloud.fields = ["x", "y", "z"].enumerated().map { place, name in
            PointField(name: name, offset: UInt32(4 * place), datatype: PointField.float32, count: 1)
        }
        cloud.data = [UInt8](repeating: 0, count: 12)
        // Mounted 7 m to the left of a body that is 3 m ahead.
        var mounting = TransformStamped()
        mounting.header.frameID = "body"
        mounting.childFrameID = "sensor"
        mounting.transform.translation.y = 7
        mounting.transform.rotation.w = 1
        var moving = mounting
        moving.header.frameID = "map"
        moving.childFrameID = "body"
        moving.transform.translation = Vector3(x: 3, y: 0, z: 0)
        var message = TFMessage()
        message.transforms = [moving, mounting]
        let first = Self.start + 1_000_000_000
        let unplaced = StampedMessage(topic: clouds, timeNanoseconds: first, message: cloud)
        let tree = StampedMessage(topic: transforms, timeNanoseconds: first + 1, message: message)
        let placed = StampedMessage(topic: clouds, timeNanoseconds: first + 2, message: cloud)
        let map = try #require(
            await page([pose(0.5, x: 0), pose(1, x: 1), unplaced, tree, placed]).sections.first { $0.id == "map" }
        )
        #expect(map.notes.contains { $0.hasPrefix("1 clouds are in a frame whose place among the poses is not known") })
        #expect(map.rows.first { $0.cells[0] == "points" }?.cells[1] == "1")
    }

    @Test("heights where the clouds have one colour or none, and their own colours where they have several")
    func heights() async throws {
        func html(_ colours: [UInt32]?) async -> String {
            var cloud = PointCloud2()
            cloud.header.frameID = "map"
            (cloud.height, cloud.width, cloud.pointStep, cloud.rowStep) = (1, 100, 16, 1600)
            let names = ["x", "y", "z"] + (colours == nil ? [] : ["rgb"])
            cloud.fields = names.enumerated().map { place, name in
                PointField(name: name, offset: UInt32(4 * place), datatype: PointField.float32, count: 1)
            }
            for index in 0..<100 {
                let place = [Float(index % 10), Float(index / 10), Float(index) / 100 - 1].map(\.bitPattern)
                let colour = colours.map { $0[index % $0.count] } ?? 0
                for word in place + [colour] {
                    for shift: UInt32 in [0, 8, 16, 24] { cloud.data.append(UInt8(truncatingIfNeeded: word >> shift)) }
                }
            }
            let time = Self.start + 1_000_000_000
            let shown = StampedMessage(topic: clouds, timeNanoseconds: time, message: cloud)
            return String(decoding: await page([pose(0.5, x: 0), shown]).bytes, as: UTF8.self)
        }
        for plain in [nil, [0xFF_FFFF], [0]] as [[UInt32]?] {
            let page = await html(plain)
            // Under the map, and under the cloud.
            #expect(page.ranges(of: "Colours are heights").count == 2 && page.contains(" data-heights=\"1\""))
        }
        let coloured = await html([0xFF_FFFF, 0x20_4080])
        #expect(!coloured.contains("Colours are heights") && !coloured.contains(" data-heights="))
        #expect(coloured.contains(" data-count=\"100\""))
    }

    @Test("the scene of a live page has both ends of a long way, and not more points than are drawn at once")
    func scene() async throws {
        let counts = ["/pose": 5000, "/points": 240]
        let sink = BagReportSink(span: Self.start...Self.start + 10_000_000_000, counts: counts, isCoarse: true)
        await sink.open([poses, clouds])
        for index in 0..<5000 { await sink.write(pose(Double(index) / 500, x: Double(index) / 100)) }
        var cloud = PointCloud2()
        cloud.header.frameID = "map"
        (cloud.height, cloud.width, cloud.pointStep, cloud.rowStep) = (1, 1000, 12, 12_000)
        cloud.fields = ["x", "y", "z"].enumerated().map { place, name in
            PointField(name: name, offset: UInt32(4 * place), datatype: PointField.float32, count: 1)
        }
        for number in 0..<240 {
            let places = (0..<1000).flatMap { place -> [Float] in [Float(place) * 0.05, Float(number) * 0.05, 1] }
            cloud.data = places.withUnsafeBytes { Array($0) }
            let time = Self.start + Int64(number) * 40_000_000
            await sink.write(StampedMessage(topic: clouds, timeNanoseconds: time, message: cloud))
        }
        let scene = await sink.scene
        let way = try #require(scene["way"]?.string.flatMap { Data(base64Encoded: $0) })
        func number(_ place: Int, _ field: Int) -> Float {
            way.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 20 * place + 4 * field, as: Float.self) }
        }
        let last = way.count / 20 - 1
        #expect(last >= 900 && last < 2000 && way.count % 20 == 0)
        #expect(number(0, 0) == 0 && number(last, 0) > 9.9 && number(0, 1) == 0 && number(last, 1) > 49.5)
        // Every second of the clouds is taken, and then one point of larger cubes than 4 cm.
        let count = try #require(scene["count"]?.integer)
        let points = try #require(scene["points"]?.string.flatMap { Data(base64Encoded: $0) })
        #expect(count > 10_000 && count <= 60_000 && points.count == 9 * Int(count))
        #expect(try #require(scene["metres"]?.number) > 0.05)
        let centre = try #require(scene["centre"]?.array).compactMap(\.number)
        #expect(abs(centre[0] - 25) < 1 && abs(centre[1] - 6) < 0.5 && abs(centre[2] - 1) < 0.01)
        #expect(abs(try #require(scene["size"]?.number) - 50) < 1 && scene["frame"] == "map")
    }

    @Test("a bag without poses, clouds and images says so, and has no way")
    func absent() async throws {
        var message = StringMessage()
        message.data = "hello"
        let page = await page([StampedMessage(topic: strings, timeNanoseconds: Self.start, message: message)])
        #expect(page.facts.contains { $0.name == "walked" } == false)
        #expect(page.sections.map(\.id) == ["map", "time", "topics", "images"])
        #expect([page.sections[0].place, page.sections[3].place] == [.absent, .absent])
        #expect(page.sections[3].notes == ["The bag has no topic of compressed images."])
    }
}
