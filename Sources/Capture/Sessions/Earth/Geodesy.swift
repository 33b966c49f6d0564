import Glibc
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

/// A zone of the Universal Transverse Mercator projection of WGS 84.
///
/// Krüger's series to the fourth order of the flattening, exact to less than a millimetre within a zone (Karney 2011,
/// "Transverse Mercator with an accuracy of a few nanometers").
package struct UTMZone: Sendable, Hashable {
    /// From 1, at 180 degrees west, to 60.
    package let number: Int
    package let isNorth: Bool

    /// The zone of a place, with the exceptions of Norway and Svalbard; nil near the poles, where UTM ends.
    package init?(latitudeDegrees latitude: Double, longitudeDegrees longitude: Double) {
        guard latitude >= -80, latitude <= 84, abs(longitude) <= 180 else { return nil }
        isNorth = latitude >= 0
        let plain = min(60, Int((longitude + 180) / 6) + 1)
        if latitude >= 56, latitude < 64, longitude >= 3, longitude < 12 {
            number = 32
        } else if latitude >= 72, longitude >= 0, longitude < 42 {
            number = longitude < 9 ? 31 : longitude < 21 ? 33 : longitude < 33 ? 35 : 37
        } else {
            number = plain
        }
    }

    package var name: String { "WGS 84 / UTM zone \(number)\(isNorth ? "N" : "S")" }

    /// The number of the coordinate system in the EPSG's list.
    package var epsgCode: Int { (isNorth ? 32_600 : 32_700) + number }

    private var centralDegrees: Int { 6 * number - 183 }

    /// OGC's well-known text, version 1 (OGC 01-009).
    package var wellKnownText: String {
        let spheroid = #"SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]]"#
        let geographic =
            #"GEOGCS["WGS 84",DATUM["WGS_1984",\#(spheroid),AUTHORITY["EPSG","6326"]],"#
            + #"PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],"#
            + #"UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]"#
        let parameters = [
            ("latitude_of_origin", "0"), ("central_meridian", "\(centralDegrees)"), ("scale_factor", "0.9996"),
            ("false_easting", "500000"), ("false_northing", isNorth ? "0" : "10000000"),
        ].map { #"PARAMETER["\#($0.0)",\#($0.1)]"# }.joined(separator: ",")
        return #"PROJCS["\#(name)",\#(geographic),PROJECTION["Transverse_Mercator"],\#(parameters),"#
            + #"UNIT["metre",1,AUTHORITY["EPSG","9001"]],AXIS["Easting",EAST],AXIS["Northing",NORTH],"#
            + #"AUTHORITY["EPSG","\#(epsgCode)"]]"#
    }

    private static let n: Double = {
        let flattening = 1 / 298.257223563
        return flattening / (2 - flattening)
    }()
    private static let rectifyingRadiusMetres = 6_378_137 / (1 + n) * (1 + n * n / 4 + n * n * n * n / 64)
    private static let series: [Double] = {
        let (n2, n3, n4) = (n * n, n * n * n, n * n * n * n)
        return [
            n / 2 - 2 * n2 / 3 + 5 * n3 / 16 + 41 * n4 / 180, 13 * n2 / 48 - 3 * n3 / 5 + 557 * n4 / 1440,
            61 * n3 / 240 - 103 * n4 / 140, 49_561 * n4 / 161_280,
        ]
    }()

    /// Easting and northing in metres, and the height above the ellipsoid as z, of a position in ECEF metres.
    package func position(ofEarth position: Vector3) -> Vector3 {
        let (latitude, longitude) = Geodesy.place(position)
        let height = Geodesy.heightMetres(position, latitudeDegrees: latitude)
        let (phi, lambda) = (latitude * .pi / 180, (longitude - Double(centralDegrees)) * .pi / 180)
        let e = 2 * Self.n.squareRoot() / (1 + Self.n)
        let t = sinh(atanh(sine(phi)) - e * atanh(e * sine(phi)))
        let xi = arcTangent(t, cosine(lambda))
        let eta = asinh(sine(lambda) / (t * t + cosine(lambda) * cosine(lambda)).squareRoot())
        var (north, east) = (xi, eta)
        for (index, factor) in Self.series.enumerated() {
            let order = 2 * Double(index + 1)
            north += factor * sine(order * xi) * cosh(order * eta)
            east += factor * cosine(order * xi) * sinh(order * eta)
        }
        let scale = 0.9996 * Self.rectifyingRadiusMetres
        return Vector3(500_000 + scale * east, (isNorth ? 0 : 10_000_000) + scale * north, height)
    }
}

extension LocationSample {
    /// The place of the fix at a height above the ellipsoid, in the axes of the Earth.
    package func earthPosition(heightMetres: Double = 0) -> Vector3 {
        Geodesy.earthPosition(
            latitudeDegrees: latitudeDegrees,
            longitudeDegrees: longitudeDegrees,
            heightMetres: heightMetres
        )
    }
}
