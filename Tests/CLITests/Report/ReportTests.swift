import Foundation
import TestSupport
import Testing

/// `report`: what the page says is true, and a browser shows it.
@Suite(.serialized) struct ReportTests {
    /// What the page has as JSON.
    private struct Content: Decodable {
        struct Finding: Decodable {
            var severity: String
            var kind: String
        }

        struct Section: Decodable {
            var id: String
            var notes: [String]
            var rows: [[String]]
        }

        var session: String
        var duration_s: Double
        var frames: Int
        var walked_m: Double
        var gaps: [[Double]]
        var sound: Bool
        var findings: [Finding]
        var sections: [Section]

        func value(_ section: String, _ row: String, column: Int = 1) -> Double? {
            let rows = sections.first { $0.id == section }?.rows ?? []
            return rows.first { $0.first == row }.flatMap { $0.count > column ? Double($0[column]) : nil }
        }
    }

    /// What a browser shows of a page.
    private struct Look: Decodable {
        struct Canvas: Decodable {
            var lit: Double
            var turned: Bool
            var reset: Bool
            var errors: Int
            var focused: Bool
            var drawn: String
        }

        var title: String
        var headings: [String]
        var verdict: String
        var images: Int
        var broken_images: Int
        var alerts: Int
        var canvas: Canvas?
        var colours: [String: String]
        var unnamed: [String]
        var roles: [String: Int]
        var pdf_pages: Int
        var pdf_bytes: Int
        var requests: [String]
        var log: [String]
        var exceptions: [String]
        var spread: Double
        var spread_without_scripts: Double
        var without_scripts: [String: Int]
        var json: Content
        var first_paint_ms: Double?
        /// By colour scheme: what axe-core objects to (rule, how bad, how often, the first element), and texts of too
        /// little contrast.
        var violations: [String: [[Violation]]]
        var contrast: [String: [String: Double]]
        var keyboard: Keyboard
        /// How much a picture of the page differs from one half a second earlier.
        var moved: Double
        var paper: [Paper]
    }

    /// A cell of what axe-core says: text or a number.
    private struct Violation: Decodable, CustomStringConvertible {
        var description: String

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            description = try (try? value.decode(String.self)) ?? "\(value.decode(Double.self))"
        }
    }

    private struct Keyboard: Decodable {
        var steps: Int
        var operable: Int
        var unseen: [String]
    }

    /// A printed page: shares of its pixels, the brightness of its corner, and how many colours there are.
    private struct Paper: Decodable {
        var inked: Double
        var corner: Double
        var dark: Double
        var colours: Int
    }

    static let hasBrowser =
        PeerPython.isRequired
        || PeerPython.interpreter != nil && FileManager.default.isExecutableFile(atPath: "/usr/bin/chromium")

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func sample(_ name: String, _ more: [String] = []) async throws -> String {
        let path = folder(name)
        let shape = ["--duration", "20", "--fps", "5", "--size", "480x360"]
        try await Binary.succeed(["sample", "-o", path] + shape + more)
        return path
    }

    private func page(_ session: String, _ more: [String] = []) async throws -> String {
        let path = folder("page-\(UInt32.random(in: 0...UInt32.max)).html")
        try await Binary.succeed(["report", session, "-o", path, "--points", "20000"] + more)
        return path
    }

    /// The JSON that stands in a page.
    private static func content(_ path: String) throws -> Content {
        let html = try String(contentsOfFile: path, encoding: .utf8)
        let start = try #require(html.range(of: "<script type=\"application/json\" id=\"report\">"))
        let end = try #require(html.range(of: "</script>", range: start.upperBound..<html.endIndex))
        return try JSONDecoder().decode(Content.self, from: Data(html[start.upperBound..<end.lowerBound].utf8))
    }

    @Test(
        "a browser shows every picture: light, dark, on paper, without scripts, without the network, by keyboard",
        .enabled(if: hasBrowser, "needs chromium and the Python peers, which tools/test installs")
    )
    func browser() async throws {
        let path = try await page(sample("room", ["--everything"]))
        let look: Look = try await Peer.json("look_at_page.py", [path])
        #expect(look.title == "room" && look.headings.first == "room" && look.verdict.hasPrefix("sound ("))
        #expect(look.requests.isEmpty && look.log.isEmpty && look.exceptions.isEmpty, "\(look)")
        #expect(look.images >= 24 && look.broken_images == 0)
        let canvas = try #require(look.canvas)
        #expect(canvas.lit > 0.05 && canvas.turned && canvas.reset && canvas.focused && canvas.errors == 0, "\(canvas)")
        #expect(canvas.drawn == "all")
        let (light, dark) = (try #require(look.colours["light"]), try #require(look.colours["dark"]))
        #expect(light.hasPrefix("rgb(255, 255, 255)") && !dark.hasPrefix("rgb(255, 255, 255)") && light != dark)
        #expect(look.unnamed.isEmpty && (look.roles["image"] ?? 0) >= 30 && look.roles["main"] == 1)
        #expect(look.roles["heading"] == look.headings.count && look.pdf_pages >= 2 && look.pdf_bytes > 50_000)
        #expect(look.spread > 20 && look.spread_without_scripts > 20)
        #expect(
            (look.without_scripts["images"] ?? 0) + 2 == look.images && (look.without_scripts["pictures"] ?? 0) >= 7
        )
        #expect(look.headings.count >= 10)
        for scheme in ["light", "dark"] {
            #expect(look.violations[scheme]?.isEmpty == true, "\(scheme): \(look.violations)")
            #expect(look.contrast[scheme]?.isEmpty == true, "\(scheme): \(look.contrast)")
        }
        #expect(look.keyboard.steps == look.keyboard.operable && look.keyboard.operable >= 15, "\(look.keyboard)")
        #expect(look.keyboard.unseen.isEmpty, "\(look.keyboard.unseen)")
        #expect(look.moved == 0 && look.first_paint_ms != nil)
        // Printed while the screen is dark: white paper all the same, no page without anything on it, and the cloud's picture,
        // which is mostly dark, in place of the canvas.
        #expect(look.paper.count == look.pdf_pages)
        #expect(look.paper.allSatisfy { $0.corner > 250 && $0.inked > 0.005 }, "\(look.paper)")
        #expect(look.paper.count { $0.dark > 0.15 && $0.colours > 200 } == 1, "\(look.paper)")
    }

    @Test("names with markup and scripts are text wherever they stand", .enabled(if: hasBrowser, "needs chromium"))
    func hostileNames() async throws {
        let session = try await sample("<img src=x onerror=\"window.broken=1\">", ["--gps"])
        let metadata = session + "/metadata.json"
        let hostile = "</script><script>window.broken=2</script>\\u0007\\\" onload=\\\"window.broken=3"
        let text = try String(contentsOfFile: metadata, encoding: .utf8).replacing(
            "\"Synthetic\"",
            with: "\"\(hostile)\""
        )
        try text.write(toFile: metadata, atomically: true, encoding: .utf8)
        let path = try await page(session)
        let look: Look = try await Peer.json("look_at_page.py", [path])
        #expect(look.alerts == 0 && look.requests.isEmpty && look.log.isEmpty && look.exceptions.isEmpty, "\(look)")
        #expect(look.title == "<img src=x onerror=\"window.broken=1\">")
        let html = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!html.contains("window.broken=2</script>") && html.contains("window.broken=2&lt;/script&gt;"))
    }

    @Test("what the page says is what the truth says, and the bytes do not depend on the workers")
    func numbers() async throws {
        struct Truth: Decodable {
            struct Frame: Decodable {
                var position: [Double]
            }

            var frames: [Frame]
        }
        let session = try await sample("room", ["--gps"])
        // Every line's pose, as it was recorded: column-major, the place in the last column.
        struct Line: Decodable { var camera_transform: [Double] }
        let lines = try String(contentsOfFile: session + "/frames.jsonl", encoding: .utf8).split(separator: "\n")
        let places = try lines.map { line in
            Array(try JSONDecoder().decode(Line.self, from: Data(line.utf8)).camera_transform[12..<15])
        }
        let steps = zip(places, places.dropFirst()).map { a, b in
            zip(a, b).reduce(0.0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
        }
        let alone = try await page(session, ["-j", "1"])
        let many = try await page(session, ["-j", "3"])
        #expect(FileManager.default.contents(atPath: alone) == FileManager.default.contents(atPath: many))
        let content = try Self.content(alone)
        #expect(content.session == "room" && content.frames == 100 && abs(content.duration_s - 19.8) < 0.01)
        let walked = steps.reduce(0, +)
        #expect(abs(content.walked_m / walked - 1) < 0.08, "\(content.walked_m) of \(walked)")
        #expect(content.gaps.isEmpty && content.sound && content.findings.isEmpty)
        #expect(abs((content.value("time", "frames Hz", column: 2) ?? 0) - 5) < 0.01)
        #expect(abs((content.value("time", "speed m/s", column: 2) ?? 0) - walked / 19.8) < 0.02)
        let heights = places.map { $0[1] }
        #expect(abs((content.value("height", "height m", column: 1) ?? 9) - (heights.min() ?? 0)) < 0.011)
        #expect(abs((content.value("imu", "specific force m/s²", column: 2) ?? 0) - 9.81) < 0.2)
        #expect((content.value("gps", "median distance m") ?? 9) < 0.5)
        // The room has 6.4 x 5.4 m, of which 20 s show the larger part, and nothing beyond its walls.
        let area = content.value("map", "seen from above m\u{B2}") ?? 0
        #expect(area > 8 && area < 36, "\(area)")
        #expect((content.value("depth", "valid %", column: 2) ?? 0) > 95)
        let size = try #require(FileManager.default.contents(atPath: alone)).count
        #expect(size < 1_500_000, "\(size)")
    }

    @Test("what a session does not have is said where its picture would be")
    func missing() async throws {
        let session = try await sample("bare", ["--no-lidar", "--imu-rate", "0"])
        try FileManager.default.removeItem(atPath: session + "/rgb")
        let lines = try String(contentsOfFile: session + "/frames.jsonl", encoding: .utf8)
        try lines.replacing(#""tracking_state":"normal","#, with: "").write(
            toFile: session + "/frames.jsonl",
            atomically: true,
            encoding: .utf8
        )
        let path = try await page(session)
        let html = try String(contentsOfFile: path, encoding: .utf8)
        #expect(html.contains("tracking <b>not said</b>") && !html.contains("was decoded as a whole"))
        let content = try Self.content(path)
        for (id, words) in [
            ("images", "no images"), ("depth", "no depth"), ("gps", "no GPS"), ("imu", "no IMU"),
            ("relative", "no relative depth"), ("loops", "never"),
        ] {
            let notes = content.sections.first { $0.id == id }?.notes ?? []
            #expect(notes.joined().contains(words), "\(id): \(notes)")
        }
        #expect(!content.sections.contains { $0.id == "cloud" })
    }

    /// Heights, and how bright they are, of the points in a page.
    private static func cloud(_ path: String) throws -> [(height: Int, light: Int)] {
        let html = try String(contentsOfFile: path, encoding: .utf8)
        let start = try #require(html.range(of: " id=\"points\">"))
        let end = try #require(html.range(of: "</script>", range: start.upperBound..<html.endIndex))
        let data = [UInt8](try #require(Data(base64Encoded: String(html[start.upperBound..<end.lowerBound]))))
        // Eight bytes a point and then one each.
        return (0..<data.count / 9).map { point in
            let words = (0..<4).map { Int(data[8 * point + 2 * $0]) | Int(data[8 * point + 2 * $0 + 1]) << 8 }
            return (words[2], 2 * (words[3] >> 11) + 2 * (words[3] >> 5 & 63) + (words[3] & 31))
        }
    }

    @Test("height where there is no colour: in the map, and in the cloud, the brighter the higher")
    func heights() async throws {
        let session = try await sample("dark")
        let before = try await page(session)
        let coloured = try String(contentsOfFile: before, encoding: .utf8)
        #expect(!coloured.contains("Colours are heights") && !coloured.contains(" data-heights="))
        try FileManager.default.removeItem(atPath: session + "/rgb")
        try FileManager.default.removeItem(atPath: before)
        let path = try await page(session)
        let html = try String(contentsOfFile: path, encoding: .utf8)
        #expect(html.components(separatedBy: "Colours are heights").count == 3 && html.contains(" data-heights=\"1\""))
        let points = try Self.cloud(path).sorted { $0.height < $1.height }
        try #require(points.count > 1000)
        let tenth = points.count / 10
        let light = (0..<10).map { part in
            points[part * tenth..<(part + 1) * tenth].reduce(0) { $0 + $1.light } / tenth
        }
        #expect(zip(light, light.dropFirst()).allSatisfy { $0 <= $1 } && light[9] > 2 * light[0], "\(light)")
    }

    @Test("damage and gaps stand at the top and in the strips")
    func damaged() async throws {
        let session = try await sample("hurt")
        var lines = try String(contentsOfFile: session + "/frames.jsonl", encoding: .utf8).split(separator: "\n")
        lines.removeSubrange(40..<50)
        try (lines.joined(separator: "\n") + "\n").write(
            toFile: session + "/frames.jsonl",
            atomically: true,
            encoding: .utf8
        )
        try Data([0xFF, 0xD8, 0xFF]).write(to: URL(fileURLWithPath: session + "/rgb/000010.jpg"))
        let path = try await page(session)
        let content = try Self.content(path)
        #expect(!content.sound && content.findings.contains { $0.severity == "error" })
        #expect(content.gaps.count == 1)
        let gap = try #require(content.gaps.first)
        #expect(abs(gap[0] - 7.8) < 0.01 && abs(gap[1] - 10) < 0.01, "\(gap)")
        let html = try String(contentsOfFile: path, encoding: .utf8)
        #expect(html.contains("class=\"verdict warn\"><p>damaged: ") && html.contains("class=\"hole\""))
        // What helps stands below the verdict, and what to type beside it.
        #expect(html.contains(/damaged: [^<]*<a href="#findings">What was found<\/a><\/p><p class="sub">.+?<\/p>/))
        #expect(!html.contains("`mapeverything"), "commands are code")
        #expect(html.contains("<code>mapeverything check \(session)</code>"))
        #expect(html.contains(/<li class="whole"><a href="#depth">depth <b>/), "streams")
    }

    private struct BagContent: Decodable {
        struct Section: Decodable {
            var id: String
            var notes: [String]
            var rows: [[String]]
        }

        var messages: Int
        var duration_s: Double
        var sections: [Section]
    }

    @Test(
        "the page of a bag has what rosbags reads in it",
        .enabled(if: hasBrowser, "needs chromium and the Python peers, which tools/test installs"),
        arguments: ["sqlite3", "mcap"]
    )
    func bags(storage: String) async throws {
        let session = try await sample("room", ["--everything"])
        let bag = folder("bag")
        try await Binary.succeed(["bag", session, "-o", bag, "--profile", "full", "--storage", storage])
        let path = try await page(bag)
        struct BagLook: Decodable {
            var headings: [String]
            var requests: [String]
            var log: [String]
            var exceptions: [String]
            var images: Int
            var broken_images: Int
            var json: BagContent
        }
        let look: BagLook = try await Peer.json("look_at_page.py", [path])
        #expect(look.requests.isEmpty && look.log.isEmpty && look.exceptions.isEmpty && look.broken_images == 0)
        #expect(look.images >= 24 && look.headings.contains("Point cloud"))
        let described = try await BagDescription.of(bag)
        let rows = try #require(look.json.sections.first { $0.id == "topics" }).rows.dropFirst()
        #expect(Set(rows.map { $0[0] }) == Set(described.keys))
        for row in rows {
            #expect(row[1] == described[row[0]]?.type && Int(row[2]) == described[row[0]]?.count, "\(row)")
            let frames = described[row[0]]?.frames.filter { !$0.isEmpty } ?? []
            if row[0] != "/tf", row[0] != "/tf_static", !frames.isEmpty {
                #expect(row[8].split(separator: ", ").map(String.init) == frames.sorted(), "\(row)")
            }
        }
        #expect(look.json.messages == described.values.reduce(0) { $0 + $1.count })
        let map = try #require(look.json.sections.first { $0.id == "map" })
        #expect(map.notes.joined().contains("/mapping/odom"))
    }

    @Test("bag and replay make the same page beside their work, and what they do not make is refused first")
    func besides() async throws {
        let session = try await sample("room")
        let (alone, beside) = (folder("alone.html"), folder("beside.html"))
        try await Binary.succeed(["report", session, "-o", alone])
        try await Binary.succeed(["bag", session, "-o", folder("bag"), "--profile", "record", "--html-report", beside])
        let bytes = try #require(FileManager.default.contents(atPath: alone))
        #expect(FileManager.default.contents(atPath: beside) == bytes && bytes.count > 100_000)
        try await Binary.run(["bag", session, "-o", folder("other"), "--profile", "record", "--html-report", beside])
            .expectError(73, naming: "beside.html")
        #expect(!FileManager.default.fileExists(atPath: folder("other")))
    }

    @Test("what cannot be done is said")
    func errors() async throws {
        let session = try await sample("room")
        let bag = folder("bag")
        try await Binary.succeed(["bag", session, "-o", bag, "--profile", "record"])
        try await Binary.run(["report", bag, "-o", folder("x.html"), "--epoch", "now"]).expectError(
            2,
            naming: "--epoch"
        )
        try await Binary.run(["report", folder("none"), "-o", folder("x.html")]).expectError(66, naming: "none")
        try await Binary.run(["report", session, "-o", folder("x.html"), "--points", "2000001"])
            .expectError(2, naming: "--points")
        #expect(!FileManager.default.fileExists(atPath: folder("x.html")))
        let path = try await page(session)
        try await Binary.run(["report", session, "-o", path]).expectError(73, naming: path)
    }
}
