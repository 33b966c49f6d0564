import Recording
import Sessions
import TestSupport
import Testing

/// UTM against PROJ, and the zones by their rules.
@Suite struct UTMZoneTests {
    @Test(
        arguments: [
            (48.1, 11.6, 32, true), (-33.9, 151.2, 56, false), (0, 0, 31, true), (-0.1, -180, 1, false),
            (10, 180, 60, true), (60, 4, 32, true), (60, 2.9, 31, true), (64, 4, 31, true), (75, 8, 31, true),
            (75, 10, 33, true), (75, 25, 35, true), (75, 35, 37, true), (75, 43, 38, true),
        ] as [(Double, Double, Int, Bool)]
    )
    func zones(latitude: Double, longitude: Double, number: Int, isNorth: Bool) throws {
        let zone = try #require(UTMZone(latitudeDegrees: latitude, longitudeDegrees: longitude))
        #expect(zone.number == number && zone.isNorth == isNorth)
    }

    @Test func endsBeforeThePoles() {
        #expect(UTMZone(latitudeDegrees: 84.1, longitudeDegrees: 0) == nil)
        #expect(UTMZone(latitudeDegrees: -80.1, longitudeDegrees: 0) == nil)
        #expect(UTMZone(latitudeDegrees: .nan, longitudeDegrees: 0) == nil)
        #expect(UTMZone(latitudeDegrees: 0, longitudeDegrees: .infinity) == nil)
    }

    @Test(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
    func isWhatPROJSays() async throws {
        var generator = SeededRandomNumbers(seed: 5)
        var lines: [String] = []
        for _ in 0..<2000 {
            let latitude = Double.random(in: -80...84, using: &generator)
            let longitude = Double.random(in: -180..<180, using: &generator)
            let height = Double.random(in: -400...9000, using: &generator)
            guard let zone = UTMZone(latitudeDegrees: latitude, longitudeDegrees: longitude) else { continue }
            let earth = Geodesy.earthPosition(
                latitudeDegrees: latitude,
                longitudeDegrees: longitude,
                heightMetres: height
            )
            let place = zone.position(ofEarth: earth)
            lines.append("\(zone.epsgCode) \(longitude) \(latitude) \(height) \(place.x) \(place.y) \(place.z)")
        }
        let code = """
            import sys
            from pyproj import CRS, Transformer
            transformers, worst = {}, 0
            for line in sys.stdin.read().split(chr(10)):
                code, longitude, latitude, height, east, north, up = map(float, line.split())
                if code not in transformers:
                    transformers[code] = Transformer.from_crs("EPSG:4326", f"EPSG:{int(code)}", always_xy=True)
                e, n = transformers[code].transform(longitude, latitude)
                worst = max(worst, abs(e - east), abs(n - north), abs(height - up))
            print(worst)
            assert worst < 1e-4, worst
            """
        let outcome = try PeerPython.run(["-c", code], input: .init(lines.joined(separator: "\n").utf8))
        #expect(outcome.status == 0, "\(outcome.everything)")
    }

    @Test(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
    func textIsUnderstood() throws {
        for (latitude, longitude) in [(48.0, 11.0), (-33.0, 151.0)] {
            let zone = try #require(UTMZone(latitudeDegrees: latitude, longitudeDegrees: longitude))
            let code =
                "import sys; from pyproj import CRS; a = CRS.from_wkt(sys.argv[1]); "
                + "assert a.to_epsg() == int(sys.argv[2]) and CRS.from_epsg(int(sys.argv[2])) == a"
            let outcome = try PeerPython.run(["-c", code, zone.wellKnownText, "\(zone.epsgCode)"])
            #expect(outcome.status == 0, "\(outcome.everything)")
        }
    }
}
