import Foundation
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing

@Suite("Map tiles of a sample")
struct SampleTileTests {
    private static func options() -> SampleOptions {
        var options = WrittenSample.smallOptions()
        options.imageSize = GridSize(width: 64, height: 48)
        options.hasGPS = true
        options.hasTiles = true
        return options
    }

    @Test("they are where the manifest says, and whole")
    func files() async throws {
        let sample = try await WrittenSample(Self.options())
        let session = try SessionFormats.open(path: sample.root.path)
        #expect(session.diagnostics.isEmpty && session.orphans().isEmpty)
        #expect(session.summary.hasSatelliteTiles && session.summary.hasElevationTiles)
        let origin = try sample.object("truth.json").object("gps_origin")
        for (kind, zoom) in [(TileKind.satelliteImagery, 17), (.elevation, 13)] {
            var diagnostics = Diagnostics()
            let tile = try session.tiles.tile(
                kind,
                latitudeDegrees: origin.number("latitude"),
                longitudeDegrees: origin.number("longitude"),
                &diagnostics
            )
            #expect(tile?.address.zoom == zoom)
            #expect(diagnostics.isEmpty)
        }
        let tiles = try sample.everything().keys.filter { $0.hasPrefix("tiles/") }
        #expect(tiles.count == 21)
    }

    @Test(
        "the elevations are those of truth.json",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func elevations() async throws {
        let sample = try await WrittenSample(Self.options())
        let script = """
            import glob, json, math, os, sys
            from PIL import Image
            truth = json.load(open(sys.argv[1] + '/truth.json'))
            land, origin = truth['terrain'], truth['gps_origin']
            worst, count, heights = 0, 0, set()
            for path in glob.glob(sys.argv[1] + '/tiles/dem/*/*/*.png'):
                z, x, y = (int(p) for p in path[:-4].split('/')[-3:])
                tile = Image.open(path)
                for row in range(0, 256, 17):
                    for column in range(0, 256, 17):
                        r, g, b = tile.getpixel((column, row))
                        metres = r * 256 + g + b / 256 - 32768
                        longitude = (x + (column + 0.5) / 256) / 2 ** z * 360 - 180
                        mercator = math.pi * (1 - 2 * (y + (row + 0.5) / 256) / 2 ** z)
                        latitude = math.degrees(2 * math.atan(math.exp(mercator)) - math.pi / 2)
                        turn = 2 * math.pi / land['period_degrees']
                        expected = land['base_metres'] + land['amplitude_metres'] * math.sin(
                            turn * (longitude - origin['longitude'])) * math.cos(turn * (latitude - origin['latitude']))
                        worst, count = max(worst, abs(metres - expected)), count + 1
                        heights.add(round(metres))
            print(json.dumps([count, int(worst <= 0.5 / 256 + 1e-6), int(len(heights) > 100)]))
            """
        let found: [Int] = try PeerPython.json(script, [sample.root.path])
        #expect(found == [2560, 1, 1])
    }

    @Test("an earlier sample's tiles go with it, other files stay")
    func replaced() async throws {
        var options = Self.options()
        let sample = try await WrittenSample(options)
        try Data("mine".utf8).write(to: sample.root.appendingPathComponent("tiles/satellite/notes.txt"))
        options.isForced = true
        try await SyntheticSession.write(to: FilePath(sample.root.path), options: options)
        #expect(sample.exists("tiles/manifest.json"))
        options.hasTiles = false
        try await SyntheticSession.write(to: FilePath(sample.root.path), options: options)
        #expect(try sample.everything().keys.filter { $0.hasPrefix("tiles/") } == ["tiles/satellite/notes.txt"])
        #expect(!sample.exists("tiles/dem"))
    }

    @Test("tiles without fixes are refused")
    func fixesAreNeeded() async throws {
        var options = Self.options()
        options.hasGPS = false
        let directory = try TemporaryDirectory()
        await #expect(throws: SyntheticError.self) {
            try await SyntheticSession.write(to: directory.appending("s"), options: options)
        }
    }
}
