import Codecs
import Recording
import Sessions
import TestSupport
import Testing

/// Heights of fixes against elevation tiles whose heights are a plane, known everywhere.
@Suite struct TerrainTests {
    private static let side = 64
    private static let file = "tiles/dem/12/853/1554.png"

    /// In pixels of the tile 12/853/1554.
    private static func plane(_ x: Double, _ y: Double) -> Double { 1600 + 2 * x - 3 * y }

    private static func png() throws -> [UInt8] {
        var pixels: [UInt8] = []
        for place in 0..<side * side {
            let metres = plane(Double(place % side) + 0.5, Double(place / side) + 0.5)
            let number = Int((metres + 32_768) * 256)
            for shift in [16, 8, 0] { pixels.append(UInt8(number >> shift & 255)) }
        }
        return try PNG.encode(RGBImage(width: side, height: side, pixels: pixels))
    }

    private static func session(
        _ change: (inout SessionBuilder, inout JSONFieldList) throws -> Void = { _, _ in }
    ) throws
        -> ReadSession
    {
        var builder = try SessionBuilder(frameCount: 2)
        builder.files[file] = try png()
        var layer = SessionBuilder.tileLayer(.elevation)
        layer["tile_size"] = "\(side)"
        try change(&builder, &layer)
        builder.addTiles([layer])
        return try ReadSession(builder)
    }

    /// Fixes all over the middle of the tile, the first on the plane and each a metre higher above it.
    private static func fixes(_ count: Int, dx: Int = 0) throws -> [LocationSample] {
        let address = try #require(TileAddress(zoom: 12, x: 853 + dx, y: 1554))
        return (0..<count).map { index in
            let (x, y) = (1 + Double(index * 7 % 62), 1.25 + Double(index * 11 % 62))
            let place = address.position(pixelX: x, pixelY: y, tileSize: side)
            var fix = LocationSample(
                time: Timestamp(nanoseconds: Int64(index)),
                latitudeDegrees: place.latitudeDegrees,
                longitudeDegrees: place.longitudeDegrees
            )
            fix.altitudeMetres = plane(x, y) + Double(index)
            fix.ellipsoidalAltitudeMetres = plane(x, y) + Double(index) + 100
            return fix
        }
    }

    private func near(_ value: Double?, _ expected: Double) -> Bool { abs((value ?? .nan) - expected) < 1e-3 }

    @Test func differencesAreThoseToThePlane() throws {
        let read = try Self.session()
        var diagnostics = Diagnostics()
        let terrain = TerrainComparison(try Self.fixes(21), read.session.tiles, &diagnostics)
        #expect(terrain.fixCount == 21 && terrain.comparedCount == 21 && terrain.reason == nil)
        let differences = try #require(terrain.differences)
        #expect(near(differences.medianMetres, 10))
        #expect(near(differences.lowMetres, 2) && near(differences.highMetres, 18))
        #expect(terrain.reference == .seaLevel && terrain.datums == ["unknown"])
        #expect(diagnostics.isEmpty)
    }

    @Test func aTileAboveTheEllipsoidIsComparedWithSuchHeights() throws {
        let read = try Self.session { $1["vertical_datum"] = "\"ellipsoid\"" }
        var diagnostics = Diagnostics()
        var fixes = try Self.fixes(21)
        let terrain = TerrainComparison(fixes, read.session.tiles, &diagnostics)
        #expect(near(terrain.differences?.medianMetres, 110))
        #expect(terrain.reference == .ellipsoid && terrain.datums == ["ellipsoid"])
        for index in fixes.indices { fixes[index].ellipsoidalAltitudeMetres = nil }
        let none = TerrainComparison(fixes, read.session.tiles, &diagnostics)
        #expect(none.differences == nil && none.reason?.contains("no height above the ellipsoid") == true)
    }

    @Test func fixesBesideTheTilesAreNotCompared() throws {
        let read = try Self.session()
        var diagnostics = Diagnostics()
        let some = TerrainComparison(
            try Self.fixes(9) + Self.fixes(5, dx: 1),
            read.session.tiles,
            &diagnostics
        )
        #expect(some.fixCount == 14 && some.comparedCount == 9 && near(some.differences?.medianMetres, 4))
        let none = TerrainComparison(try Self.fixes(5, dx: 1), read.session.tiles, &diagnostics)
        #expect(none.comparedCount == 0 && none.differences == nil)
        #expect(none.reason == "no elevation tile covers the fixes" && diagnostics.isEmpty)
    }

    @Test func theHighestZoomWithAHeightCounts() throws {
        let read = try Self.session { builder, _ in
            builder.files["tiles/dem/9/106/194.png"] = try PNG.encode(
                RGBImage(width: Self.side, height: Self.side, pixels: .init(repeating: 128, count: 3 * 64 * 64))
            )
        }
        var diagnostics = Diagnostics()
        var terrain = TerrainHeights(read.session.tiles)
        for (dx, expected) in [(0, nil), (1, 128.5), (0, nil)] as [(Int, Double?)] {
            let fix = try #require(Self.fixes(3, dx: dx).last)
            let height = try #require(
                terrain.height(
                    latitudeDegrees: fix.latitudeDegrees,
                    longitudeDegrees: fix.longitudeDegrees,
                    &diagnostics
                )
            )
            #expect(near(height.metres, expected ?? (fix.altitudeMetres ?? .nan) - 2))
        }
    }

    @Test func withoutTilesFixesOrAKnownCodingItIsSaidWhy() throws {
        var diagnostics = Diagnostics()
        let bare = try ReadSession(SessionBuilder(frameCount: 2))
        let none = TerrainComparison(try Self.fixes(3), bare.session.tiles, &diagnostics)
        #expect(none.reason == "the session has no elevation tiles")
        let read = try Self.session { $1["encoding"] = "\"feet\"" }
        #expect(TerrainComparison([], read.session.tiles, &diagnostics).reason == "the session has no GPS fixes")
        let coded = TerrainComparison(try Self.fixes(3), read.session.tiles, &diagnostics)
        #expect(coded.reason == "heights coded as feet are not understood" && diagnostics.isEmpty)
    }

    @Test func aTileThatDoesNotDecodeIsCountedOnce() throws {
        let read = try Self.session { builder, _ in
            // A byte of the compressed rows, and their checksum: as one who wrote it so.
            guard var bytes = builder.files[Self.file] else { return }
            bytes[60] ^= 0xFF
            let end = 41 + bytes[33..<37].reduce(0) { $0 << 8 | Int($1) }
            let checksum = HandmadeArchives.crc32(Array(bytes[37..<end]))
            for place in 0..<4 { bytes[end + place] = UInt8(truncatingIfNeeded: checksum >> (24 - 8 * UInt32(place))) }
            builder.files[Self.file] = bytes
        }
        var diagnostics = Diagnostics()
        let terrain = TerrainComparison(try Self.fixes(30), read.session.tiles, &diagnostics)
        #expect(terrain.comparedCount == 0 && terrain.reason?.contains("does not decode") == true)
        #expect(diagnostics.count(of: .badTiles) == 1)
        #expect(diagnostics.entries.first?.examples.first?.file == Self.file)
    }

    @Test func tilesOfMBTilesAreComparedToo() throws {
        var made = HandmadeMBTiles(["format": "png", "encoding": "terrarium"])
        made.addDenver(try Self.png())
        var builder = try SessionBuilder(frameCount: 2)
        builder.files["tiles/map.mbtiles"] = try made.bytes()
        let read = try ReadSession(builder)
        var diagnostics = Diagnostics()
        let terrain = TerrainComparison(try Self.fixes(21), read.session.tiles, &diagnostics)
        #expect(near(terrain.differences?.medianMetres, 10) && diagnostics.isEmpty)
    }
}
