import Glibc
import Recording

/// The motion that CoreMotion would report on the trajectory, in the device's axes and with its signs.
struct PhoneMotion {
    /// The reference frame's x axis is arbitrary: this far from the world's, in radians about the vertical.
    static let referenceYawRadians = 0.7

    /// x to the right edge, y to the top edge, z out of the screen, from the camera's axes: (y, -x, z).
    static let deviceFromCamera = Quaternion(columns: Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1))

    let trajectory: Trajectory

    func sample(atSeconds time: Double, nanoseconds: Int64) -> MotionSample {
        let worldFromCamera = trajectory.worldFromCamera(atSeconds: time).rotation
        let deviceFromWorld = PhoneMotion.deviceFromCamera * worldFromCamera.inverse
        let acceleration = deviceFromWorld.rotating(trajectory.acceleration(atSeconds: time))
        return MotionSample(
            time: Timestamp(nanoseconds: nanoseconds),
            userAcceleration: acceleration / -MotionSample.standardGravity,
            rotationRate: PhoneMotion.deviceFromCamera.rotating(trajectory.angularVelocity(atSeconds: time)),
            gravity: deviceFromWorld.rotating(Vector3(0, -1, 0)),
            attitude: (PhoneMotion.referenceFromWorld * deviceFromWorld.inverse).normalized,
            magneticField: .zero
        )
    }

    /// From y up to z up, then the arbitrary turn.
    private static var referenceFromWorld: Quaternion {
        Quaternion(angleRadians: referenceYawRadians, axis: Vector3(0, 0, 1))
            * Quaternion(columns: Vector3(1, 0, 0), Vector3(0, 0, 1), Vector3(0, -1, 0))
    }

    /// Roll, pitch and yaw in radians: rotations about y, x and z, applied in the order roll, pitch, yaw.
    static func eulerAngles(_ attitude: Quaternion) -> [Double] {
        let (c0, c1, c2) = attitude.columns
        return [arcTangent(-c0.z, c2.z), arcSine(c1.z), arcTangent(-c1.x, c1.y)]
    }
}

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

    /// The fix of the receiver; `index` numbers the fixes.
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

/// The optional streams of a phone on the trajectory: its compass, the radios around it, and its indoor position.
struct PhoneObservations {
    let trajectory: Trajectory
    let options: SampleOptions

    /// The declination of magnetic north, in degrees to the east.
    static let declinationDegrees = 4.0
    private static let headingAccuracyDegrees = 6.0
    /// The room's access point, in the world.
    private static let accessPoint = Vector3(2, 1, -1.5)

    /// The azimuth of the camera; the world's x is east, its z is south.
    func heading(atSeconds time: Double, nanoseconds: Int64, index: Int) -> HeadingSample {
        let forward = trajectory.worldFromCamera(atSeconds: time).rotation.rotating(Vector3(0, 0, -1))
        var azimuth = arcTangent(forward.x, -forward.z) * 180 / .pi
        if options.hasNoise {
            var random = SeededRandom(seed: options.seed, stream: UInt64(index) | 5 << 60)
            azimuth += Self.headingAccuracyDegrees / 2 * Double(random.normal())
        }
        var sample = HeadingSample(time: Timestamp(nanoseconds: nanoseconds))
        sample.trueDegrees = Self.turn(azimuth)
        sample.magneticDegrees = Self.turn(azimuth - Self.declinationDegrees)
        sample.accuracyDegrees = Self.headingAccuracyDegrees
        return sample
    }

    private static func turn(_ degrees: Double) -> Double {
        let turn = degrees.truncatingRemainder(dividingBy: 360)
        return turn < 0 ? turn + 360 : turn
    }

    func indoor(atSeconds time: Double, nanoseconds: Int64, index: Int) -> IndoorSample {
        let location = PhoneLocation(trajectory: trajectory, options: options)
        var sample = IndoorSample(position: location.fix(atSeconds: time, nanoseconds: nanoseconds, index: index))
        sample.position.floor = 2
        sample.heading = heading(atSeconds: time, nanoseconds: nanoseconds, index: index)
        var source = JSONLine()
        source.add("beacon_ranging_configured", false)
        source.add("produced_by_accessory", false)
        source.add("simulated_by_software", false)
        sample.sourceJSON = String(decoding: source.closed, as: UTF8.self)
        return sample
    }

    /// The lines of radio.jsonl of one time: the access point, weaker the farther it is, and now and then a beacon and
    /// the state of the network.
    func radio(atSeconds time: Double, nanoseconds: Int64, index: Int) -> [JSONLine] {
        let position = trajectory.worldFromCamera(atSeconds: time).translation
        let metres = max(0.1, (Self.accessPoint - position).length)
        // Free space at 5 GHz: 46 dB over the first metre, 20 dB for each ten times of it.
        let rssi = -26 - 20 * log10(metres)
        let strength = min(1, max(0, (rssi + 90) / 60))
        var wifi = Self.observation("current_wifi_network", "wifi_current_network", "wifi", nanoseconds)
        wifi.sourceID = "02:00:00:00:00:01"
        wifi.ssid = "mapeverything"
        wifi.bssid = "02:00:00:00:00:01"
        wifi.signalStrength = strength
        wifi.rssiDBm = rssi
        wifi.isSecure = true
        wifi.quality = strength
        var wifiLine = NativeLines.radio(wifi)
        // No field of its own: kept in metadata_json.
        wifiLine.add("did_auto_join", true)
        guard index % 4 == 0 else { return [wifiLine] }
        var beacon = Self.observation("ble_advertisement", "ble_advertisement", "ble", nanoseconds)
        beacon.sourceID = "6F0B9E0C-0000-4000-8000-000000000001"
        beacon.peripheralID = "6F0B9E0C-0000-4000-8000-000000000001"
        beacon.localName = "beacon"
        beacon.serviceUUIDs = ["FEAA"]
        beacon.rssiDBm = rssi - 20
        guard index == 0 else { return [wifiLine, NativeLines.radio(beacon)] }
        var path = Self.observation("network_path", "network_path_state", "network_path", nanoseconds)
        path.sourceID = "wifi"
        path.networkStatus = "satisfied"
        path.interfaceTypes = ["wifi"]
        path.quality = 1
        return [wifiLine, NativeLines.radio(beacon), NativeLines.radio(path)]
    }

    private static func observation(
        _ channel: String,
        _ kind: String,
        _ type: String,
        _ nanoseconds: Int64
    ) -> RadioSample {
        var sample = RadioSample(time: Timestamp(nanoseconds: nanoseconds))
        sample.channelID = channel
        sample.kind = kind
        sample.sourceAPI = "synthetic"
        sample.radioType = type
        sample.tags = [type]
        sample.isSuccess = true
        return sample
    }
}
