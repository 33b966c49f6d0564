package import Recording

/// WGS 84: from latitude, longitude and height above the ellipsoid to Earth-centred, Earth-fixed axes (ECEF).
package enum Geodesy {
    private static let semiMajorAxisMetres = 6_378_137.0
    private static let flattening = 1 / 298.257223563

    /// Any angle as an azimuth: 0 up to 360.
    package static func azimuthDegrees(_ degrees: Double) -> Double {
        let turn = degrees.truncatingRemainder(dividingBy: 360)
        let azimuth = turn < 0 ? turn + 360 : turn
        // Neither 360, by rounding, nor a zero with a sign.
        return azimuth == 360 ? 0 : abs(azimuth)
    }

    /// Position in ECEF metres; the height is above the ellipsoid.
    package static func earthPosition(
        latitudeDegrees: Double,
        longitudeDegrees: Double,
        heightMetres: Double
    ) -> Vector3 {
        let (latitude, longitude) = (latitudeDegrees * .pi / 180, longitudeDegrees * .pi / 180)
        let eccentricitySquared = flattening * (2 - flattening)
        let n = semiMajorAxisMetres / (1 - eccentricitySquared * sine(latitude) * sine(latitude)).squareRoot()
        return Vector3(
            (n + heightMetres) * cosine(latitude) * cosine(longitude),
            (n + heightMetres) * cosine(latitude) * sine(longitude),
            (n * (1 - eccentricitySquared) + heightMetres) * sine(latitude)
        )
    }

    /// The motion from local east, north, up axes at a place to ECEF.
    package static func earthFromLocal(
        latitudeDegrees: Double,
        longitudeDegrees: Double,
        heightMetres: Double
    ) -> Transform {
        let (latitude, longitude) = (latitudeDegrees * .pi / 180, longitudeDegrees * .pi / 180)
        let east = Vector3(-sine(longitude), cosine(longitude), 0)
        let north = Vector3(-sine(latitude) * cosine(longitude), -sine(latitude) * sine(longitude), cosine(latitude))
        let up = Vector3(cosine(latitude) * cosine(longitude), cosine(latitude) * sine(longitude), sine(latitude))
        return Transform(
            rotation: Quaternion(columns: east, north, up),
            translation: earthPosition(
                latitudeDegrees: latitudeDegrees,
                longitudeDegrees: longitudeDegrees,
                heightMetres: heightMetres
            )
        )
    }

    /// Latitude and longitude of a position in ECEF metres near the surface; at a pole the longitude is 0.
    package static func place(_ position: Vector3) -> (latitudeDegrees: Double, longitudeDegrees: Double) {
        let eccentricitySquared = flattening * (2 - flattening)
        let distance = (position.x * position.x + position.y * position.y).squareRoot()
        var latitude = arcTangent(position.z, distance * (1 - eccentricitySquared))
        // Each round leaves less than a hundredth of the error.
        for _ in 0..<8 {
            let n = semiMajorAxisMetres / (1 - eccentricitySquared * sine(latitude) * sine(latitude)).squareRoot()
            latitude = arcTangent(position.z + eccentricitySquared * n * sine(latitude), distance)
        }
        return (latitude * 180 / .pi, arcTangent(position.y, position.x) * 180 / .pi)
    }

    /// The height above the ellipsoid of a position in ECEF metres, of which the latitude is known.
    package static func heightMetres(_ position: Vector3, latitudeDegrees: Double) -> Double {
        let latitude = latitudeDegrees * .pi / 180
        let eccentricitySquared = flattening * (2 - flattening)
        let n = semiMajorAxisMetres / (1 - eccentricitySquared * sine(latitude) * sine(latitude)).squareRoot()
        let distance = (position.x * position.x + position.y * position.y).squareRoot()
        // Along the normal, which is as exact at the poles as at the equator.
        return distance * cosine(latitude) + position.z * sine(latitude)
            - n * (1 - eccentricitySquared * sine(latitude) * sine(latitude))
    }
}
