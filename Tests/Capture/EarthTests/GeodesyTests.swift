import Recording
import Sessions
import Testing

@Suite struct GeodesyTests {
    @Test func workedPosition() {
        let position = Geodesy.earthPosition(latitudeDegrees: 37.3349, longitudeDegrees: -122.0090, heightMetres: 20)
        #expect(isClose(position, Vector3(-2_691_370.2752, -4_305_587.6839, 3_847_023.0059), 1e-3))
    }

    /// EPSG Guidance Note 7-2: geographic to geocentric (9602) and to topocentric (9837), a point in the North Sea.
    @Test func publishedExamples() {
        let (latitude, longitude) = (53 + 48 / 60.0 + 33.820 / 3600, 2 + 7 / 60.0 + 46.380 / 3600)
        let place = Geodesy.earthPosition(latitudeDegrees: latitude, longitudeDegrees: longitude, heightMetres: 73)
        #expect(isClose(place, Vector3(3_771_793.968, 140_253.342, 5_124_304.349), 1e-3))
        let origin = Geodesy.earthFromLocal(latitudeDegrees: 55, longitudeDegrees: 5, heightMetres: 200)
        #expect(isClose(origin.inverse * place, Vector3(-189_013.869, -128_642.040, -4_220.171), 1e-3))
    }

    @Test(
        arguments: [
            (0, 0), (-0.0, 0), (-360, 0), (720, 0), (-1e-20, 0), (-90, 270), (359.5, 359.5), (-0.5, 359.5), (450, 90),
        ] as [(Double, Double)]
    )
    func azimuthsAreBelowAWholeTurn(degrees: Double, azimuth: Double) {
        let found = Geodesy.azimuthDegrees(degrees)
        #expect(found == azimuth && found.sign == .plus)
    }

    @Test func axesOfTheEllipsoid() {
        let equator = Geodesy.earthPosition(latitudeDegrees: 0, longitudeDegrees: 90, heightMetres: 10)
        #expect(isClose(equator, Vector3(0, 6_378_147, 0), 1e-6))
        let pole = Geodesy.earthPosition(latitudeDegrees: -90, longitudeDegrees: 45, heightMetres: 0)
        #expect(isClose(pole, Vector3(0, 0, -6_356_752.314245), 1e-5))
    }

    /// The worked offset of 5 m east, 12 m north and 3 m up on a sphere of the ellipsoid's radius.
    @Test func workedOffset() {
        let (latitude, longitude) = (37.3349, -122.0090)
        let degreesPerMetre = 180 / .pi / 6_378_137.0
        // cos(37.3349 degrees)
        let place = Geodesy.earthPosition(
            latitudeDegrees: latitude + 12 * degreesPerMetre,
            longitudeDegrees: longitude + 5 * degreesPerMetre / 0.795_103_5,
            heightMetres: 23
        )
        let local =
            Geodesy.earthFromLocal(latitudeDegrees: latitude, longitudeDegrees: longitude, heightMetres: 20).inverse
            * place
        #expect(isClose(local, Vector3(5.0062, 11.9639, 3.0000), 2e-4), "\(local)")
    }

    @Test(arguments: [(0.0, 0.0), (48.137, 11.575), (-33.9, 151.2), (64.1, -21.9), (-77.8, 166.7)])
    func axesPointEastNorthAndUp(latitude: Double, longitude: Double) {
        let earthFromLocal = Geodesy.earthFromLocal(
            latitudeDegrees: latitude,
            longitudeDegrees: longitude,
            heightMetres: 100
        )
        let origin = earthFromLocal * Vector3.zero
        func direction(_ dLatitude: Double, _ dLongitude: Double, _ dHeight: Double) -> Vector3 {
            let moved = Geodesy.earthPosition(
                latitudeDegrees: latitude + dLatitude,
                longitudeDegrees: longitude + dLongitude,
                heightMetres: 100 + dHeight
            )
            let local = earthFromLocal.inverse * moved
            return local / local.length
        }
        let expected = Geodesy.earthPosition(
            latitudeDegrees: latitude,
            longitudeDegrees: longitude,
            heightMetres: 100
        )
        #expect(isClose(origin, expected, 1e-6))
        #expect(isClose(direction(0, 1e-5, 0), Vector3(1, 0, 0), 1e-6))
        #expect(isClose(direction(1e-5, 0, 0), Vector3(0, 1, 0), 1e-6))
        #expect(isClose(direction(0, 0, 1), Vector3(0, 0, 1), 1e-6))
    }

    private func isClose(_ a: Vector3, _ b: Vector3, _ tolerance: Double) -> Bool { (a - b).length <= tolerance }
}
