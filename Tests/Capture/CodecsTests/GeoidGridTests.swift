import Codecs
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite struct GeoidGridTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A grid written from the description of the format: header of 40 bytes, rows from the south.
    static func bytes(
        south: Double,
        west: Double,
        step: (latitude: Double, longitude: Double),
        rows: Int,
        columns: Int,
        _ height: (_ latitude: Double, _ longitude: Double) -> Float
    ) -> [UInt8] {
        func big(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
        var bytes = [south, west, step.latitude, step.longitude].flatMap { big($0.bitPattern) }
        bytes += big(Int32(rows)) + big(Int32(columns))
        for row in 0..<rows {
            for column in 0..<columns {
                let value = height(south + Double(row) * step.latitude, west + Double(column) * step.longitude)
                bytes += big(value.bitPattern)
            }
        }
        return bytes
    }

    private func grid(_ bytes: [UInt8]) throws -> GeoidGrid {
        let path = directory.appending("grid.gtx")
        try SessionBuilder.write(bytes, to: path)
        return try GeoidGrid(path: path.string)
    }

    /// Between nodes a product of straight lines is itself: exact truth.
    @Test func betweenNodesHeightsAreBilinear() throws {
        func truth(_ latitude: Double, _ longitude: Double) -> Double {
            3 + 0.5 * latitude - 0.25 * longitude + 0.125 * latitude * longitude
        }
        let grid = try grid(
            Self.bytes(south: 40, west: 8, step: (0.5, 0.25), rows: 9, columns: 13) { Float(truth($0 - 40, $1 - 8)) }
        )
        #expect(grid.name == "grid.gtx")
        for (latitude, longitude) in [(40.0, 8.0), (44, 11), (40.25, 8.125), (43.9, 10.99), (41.3, 9.7), (44, 8.1)] {
            let height = try #require(
                try grid.heightMetres(latitudeDegrees: latitude, longitudeDegrees: longitude)
            )
            #expect(abs(height - truth(latitude - 40, longitude - 8)) < 1e-5, "\(latitude), \(longitude)")
            let again = try grid.heightMetres(latitudeDegrees: latitude, longitudeDegrees: longitude - 360)
            #expect(again.map { abs($0 - height) < 1e-9 } ?? false)
        }
        for (latitude, longitude) in [
            (39.99, 9.0), (44.01, 9), (42, 7.99), (42, 11.01), (42, -170), (.nan, 9), (42, .nan),
        ] {
            #expect(try grid.heightMetres(latitudeDegrees: latitude, longitudeDegrees: longitude) == nil)
        }
    }

    /// A grid around the Earth goes on where it began; both poles are in it.
    @Test func gridsAroundTheEarthHaveNoSeam() throws {
        let grid = try grid(
            Self.bytes(south: -90, west: -180, step: (10, 10), rows: 19, columns: 36) { _, longitude in
                Float(abs(longitude) / 2)
            }
        )
        func height(_ latitude: Double, _ longitude: Double) throws -> Double? {
            try grid.heightMetres(latitudeDegrees: latitude, longitudeDegrees: longitude)
        }
        #expect(try height(0, 175) == 87.5 && height(0, -175) == 87.5 && height(0, 180) == 90)
        #expect(try height(90, 0) == 0 && height(-90, 0) == 0 && height(12.5, 179.99) != nil)
        #expect(try height(0, -180) == 90 && height(0, 540) == 90)
    }

    @Test func nodesWithoutAValueGiveNone() throws {
        let grid = try grid(
            Self.bytes(south: 0, west: 0, step: (1, 1), rows: 4, columns: 4) { latitude, longitude in
                latitude == 0 && longitude == 0 ? -88.8888 : latitude == 3 && longitude == 3 ? .nan : 10
            }
        )
        #expect(try grid.heightMetres(latitudeDegrees: 0.5, longitudeDegrees: 0.5) == nil)
        #expect(try grid.heightMetres(latitudeDegrees: 2.5, longitudeDegrees: 2.5) == nil)
        #expect(try grid.heightMetres(latitudeDegrees: 1.5, longitudeDegrees: 1.5) == 10)
    }

    /// A header that its file does not bear out is refused before anything is read for it.
    @Test func wrongFilesAreRefused() throws {
        let good = Self.bytes(south: 0, west: 0, step: (1, 1), rows: 3, columns: 3) { _, _ in 1 }
        var files: [[UInt8]] = [[], Array(good.prefix(39)), Array(good.dropLast()), good + [0]]
        for (place, bytes) in [
            (32, [0x7F, 0xFF, 0xFF, 0xFF]), (32, [0xFF, 0xFF, 0xFF, 0xFF]), (32, [0, 0, 0, 0]), (36, [0, 0, 0, 1]),
            (36, [0x80, 0, 0, 0]), (0, [0x7F, 0xF8, 0, 0]), (16, [0x7F, 0xF0, 0, 0]), (16, [0x80, 0, 0, 0]),
            (24, [0xC0, 0, 0, 0]), (8, [0x7F, 0xEF, 0, 0]), (0, [0x40, 0x56, 0x80, 0]),
        ] as [(Int, [UInt8])] {
            var bad = good
            bad.replaceSubrange(place..<place + 4, with: bytes)
            files.append(bad)
        }
        for bytes in files {
            let error = #expect(throws: CodecError.self) { try grid(bytes) }
            #expect(error?.codec == .gtx)
        }
        #expect(throws: CodecError.self) { try GeoidGrid(path: directory.appending("nothing").string) }
        #expect(throws: CodecError.self) { try GeoidGrid(path: directory.path.string) }
    }

    /// Whatever a header says, a lookup ends: mutated headers of the right size.
    @Test func mutatedHeadersAreRefusedOrRead() throws {
        var numbers = SeededRandomNumbers(seed: 11)
        let good = Self.bytes(south: -90, west: -180, step: (90, 90), rows: 3, columns: 4) { _, _ in 1 }
        var readCount = 0
        for _ in 0..<2000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                bytes[Int.random(in: 0..<32, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            guard let grid = try? grid(bytes) else { continue }
            readCount += 1
            for (latitude, longitude) in [(0.0, 0.0), (90, 180), (-90, -180), (48.1, 11.5)] {
                if let height = try grid.heightMetres(latitudeDegrees: latitude, longitudeDegrees: longitude) {
                    #expect(abs(height - 1) < 1e-6)
                }
            }
        }
        #expect(readCount > 100)
    }

    /// The geoid that Debian installs, at places whose height NGA's own program gives for EGM96 (table of test values).
    @Test(
        .enabled(
            if: FileManager.default.isReadableFile(atPath: "/usr/share/proj/egm96_15.gtx"),
            "needs the geoid of Debian's package proj-data"
        )
    )
    func installedGeoid() throws {
        let grid = try GeoidGrid(path: "/usr/share/proj/egm96_15.gtx")
        for (latitude, longitude, height) in [
            (38.6281550, 269.7791550, -31.628), (-14.6212170, 305.0211140, -2.969), (46.8743190, 102.4487290, -43.575),
            (-23.6174460, 133.8747120, 15.871), (38.6254730, 359.9995000, 50.066), (-0.4667440, 0.0023000, 17.329),
        ] {
            let found = try #require(try grid.heightMetres(latitudeDegrees: latitude, longitudeDegrees: longitude))
            // Bilinear in a grid of 15 minutes.
            #expect(abs(found - height) < 0.1, "\(latitude) \(longitude): \(found)")
        }
    }
}
