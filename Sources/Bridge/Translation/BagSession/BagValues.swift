import Messages
import Perception
import Recording
import Sessions

// From the values of messages back to those of a recording: the inverse of what Topics writes.

extension Recording.Vector3 {
    init(_ v: Messages.Vector3) { self.init(v.x, v.y, v.z) }
    init(_ p: Messages.Point) { self.init(p.x, p.y, p.z) }
}

extension Recording.Quaternion {
    init(_ q: Messages.Quaternion) { self.init(x: q.x, y: q.y, z: q.z, w: q.w) }
}

extension Recording.Transform {
    private static let wanted = "a place of finite numbers and a quaternion of length 1"

    /// - Throws: a ``Problem`` for what is no rigid motion.
    init(_ pose: Messages.Pose) throws(Problem) {
        try self.init(recorded: Quaternion(pose.orientation), Vector3(pose.position), expected: Self.wanted)
    }

    /// - Throws: a ``Problem`` for what is no rigid motion.
    init(_ transform: Messages.Transform) throws(Problem) {
        try self.init(recorded: Quaternion(transform.rotation), Vector3(transform.translation), expected: Self.wanted)
    }
}

extension CameraIntrinsics {
    /// The camera of the image that a CameraInfo is about, as it is stored.
    ///
    /// - Throws: a ``Problem`` for what is no camera of an image of that size.
    init(_ info: CameraInfo) throws(Problem) {
        let sides = 1...UInt32(1 << 16)
        guard sides.contains(info.width), sides.contains(info.height) else {
            throw Problem(
                .badIntrinsics,
                file: "",
                expected: "an image of at most \(sides.upperBound) pixels a side",
                found: "\(info.width)x\(info.height)"
            )
        }
        let size = GridSize(width: Int(info.width), height: Int(info.height))
        try self.init(size, fx: info.k[0], fy: info.k[4], cx: info.k[2], cy: info.k[5])
        guard info.distortionModel == "plumb_bob", 4...5 ~= info.d.count, info.d.allSatisfy(\.isFinite) else { return }
        distortion = LensDistortion(info.d)
    }
}

extension ImageOrientation {
    /// The turn of the optical frame in which an image is; `nil` for a frame that tells of none.
    init?(opticalFrame name: String) {
        let known = ImageOrientation.allCases.first { $0 != .landscapeRight && name.hasSuffix(FrameName.optical($0)) }
        guard let known else { return nil }
        self = known
    }

    /// The camera of the sensor's landscape image, from that of the image as it is stored.
    func sensorIntrinsics(_ stored: CameraIntrinsics) -> CameraIntrinsics { inverse.storedIntrinsics(stored) }
}

extension MotionSample {
    /// The sample of which ``ImuTopic`` makes a message, in device axes.
    ///
    /// Where there is an orientation, gravity is what it says and the rest of the acceleration is the user's; without one
    /// the two are not told apart.
    ///
    /// - Throws: a ``Problem`` for numbers that are not finite.
    init(_ message: Imu, time: Timestamp, _ convention: ImuConvention) throws(Problem) {
        let acceleration = Vector3(message.linearAcceleration)
        let rate = Vector3(message.angularVelocity)
        let numbers = [acceleration.x, acceleration.y, acceleration.z, rate.x, rate.y, rate.z]
        guard numbers.allSatisfy(\.isFinite) else {
            throw Problem(.badMotionSample, file: "", expected: "finite numbers", found: "\(numbers)")
        }
        let force =
            switch convention {
            case .ros: acceleration / -Self.standardGravity
            case .app: acceleration / 9.81
            }
        let orientation = Quaternion(message.orientation)
        // -1 says that there is none (Imu.msg); a quaternion of another length than 1 is not one.
        guard message.orientationCovariance[0] != -1, abs(orientation.norm - 1) <= 0.01 else {
            self.init(time: time, userAcceleration: .zero, rotationRate: rate, gravity: force)
            separatesGravity = false
            return
        }
        let attitude = orientation.normalized
        let gravity = attitude.inverse.rotating(Vector3(0, 0, -1))
        self.init(
            time: time,
            userAcceleration: force - gravity,
            rotationRate: rate,
            gravity: gravity,
            attitude: attitude
        )
    }
}

extension LocationSample {
    /// The fix of which ``LocationTopics`` makes messages; `nil` where the receiver had none.
    ///
    /// - Throws: a ``Problem`` for a place that is none.
    init?(_ message: NavSatFix, time: Timestamp, _ convention: LocationConvention) throws(Problem) {
        guard message.status.status != NavSatStatus.noFix || convention == .app else { return nil }
        guard abs(message.latitude) <= 90, abs(message.longitude) <= 180 else {
            let found = "latitude \(message.latitude), longitude \(message.longitude)"
            throw Problem(.badLocation, file: "", expected: "degrees of a place", found: found)
        }
        self.init(time: time, latitudeDegrees: message.latitude, longitudeDegrees: message.longitude)
        if time.nanoseconds >= EpochAnchor.oldestUnixNanoseconds { unixNanoseconds = time.nanoseconds }
        let altitude = message.altitude.isFinite ? message.altitude : nil
        switch convention {
        case .ros: ellipsoidalAltitudeMetres = altitude
        case .app: altitudeMetres = altitude
        }
        let type = message.positionCovarianceType
        guard type != NavSatFix.covarianceUnknown else { return }
        let (east, north, up) = (
            message.positionCovariance[0], message.positionCovariance[4], message.positionCovariance[8]
        )
        let deviation = ((east + north) / 2).squareRoot()
        guard deviation.isFinite, deviation > 0 else { return }
        horizontalAccuracyMetres = convention == .ros ? deviation * Self.sigmasInRadius : deviation
        if type != NavSatFix.covarianceApproximated, up.isFinite, up > 0 { verticalAccuracyMetres = up.squareRoot() }
    }

    /// Takes what NavSatFix has no room for from the message beside it.
    mutating func complete(from position: ServicePosition, unixSeconds: Double) {
        func known(_ value: Double) -> Double? { value.isFinite && value != ServicePosition.unknown ? value : nil }
        altitudeMetres = known(position.altitude) ?? altitudeMetres
        ellipsoidalAltitudeMetres = known(position.ellipsoidalAltitude) ?? ellipsoidalAltitudeMetres
        horizontalAccuracyMetres = known(position.horizontalAccuracy) ?? horizontalAccuracyMetres
        verticalAccuracyMetres = known(position.verticalAccuracy) ?? verticalAccuracyMetres
        speedMetresPerSecond = known(position.speed)
        speedAccuracyMetresPerSecond = known(position.speedAccuracy)
        courseDegrees = known(position.course)
        courseAccuracyDegrees = known(position.courseAccuracy)
        // As a number of seconds it is good to a quarter of a microsecond.
        let unix = unixSeconds * 1e9
        guard unix.isFinite, unix > 0, unix < 9e18, abs(unix - Double(unixNanoseconds ?? 0)) > 1000 else { return }
        unixNanoseconds = Int64(unix.rounded())
    }
}
