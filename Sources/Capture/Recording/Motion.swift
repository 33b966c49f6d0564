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
    /// Whether gravity was recorded apart from the acceleration of the user.
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
