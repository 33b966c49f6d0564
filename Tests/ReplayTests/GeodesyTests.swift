import Capture
import Replay
import Testing

@Suite struct GeodesyTests {
    @Test func workedPosition() {
        let position = Geodesy.earthPosition(latitudeDegrees: 37.3349, longitudeDegrees: -122.0090, heightMetres: 20)
        #expect(position.isClose(to: Vector3(-2_691_370.2752, -4_305_587.6839, 3_847_023.0059), 1e-3))
    }

    @Test func axesOfTheEllipsoid() {
        let equator = Geodesy.earthPosition(latitudeDegrees: 0, longitudeDegrees: 90, heightMetres: 10)
        #expect(equator.isClose(to: Vector3(0, 6_378_147, 0), 1e-6))
        let pole = Geodesy.earthPosition(latitudeDegrees: -90, longitudeDegrees: 45, heightMetres: 0)
        #expect(pole.isClose(to: Vector3(0, 0, -6_356_752.314245), 1e-5))
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
        #expect(local.isClose(to: Vector3(5.0062, 11.9639, 3.0000), 2e-4), "\(local)")
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
        #expect(origin.isClose(to: expected, 1e-6))
        #expect(direction(0, 1e-5, 0).isClose(to: Vector3(1, 0, 0), 1e-6))
        #expect(direction(1e-5, 0, 0).isClose(to: Vector3(0, 1, 0), 1e-6))
        #expect(direction(0, 0, 1).isClose(to: Vector3(0, 0, 1), 1e-6))
    }
}
