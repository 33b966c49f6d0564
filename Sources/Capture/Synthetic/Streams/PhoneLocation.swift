import Recording

/// Location fixes on the trajectory: the world's x is east, its z is south.
struct PhoneLocation {
    /// Where the world's origin is (WGS 84).
    static let originLatitudeDegrees = 48.137154
    static let originLongitudeDegrees = 11.575490
    static let originEllipsoidalAltitudeMetres = 565.2
    /// The geoid above the ellipsoid.
    static let geoidHeightMetres = 45.6
    static let horizontalDeviationMetres: Float = 1.2

    let trajectory: Trajectory
    let options: SampleOptions

    /// What the receiver says; `index` numbers the fixes.
    func fix(atSeconds time: Double, nanoseconds: Int64, index: Int) -> LocationSample {
        let position = trajectory.worldFromCamera(atSeconds: time).translation
        let velocity = trajectory.velocity(atSeconds: time)
        var enu = Vector3(position.x, -position.z, position.y)
        if options.hasNoise {
            var random = SeededRandom(seed: options.seed, stream: UInt64(index) | 4 << 60)
            for axis in 0..<3 { enu[axis] += Double(PhoneLocation.horizontalDeviationMetres * random.normal()) }
        }
        let place = PhoneLocation.geodetic(eastNorthUp: enu)
        let course = arcTangent(velocity.x, -velocity.z) * 180 / .pi
        var fix = LocationSample(
            time: Timestamp(nanoseconds: nanoseconds),
            latitudeDegrees: place.latitude,
            longitudeDegrees: place.longitude
        )
        fix.altitudeMetres = place.altitude - PhoneLocation.geoidHeightMetres
        fix.ellipsoidalAltitudeMetres = place.altitude
        fix.horizontalAccuracyMetres = 3.5
        fix.verticalAccuracyMetres = 4.5
        fix.speedMetresPerSecond = (velocity.x * velocity.x + velocity.z * velocity.z).squareRoot()
        fix.speedAccuracyMetresPerSecond = 0.3
        fix.courseDegrees = course < 0 ? course + 360 : course
        fix.courseAccuracyDegrees = 12
        fix.unixNanoseconds = SampleSchedule.unixNanoseconds(nanoseconds)
        return fix
    }

    // WGS 84 (NIMA TR8350.2): semi-major axis and flattening.
    private static let semiMajorMetres = 6_378_137.0
    private static let flattening = 1 / 298.257223563
    private static let eccentricitySquared = flattening * (2 - flattening)

    /// Latitude and longitude in degrees and the height above the ellipsoid, of a point given around the origin.
    static func geodetic(eastNorthUp enu: Vector3) -> (latitude: Double, longitude: Double, altitude: Double) {
        let phi = originLatitudeDegrees * .pi / 180
        let lambda = originLongitudeDegrees * .pi / 180
        let (sinPhi, cosPhi, sinLambda, cosLambda) = (sine(phi), cosine(phi), sine(lambda), cosine(lambda))
        let east = Vector3(-sinLambda, cosLambda, 0)
        let north = Vector3(-sinPhi * cosLambda, -sinPhi * sinLambda, cosPhi)
        let up = Vector3(cosPhi * cosLambda, cosPhi * sinLambda, sinPhi)
        let radius = semiMajorMetres / (1 - eccentricitySquared * sinPhi * sinPhi).squareRoot()
        let origin = Vector3(
            (radius + originEllipsoidalAltitudeMetres) * cosPhi * cosLambda,
            (radius + originEllipsoidalAltitudeMetres) * cosPhi * sinLambda,
            (radius * (1 - eccentricitySquared) + originEllipsoidalAltitudeMetres) * sinPhi
        )
        let p = origin + enu.x * east + enu.y * north + enu.z * up
        let across = (p.x * p.x + p.y * p.y).squareRoot()
        var latitude = phi
        var altitude = 0.0
        // Each round gains a factor of about 1 / eccentricitySquared = 150.
        for _ in 0..<8 {
            let sinLatitude = sine(latitude)
            let n = semiMajorMetres / (1 - eccentricitySquared * sinLatitude * sinLatitude).squareRoot()
            altitude = across / cosine(latitude) - n
            latitude = arcTangent(p.z, across * (1 - eccentricitySquared * n / (n + altitude)))
        }
        return (latitude * 180 / .pi, arcTangent(p.y, p.x) * 180 / .pi, altitude)
    }
}
