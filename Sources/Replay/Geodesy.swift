package import Capture
import Glibc

/// WGS 84: from latitude, longitude and height to the Earth-centred, Earth-fixed frame `earth` (REP-105).
package enum Geodesy {
    private static let semiMajorAxisMetres = 6_378_137.0
    private static let flattening = 1 / 298.257223563

    /// Position in ECEF metres; the height is above the ellipsoid.
    package static func earthPosition(
        latitudeDegrees: Double,
        longitudeDegrees: Double,
        heightMetres: Double
    ) -> Vector3 {
        let (latitude, longitude) = (latitudeDegrees * .pi / 180, longitudeDegrees * .pi / 180)
        let eccentricitySquared = flattening * (2 - flattening)
        let n = semiMajorAxisMetres / (1 - eccentricitySquared * sin(latitude) * sin(latitude)).squareRoot()
        return Vector3(
            (n + heightMetres) * cos(latitude) * cos(longitude),
            (n + heightMetres) * cos(latitude) * sin(longitude),
            (n * (1 - eccentricitySquared) + heightMetres) * sin(latitude)
        )
    }

    /// The motion from local east, north, up axes at a place to ECEF.
    package static func earthFromLocal(
        latitudeDegrees: Double,
        longitudeDegrees: Double,
        heightMetres: Double
    ) -> Transform {
        let (latitude, longitude) = (latitudeDegrees * .pi / 180, longitudeDegrees * .pi / 180)
        let east = Vector3(-sin(longitude), cos(longitude), 0)
        let north = Vector3(-sin(latitude) * cos(longitude), -sin(latitude) * sin(longitude), cos(latitude))
        let up = Vector3(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
        return Transform(
            rotation: Quaternion(columns: east, north, up),
            translation: earthPosition(
                latitudeDegrees: latitudeDegrees,
                longitudeDegrees: longitudeDegrees,
                heightMetres: heightMetres
            )
        )
    }
}
