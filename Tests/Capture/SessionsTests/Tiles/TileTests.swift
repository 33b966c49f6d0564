import Codecs
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

@Suite("Map tiles of a session")
struct TileTests {
    private static let denver = "tiles/dem/12/853/1554.png"

    private func builder(_ layers: [JSONFieldList]) throws -> SessionBuilder {
        var builder = try SessionBuilder(frameCount: 2)
        builder.addTiles(layers)
        return builder
    }

    private func png(_ side: Int, grey: UInt8 = 7) throws -> [UInt8] {
        try PNG.encode(RGBImage(width: side, height: side, pixels: .init(repeating: grey, count: 3 * side * side)))
    }

    private func tile(
        _ read: ReadSession,
        _ kind: TileKind = .elevation,
        _ diagnostics: inout Diagnostics
    ) -> StoredTile? {
        read.session.tiles.tile(
            kind,
            latitudeDegrees: SessionBuilder.latitudeDegrees,
            longitudeDegrees: SessionBuilder.longitudeDegrees,
            &diagnostics
        )
    }

    @Test("the manifest's layers are listed, with what they do not say")
    func layers() throws {
        var satellite = SessionBuilder.tileLayer(.satelliteImagery)
        satellite["time"] = "\"2026-01-02\""
        satellite["attribution_url"] = "\"https://example.org\""
        let read = try ReadSession(builder([satellite, SessionBuilder.tileLayer(.elevation)]))
        #expect(read.kinds.isEmpty)
        #expect(read.summary.hasSatelliteTiles && read.summary.hasElevationTiles)
        let layers = read.session.tiles.layers
        #expect(layers.map(\.kind) == [.satelliteImagery, .elevation])
        #expect(layers.map(\.mimeType) == ["image/jpeg", "image/png"])
        #expect(layers.map(\.fileExtension) == ["jpg", "png"])
        #expect(layers.map(\.time) == ["2026-01-02", nil])
        #expect(layers.map(\.attributionURL) == ["https://example.org", nil])
        #expect(layers.map(\.encoding) == ["", "terrarium_png"])
        #expect(layers.allSatisfy { $0.zooms == 9...12 && $0.tileSize == 256 })
    }

    @Test("the tile of the highest zoom wins, then the next layer")
    func highestZoom() throws {
        var second = SessionBuilder.tileLayer(.elevation)
        second["path"] = "\"tiles/other\""
        var builder = try builder([SessionBuilder.tileLayer(.elevation), second])
        builder.files["tiles/dem/9/106/194.png"] = try png(256, grey: 9)
        builder.files["tiles/other/12/853/1554.png"] = try png(256, grey: 10)
        var diagnostics = Diagnostics()
        let low = try #require(tile(ReadSession(builder), .elevation, &diagnostics))
        #expect(low.address == TileAddress(zoom: 9, x: 106, y: 194))
        #expect(low.bytes == builder.files["tiles/dem/9/106/194.png"])
        builder.files[Self.denver] = try png(256, grey: 12)
        let high = try #require(tile(ReadSession(builder), .elevation, &diagnostics))
        #expect(high.address == TileAddress(zoom: 12, x: 853, y: 1554))
        #expect(high.bytes == builder.files[Self.denver])
        builder.files[Self.denver] = nil
        builder.files["tiles/dem/9/106/194.png"] = nil
        let other = try #require(tile(ReadSession(builder), .elevation, &diagnostics))
        #expect(other.bytes == builder.files["tiles/other/12/853/1554.png"])
        #expect(diagnostics.isEmpty)
        #expect(tile(try ReadSession(builder), .satelliteImagery, &diagnostics) == nil)
        #expect(diagnostics.count(of: .missingTile) == 1)
        #expect(diagnostics.lostCount == 0)
    }

    @Test("nodata and the vertical datum are read, and unknown where nothing is said")
    func heights() throws {
        func layer(_ nodata: String?, _ datum: String?) throws -> TileLayer? {
            var fields = SessionBuilder.tileLayer(.elevation)
            fields["nodata"] = nodata
            fields["vertical_datum"] = datum
            return try ReadSession(builder([fields])).session.tiles.layers.first
        }
        let said = try #require(try layer("-9999", "\"EGM96\""))
        #expect(said.nodata == .metres(-9999) && said.verticalDatum == "EGM96")
        #expect(try layer("\"none\"", nil)?.nodata == .nothing)
        let silent = try #require(try layer(nil, "\"\""))
        #expect(silent.nodata == nil && silent.verticalDatum == nil)
    }

    @Test("a tile that is no whole image of its size is a problem, and the next zoom is taken", arguments: 0..<6)
    func brokenTile(damage: Int) throws {
        var builder = try builder([SessionBuilder.tileLayer(.elevation)])
        let whole = try png(256)
        let found: ([UInt8], String)
        switch damage {
        case 0: found = ([], "no PNG signature")
        case 1: found = (Array(whole.dropLast(1)), "the end of the file")
        case 2: found = (Array(whole.prefix(30)), "IHDR")
        case 3: found = (try png(128), "128x128")
        case 4: found = (try SessionBuilder.jpeg(width: 256, height: 256), "no PNG signature")
        default: found = ([UInt8](repeating: 0, count: TileStore.maximumTileBytes + 1), "bytes")
        }
        builder.files[Self.denver] = found.0
        builder.files["tiles/dem/11/426/777.png"] = whole
        var diagnostics = Diagnostics()
        let read = try ReadSession(builder)
        let tile = try #require(tile(read, .elevation, &diagnostics))
        #expect(tile.address.zoom == 11)
        #expect(diagnostics.count(of: .badTiles) == 1)
        let problem = try #require(diagnostics.entries.first?.examples.first)
        #expect(problem.file == Self.denver)
        #expect(problem.found.contains(found.1), "\(problem)")
    }

    @Test("JPEG tiles are held to their format too")
    func jpegTiles() throws {
        var builder = try builder([SessionBuilder.tileLayer(.satelliteImagery)])
        let whole = try SessionBuilder.jpeg(width: 256, height: 256)
        builder.files["tiles/satellite/12/853/1554.jpg"] = whole
        var diagnostics = Diagnostics()
        #expect(tile(try ReadSession(builder), .satelliteImagery, &diagnostics)?.bytes == whole)
        #expect(diagnostics.isEmpty)
        builder.files["tiles/satellite/12/853/1554.jpg"] = Array(whole.dropLast(2))
        #expect(tile(try ReadSession(builder), .satelliteImagery, &diagnostics) == nil)
        #expect(diagnostics.count(of: .badTiles) == 1)
    }

    @Test(
        "a layer with a bad field costs only itself",
        arguments: [
            ("kind", "\"radar\""), ("kind", nil), ("provider", nil), ("layer", "7"), ("format", "\"webp\""),
            ("crs", "\"EPSG:4326\""), ("tile_size", "0"), ("tile_size", "256.5"), ("min_zoom", nil),
            ("max_zoom", "8"), ("max_zoom", "31"), ("max_zoom", "99999999999999999999"), ("encoding", nil),
            ("extension", "\"p/g\""), ("extension", "\"\""), ("path", nil), ("path", "\"tiles\""),
            ("path", "\"/tiles/dem\""), ("path", "\"tiles/../..\""), ("path", "\"tiles//dem\""),
            ("path", "\"tiles/a\\\\b\""), ("path", "\"tiles/a\\u0000b\""), ("path", "\"rgb/dem\""),
            ("nodata", "\"some\""), ("nodata", "true"), ("vertical_datum", "5703"),
        ] as [(String, String?)]
    )
    func badLayer(field: String, value: String?) throws {
        var layer = SessionBuilder.tileLayer(.elevation)
        layer[field] = value
        let read = try ReadSession(builder([layer, SessionBuilder.tileLayer(.satelliteImagery)]))
        #expect(read.session.tiles.layers.map(\.kind) == [.satelliteImagery])
        #expect(read.kinds == [.badTiles: 1])
        #expect(read.only(.badTiles)?.place == "tiles/manifest.json:layers[0].\(field)")
        #expect(read.frames.count == 2)
    }

    @Test(
        "a manifest that does not read costs the tiles, not the session",
        arguments: [
            "", "{", "[]", "{\"layers\":7}", "{\"layers\":[1]}", "{\"layers\":[" + String(repeating: "[", count: 5000),
        ]
    )
    func badManifest(text: String) throws {
        var builder = try SessionBuilder(frameCount: 2)
        builder.files["tiles/manifest.json"] = Array(text.utf8)
        let read = try ReadSession(builder)
        #expect(read.kinds == [.badTiles: 1])
        #expect(read.frames.count == 2)
        #expect(!read.summary.hasSatelliteTiles && !read.summary.hasElevationTiles)
    }

    @Test("a GeoTIFF that is not cut into tiles is refused with advice, and costs only itself")
    func uncutElevation() throws {
        var layer = SessionBuilder.tileLayer(.elevation)
        layer["format"] = "\"tiff\""
        var builder = try builder([layer])
        for file in ["tiles/model.TIFF", "tiles/dem/whole.tif", "tiles/dem/12/853/1554.tif"] {
            builder.files[file] = [1]
        }
        let read = try ReadSession(builder)
        #expect(read.kinds == [.uncutElevation: 2] && read.frames.count == 2)
        let problems = read.diagnostics.entries.flatMap(\.examples)
        #expect(problems.map(\.file) == ["tiles/model.TIFF", "tiles/dem/whole.tif"])
        #expect(problems.allSatisfy { $0.expected.contains("gdal raster tile") })
        #expect(ProblemKind.uncutElevation.advice(isNative: true).contains("gdal raster tile"))
        #expect(read.session.tiles.layers.count == 1)
    }
}
