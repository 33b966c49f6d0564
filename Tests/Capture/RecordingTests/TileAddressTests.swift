import Recording
import Testing

@Suite("Map tiles: where on Earth they are")
struct TileAddressTests {
    /// Denver's position, and what the phone app's own code gives for it.
    private static let latitude = 39.7392
    private static let longitude = -104.9903

    @Test("a pixel is as wide as the parallel through the tile's middle, divided by its pixels")
    func metresPerPixel() throws {
        let equator = 2 * Double.pi * 6_378_137
        let world = try #require(TileAddress(zoom: 0, x: 0, y: 0))
        #expect(abs(world.metresPerPixel(tileSize: 256) - equator / 256) < 1e-6)
        let denver = try #require(TileAddress(zoom: 12, x: 853, y: 1554))
        let edges = denver.bounds
        let middle = (edges.north + edges.south) / 2 * .pi / 180
        let expected = equator * cosine(middle) * (edges.east - edges.west) / 360 / 512
        #expect(abs(denver.metresPerPixel(tileSize: 512) - expected) < 1e-4)
    }

    @Test(
        "Denver's tile and the place on it",
        arguments: [(9, 106, 194, 174.198, 80.846), (12, 853, 1554, 113.587, 134.767)]
    )
    func denver(zoom: Int, x: Int, y: Int, pixelX: Double, pixelY: Double) throws {
        let address = try #require(
            TileAddress(latitudeDegrees: Self.latitude, longitudeDegrees: Self.longitude, zoom: zoom)
        )
        #expect(address == TileAddress(zoom: zoom, x: x, y: y))
        let pixel = address.pixel(latitudeDegrees: Self.latitude, longitudeDegrees: Self.longitude, tileSize: 256)
        #expect(abs(pixel.x - pixelX) < 5e-4)
        #expect(abs(pixel.y - pixelY) < 5e-4)
        let back = address.position(pixelX: pixel.x, pixelY: pixel.y, tileSize: 256)
        #expect(abs(back.latitudeDegrees - Self.latitude) < 1e-10)
        #expect(abs(back.longitudeDegrees - Self.longitude) < 1e-10)
    }

    @Test("the edges of Denver's tile")
    func bounds() throws {
        let bounds = try #require(TileAddress(zoom: 12, x: 853, y: 1554)).bounds
        #expect(abs(bounds.west - -105.029297) < 5e-7)
        #expect(abs(bounds.east - -104.941406) < 5e-7)
        #expect(abs(bounds.north - 39.774769) < 5e-7)
        #expect(abs(bounds.south - 39.707187) < 5e-7)
    }

    @Test("neighbours share an edge, and the whole map is one tile")
    func edges() throws {
        let tile = try #require(TileAddress(zoom: 7, x: 30, y: 40)).bounds
        #expect(try #require(TileAddress(zoom: 7, x: 31, y: 40)).bounds.west == tile.east)
        #expect(try #require(TileAddress(zoom: 7, x: 30, y: 41)).bounds.north == tile.south)
        let world = try #require(TileAddress(zoom: 0, x: 0, y: 0)).bounds
        #expect(world.west == -180 && world.east == 180)
        #expect(abs(world.north - TileAddress.maximumLatitudeDegrees) < 1e-8)
        #expect(abs(world.south + TileAddress.maximumLatitudeDegrees) < 1e-8)
    }

    @Test(
        "positions at and beyond the edges get the outermost tile",
        arguments: [(90.0, 180.0, 7, 0), (-90, -180, 0, 7), (0, 0, 4, 4), (89, 400, 7, 0), (-1e300, -1e300, 0, 7)]
    )
    func outermost(latitude: Double, longitude: Double, x: Int, y: Int) throws {
        let address = try #require(
            TileAddress(latitudeDegrees: latitude, longitudeDegrees: longitude, zoom: 3)
        )
        #expect(address == TileAddress(zoom: 3, x: x, y: y))
        let pixel = address.pixel(latitudeDegrees: latitude, longitudeDegrees: longitude, tileSize: 256)
        #expect((0...256).contains(pixel.x) && (0...256).contains(pixel.y))
    }

    @Test("what is no tile is none")
    func none() {
        #expect(TileAddress(zoom: 3, x: 8, y: 0) == nil)
        #expect(TileAddress(zoom: 3, x: 0, y: -1) == nil)
        #expect(TileAddress(zoom: 31, x: 0, y: 0) == nil)
        #expect(TileAddress(zoom: -1, x: 0, y: 0) == nil)
        #expect(TileAddress(latitudeDegrees: .nan, longitudeDegrees: 0, zoom: 3) == nil)
        #expect(TileAddress(latitudeDegrees: 0, longitudeDegrees: .infinity, zoom: 3) == nil)
    }

    @Test("files and addresses on the network")
    func names() throws {
        var layer = TileLayer(
            kind: .elevation,
            provider: "p",
            layer: "l",
            format: .png,
            path: "tiles/dem",
            zooms: 0...12
        )
        let address = try #require(TileAddress(zoom: 12, x: 853, y: 1554))
        #expect(layer.file(address) == "tiles/dem/12/853/1554.png")
        layer.sourceURL = "https://example.org/{z}/{x}/{y}.png?{q}{z"
        #expect(layer.sourceURL(address) == "https://example.org/12/853/1554.png?{q}{z")
    }
}
