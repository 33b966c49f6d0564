import Codecs
import Foundation
import Recording
import SystemPackage
import TestSupport
import Testing

/// Heights of tiles, against planes whose heights are known at every place.
@Suite struct ElevationRasterTests {
    private static let side = 16

    /// 7 m east and -3 m south for each pixel, at the middles of pixels; whole decimetres are exact in both codings.
    private static func plane(_ x: Double, _ y: Double) -> Double { 812.5 + 7 * x - 3 * y }

    private static var heights: [Double] {
        (0..<side * side).map { plane(Double($0 % side) + 0.5, Double($0 / side) + 0.5) }
    }

    private static func png(_ heights: [Double], _ code: (Double) -> Int) throws -> [UInt8] {
        var pixels: [UInt8] = []
        for height in heights {
            let number = code(height)
            for shift in [16, 8, 0] { pixels.append(UInt8(number >> shift & 255)) }
        }
        return try PNG.encode(RGBImage(width: side, height: side, pixels: pixels))
    }

    private static func terrarium(_ metres: Double) -> Int { Int(((metres + 32_768) * 256).rounded()) }
    private static func terrainRGB(_ metres: Double) -> Int { Int(((metres + 10_000) / 0.1).rounded()) }

    private func expectPlane(_ raster: ElevationRaster, within tolerance: Double) throws {
        #expect(raster.size == GridSize(width: Self.side, height: Self.side))
        for (x, y) in [(0.5, 0.5), (3.5, 9.5), (4, 4), (7.25, 11.75), (15.5, 15.5), (15.5, 0.5)] as [(Double, Double)] {
            #expect(abs(try #require(raster.metres(x: x, y: y)) - Self.plane(x, y)) < tolerance, "\(x), \(y)")
        }
        // The outermost half pixel has no neighbour: its own height goes on.
        #expect(abs(try #require(raster.metres(x: 0, y: 16)) - Self.plane(0.5, 15.5)) < tolerance)
        for (x, y) in [(-0.1, 3), (3, 16.1), (.nan, 3), (3, .infinity)] as [(Double, Double)] {
            #expect(raster.metres(x: x, y: y) == nil)
        }
    }

    @Test func terrariumIsExact() throws {
        try expectPlane(ElevationRaster(Self.png(Self.heights, Self.terrarium), .terrarium), within: 1e-9)
    }

    @Test func terrainRGBIsExactToItsStep() throws {
        try expectPlane(ElevationRaster(Self.png(Self.heights, Self.terrainRGB), .terrainRGB), within: 1e-3)
    }

    @Test(arguments: [(1, 16, false), (1, 5, true), (2, 16, false), (2, 7, true)])
    func stripsOfFloat32AreExact(samples: Int, rows: Int, isLittleEndian: Bool) throws {
        let made = HandmadeTIFF(Self.heights.map { Float($0) }, side: Self.side, samples: samples, rowsPerStrip: rows)
        try expectPlane(ElevationRaster(made.bytes(isLittleEndian: isLittleEndian), .float32), within: 1e-9)
    }

    @Test func tilesOfFloat32AreExact() throws {
        var made = HandmadeTIFF(Self.heights.map { Float($0) }, side: Self.side)
        made.tileSide = 12
        try expectPlane(ElevationRaster(made.bytes(), .float32), within: 1e-9)
    }

    @Test(
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func theHeightsOfPillowAreRead() throws {
        let script = """
            import base64, io
            from PIL import Image
            image, out = Image.new("F", (16, 16)), io.BytesIO()
            image.putdata([812.5 + 7 * (i % 16 + .5) - 3 * (i // 16 + .5) for i in range(256)])
            image.save(out, "TIFF")
            print(base64.b64encode(out.getvalue()).decode())
            """
        let bytes = try #require(Data(base64Encoded: PeerPython.output(of: script, [])))
        try expectPlane(ElevationRaster([UInt8](bytes), .float32), within: 1e-3)
    }

    @Test func aPixelWithoutAHeightSpoilsOnlyItsNeighbours() throws {
        var heights = Self.heights
        heights[4 * Self.side + 4] = -9999
        let png = try Self.png(heights, Self.terrainRGB)
        #expect(try ElevationRaster(png, .terrainRGB).metres(x: 4.5, y: 4.5) == -9999)
        let raster = try ElevationRaster(png, .terrainRGB, noDataMetres: -9999)
        #expect(raster.metres(x: 4.5, y: 4.5) == nil && raster.metres(x: 5.4, y: 4.5) == nil)
        #expect(abs(try #require(raster.metres(x: 6, y: 6)) - Self.plane(6, 6)) < 1e-3)
        // TIFF says it itself, in GDAL's way, or by a value that is no place's.
        var made = HandmadeTIFF(heights.map { Float($0) }, side: Self.side)
        made.noData = "-9999"
        #expect(try ElevationRaster(made.bytes(), .float32).metres(x: 4.5, y: 4.5) == nil)
        heights[4 * Self.side + 4] = -3.402_823_466_385_288_6e38
        let lowest = HandmadeTIFF(heights.map { Float($0) }, side: Self.side).bytes()
        #expect(try ElevationRaster(lowest, .float32).metres(x: 4.5, y: 4.5) == nil)
    }

    @Test func transparentPixelsHaveNoHeight() throws {
        let pixels: [UInt8] = [131, 45, 0, 255, 0, 0, 0, 0]
        let made = HandmadePNG(width: 2, height: 1, channels: 4, pixels: pixels, filters: [0])
        let raster = try ElevationRaster(made.bytes, .terrarium)
        #expect(raster.metres(x: 0.5, y: 0.5) == 813 && raster.metres(x: 1.5, y: 0.5) == nil)
    }

    @Test func otherTIFFsAreRefused() throws {
        let sound = HandmadeTIFF(Self.heights.map { Float($0) }, side: Self.side)
        #expect(throws: Never.self) { try ElevationRaster(sound.bytes(), .float32) }
        for (tag, value) in [(259, 5), (258, 16), (339, 1), (284, 2), (256, 17), (257, 4097), (278, 4), (277, 0)] {
            var made = sound
            made.overrides = [tag: value]
            #expect(throws: CodecError.self, "\(tag)") { try ElevationRaster(made.bytes(), .float32) }
        }
        let bytes = sound.bytes()
        for count in stride(from: 0, to: bytes.count - 4, by: 7) {
            #expect(throws: CodecError.self) { try ElevationRaster(Array(bytes.prefix(count)), .float32) }
        }
    }

    @Test func mutatedTIFFsAreRefusedOrHaveTheirSize() throws {
        var generator = SeededRandomNumbers(seed: 4)
        let original = HandmadeTIFF(Self.heights.map { Float($0) }, side: Self.side).bytes()
        for _ in 0..<2000 {
            let bytes = mutated(original, words: ["\0\u{1}", "II*\0"], using: &generator)
            guard let raster = try? ElevationRaster(bytes, .float32) else { continue }
            #expect(try TIFF.inspect(bytes) == raster.size)
        }
    }

    @Test(
        .enabled(if: Captures.have("tiles-terrain-loadersgl"), Comment(rawValue: Captures.absence)),
        arguments: [("terrarium", ElevationCoding.terrarium), ("mapbox", .terrainRGB)]
    )
    func tilesMadeByOthersAreLand(name: String, coding: ElevationCoding) throws {
        let path = Captures.path("tiles-terrain-loadersgl/\(name).png").string
        let raster = try ElevationRaster([UInt8](Data(contentsOf: URL(fileURLWithPath: path))), coding)
        for place in stride(from: 0.5, to: Double(raster.size.width), by: 16) {
            #expect((-500...9000).contains(try #require(raster.metres(x: place, y: place))))
        }
    }
}
