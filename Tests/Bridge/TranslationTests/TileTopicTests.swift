import Codecs
import Foundation
import Messages
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing
import Translation

@Suite("Topics of map tiles")
struct TileTopicTests {
    private static let satellite = "/mapping/satellite/image/compressed"
    private static let tileInfo = "/mapping/satellite/tile_info"
    private static let elevation = "/mapping/dem/tile"

    /// A session in Denver with one tile of each kind, and two minutes and a half of fixes.
    private static func denver(_ change: (inout SessionBuilder) throws -> Void = { _ in }) throws -> SessionBuilder {
        var builder = try SessionBuilder(frameCount: 16, framesPerSecond: 0.1)
        builder.addLocations(count: 151, secondsApart: 1)
        var satellite = SessionBuilder.tileLayer(.satelliteImagery)
        satellite["source_url"] = "\"https://example.org/{z}/{y}/{x}.jpg\""
        satellite["time"] = "\"2026-01-02\""
        satellite["attribution"] = "\"NASA\""
        satellite["license"] = "\"public domain\""
        builder.addTiles([satellite, SessionBuilder.tileLayer(.elevation)])
        builder.files["tiles/satellite/9/106/194.jpg"] = try SessionBuilder.jpeg(width: 256, height: 256)
        try change(&builder)
        return builder
    }

    @Test("image and tile_info go out once a minute under one stamp")
    func satellite() async throws {
        let builder = try Self.denver()
        let played = try await PlayedTiles(builder)
        let images: [CompressedImage] = played.all(Self.satellite)
        let tiles: [GeoTileInfo] = played.all(Self.tileInfo)
        #expect(images.count == 3)
        #expect(tiles.map(\.header.stamp.nanosecondsSinceEpoch) == images.map(\.header.stamp.nanosecondsSinceEpoch))
        #expect(tiles.allSatisfy { $0.header.frameID == "earth" })
        let stamps = images.map(\.header.stamp.nanosecondsSinceEpoch)
        let seconds: [Int64] = [1_767_268_800, 1_767_268_860, 1_767_268_920]
        #expect(stamps == seconds.map { $0 * 1_000_000_000 + 250_000_000 })
        #expect(images.allSatisfy { $0.header.frameID == "earth" })
        #expect(images.allSatisfy { $0.format == "rgb8; jpeg compressed bgr8" })
        #expect(images.allSatisfy { $0.data == builder.files["tiles/satellite/9/106/194.jpg"] })
    }

    @Test("tiles, and images of less than one in ten seconds, are never dropped by a live replay")
    func lanes() async throws {
        let sample = try await Sample(Sample.everything)
        for (rate, lane) in [(0.05, Delivery.every), (0.1, .latest), (2, .latest)] {
            let setup = try Replayed.setup(sample.path) { $0.profile.topics[.cameraImage] = .init(rateHertz: rate) }
            let lanes = Dictionary(uniqueKeysWithValues: setup.topics.map { ($0.name, $0.delivery) })
            #expect(lanes["/mapping/camera/image/compressed"] == lane, "\(rate) Hz")
            #expect(lanes["/mapping/pointcloud/lidar"] == .latest)
        }
        // Of the topics, not of the messages: the session's elevation layer has no file.
        let directory = try TemporaryDirectory()
        let tiles = try PlayedTiles.setup(Self.denver().write(into: directory.path), profile: "record").topics
        for name in [Self.satellite, Self.tileInfo, Self.elevation] {
            #expect(tiles.first { $0.name == name }?.delivery == .every, "\(name)")
        }
    }

    @Test("tile_info says which tile it is and where on it the device was, in the app's words")
    func tileInfo() async throws {
        let played = try await PlayedTiles(Self.denver())
        let tile = try #require(played.all(Self.tileInfo, GeoTileInfo.self).first)
        #expect(tile.kind == "satellite_imagery" && tile.crs == "EPSG:3857")
        #expect(tile.provider == "somebody" && tile.layer == "something")
        #expect([tile.zoom, tile.tileX, tile.tileY, tile.tileWidth, tile.tileHeight] == [9, 106, 194, 256, 256])
        #expect(abs(tile.devicePixelX - 174.198) < 5e-4 && abs(tile.devicePixelY - 80.846) < 5e-4)
        #expect(tile.pixelOrigin == "upper_left" && tile.pixelUnits == "pixels")
        #expect(tile.format == "jpeg" && tile.mimeType == "image/jpeg" && tile.isCached)
        #expect(tile.sourceURL == "https://example.org/9/194/106.jpg")
        #expect(tile.attribution == "NASA" && tile.license == "public domain" && tile.time == "2026-01-02")
        let bounds = try JSONDecoder().decode([String: Double].self, from: Data(tile.bounds.utf8))
        #expect(bounds.keys.sorted() == ["east", "north", "south", "west"])
        let west: Double = 106 / 512 * 360 - 180
        let east: Double = 107 / 512 * 360 - 180
        #expect(bounds["west"] == west && bounds["east"] == east)
        struct Device: Decodable {
            struct Pixel: Decodable {
                var height: Int
                var origin: String
                var units: String
                var width: Int
                var x: Double
                var y: Double
            }
            var altitude: Double
            var horizontal_accuracy: Double
            var latitude: Double
            var longitude: Double
            var pixel: Pixel
            var timestamp: String
            var vertical_accuracy: Double
        }
        let device = try JSONDecoder().decode(Device.self, from: Data(tile.deviceLocation.utf8))
        #expect(device.latitude == SessionBuilder.latitudeDegrees && device.altitude == 1609.5)
        #expect(device.horizontal_accuracy == 3.5 && device.vertical_accuracy == -1)
        #expect(device.timestamp == "2026-01-01T12:00:00Z")
        #expect(device.pixel.x == tile.devicePixelX && device.pixel.y == tile.devicePixelY)
        #expect(device.pixel.width == 256 && device.pixel.origin == "upper_left")
        for text in [tile.bounds, tile.deviceLocation, tile.sourcePolicy] {
            let keys = text.matches(of: /"(\w+)":/).map { String($0.output.1) }.filter { !"xy".contains($0) }
            let outer = keys.filter { !["height", "origin", "units", "width"].contains($0) }
            #expect(outer == outer.sorted(), "\(text)")
        }
    }

    @Test("source_policy says what the heights are, and unknown where nobody has said it")
    func heightsAreDescribed() async throws {
        struct Policy: Decodable {
            var attribution: String
            var encoding: String
            var nodata: Double?
            var resolution_metres_per_pixel: Double
            var vertical_datum: String?
        }
        func policy(_ text: String) throws -> Policy { try JSONDecoder().decode(Policy.self, from: Data(text.utf8)) }
        var layer = SessionBuilder.tileLayer(.elevation)
        layer["nodata"] = "-32768"
        layer["vertical_datum"] = "\"EGM96\""
        layer["attribution"] = "\"somebody\""
        let tile = try PNG.encode(RGBImage(width: 256, height: 256, pixels: .init(repeating: 9, count: 3 << 16)))
        let said = try await PlayedTiles(
            Self.denver {
                $0.addTiles([layer])
                $0.files["tiles/dem/12/853/1554.png"] = tile
            }
        )
        let known = try policy(#require(said.all(Self.elevation, GeoRasterTile.self).first).info.sourcePolicy)
        #expect(known.nodata == -32768 && known.vertical_datum == "EGM96" && known.attribution == "somebody")
        #expect(known.encoding == "terrarium_png")
        // The equator's 40,075,017 m times the cosine of 39.7 degrees, over 4096 tiles of 256 pixels.
        #expect(abs(known.resolution_metres_per_pixel - 29.4) < 0.05)
        let silent = try await PlayedTiles(Self.denver { $0.files["tiles/dem/12/853/1554.png"] = tile })
        let text = try #require(silent.all(Self.elevation, GeoRasterTile.self).first).info.sourcePolicy
        #expect(text.contains(#""nodata":"unknown""#) && text.contains(#""vertical_datum":"unknown""#))
        #expect(text.contains(#""attribution":"unknown""#))
        let image = try #require(silent.all(Self.tileInfo, GeoTileInfo.self).first).sourcePolicy
        #expect(image.contains(#""encoding":"unknown""#) && !image.contains("vertical_datum"))
    }

    @Test("the app's profile says only jpeg")
    func appFormat() async throws {
        let played = try await PlayedTiles(Self.denver(), profile: "app")
        let images: [CompressedImage] = played.all(Self.satellite)
        #expect(images.first?.format == "jpeg")
        #expect(images.first?.header.frameID == "earth")
    }

    @Test("a tile that cannot be used is counted, and nothing is published of it")
    func brokenTile() async throws {
        let played = try await PlayedTiles(
            Self.denver { $0.files["tiles/satellite/9/106/194.jpg"] = [0xFF, 0xD8, 0xFF] }
        )
        #expect(played.all(Self.satellite, CompressedImage.self).isEmpty)
        #expect(played.all(Self.tileInfo, GeoTileInfo.self).isEmpty)
        #expect(played.report.diagnostics.count(of: .badTiles) == 3)
        // Both kinds lack a tile at each of the three times.
        #expect(played.report.diagnostics.count(of: .missingTile) == 6)
    }

    @Test("without tiles, or without a fix, the topics are absent and it is said why")
    func absent() throws {
        func reasons(_ builder: SessionBuilder) throws -> [String: String] {
            let directory = try TemporaryDirectory()
            let setup = try PlayedTiles.setup(builder.write(into: directory.path), profile: "record")
            #expect(!setup.topics.contains { [Self.satellite, Self.tileInfo, Self.elevation].contains($0.name) })
            return Dictionary(uniqueKeysWithValues: setup.absent.map { ($0.name, $0.reason) })
        }
        let bare = try reasons(SessionBuilder(frameCount: 2))
        #expect(bare[Self.satellite] == "the session has no satellite tiles")
        #expect(bare[Self.tileInfo] == "the session has no satellite tiles")
        #expect(bare[Self.elevation] == "the session has no elevation tiles")
        let nowhere = try reasons(Self.denver { $0.files["gps.jsonl"] = nil })
        for name in [Self.satellite, Self.tileInfo, Self.elevation] {
            #expect(nowhere[name] == "the session has no GPS fixes to choose a tile by")
        }
    }

    @Test(
        "an elevation tile made by others comes out byte by byte",
        .enabled(if: Captures.have("tiles-terrain-loadersgl"), Comment(rawValue: Captures.absence))
    )
    func foreignTile() async throws {
        let path = Captures.path("tiles-terrain-loadersgl/terrarium.png").string
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        let played = try await PlayedTiles(Self.denver { $0.files["tiles/dem/12/853/1554.png"] = Array(file) })
        let tiles: [GeoRasterTile] = played.all(Self.elevation)
        #expect(tiles.count == 3)
        let tile = try #require(tiles.first)
        #expect(Data(base64Encoded: tile.data) == file)
        #expect(tile.encoding == "terrarium_png" && tile.info.kind == "dem" && tile.info.mimeType == "image/png")
        #expect([tile.info.zoom, tile.info.tileX, tile.info.tileY] == [12, 853, 1554])
        #expect(abs(tile.info.devicePixelX - 113.587) < 5e-4 && abs(tile.info.devicePixelY - 134.767) < 5e-4)
        #expect(tile.info.header.frameID == "earth" && tile.info.time.isEmpty)
    }

    @Test(
        "the elevation under the device, decoded by others, is the altitude of its fix",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func elevationOfSample() async throws {
        let directory = try TemporaryDirectory()
        var options = SampleOptions()
        options.durationSeconds = 1
        options.framesPerSecond = 2
        options.imageSize = GridSize(width: 64, height: 48)
        options.hasGPS = true
        options.hasTiles = true
        let path = directory.appending("session")
        try await SyntheticSession.write(to: path, options: options)
        let played = try await PlayedTiles(path)
        #expect(played.report.diagnostics.isEmpty)
        let tile = try #require(played.all(Self.elevation, GeoRasterTile.self).first)
        #expect(tile.info.zoom == 13)
        let image = try #require(played.all(Self.satellite, CompressedImage.self).first)
        let code = """
            import base64, io, json, sys
            from PIL import Image
            tile = Image.open(io.BytesIO(base64.b64decode(sys.argv[1], validate=True)))
            r, g, b = tile.getpixel((int(float(sys.argv[2])), int(float(sys.argv[3]))))
            photo = Image.open(io.BytesIO(base64.b64decode(sys.argv[4]))); photo.load()
            print(json.dumps([r * 256 + g + b / 256 - 32768, *tile.size, *photo.size]))
            """
        let values: [Double] = try PeerPython.json(
            code,
            [
                tile.data, "\(tile.info.devicePixelX)", "\(tile.info.devicePixelY)",
                Data(image.data).base64EncodedString(),
            ]
        )
        #expect(values.dropFirst() == [256, 256, 256, 256])
        let fix = try #require(played.all("/mapping/gps/fix", NavSatFix.self).first)
        // The fixes are above the ellipsoid, the tiles above the sea; a phone is held a metre or two above its ground.
        #expect(abs(values[0] - (fix.altitude - 45.6)) < 4)
    }
}

/// What came out of a whole replay of a session.
private struct PlayedTiles {
    let messages: [StampedMessage]
    let report: ReplayReport

    init(_ builder: SessionBuilder, profile: String = "record") async throws {
        let directory = try TemporaryDirectory()
        try await self.init(builder.write(into: directory.path), profile: profile)
    }

    init(_ path: FilePath, profile: String = "record") async throws {
        let sink = TileSink()
        report = try await Self.setup(path, profile: profile).run(into: [sink])
        messages = await sink.messages
    }

    static func setup(_ path: FilePath, profile: String) throws -> ReplaySetup {
        let profile = try #require(Profile.named(profile))
        return try ReplaySetup(OpenedRecording.open(path.string), plan: ReplayPlan(profile: profile))
    }

    func all<M: Message>(_ name: String, _ type: M.Type = M.self) -> [M] {
        messages.compactMap { $0.topic.name == name ? $0.message as? M : nil }
    }
}

private actor TileSink: MessageSink {
    private(set) var messages: [StampedMessage] = []

    func open(_ topics: [Topic]) async throws {}

    func write(_ message: StampedMessage) async throws { messages.append(message) }

    func finish() async throws -> SinkReport { report() }

    func report() -> SinkReport { SinkReport(topics: []) }
}
