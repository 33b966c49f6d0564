/// Anything a session yields, in time order.
///
/// This library holds a recording as values, and the geometry that every other room of the capture world computes with.
/// Begin reading here; ``FrameReference`` (Frame.swift) is a frame with its pose and camera, Images.swift has the grids,
/// ``ImageOrientation`` the turns between stored images and the sensor, ``Transform`` rigid motions. Records are small:
/// images and depth are loaded where they are processed.
package enum Record: Sendable {
    case frame(FrameReference)
    case motion(MotionSample)
    case location(LocationSample)
    case heading(HeadingSample)
    // Boxed: rare and large, while records are copied often.
    indirect case radio(RadioSample)
    indirect case indoor(IndoorSample)

    package var time: Timestamp {
        switch self {
        case .frame(let frame): frame.time
        case .motion(let sample): sample.time
        case .location(let sample): sample.time
        case .heading(let sample): sample.time
        case .radio(let sample): sample.time
        case .indoor(let sample): sample.position.time
        }
    }

    package var stream: RecordStream {
        switch self {
        case .frame: .frames
        case .motion: .motion
        case .location: .location
        case .heading: .heading
        case .radio: .radio
        case .indoor: .indoor
        }
    }
}

/// The streams of a recording, in the order of their records at equal times.
package enum RecordStream: Int, CaseIterable, Sendable, Hashable {
    case frames
    case motion
    case location
    case heading
    case radio
    case indoor
}

/// One CoreMotion sample, in the device's axes: x to the right edge, y to the top edge, z out of the screen.
package struct MotionSample: Sendable {
    /// Metres per square second of one g (CGPM 1901).
    package static let standardGravity = 9.80665

    package var time: Timestamp
    /// Acceleration of the user in g, with CoreMotion's sign (the negative of specific force, with `gravity`).
    ///
    /// Zero where it is not known apart from gravity.
    package var userAcceleration: Vector3
    /// Angular velocity in rad/s, right-handed, without bias.
    package var rotationRate: Vector3
    /// Gravity in g, a unit vector that points down; with the user's acceleration where ``separatesGravity`` is false.
    package var gravity: Vector3
    /// True if gravity was recorded apart from the acceleration of the user.
    package var separatesGravity = true
    /// Attitude against a frame with a vertical z axis and an arbitrary x axis, in whichever direction it was recorded
    /// (``AttitudeCheck`` tells); `nil` where not recorded.
    package var attitude: Quaternion?
    /// Magnetic field in microtesla; `nil` where not recorded.
    package var magneticField: Vector3?

    package init(
        time: Timestamp,
        userAcceleration: Vector3,
        rotationRate: Vector3,
        gravity: Vector3,
        attitude: Quaternion? = nil,
        magneticField: Vector3? = nil
    ) {
        self.time = time
        self.userAcceleration = userAcceleration
        self.rotationRate = rotationRate
        self.gravity = gravity
        self.attitude = attitude
        self.magneticField = magneticField
    }
}

/// One location fix.
///
/// A value that is not known is `nil`.
package struct LocationSample: Sendable {
    package var time: Timestamp
    /// Nanoseconds since 1970, where the phone's wall clock was recorded with the fix.
    package var unixNanoseconds: Int64?
    package var latitudeDegrees: Double
    package var longitudeDegrees: Double
    /// Above mean sea level.
    package var altitudeMetres: Double?
    /// Above the WGS 84 ellipsoid.
    package var ellipsoidalAltitudeMetres: Double?
    /// The radius of the circle that holds the place with a probability of about 68 % (CoreLocation).
    package var horizontalAccuracyMetres: Double?
    /// One standard deviation.
    package var verticalAccuracyMetres: Double?
    package var speedMetresPerSecond: Double?
    package var speedAccuracyMetresPerSecond: Double?
    /// Clockwise from true north.
    package var courseDegrees: Double?
    package var courseAccuracyDegrees: Double?
    package var floor: Int?

    package init(time: Timestamp, latitudeDegrees: Double, longitudeDegrees: Double) {
        self.time = time
        self.latitudeDegrees = latitudeDegrees
        self.longitudeDegrees = longitudeDegrees
    }
}

extension LocationSample {
    /// A circle of this many standard deviations of one axis holds 68.3 % of a two-dimensional normal distribution:
    /// sqrt(-2 ln(1 - 0.683)).
    package static let sigmasInRadius = 1.515

    /// The standard deviation along one horizontal axis; `nil` where nothing is known, which a radius of 0 is too.
    package var horizontalSigmaMetres: Double? {
        horizontalAccuracyMetres.flatMap { $0 > 0 ? $0 / Self.sigmasInRadius : nil }
    }

    /// The standard deviation of the height: the vertical accuracy or, without one, the horizontal radius, since heights are
    /// less exact than places.
    package var verticalSigmaMetres: Double? {
        let accuracy = verticalAccuracyMetres.flatMap { $0 > 0 ? $0 : nil } ?? horizontalAccuracyMetres
        return accuracy.flatMap { $0 > 0 ? $0 : nil }
    }
}

/// A reading of the compass: azimuths of the device in degrees clockwise.
///
/// `nil` where a value is not known.
package struct HeadingSample: Sendable, Hashable {
    package var time: Timestamp
    /// Against geographic north.
    package var trueDegrees: Double?
    /// Against magnetic north.
    package var magneticDegrees: Double?
    /// How far the heading may be off, to either side.
    package var accuracyDegrees: Double?

    package init(time: Timestamp) { self.time = time }
}

/// A position by an indoor positioning service, with the heading at that time.
package struct IndoorSample: Sendable {
    /// The place, and the floor where it is known.
    package var position: LocationSample
    package var heading: HeadingSample
    package var service = "core_location"
    /// JSON texts as they were recorded; `nil` where they were not.
    package var sourceJSON: String?
    package var qualityJSON: String?

    package init(position: LocationSample) {
        self.position = position
        heading = HeadingSample(time: position.time)
    }
}

/// One observation of a radio or of the network; what is not known is blank.
package struct RadioSample: Sendable, Hashable {
    package var time: Timestamp
    package var sessionID = ""
    package var schemaVersion: UInt32 = 1
    package var channelID = ""
    package var kind = ""
    package var sourceAPI = ""
    package var sourceID = ""
    package var radioType = ""
    package var tags: [String] = []
    package var latitudeDegrees: Double?
    package var longitudeDegrees: Double?
    package var altitudeMetres: Double?
    package var ssid = ""
    package var bssid = ""
    /// 0 to 1.
    package var signalStrength = 0.0
    package var isSecure = false
    package var peripheralID = ""
    package var localName = ""
    package var serviceUUIDs: [String] = []
    package var isConnectable = false
    package var networkStatus = ""
    package var interfaceTypes: [String] = []
    package var isExpensive = false
    package var isConstrained = false
    package var frequencyHertz = 0.0
    package var rssiDBm = 0.0
    package var signalToNoiseDB = 0.0
    /// 0 to 1.
    package var quality = 0.0
    package var roundTripMilliseconds = 0.0
    package var bytesPerSecond = 0.0
    package var isSuccess = false
    package var error = ""
    /// Further values that were recorded: the text of a JSON object.
    package var metadataJSON = "{}"

    package init(time: Timestamp) { self.time = time }
}
