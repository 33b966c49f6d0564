import Codecs
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// MBTiles as a source of map tiles.
@Suite struct MBTilesTests {
    private static let file = "tiles/map.mbtiles"

    private func png(_ side: Int = 256, grey: UInt8 = 7) throws -> [UInt8] {
        try PNG.encode(RGBImage(width: side, height: side, pixels: .init(repeating: grey, count: 3 * side * side)))
    }

    private func builder(_ made: HandmadeMBTiles, layers: [JSONFieldList] = []) throws -> SessionBuilder {
        var builder = try SessionBuilder(frameCount: 2)
        if !layers.isEmpty { builder.addTiles(layers) }
        builder.files[Self.file] = try made.bytes()
        return builder
    }

    private func tile(_ read: ReadSession, _ kind: TileKind, _ diagnostics: inout Diagnostics) -> StoredTile? {
        read.session.tiles.tile(
            kind,
            latitudeDegrees: SessionBuilder.latitudeDegrees,
            longitudeDegrees: SessionBuilder.longitudeDegrees,
            &diagnostics
        )
    }

    @Test func satelliteImagesNeedNothingButTheFile() throws {
        var made = HandmadeMBTiles([
            "name": "fields", "format": "jpg", "minzoom": "9", "maxzoom": "12", "attribution": "<b>somebody</b>",
            "bounds": "-105.1,39.6,-104.9,39.8", "json": "{",
        ])
        let jpeg = try SessionBuilder.jpeg(width: 256, height: 256)
        made.addDenver(jpeg)
        let read = try ReadSession(builder(made))
        #expect(read.kinds.isEmpty && read.summary.hasSatelliteTiles && !read.summary.hasElevationTiles)
        let layer = try #require(read.session.tiles.layers.first)
        #expect(layer.path == Self.file && layer.zooms == 9...12 && layer.tileSize == 256 && layer.format == .jpeg)
        #expect(layer.provider == "unknown" && layer.layer == "fields" && layer.attribution == "<b>somebody</b>")
        var diagnostics = Diagnostics()
        let tile = try #require(tile(read, .satelliteImagery, &diagnostics))
        #expect(tile.address == TileAddress(zoom: 12, x: 853, y: 1554))
        #expect(tile.bytes == jpeg && diagnostics.isEmpty)
        // Nothing was written beside the file.
        let names = try FileTree(read.path).files.keys.filter { $0.hasPrefix("tiles") }
        #expect(Array(names) == [Self.file])
    }

    /// The specification's own example: 11/327/791 is row 1256.
    @Test func rowsCountFromTheSouth() throws {
        var made = HandmadeMBTiles(["format": "jpg"])
        let jpeg = try SessionBuilder.jpeg(width: 256, height: 256)
        made.tiles.append((11, 327, 1256, jpeg))
        let read = try ReadSession(builder(made))
        let tiles = read.session.tiles
        let layer = try #require(tiles.layers.first)
        #expect(layer.zooms == 11...11 && layer.layer == "map")
        #expect(try tiles.load(layer, #require(TileAddress(zoom: 11, x: 327, y: 791))) == jpeg)
        #expect(try tiles.load(layer, #require(TileAddress(zoom: 11, x: 327, y: 1256))) == nil)
    }

    @Test(arguments: [
        ("terrarium", "terrarium_png"), ("mapbox", "terrain_rgb_png"), ("Terrain-RGB", "terrain_rgb_png"),
    ])
    func encodingMakesElevations(said: String, encoding: String) throws {
        var made = HandmadeMBTiles(["format": "png", "encoding": said])
        made.addDenver(try png(512))
        let read = try ReadSession(builder(made))
        let layer = try #require(read.session.tiles.layers.first)
        #expect(layer.kind == .elevation && layer.encoding == encoding && layer.tileSize == 512)
        var diagnostics = Diagnostics()
        #expect(try tile(read, .elevation, &diagnostics)?.bytes == png(512) && diagnostics.isEmpty)
    }

    @Test func whatThePNGsShowIsNotGuessed() throws {
        var made = HandmadeMBTiles(["name": "dem"])
        made.addDenver(try png())
        let silent = try ReadSession(builder(made))
        #expect(silent.session.tiles.layers.isEmpty)
        let problem = try #require(silent.only(.badTiles))
        #expect(problem.place == "\(Self.file):metadata.encoding" && problem.expected.contains("tiles/manifest.json"))
        var layer = SessionBuilder.tileLayer(.elevation)
        for key in ["format", "min_zoom", "max_zoom", "tile_size"] { layer[key] = nil }
        layer["path"] = "\"\(Self.file)\""
        layer["encoding"] = "\"terrain_rgb_png\""
        let named = try ReadSession(builder(made, layers: [layer]))
        #expect(named.kinds.isEmpty && named.session.tiles.layers.count == 1)
        var diagnostics = Diagnostics()
        let tile = try #require(tile(named, .elevation, &diagnostics))
        #expect(tile.layer.encoding == "terrain_rgb_png" && tile.layer.provider == "somebody")
        #expect(try tile.bytes == png())
    }

    @Test(
        arguments: [
            ("webp", "webp"), ("pbf", "pbf"), ("application/x-protobuf", "protobuf"), ("", "webp"),
        ]
    )
    func otherFormatsAreRefused(format: String, found: String) throws {
        var made = HandmadeMBTiles(["format": format])
        made.addDenver(Array("RIFF\u{4}\0\0\0WEBP".utf8))
        let problem = try #require(try ReadSession(builder(made)).only(.badTiles))
        #expect(problem.place == "\(Self.file):metadata.format")
        #expect(problem.expected.hasPrefix("png or jpg") && problem.found.contains(found))
    }

    @Test(arguments: 0..<6)
    func whatIsNoMBTilesCostsOnlyItself(damage: Int) throws {
        var made = HandmadeMBTiles(["format": "jpg"])
        made.addDenver(try SessionBuilder.jpeg(width: 256, height: 256))
        var builder = try builder(made)
        switch damage {
        case 0: builder.files[Self.file] = Array("no database".utf8) + [UInt8](repeating: 9, count: 2000)
        case 1: builder.files[Self.file] = []
        case 2: builder.files[Self.file]?.removeLast(4096)
        case 3:
            made.schema = "CREATE TABLE metadata (name text, value text)"
            made.tiles = []
            builder.files[Self.file] = try made.bytes()
        case 4:
            made.tiles = []
            builder.files[Self.file] = try made.bytes()
        default:
            made.schema =
                "CREATE TABLE metadata (name text, value text); CREATE VIEW tiles AS "
                + "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS zoom_level, "
                + "0 AS tile_column, 0 AS tile_row, zeroblob(2000000000) AS tile_data FROM n"
            made.tiles = []
            builder.files[Self.file] = try made.bytes()
        }
        let read = try ReadSession(builder)
        #expect(read.kinds == [.badTiles: 1] && read.frames.count == 2, "\(read.diagnostics.entries)")
        #expect(read.only(.badTiles)?.file == Self.file)
        #expect(!read.summary.hasSatelliteTiles)
    }

    @Test(arguments: 0..<4)
    func aBrokenTileIsNamedAndTheNextZoomTaken(damage: Int) throws {
        var made = HandmadeMBTiles(["format": "png", "encoding": "terrarium", "minzoom": "11", "maxzoom": "12"])
        let (bytes, found): ([UInt8], String)
        switch damage {
        case 0: (bytes, found) = (Array(try png().dropLast()), "the end of the file")
        case 1: (bytes, found) = (try png(128), "128x128")
        case 2: (bytes, found) = ([UInt8](repeating: 0, count: TileStore.maximumTileBytes + 1), "too big")
        default: (bytes, found) = (Array("RIFF\u{4}\0\0\0WEBP".utf8), "webp")
        }
        // The first tile tells the size of all.
        made.tiles.append((11, 426, 2047 - 777, try png()))
        made.addDenver(bytes)
        var diagnostics = Diagnostics()
        let read = try ReadSession(builder(made))
        #expect(try #require(tile(read, .elevation, &diagnostics)).address.zoom == 11)
        let problem = try #require(diagnostics.entries.first?.examples.first)
        #expect(diagnostics.count(of: .badTiles) == 1 && problem.place == "\(Self.file):12/853/1554")
        #expect(problem.found.contains(found), "\(problem)")
    }

    @Test func tilesMayBeAView() throws {
        var made = HandmadeMBTiles(["format": "jpg"])
        let jpeg = try SessionBuilder.jpeg(width: 256, height: 256)
        made.schema =
            "CREATE TABLE metadata (name text, value text); CREATE TABLE images (id integer, data blob); "
            + "CREATE TABLE map (z integer, x integer, y integer, id integer); CREATE VIEW tiles AS SELECT z AS zoom_level, "
            + "x AS tile_column, y AS tile_row, data AS tile_data FROM map JOIN images USING (id); "
            + "INSERT INTO map VALUES (12, 853, 2541, 7); "
            + "INSERT INTO images VALUES (7, x'\(jpeg.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())')"
        var diagnostics = Diagnostics()
        #expect(tile(try ReadSession(builder(made)), .satelliteImagery, &diagnostics)?.bytes == jpeg)
        #expect(diagnostics.isEmpty)
    }

    @Test func anArchiveHasToBeUnpacked() throws {
        var made = HandmadeMBTiles(["format": "jpg"])
        made.addDenver(try SessionBuilder.jpeg(width: 256, height: 256))
        let directory = try TemporaryDirectory()
        let path = directory.appending("capture.zip")
        let bytes = HandmadeArchives.zip(HandmadeArchives.entries(try builder(made).contents))
        try SessionBuilder.write(bytes, to: path)
        let read = try ReadSession(directory, path: path)
        #expect(read.only(.badTiles)?.expected.contains("unpacked") == true)
        #expect(read.frames.count == 2 && read.session.tiles.layers.isEmpty)
    }

    @Test func aCheckReadsEveryTile() async throws {
        var made = HandmadeMBTiles(["format": "png", "encoding": "terrarium"])
        made.addDenver(try png())
        made.tiles.append((12, 854, 2541, try png(64)))
        made.tiles.append((12, 855, 2541, [UInt8](repeating: 1, count: TileStore.maximumTileBytes + 1)))
        // No look-up would find it.
        made.tiles.append((12, 4096, 0, []))
        var builder = try builder(made)
        builder.metadata?["sessionID"] = "\"session_20260101_140000\""
        builder.addLocations(count: 1)
        let directory = try TemporaryDirectory()
        let report = try await SessionCheck(path: builder.write(into: directory.path).string, jobs: 1).run()
        #expect(report.examined.tiles == 3)
        let places = report.findings.first { $0.kind == .badTiles }?.places.map(\.place)
        #expect(places == ["\(Self.file):12/854/1554", "\(Self.file):12/855/1554"])
        #expect(report.findings.count == 1)
    }

    /// Whatever is wrong is counted, and the frames are read.
    @Test func mutatedFilesCostNoFrame() throws {
        var made = HandmadeMBTiles(["format": "png", "encoding": "terrarium", "maxzoom": "12", "minzoom": "11"])
        made.addDenver(try png(16))
        let bytes = try made.bytes()
        var generator = SeededRandomNumbers(seed: 11)
        var builder = try builder(made)
        var taken = 0
        for _ in 0..<150 {
            builder.files[Self.file] = mutated(bytes, words: ["tiles", "12", "png", "\0"], using: &generator)
            let read = try ReadSession(builder)
            #expect(read.frames.count == 2)
            var diagnostics = Diagnostics()
            if tile(read, .elevation, &diagnostics) != nil { taken += 1 }
            #expect(read.session.tiles.layers.count + read.diagnostics.count(of: .badTiles) == 1)
        }
        #expect((1..<150).contains(taken))
    }
}
