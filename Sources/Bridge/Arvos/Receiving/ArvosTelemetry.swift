import Messages
import Recording
import Text
import Translation

// Poses, motion and fixes of a phone as messages.
extension ArvosDecoder {
    /// The pose, and the same as transforms of the tree.
    func pose(_ message: ArvosMessage) throws(ArvosProblem) -> [StampedMessage] {
        let p = try message.numbers("position", 3)
        let q = try message.numbers("orientation", 4)
        let stamp = try stamp(message)
        let rotation = Recording.Quaternion(x: q[0], y: q[1], z: q[2], w: q[3])
        guard rotation.norm > 0.5, rotation.norm < 2 else {
            throw ArvosProblem(.badValue, expected: "a unit quaternion", found: "one of length \(rotation.norm)")
        }
        var pose = Recording.Transform(rotation: rotation, translation: Recording.Vector3(p[0], p[1], p[2]))
        if !keepsROSAxes { pose = Coordinates.mapFromBase(pose, policy: .ros) }
        var result = PoseStamped()
        result.header = Header(stampNanoseconds: stamp, frameID: FrameName.map)
        result.pose = Translation.pose(pose)
        var made: [StampedMessage] = []
        if !ledger.hasTree {
            ledger.hasTree = true
            let tree = TransformTree.fixed(.ros, earthFromMap: nil, stampNanoseconds: stamp)
            made.append(stamped(topics.staticTransforms, stamp, tree))
        }
        made.append(stamped(topics.transforms, stamp, TransformTree.moving(pose, stampNanoseconds: stamp)))
        made.append(stamped(topics.pose, stamp, result))
        return made
    }

    func imu(_ message: ArvosMessage, _ topic: Topic, _ frame: String) throws(ArvosProblem) -> StampedMessage {
        let rate = try message.numbers("angularVelocity", 3)
        let linear = try message.numbers("linearAcceleration", 3)
        let gravity = try message.optionalNumbers("gravity", 3)
        let stamp = try stamp(message)
        if gravity == nil { ledger.counts.withoutGravity += 1 }
        // Apple's acceleration and gravity together are the negative of specific force.
        let sign: Double = keepsROSAxes ? 1 : -1
        let force = (0..<3).map { sign * (linear[$0] + (gravity?[$0] ?? 0)) }
        var result = Imu()
        result.header = Header(stampNanoseconds: stamp, frameID: frame)
        result.angularVelocity = Messages.Vector3(x: rate[0], y: rate[1], z: rate[2])
        result.linearAcceleration = Messages.Vector3(x: force[0], y: force[1], z: force[2])
        if let attitude = message["attitude"], attitude.object != nil {
            let angles = ["roll", "pitch", "yaw"].map { attitude[$0]?.number ?? .nan }
            guard angles.allSatisfy(\.isFinite) else {
                throw ArvosProblem(.badValue, expected: "attitude of roll, pitch and yaw", found: attitude.text())
            }
            let q = ArvosAxes.quaternion(roll: angles[0], pitch: angles[1], yaw: angles[2])
            result.orientation = Messages.Quaternion(x: q.x, y: q.y, z: q.z, w: q.w)
        } else {
            result.orientation = Messages.Quaternion(x: 0, y: 0, z: 0, w: 1)
            result.orientationCovariance[0] = -1
        }
        return stamped(topic, stamp, result)
    }

    func fix(_ message: ArvosMessage) throws(ArvosProblem) -> [StampedMessage] {
        let (latitude, longitude) = (try message.number("latitude"), try message.number("longitude"))
        guard abs(latitude) <= 90, abs(longitude) <= 180 else {
            throw ArvosProblem(.badValue, expected: "a place on the Earth", found: "\(latitude), \(longitude)")
        }
        let stamp = try stamp(message)
        func value(_ key: String) -> Double { message[key]?.number.flatMap { $0.isFinite ? $0 : nil } ?? -1 }
        let header = Header(stampNanoseconds: stamp, frameID: FrameName.gps)
        let (horizontal, vertical) = (value("horizontalAccuracy"), value("verticalAccuracy"))
        var fix = NavSatFix()
        fix.header = header
        fix.status.status = NavSatStatus.fix
        fix.status.service = NavSatStatus.serviceGPS
        (fix.latitude, fix.longitude) = (latitude, longitude)
        // Arvos says the height above the sea; that above the ellipsoid is known only from our own sender.
        fix.altitude = message["ellipsoidalAltitude"]?.number ?? .nan
        if horizontal > 0 {
            let sigma = horizontal / LocationSample.sigmasInRadius
            let up = vertical > 0 ? vertical : horizontal
            (fix.positionCovariance[0], fix.positionCovariance[4]) = (sigma * sigma, sigma * sigma)
            fix.positionCovariance[8] = up * up
            fix.positionCovarianceType = NavSatFix.covarianceDiagonalKnown
        }
        var metadata = GPSMetadata()
        metadata.header = header
        metadata.position.service = "arvos"
        (metadata.position.latitude, metadata.position.longitude) = (latitude, longitude)
        metadata.position.altitude = value("altitude")
        metadata.position.ellipsoidalAltitude = message["ellipsoidalAltitude"]?.number ?? -1
        (metadata.position.horizontalAccuracy, metadata.position.verticalAccuracy) = (horizontal, vertical)
        (metadata.position.speed, metadata.position.course) = (value("speed"), value("course"))
        (metadata.position.speedAccuracy, metadata.position.courseAccuracy) = (-1, -1)
        metadata.timestamp = CalendarText.utc(nanoseconds: stamp)
        metadata.unixTime = Double(stamp) / 1e9
        return [stamped(topics.fix, stamp, fix), stamped(topics.metadata, stamp, metadata)]
    }
}
